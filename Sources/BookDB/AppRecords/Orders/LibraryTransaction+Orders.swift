import StorageEngine

extension LibraryTransaction {
    /// The orders of a kind as they are to be kept up: those that its type declares, made first where they are new, and those that
    /// another version of the app has declared.
    mutating func ordersUpToDate<Value: Record>(_ kind: RecordKind<Value>) throws(BookError) -> [StoredOrder] {
        if let orders = knownOrders[kind.name] { return orders }
        var orders = try trees.storedOrders(of: kind.nameBytes)
        for (name, declaration) in kind.orders {
            let index = orders.firstIndex { $0.name == name }
            if let index, orders[index].declaration == declaration { continue }
            let order = StoredOrder(name: name, tree: try newOrderTree(), declaration: declaration)
            try make(order, kind)
            if let index {
                try removeAll(in: orders[index].tree)
                orders[index] = order
            } else {
                orders.append(order)
            }
        }
        knownOrders[kind.name] = orders
        return orders
    }

    /// A number that no tree of the library has had.
    private func newOrderTree() throws(BookError) -> TreeNumber {
        let highest = trees.reader.declarations.map(\.number.rawValue).max() ?? 0
        return TreeNumber(max(highest + 1, LibraryTree.firstOrder.rawValue))
    }

    private mutating func make<Value: Record>(_ order: StoredOrder, _ kind: RecordKind<Value>) throws(BookError) {
        do {
            try trees.declare(StoredOrder.treeDeclaration(order.tree, kind.name, order.name, order.declaration))
        } catch {
            throw BookError(error)
        }
        let prefix = AppRecordKey.prefix(kind.nameBytes)
        var last: [UInt8]?
        while true {
            let keys = try trees.keys(of: LibraryTree.appRecords, prefix: prefix, after: last, limit: 512)
            guard let end = keys.last else { break }
            last = end
            for key in keys where key.count == prefix.count + 8 {
                guard let bytes = try trees.appRecordBytes(key) else { continue }
                let id = ID<Value>(rawValue: key.number(at: prefix.count))
                let entries = try kind.entries(of: bytes, in: [order], id: id)
                try replaceEntries(nil, with: entries, of: id.rawValue, in: [order])
            }
        }
        try put(order.value, forKey: StoredOrder.key(kind.nameBytes, order.name), in: LibraryTree.appOrders)
    }

    /// Moves a record from where it stood in its kind's orders to where it is to stand; `nil` for where it was not, or will not be.
    mutating func replaceEntries(
        _ old: [OrderEntry]?, with new: [OrderEntry]?, of id: UInt64, in orders: [StoredOrder]
    ) throws(BookError) {
        for (index, order) in orders.enumerated() {
            let (old, new) = (old?[index], new?[index])
            if old == new { continue }
            if let old, old.key != new?.key { try remove(old.with(id).key, in: order.tree) }
            if let new {
                try put(new.value, forKey: new.with(id).key, facets: FacetSet(rawValue: new.facets), in: order.tree)
            }
        }
    }

    /// Takes a record out of every order that has it, wherever it stands: for one that cannot be read. Reads all of their entries.
    mutating func removeEntries(of id: UInt64, in orders: [StoredOrder]) throws(BookError) {
        for order in orders {
            var last: [UInt8]?
            while true {
                let keys = try trees.keys(of: order.tree, prefix: [], after: last, limit: 512)
                guard let end = keys.last else { break }
                last = end
                for key in keys where key.count >= 8 && key.number(at: key.count - 8) == id {
                    try remove(key, in: order.tree)
                }
            }
        }
    }

    /// Empties every order without reading it. The next write of such a record makes the orders of its kind anew.
    mutating func emptyOrders() throws(BookError) {
        for tree in trees.reader.declarations where tree.number >= LibraryTree.firstOrder {
            try removeAll(in: tree.number)
        }
        knownOrders = [:]
    }
}

extension BookStore {
    /// Makes the indexes and orders that a type declares and the library does not have yet, which the next write of such a record
    /// would do otherwise. One commit; nothing when all are there.
    ///
    /// - Throws: `BookError.schemaMismatch` for a declaration that cannot be, and as `write` does.
    public func makeOrders<Value: Record>(
        of type: Value.Type, _ durability: Durability = .flushed
    ) async throws(BookError) {
        try await transact(durability) { (library) throws(BookError) in try library.makeOrders(of: type) }
    }
}
