import StorageEngine

/// The records of a kind that some conditions hold for: what `records.where(…)` asks by the fields of a type, and tools by their names.
struct RecordSelection {
    let kind: KindSchema
    let conditions: [Condition]
    /// In which the records are given out; `nil` for by identifier.
    let order: Order?
    let limit: Int
    /// A record of which nothing was written; `nil` when a field has no value then.
    let empty: [UInt8]?
    /// The orders to choose among, of a kind whose type is not known; `nil` for those that the type declares.
    let stored: [StoredOrder]?

    struct Condition {
        let test: OrderDeclaration.Facet
        /// As a record holds it, or as one of the elements of a list is held.
        let value: TaggedValue?
        let words: String
        /// Whether the value is compared with each element of a list, of which one has to be equal, or none.
        var isOfElements = false
    }

    struct Order {
        let name: String
        let declaration: OrderDeclaration
    }

    /// - Throws: `LibraryError.schemaMismatch` or `.invalidArgument` for what cannot be asked.
    init<Value: Record>(
        _ conditions: [RecordCondition<Value>], in order: String?, limit: Int
    ) throws(LibraryError) {
        let kind = RecordKind<Value>.current
        try kind.check()
        guard kind.upgrades.isEmpty else {
            throw .schemaMismatch(
                "\(kind.name) has upgrades, which change records as they are read, and conditions are tested on what is stored. Ask with "
                    + "a closure: where { … }.")
        }
        guard limit >= 0 else { throw .invalidArgument("A limit is zero or more, not \(limit).") }
        self.kind = kind.schema
        empty = kind.empty
        stored = nil
        self.conditions = try conditions.map { (condition) throws(LibraryError) in
            Condition(
                test: try condition.facet(condition.words, "The condition “\(condition.words)” on \(Value.recordName)"),
                value: condition.value, words: condition.words)
        }
        self.order = try order.map { (name) throws(LibraryError) in
            Order(name: name, declaration: try kind.schema.order(named: name).declaration)
        }
        self.limit = limit
        if let order = self.order, !order.declaration.isOfEveryRecord {
            throw .invalidArgument(
                "A \(kind.name) may have several places in the order “\(order.name)”, or none, so what is found cannot be given out by it. "
                    + "Name another order.")
        }
    }

    /// The same of a kind whose type is not known. In an order where a record may have several places, it is given out at each.
    ///
    /// - Parameters:
    ///   - stored: all orders of the kind.
    ///   - empty: what a record has in fields that were never written, as far as an order says it.
    init(
        _ kind: KindSchema, _ conditions: [Condition], in order: StoredOrder?, among stored: [StoredOrder],
        empty: [UInt8]
    ) {
        self.kind = kind
        self.conditions = conditions
        self.order = order.map { Order(name: $0.name, declaration: $0.declaration) }
        limit = .max
        self.empty = empty
        // Another definition of the same name is another order.
        self.stored = stored.filter { $0.name != order?.name || $0 == order }
    }

    // MARK: Answers

    /// Goes through the shortest list, or through the order that is asked for when so many records of it are seen sooner.
    func matches(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> RecordMatches {
        let (best, _) = try plan(in: trees)
        let isInOrder = isInOrder(best)
        let left = conditions.indices.filter { !best.met.contains($0) }
        if left.isEmpty, isInOrder {
            let positions = best.positions.prefix(limit)
            return best.order.map { .entries($0.tree, best.facet, positions) } ?? .records(positions, kind.tree)
        }
        guard limit > 0 else { return .identifiers([]) }
        if left.isEmpty, order == nil, let listed = best.order {
            // Nothing of the records is asked for.
            return .identifiers(
                try trees.identifiers(in: listed.tree, best.facet, best.positions).sorted().prefix(limit).map(\.self))
        }
        let tests = FieldTest.chain(left.map { conditions[$0] }, empty: empty)
        var found: [(key: [UInt8], id: UInt64)] = []
        try forEachRecord(in: best, trees) { (record, identifier) throws(StorageError) in
            guard let holds = try? FieldTest.hold(tests, for: record), holds else { return true }
            let id = try identifier()
            guard let key = isInOrder ? [] : try? sortKey(of: record, id) else { return true }
            found.append((key, id))
            return !isInOrder || found.count < limit
        }
        guard !isInOrder else { return .identifiers(found.map(\.id)) }
        found.sort { $0.key.lexicographicallyPrecedes($1.key) }
        return .identifiers(found.prefix(limit).map(\.id))
    }

    /// For people: which list is gone through, what is tested on each record of it, and the lists that were passed over.
    func explanation(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> RecordPlan {
        let (best, others) = try plan(in: trees)
        var sorting: String?
        if !isInOrder(best) { sorting = order.map { "the order “\($0.name)”" } ?? "by identifier" }
        return RecordPlan(
            of: kind.name, where: conditions.map(\.words), walked: step(of: best),
            tested: conditions.indices.filter { !best.met.contains($0) }.map { conditions[$0].words },
            sorting: sorting, passedOver: others.filter { !$0.met.isEmpty }.map(step))
    }

    private func step(of list: List) -> RecordPlan.Step {
        RecordPlan.Step(
            order: list.order?.name, conditions: list.met.sorted().map { conditions[$0].words },
            count: list.positions.count)
    }

    // MARK: Pieces

    /// Where a record stands in the order that is asked for.
    private func sortKey(of record: RawSpan, _ id: UInt64) throws(RecordProblem) -> [UInt8] {
        guard let order else { return .bigEndian(id) }
        var entries: [OrderEntry] = []
        try order.declaration.appendEntries(
            of: RecordFields(record.copyBytes(0..<record.byteCount)), id, 0, to: &entries)
        return entries.first?.key ?? []
    }

    /// The records of a list, in its order, until `body` returns false.
    private func forEachRecord(
        in list: List, _ trees: borrowing some TreeReadable & ~Copyable,
        _ body: (_ record: RawSpan, _ id: () throws(StorageError) -> UInt64) throws(StorageError) -> Bool
    ) throws(LibraryError) {
        guard let order = list.order else { return try kind.scanRecords(list.positions, in: trees, body) }
        var position = list.positions.lowerBound
        while position < list.positions.upperBound {
            let piece = position..<min(position + 256, list.positions.upperBound)
            position = piece.upperBound
            for id in try trees.identifiers(in: order.tree, list.facet, piece) {
                // What an order names and is not there is damage, which a page of the order tells.
                let goesOn = try translatingErrors {
                    try trees.value(forKey: id, in: kind.tree) { record in
                        Result { () throws(StorageError) in try body(record) { id } }
                    }?.get()
                }
                guard goesOn ?? true else { return }
            }
        }
    }
}

extension Range<Int> {
    fileprivate func prefix(_ count: Int) -> Range<Int> { lowerBound..<lowerBound + Swift.min(count, self.count) }
}

extension Records {
    /// How `where` finds the records that all conditions hold for: the list that is gone through and its exact length, what is tested on
    /// each record, and the lists that were passed over.
    public func explain(
        _ conditions: RecordCondition<Value>..., in order: String? = nil, limit: Int = .max
    ) throws(LibraryError) -> String {
        let selection = try RecordSelection(conditions, in: order, limit: limit)
        try version.check(RecordKind<Value>.current)
        return try selection.explanation(in: version).description
    }
}
