import StorageEngine

/// What a list shows of a work, copied out of the library: it keeps no snapshot alive, and reading a field costs nothing.
///
/// A `WorkListItem` reads a field when it is asked for one; where every field of a page is wanted anyway, fifty summaries are
/// half the work of fifty items. Texts are cut as in `WorkListItem`.
public struct WorkSummary: Identifiable, Hashable, Sendable {
    public let id: BookDB.ID<Work>
    public let title: String
    public let authors: String
    public let coverURL: String?
    public let year: Int?
    public let language: LanguageCode?
    public let dateFinished: Day?
    public let status: ReadingStatus
    public let rating: Rating?
    public let reviewStatus: ReviewStatus
    public let isOwned: Bool

    /// `nil` for bytes that are no row.
    fileprivate init?(_ id: BookDB.ID<Work>, _ row: RawSpan) {
        guard StoredRow.isReadable(row) else { return nil }
        self.id = id
        title = StoredRow.title(row)
        authors = StoredRow.authors(row)
        coverURL = StoredRow.coverURL(row)
        year = StoredRow.year(row)
        language = StoredRow.language(row)
        dateFinished = StoredRow.dateFinished(row)
        status = StoredRow.status(row)
        rating = StoredRow.rating(row)
        reviewStatus = StoredRow.reviewStatus(row)
        isOwned = StoredRow.isOwned(row)
    }
}

extension WorkItems {
    /// Some rows by position with all their fields; less than `limit` at the end of the list. O(log n + limit).
    ///
    /// - Throws: `BookError.damaged` when a row cannot be read; `BookError.invalid` for a negative offset or limit.
    public func summaries(offset: Int, limit: Int) throws(BookError) -> [WorkSummary] {
        let indices = try indices(offset: offset, limit: limit)
        var summaries: [WorkSummary] = []
        summaries.reserveCapacity(indices.count)
        var unreadable: BookDB.ID<Work>?
        do {
            try forEachRow(indices) { id, row in
                guard let summary = WorkSummary(id, row) else {
                    unreadable = id
                    return false
                }
                summaries.append(summary)
                return true
            }
        } catch {
            throw BookError(error)
        }
        if let unreadable { throw .damagedRecord("the row of work \(unreadable)", "its lengths do not fit it") }
        return summaries
    }

    /// The stored rows of some indices, in their order, until `body` says no.
    private func forEachRow(
        _ indices: Range<Int>, _ body: (BookDB.ID<Work>, RawSpan) -> Bool
    ) throws(StorageError) {
        var failure: StorageError?
        var goesOn = true
        func visit(_ entry: Entry) -> Bool {
            do throws(StorageError) {
                let id = BookDB.ID<Work>(rawValue: entry.trailingInteger)
                let row = range.index == .order(.title) ? entry : try WorkReference(entry: entry, index: range.index).row()
                goesOn = try row?.withValue { body(id, $0) } ?? false
                if row == nil {
                    failure = .damaged(
                        Damage(file: "the list", byteOffset: 0, finding: "the row of work \(id) is missing"))
                }
            } catch {
                failure = error
            }
            return goesOn && failure == nil
        }
        if range.reversedCount == 0 {
            let start = range.positions.lowerBound
            try version.forEachEntry(
                in: range.index.tree, facet: range.facet,
                positions: start + indices.lowerBound..<start + indices.upperBound, visit)
        } else {
            for entry in try range.entries(indices, in: version) where !visit(entry) { break }
        }
        if let failure { throw failure }
    }
}
