import StorageEngine

/// An order of a kind as the library has it: its declaration, and the tree its entries are in.
///
/// An order is its name and its definition. Two versions of an app that define one name differently have an order each, so neither
/// makes the other's again when they take turns.
package struct StoredOrder: Equatable, Sendable {
    package let name: String
    package let tree: TreeNumber
    package let declaration: OrderDeclaration

    /// While the order is being made: up to which identifier the records of the kind are in it, 0 for none. `nil` when all are.
    var builtTo: UInt64?

    /// In how many openings in a row records of the kind were written by types that do not declare the order.
    var unusedOpenings: UInt32 = 0

    /// Whether a record is in the order, or is to be put there by whoever writes it; of the others the making of the order takes care.
    package func takes(_ id: UInt64) -> Bool { builtTo.map { id <= $0 } ?? true }

    init(
        name: String, tree: TreeNumber, declaration: OrderDeclaration, builtTo: UInt64? = nil,
        unusedOpenings: UInt32 = 0
    ) {
        self.name = name
        self.tree = tree
        self.declaration = declaration
        self.builtTo = builtTo
        self.unusedOpenings = unusedOpenings
    }

    /// Whether lists of both are of the same entries.
    package static func == (left: StoredOrder, right: StoredOrder) -> Bool {
        (left.tree, left.builtTo) == (right.tree, right.builtTo) && left.name.hasSameBytes(as: right.name)
            && left.declaration == right.declaration
    }

    // MARK: Bytes

    /// Name of the kind ‖ 00 ‖ name of the order ‖ 00 ‖ identity of the definition, in the tree of orders.
    func key(_ kind: [UInt8]) -> [UInt8] { Self.key(kind, name, identity: Self.identity(of: declaration.encoded())) }

    static func key(_ kind: [UInt8], _ name: String, identity: UInt64) -> [UInt8] {
        AppRecordKey.prefix(kind, index: name) + .bigEndian(identity)
    }

    /// Tells the definitions of a name apart: CRC-32C ‖ byte count of the declaration. Of two with the same, which chance makes of one pair in four
    /// thousand millions, the one that is declared later takes the place of the other.
    static func identity(of declaration: [UInt8]) -> UInt64 {
        UInt64(CRC32C.checksum(declaration)) << 32 | UInt64(declaration.count)
    }

    var value: [UInt8] {
        OrderHead(tree: tree, unusedOpenings: unusedOpenings, builtTo: builtTo).bytes + declaration.encoded()
    }

    /// - Throws: `RecordProblem` for an entry that is none, and for a declaration that is not known here.
    init(_ entry: StoredOrderEntry) throws(RecordProblem) {
        self.init(
            name: entry.name, tree: entry.head.tree, declaration: try OrderDeclaration(decoding: entry.declaration),
            builtTo: entry.head.builtTo, unusedOpenings: entry.head.unusedOpenings)
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
            try fields.complete(for: [self], of: record, in: trees)
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
        try fields.complete(for: self, of: record, in: trees)
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
        try fields.complete(for: self, of: record, considering: changed, in: trees)
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
    /// The orders of a kind that can be kept up here, by name.
    func storedOrders(of kind: [UInt8]) throws(LibraryError) -> [StoredOrder] {
        try storedOrderEntries(of: kind).compactMap { $0.order }
    }
}
