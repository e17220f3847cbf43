import RecordStore

/// A work's keys in the lists and what they show of it. Two that are equal need no write.
struct ListedWork: Equatable, Sendable {
    let keys: WorkKeys
    let row: WorkListRow

    init(_ work: Work, authors: [Author], entry: UserLibraryEntry?, filing: FilingTailoring) {
        keys = WorkKeys(work, authors: authors, entry: entry, filing: filing)
        row = .make(work: work, authors: authors, entry: entry)
    }

    /// What the trees hold: the row in the tree by title, and mostly nothing elsewhere.
    func value(of key: WorkKeys.Key) -> [UInt8] {
        key.index == WorkOrder.title.index ? row.encoded() : key.value
    }
}
