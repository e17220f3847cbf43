import Filing
import RecordStore
import StorageEngine

/// What a transaction knows of books without reading them.
///
/// Authors that it has met, since most works of a batch have one that another has. And the work that was changed last: it moves in the lists
/// when another one is changed, a list is asked for, or the transaction ends. Until then editions and the reader's entry come to it, and its
/// places are worked out once for all of that.
final class BooksAtHand: PendingChanges {
    /// What the places of a work follow from.
    struct Listed {
        var work: Work
        /// Those of the work, in its order.
        var authors: [Author]
        /// What lists show of it is there; its texts may not be.
        var entry: UserLibraryEntry?
    }

    var authors: [ID<Author>: Author] = [:]

    private let filing: FilingTailoring
    private var move: Move?

    private struct Move {
        let id: ID<Work>
        /// As the trees list it; `nil` when they do not.
        let old: Listed?
        var new: Listed?
    }

    init(_ filing: FilingTailoring) { self.filing = filing }

    /// The work at hand, as it is now; `nil` for another one.
    func listed(_ id: ID<Work>) -> Listed? { move?.id == id ? move?.new : nil }

    func relist(
        _ id: ID<Work>, from old: Listed?, to new: Listed?, in transaction: TransactionReader
    ) throws(StorageError) {
        if move?.id == id {
            move?.new = new
        } else {
            try make(in: transaction)
            move = Move(id: id, old: old, new: new)
        }
    }

    // MARK: PendingChanges

    func concern(_ tree: TreeNumber) -> Bool { move != nil && WorkIndexDefinition.of(tree) != nil }

    func make(in transaction: TransactionReader) throws(StorageError) {
        guard let move else { return }
        self.move = nil
        try Self.replace(move.old.map(listing), with: move.new.map(listing), in: transaction)
    }

    private func listing(_ listed: Listed) -> ListedWork {
        ListedWork(listed.work, authors: listed.authors, entry: listed.entry, filing: filing)
    }

    /// Moves a work from its old place in the lists to its new one, and writes only what differs.
    private static func replace(
        _ old: ListedWork?, with new: ListedWork?, in transaction: TransactionReader
    ) throws(StorageError) {
        if let old {
            let wanted = WorkKeyLookup(new?.keys)
            for key in old.keys.all where wanted.key(like: key, of: old.keys) == nil {
                try old.keys.withBytes(of: key) { (bytes, _) throws(StorageError) in
                    try transaction.removeLater(bytes, in: key.index.tree)
                }
            }
        }
        guard let new else { return }
        let facets = new.row.facets
        // Of another set of facets every entry is written.
        let written = old.flatMap { $0.row.facets == facets ? $0.keys : nil }
        let known = WorkKeyLookup(written)
        for key in new.keys.all {
            if let written, let same = known.key(like: key, of: new.keys),
                new.keys.hasSameValue(key, as: same, of: written),
                key.index != WorkOrder.title.index || old?.row == new.row
            {
                continue
            }
            try new.withEntry(of: key) { (bytes, value) throws(StorageError) in
                try transaction.putLater(value, forKey: bytes, facets: facets, in: key.index.tree)
            }
        }
    }
}
