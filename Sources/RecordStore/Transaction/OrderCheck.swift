import StorageEngine

/// Whether a transaction leaves the orders of the app's own records as its records say. Debug builds look before each commit, so that a
/// fault of the library shows where it is made, and not at an opening long after.
///
/// The entries of each changed record are made again from its bytes and looked up; fingerprints tell of any other record that an order has
/// lost or doubled. What was so before the transaction is none of its doing.
struct OrderCheck {
    static var isOn: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// The trees of orders that held the records of their kind before; none when that could not be read, which others tell.
    private let watched: Set<TreeNumber>

    init(before library: borrowing LibraryTransaction) {
        watched = (try? Self.likeOrders(library.trees)) ?? []
    }

    private static func likeOrders(
        _ trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> Set<TreeNumber> {
        var like: Set<TreeNumber> = []
        for kind in try trees.kindsWithOrders() {
            for order in try trees.storedOrders(of: Array(kind.utf8)) where order.builtTo == nil {
                like.insert(order.tree)
            }
        }
        for (_, order) in try trees.unlikeOrders() { like.remove(order.tree) }
        return like
    }

    /// - Throws: `LibraryError.damaged`, and nothing of the transaction stays.
    func run(on library: borrowing LibraryTransaction) throws(LibraryError) {
        for (kind, changes) in library.changes.records {
            for id in changes.inserted.union(changes.updated) {
                if let objection = Self.objection(to: id, ofKind: kind, in: library) { throw Self.fault(objection) }
            }
        }
        guard !watched.isEmpty, let unlike = try? library.trees.unlikeOrders() else { return }
        for (kind, order) in unlike where watched.contains(order.tree) {
            throw Self.fault("The order “\(order.name)” of \(kind) does not hold the records of \(kind)")
        }
    }

    /// What cannot be read is told where it is read.
    private static func objection(
        to id: ID<AppRecord>, ofKind kind: String, in library: borrowing LibraryTransaction
    ) -> String? {
        guard let bytes = try? library.trees.recordBytes(id.rawValue, ofKind: kind),
            let orders = try? library.trees.storedOrders(of: Array(kind.utf8))
        else { return nil }
        for order in orders where order.takes(id.rawValue) && !order.declaration.isFoldedOtherwise {
            guard let entries = try? order.entries(of: bytes, (kind, id.rawValue), in: library.trees).get() else {
                continue
            }
            for entry in entries {
                guard let objection = try? order.objection(to: entry, of: id, in: library.trees) else { continue }
                return "The order “\(order.name)” of \(kind) \(objection)"
            }
        }
        return nil
    }

    private static func fault(_ words: String) -> LibraryError {
        .damaged(
            "\(words) at the end of this transaction, which is therefore not kept. This is a fault of BookDB: please report it, with what "
                + "the transaction does.")
    }
}
