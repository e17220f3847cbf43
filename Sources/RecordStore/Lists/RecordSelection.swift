import StorageEngine

/// The records that some conditions hold for: what `records.where(…)` asks.
struct RecordSelection<Value: Record> {
    let kind = RecordKind<Value>.current
    let conditions: [Condition]
    /// In which the records are given out; `nil` for by identifier.
    let order: DeclaredOrder?
    let limit: Int

    struct Condition {
        let test: OrderDeclaration.Facet
        /// As a record holds it.
        let value: TaggedValue?
        let words: String
    }

    /// - Throws: `LibraryError.schemaMismatch` or `.invalidArgument` for what cannot be asked.
    init(_ conditions: [RecordCondition<Value>], in order: String?, limit: Int) throws(LibraryError) {
        try kind.check()
        guard kind.upgrades.isEmpty else {
            throw .schemaMismatch(
                "\(kind.name) has upgrades, which change records as they are read, and conditions are tested on what is stored. Ask with "
                    + "a closure: where { … }.")
        }
        guard limit >= 0 else { throw .invalidArgument("A limit is zero or more, not \(limit).") }
        self.conditions = try conditions.map { (condition) throws(LibraryError) in
            Condition(
                test: try condition.facet(condition.words, "The condition “\(condition.words)” on \(Value.recordName)"),
                value: condition.value, words: condition.words)
        }
        self.order = try order.map { [kind] (name) throws(LibraryError) in try kind.schema.order(named: name) }
        self.limit = limit
        if let order = self.order, !order.declaration.isOfEveryRecord {
            throw .invalidArgument(
                "A \(kind.name) may have several places in the order “\(order.name)”, or none, so what is found cannot be given out by it. "
                    + "Name another order.")
        }
    }

    // MARK: Answers

    /// Goes through the shortest list, or through the order that is asked for when so many records of it are seen sooner.
    func matches(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> RecordMatches<Value> {
        let (best, _) = try plan(in: trees)
        let isInOrder = best.order?.name == order?.name
        let left = conditions.indices.filter { !best.met.contains($0) }
        if left.isEmpty, isInOrder {
            let positions = best.positions.prefix(limit)
            return best.order.map { .entries($0.tree, best.facet, positions) } ?? .records(positions, kind.tree)
        }
        guard limit > 0 else { return .identifiers([]) }
        let tests = left.map { FieldTest(conditions[$0].test, conditions[$0].value, empty: kind.empty) }
            .sorted { $0.tag < $1.tag }
        var found: [(key: [UInt8], id: ID<Value>)] = []
        try forEachRecord(in: best, trees) { (id, record) in
            guard let holds = try? tests.hold(for: record), holds,
                let key = isInOrder ? [] : try? sortKey(of: record, id)
            else { return true }
            found.append((key, id))
            return !isInOrder || found.count < limit
        }
        guard !isInOrder else { return .identifiers(found.map(\.id)) }
        found.sort { $0.key.lexicographicallyPrecedes($1.key) }
        return .identifiers(found.prefix(limit).map(\.id))
    }

    /// For people: which list is gone through, what is tested on each record of it, and the lists that were passed over.
    func explanation(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> String {
        let (best, others) = try plan(in: trees)
        let left = conditions.indices.filter { !best.met.contains($0) }.map { conditions[$0].words }
        var lines = ["\(kind.name) where \(conditions.map(\.words).joined(separator: ", ")):"]
        lines.append("goes through \(words(of: best))")
        if !left.isEmpty { lines.append("tests on each of them \(left.joined(separator: ", "))") }
        if best.order?.name != order?.name {
            lines.append("sorts what is found \(order.map { "as the order “\($0.name)”" } ?? "by identifier")")
        }
        lines += others.filter { !$0.met.isEmpty }.map { "not through \(words(of: $0))" }
        return lines.joined(separator: "\n  ")
    }

    private func words(of list: List) -> String {
        let met = list.met.sorted().map { conditions[$0].words }
        let name = list.order.map { "the order “\($0.name)”" } ?? "all records"
        let reach = met.isEmpty ? "" : " where \(met.joined(separator: ", "))"
        return "\(name)\(reach): \(list.positions.count) records"
    }

    // MARK: Pieces

    /// Where a record stands in the order that is asked for.
    private func sortKey(of record: RawSpan, _ id: ID<Value>) throws(RecordProblem) -> [UInt8] {
        guard let order else { return .bigEndian(id.rawValue) }
        var entries: [OrderEntry] = []
        try order.declaration.appendEntries(
            of: RecordFields(record.copyBytes(0..<record.byteCount)), id.rawValue, 0, to: &entries)
        return entries.first?.key ?? []
    }

    /// The records of a list, in its order, until `body` returns false.
    private func forEachRecord(
        in list: List, _ trees: borrowing some TreeReadable & ~Copyable, _ body: (ID<Value>, RawSpan) -> Bool
    ) throws(LibraryError) {
        guard let order = list.order else {
            return try kind.schema.scan(list.positions, in: trees) { body(ID(rawValue: $0), $1) }
        }
        var position = list.positions.lowerBound
        while position < list.positions.upperBound {
            let piece = position..<min(position + 256, list.positions.upperBound)
            position = piece.upperBound
            for number in try trees.identifiers(in: order.tree, list.facet, piece) {
                let id = ID<Value>(rawValue: number)
                // What an order names and is not there is damage, which a page of the order tells.
                let goesOn = try translatingErrors { try trees.value(forKey: number, in: kind.tree) { body(id, $0) } }
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
        try version.check(selection.kind)
        return try selection.explanation(in: version)
    }
}
