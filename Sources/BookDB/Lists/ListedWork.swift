import RecordStore
import StorageEngine

/// A work's keys in the lists and what they show of it. Two that are equal need no write.
struct ListedWork: Equatable, Sendable {
    let keys: WorkKeys
    let row: WorkListRow

    init(_ work: Work, authors: [Author], entry: UserLibraryEntry?, filing: FilingTailoring) {
        keys = WorkKeys(work, authors: authors, entry: entry, filing: filing)
        row = .make(work: work, authors: authors, entry: entry)
    }

    /// Calls `body` with a key and what its tree holds: the row in the tree by title, and mostly nothing elsewhere.
    @inline(__always)
    func withEntry<Result, Failure>(
        of key: WorkKeys.Key, _ body: (_ key: RawSpan, _ value: RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try keys.withBytes(of: key) { (bytes, value) throws(Failure) in
            guard key.index == WorkOrder.title.index else { return try body(bytes, value) }
            return try row.encoded().withBytes { (row) throws(Failure) in try body(bytes, row) }
        }
    }
}
