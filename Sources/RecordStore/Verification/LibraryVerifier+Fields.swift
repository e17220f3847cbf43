import StorageEngine

extension LibraryVerifier {
    /// What the library says of the fields of each kind.
    mutating func verifyAppFields() {
        attempt(\.appRecords) { (verifier) throws(LibraryError) in
            for kind in try verifier.version.keys(of: LibraryTree.appFields, prefix: [], after: nil, limit: .max) {
                let bytes = try verifier.version.stored(kind, in: LibraryTree.appFields) {
                    $0.copyBytes(0..<$0.byteCount)
                }
                do throws(RecordProblem) {
                    _ = try KindFields(decoding: bytes ?? [])
                } catch {
                    let name = String(decoding: kind, as: UTF8.self)
                    verifier.appRecords.report(
                        "What the library says of the fields of \(name) cannot be read: \(error.description). The next write of such a record "
                            + "says it again.")
                }
            }
        }
    }
}
