import StorageEngine

/// An order of a kind as the library has it: its declaration, and the tree its entries are in.
package struct StoredOrder: Equatable, Sendable {
    package let name: String
    package let tree: TreeNumber
    package let declaration: OrderDeclaration

    /// While the order is being made: up to which identifier the records of the kind are in it, 0 for none. `nil` when all are.
    var builtTo: UInt64?

    /// Whether a record is in the order, or is to be put there by whoever writes it; of the others the making of the order takes care.
    package func takes(_ id: UInt64) -> Bool { builtTo.map { id <= $0 } ?? true }

    /// Name of the kind ‖ 00 ‖ name of the order, in the tree of orders.
    static func key(_ kind: [UInt8], _ name: String) -> [UInt8] { AppRecordKey.prefix(kind) + Array(name.utf8) }

    var value: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt64(tree.rawValue))
        bytes.append(bigEndian: builtTo ?? Self.whole)
        return bytes + declaration.encoded()
    }

    /// No identifier: what stands for an order that is made.
    private static let whole = UInt64.max

    init(name: String, tree: TreeNumber, declaration: OrderDeclaration, builtTo: UInt64? = nil) {
        self.name = name
        self.tree = tree
        self.declaration = declaration
        self.builtTo = builtTo
    }

    /// - Throws: `RecordProblem` for bytes that are none.
    init(name: String, _ value: [UInt8]) throws(RecordProblem) {
        guard let (tree, builtTo) = value.withBytes({ Self.head(of: $0) }) else {
            throw RecordProblem("\(value.count) bytes are no order with a tree of its own")
        }
        self.init(
            name: name, tree: tree,
            declaration: try OrderDeclaration(decoding: Array(value.dropFirst(Self.headByteCount))), builtTo: builtTo)
    }

    /// What is before the declaration.
    static let headByteCount = 16

    /// `nil` for bytes that are no order.
    static func head(of value: RawSpan) -> (tree: TreeNumber, builtTo: UInt64?)? {
        guard value.byteCount > headByteCount, let number = UInt32(exactly: value.loadBigEndian(at: 0) as UInt64)
        else { return nil }
        let tree = TreeNumber(number)
        // An order may be emptied: never a tree of records.
        guard LibraryTree.isOrder(tree) else { return nil }
        let place: UInt64 = value.loadBigEndian(at: 8)
        return (tree, place == whole ? nil : place)
    }

    /// The entries of a record of these bytes, by key.
    ///
    /// - Returns: why the order does not take it, otherwise.
    /// - Throws: `LibraryError` when a record that it names cannot be read.
    package func entries(
        of bytes: [UInt8], _ record: (kind: String, id: UInt64), in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> Result<[OrderEntry], RecordProblem> {
        do {
            var fields = try RecordFields(bytes)
            try fields.findNamed(by: [self], of: record, in: trees)
            var entries: [OrderEntry] = []
            try declaration.appendEntries(of: fields, record.id, 0, to: &entries)
            return .success(entries)
        } catch let problem as RecordProblem {
            return .failure(problem)
        } catch {
            throw error as? LibraryError ?? .inputOutput("\(error)")
        }
    }

    /// How the order has another entry of a record than the one that its bytes make, as the rest of "The order …"; `nil` when it has that.
    package func objection(
        to expected: OrderEntry, of id: ID<AppRecord>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(StorageError) -> String? {
        guard let value = try trees.bytes(forKey: expected.key, in: tree) else {
            return "does not have \(id) where it belongs"
        }
        if value != expected.value { return "has other amounts of \(id) than the record" }
        let facets = try trees.facets(forKey: expected.key, in: tree)
        if facets?.rawValue != expected.facets { return "counts \(id) among others than the record" }
        return nil
    }

    /// The tree that the entries of an order are in, under a name for people.
    static func treeDeclaration(
        _ number: TreeNumber, _ kind: String, _ name: String, _ order: OrderDeclaration
    ) -> TreeDeclaration {
        let words = "\(kind).\(name)"
        let fits = words.utf8.count <= StorageEngine.Limits.treeNameByteCount
        return TreeDeclaration(
            number, fits ? words : "order-\(number.rawValue)", facetCount: order.facets.count,
            columns: order.columns)
    }
}

extension [StoredOrder] {
    /// The entries of a record of these bytes in the orders that take it, by order and key.
    func possibleEntries(
        of bytes: [UInt8], _ record: (kind: String, id: UInt64), in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [OrderEntry] {
        guard var fields = try? RecordFields(bytes) else { return [] }
        try fields.findNamed(by: self, of: record, in: trees)
        return try entries(of: fields, id: record.id) { (_, _) throws(LibraryError) in }
    }

    /// The entries of a record of these bytes, by order and key.
    ///
    /// - Parameter words: the record, for people.
    /// - Throws: `LibraryError.invalidValue` for a record that one of the orders cannot take.
    func requiredEntries(
        of bytes: [UInt8], _ record: (kind: String, id: UInt64), as words: @autoclosure () -> String,
        considering changed: [LinkedRecord: RecordFields?] = [:], in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [OrderEntry] {
        guard let first else { return [] }
        func refusal(_ order: StoredOrder, _ problem: RecordProblem) -> LibraryError {
            .invalidValue("The order “\(order.name)” does not take \(words()): \(problem.description).")
        }
        var fields: RecordFields
        do throws(RecordProblem) {
            fields = try RecordFields(bytes)
        } catch {
            throw refusal(first, error)
        }
        try fields.findNamed(by: self, of: record, considering: changed, in: trees)
        return try entries(of: fields, id: record.id) { (order, problem) throws(LibraryError) in
            throw refusal(order, problem)
        }
    }

    /// The entries of a record, by order and key.
    ///
    /// - Parameter refuse: is told of each order that does not take the record, which has no entry there then, unless this throws.
    func entries(
        of fields: RecordFields, id: UInt64,
        orElse refuse: (StoredOrder, RecordProblem) throws(LibraryError) -> Void
    ) throws(LibraryError) -> [OrderEntry] {
        var entries: [OrderEntry] = []
        entries.reserveCapacity(count)
        for (index, order) in enumerated() {
            let known = entries.count
            do throws(RecordProblem) {
                try order.declaration.appendEntries(of: fields, id, index, to: &entries)
            } catch {
                entries.removeSubrange(known...)
                try refuse(order, error)
            }
        }
        return entries
    }
}

extension TreeReadable where Self: ~Copyable {
    /// The orders of a kind, by name.
    func storedOrders(of kind: [UInt8]) throws(LibraryError) -> [StoredOrder] {
        let prefix = AppRecordKey.prefix(kind)
        var orders: [StoredOrder] = []
        var problem: RecordProblem?
        try translatingErrors {
            try scan(LibraryTree.appOrders, prefix: prefix) { key, value in
                let name = String(decoding: key.copyBytes(prefix.count..<key.byteCount), as: UTF8.self)
                do throws(RecordProblem) {
                    orders.append(try StoredOrder(name: name, value.copyBytes(0..<value.byteCount)))
                    return true
                } catch {
                    problem = error
                    return false
                }
            }
        }
        if let problem {
            throw .damagedRecord("the orders of \(String(decoding: kind, as: UTF8.self))", problem.description)
        }
        return orders
    }

    package func storedOrder(_ name: String, of kind: [UInt8]) throws(LibraryError) -> StoredOrder? {
        guard
            let bytes = try stored(
                StoredOrder.key(kind, name), in: LibraryTree.appOrders, { $0.copyBytes(0..<$0.byteCount) })
        else { return nil }
        do throws(RecordProblem) {
            return try StoredOrder(name: name, bytes)
        } catch {
            throw .damagedRecord("the order \(name) of \(String(decoding: kind, as: UTF8.self))", error.description)
        }
    }
}
