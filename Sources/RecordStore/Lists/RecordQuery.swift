import StorageEngine

/// What is asked of the records of a type: all of them, or those with a value of a field in a range, in its order. `RecordQueries`
/// makes them.
public struct RecordQuery<Value: Record> {
    let kind = RecordKind<Value>.current
    private var condition: Condition?
    private var holds: ((RecordRow<Value>) throws -> Bool)?
    private var selection: RecordSelection?

    private struct Condition {
        let path: PartialKeyPath<Value>
        let type: Any.Type
        let value: (Value) throws(LibraryError) -> OrderedValue
        let start: OrderedValue?
        let end: OrderedValue?
        let includesEnd: Bool
        /// Of the one value that is asked for, as a unique key has it; `nil` for a range, and for what is absent.
        var uniqueValue: ((_ isFolded: Bool) throws(LibraryError) -> OrderedValue)?

        func holds(for value: OrderedValue) -> Bool {
            if let start, value < start { return false }
            guard let end else { return true }
            return includesEnd ? value <= end : value < end
        }
    }

    /// All, by identifier.
    init() { condition = nil }

    /// Those that a condition holds for, by identifier.
    init(where condition: @escaping (RecordRow<Value>) throws -> Bool) { holds = condition }

    /// Those that all conditions hold for.
    init(_ selection: RecordSelection) { self.selection = selection }

    private init<Field: Encodable>(
        _ path: KeyPath<Value, Field>, from start: OrderedValue?, to end: OrderedValue?, includingEnd: Bool
    ) {
        condition = Condition(
            path: path, type: Field.self,
            value: { (record) throws(LibraryError) in try OrderedValue(record[keyPath: path]) }, start: start,
            end: end, includesEnd: includingEnd)
    }

    /// All, in the order of a field.
    init(sortedBy path: KeyPath<Value, some Encodable>) {
        self.init(path, from: nil, to: nil, includingEnd: true)
    }

    /// Those whose field has a value.
    init<Field: Encodable>(_ path: KeyPath<Value, Field>, equals value: Field) throws(LibraryError) {
        let ordered = try OrderedValue(value)
        self.init(path, from: ordered, to: ordered, includingEnd: true)
        guard ordered != .nothing else { return }
        condition?.uniqueValue = { (isFolded) throws(LibraryError) in
            try UniqueKey<Value>.orderedValue(value, folded: isFolded)
        }
    }

    /// Those whose field lies in a range, in its order. A range has no room for what is absent.
    init(_ path: KeyPath<Value, some Encodable>, in range: IndexRange) {
        self.init(path, from: range.start, to: range.end ?? .nothing, includingEnd: range.includesEnd)
    }

    // MARK: Answers

    /// O(log n) by an index; otherwise all records are read, and those that cannot be are left out.
    func matches(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> RecordMatches {
        if let selection { return try selection.matches(in: trees) }
        if let holds { return .identifiers(try kind.identifiers(where: holds, in: trees).map(\.rawValue)) }
        guard let condition else { return .records(try kind.positions(in: trees), kind.tree) }
        if let holders = try holders(condition, trees) { return .identifiers(holders.map(\.rawValue)) }
        let isCut = condition.start?.isCut ?? false || condition.end?.isCut ?? false
        guard !isCut, let declared = kind.index(of: condition.path), let index = try trees.storedOrder(declared),
            index.builtTo == nil
        else { return .identifiers(try identifiers(condition, trees).map(\.rawValue)) }
        let end = condition.end.map { condition.includesEnd ? AppRecordKey.end(of: $0.bytes) : $0.bytes }
        return .entries(
            index.tree, nil,
            try trees.positions(
                of: index.tree, from: condition.start?.bytes ?? [], to: end ?? AppRecordKey.end(of: [])))
    }

    /// By a unique key; `nil` where there is none to ask.
    private func holders(
        _ condition: Condition, _ trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [ID<Value>]? {
        guard let uniqueValue = condition.uniqueValue, let unique = kind.uniqueKey(of: condition.path),
            let order = try trees.storedOrder(unique.order), order.builtTo == nil
        else { return nil }
        var found: [ID<Value>] = []
        let stored = RecordKind<Value>.indexedComponent(condition.path, condition.type)
        let keys = try trees.keys(
            of: order.tree, prefix: try uniqueValue(unique.isFolded).key, after: nil, limit: .max)
        for key in keys where key.count > 8 {
            let id = ID<Value>(rawValue: key.number(at: key.count - 8))
            // What folds alike need not be equal, and of a long value a key holds the beginning.
            guard let bytes = try trees.recordBytes(id.rawValue, in: kind.tree),
                let value = try self.value(condition, stored, of: bytes, id), condition.holds(for: value)
            else { continue }
            found.append(id)
        }
        return found
    }

    /// What a record has for a condition: of a field what is stored, as an index has it, whether this version reads it so or not.
    ///
    /// - Parameter stored: how the field is stored, for one that is.
    /// - Returns: `nil` for a record that cannot be read.
    private func value(
        _ condition: Condition, _ stored: OrderDeclaration.Component?, of bytes: [UInt8], _ id: ID<Value>
    ) throws(LibraryError) -> OrderedValue? {
        guard let stored else {
            return try (try? kind.decode(bytes, id: id)).map { (record) throws(LibraryError) in
                try condition.value(record)
            }
        }
        return try? kind.indexedValue(stored, of: bytes, id)
    }

    private func identifiers(
        _ condition: Condition, _ trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [ID<Value>] {
        var found: [(value: OrderedValue, id: ID<Value>)] = []
        let stored = RecordKind<Value>.indexedComponent(condition.path, condition.type)
        try trees.forEachRecord(ofKind: kind.name) { (number, bytes) throws(LibraryError) in
            let id = ID<Value>(rawValue: number)
            guard let value = try self.value(condition, stored, of: bytes, id), condition.holds(for: value)
            else { return }
            found.append((value, id))
        }
        found.sort { ($0.value, $0.id) < ($1.value, $1.id) }
        return found.map(\.id)
    }
}
