import StorageEngine

/// Looks for the records of a list that fulfil a predicate, off the main actor.
struct RecordMatchFinder<Value: Record>: Sendable {
    let version: Version
    let query: RecordListQuery<Value>
    let predicate: @Sendable (RecordRow<Value>) throws -> Bool

    private static var pageCount: Int { 256 }

    /// Records that cannot be read, or that the predicate throws for, are left out.
    @concurrent func rows() async throws(LibraryError) -> RecordRows<Value> {
        let list = query.rows(in: version)
        if let error = list.error { throw error }
        let kind = RecordKind<Value>.current
        var chosen: [Int32] = []
        for start in stride(from: 0, to: list.count, by: Self.pageCount) {
            guard !Task.isCancelled else { throw .cancelled }
            let fields = kind.fields.known
            for (index, id) in try list.list.identifiers(offset: start, limit: Self.pageCount).enumerated() {
                guard let bytes = (try? version.recordBytes(id.rawValue, in: kind.tree)) ?? nil else { continue }
                if (try? predicate(RecordRow(id, RecordBytes(bytes), fields))) == true {
                    chosen.append(Int32(start + index))
                }
            }
        }
        return list.choosing(chosen)
    }
}
