import RecordStore
import StorageEngine

extension LibraryTree {
    /// The record that changes with an entry of a tree. With an entry of the list in title order it is the row of a work, and so it is in the order by author:
    /// by a sort name, which rows do not show, they have other places there.
    static func changedBook(_ tree: TreeNumber, _ key: RawSpan) -> (kind: BuiltInKind, id: UInt64)? {
        switch (tree, key.byteCount) {
        case (books, BookKey.byteCount):
            guard let key = BookKey(key) else { return nil }
            switch key.kind {
            case .work: return (.works, key.work.rawValue)
            case .entry: return (.entries, key.work.rawValue)
            case .edition(let id): return (.editions, id.rawValue)
            }
        case (authors, 8): return (.authors, key.trailingIdentifier)
        case (texts, 9):
            let bytes = key.copyBytes(0..<9)
            return (TextKind(rawValue: bytes[8]) == .description ? .works : .entries, bytes.number(at: 0))
        case (title, 8...), (authorOrder, 8...): return (.rows, key.trailingIdentifier)
        default: return nil
        }
    }
}

extension LibraryChanges {
    /// A row that changed with its work, or with the entry of its work, is not told once more. Where authors changed, too, a row may have
    /// changed with its entry and with an author, and lists have to hear of both.
    mutating func settleBooks() {
        let telling = self[.authors].isEmpty ? [self[.works], self[.entries]] : [self[.works]]
        var rows = Changes<AppRecord>()
        for changed in self[.rows].updated.union(self[.rows].inserted) {
            let isTold = telling.contains {
                $0.hasInserted(changed) || $0.updated.contains(changed) || $0.deleted.contains(changed)
            }
            if !isTold { rows.update(changed) }
        }
        self[.rows] = rows
    }
}
