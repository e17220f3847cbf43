import StorageEngine

extension LibraryTransaction {
    /// The orders of a kind as they are to be kept up: those that its type declares, made first where they are new, and those that
    /// another version of the app has declared.
    ///
    /// - Parameter id: a record that is about to go or to change, and need not be one that a new order takes.
    /// - Throws: `BookError.invalidValue` for another record that a new order does not take. Nothing was changed then.
    mutating func orders<Value: Record>(
        of kind: RecordKind<Value>, besides id: ID<Value>? = nil
    ) throws(BookError) -> [StoredOrder] {
        if let orders = knownOrders[kind.name],
            kind.orders.allSatisfy({ declared in
                orders.contains { $0.name == declared.name && $0.declaration == declared.declaration }
            })
        {
            return orders
        }
        let stored = try trees.storedOrders(of: kind.nameBytes)
        let missing = kind.orders.filter { declared in
            !stored.contains { $0.name == declared.name && $0.declaration == declared.declaration }
        }
        // All that can be wrong with a record is found before anything is changed.
        let entries = try entries(of: kind, in: missing, besides: id)
        let orders = try apply { (transaction) throws(BookError) in
            // Of an order that is folded by other rules no key can be told, so nobody can keep it up.
            let gone = stored.filter { old in
                missing.contains { $0.name == old.name } || old.declaration.isFoldedOtherwise
            }
            for order in gone {
                try transaction.removeAll(in: order.tree)
                try transaction.remove(StoredOrder.key(kind.nameBytes, order.name), in: LibraryTree.appOrders)
            }
            var orders = stored.filter { !gone.contains($0) }
            for (index, declared) in missing.enumerated() {
                let order = StoredOrder(
                    name: declared.name, tree: try transaction.orderTree(kind.name, declared),
                    declaration: declared.declaration)
                try transaction.put(
                    order.value, forKey: StoredOrder.key(kind.nameBytes, order.name), in: LibraryTree.appOrders)
                for (id, entries) in entries {
                    try transaction.replaceEntries(nil, with: [entries[index]], of: id, in: [order])
                }
                orders.append(order)
            }
            return orders
        }
        knownOrders[kind.name] = orders
        return orders
    }

    /// The entries of all records of a kind, by identifier. A record whose bytes are none is left out, as it is told where it is read.
    private func entries<Value: Record>(
        of kind: RecordKind<Value>, in declared: [DeclaredOrder], besides id: ID<Value>?
    ) throws(BookError) -> [(id: UInt64, entries: [OrderEntry])] {
        guard !declared.isEmpty else { return [] }
        let orders = declared.map {
            StoredOrder(name: $0.name, tree: LibraryTree.firstOrder, declaration: $0.declaration)
        }
        let prefix = AppRecordKey.prefix(kind.nameBytes)
        var found: [(id: UInt64, entries: [OrderEntry])] = []
        var last: [UInt8]?
        while true {
            let keys = try trees.keys(of: LibraryTree.appRecords, prefix: prefix, after: last, limit: 512)
            guard let end = keys.last else { return found }
            last = end
            for key in keys where key.count == prefix.count + 8 {
                let record = ID<Value>(rawValue: key.number(at: prefix.count))
                guard record != id, let bytes = try trees.appRecordBytes(key), TaggedWalk.problem(in: bytes) == nil
                else {
                    continue
                }
                found.append((record.rawValue, try kind.entries(of: bytes, in: orders, id: record)))
            }
        }
    }

    /// A tree for the entries of an order: one that an order like it has left behind, or a new one.
    private mutating func orderTree(_ kind: String, _ order: DeclaredOrder) throws(BookError) -> TreeNumber {
        var used: Set<UInt64> = []
        do {
            try trees.scan(LibraryTree.appOrders) { _, value in
                if value.byteCount >= 8 { used.insert(value.loadBigEndian(at: 0)) }
                return true
            }
            let declarations = trees.reader.declarations
            for tree in declarations
            where tree.number >= LibraryTree.firstOrder && !used.contains(UInt64(tree.number.rawValue)) {
                let wanted = StoredOrder.treeDeclaration(tree.number, kind, order.name, order.declaration)
                if wanted == tree, try trees.count(in: tree.number) == 0 { return tree.number }
            }
            let highest = declarations.map(\.number.rawValue).max() ?? 0
            let number = TreeNumber(max(highest + 1, LibraryTree.firstOrder.rawValue))
            try trees.declare(StoredOrder.treeDeclaration(number, kind, order.name, order.declaration))
            return number
        } catch {
            throw BookError(error)
        }
    }

    /// Moves a record from where it stood in its kind's orders to where it is to stand; `nil` for where it was not, or will not be.
    mutating func replaceEntries(
        _ old: [OrderEntry?]?, with new: [OrderEntry]?, of id: UInt64, in orders: [StoredOrder]
    ) throws(BookError) {
        for (index, order) in orders.enumerated() {
            let (old, new) = (old.flatMap { $0[index] }, new?[index])
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
