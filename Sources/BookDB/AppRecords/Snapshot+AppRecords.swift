import StorageEngine

extension Snapshot {
    /// The app's own records of a type.
    public func records<Value: Record>(_ type: Value.Type) -> Records<Value> { Records(version: version) }
}

/// The records of one type of the app's own, in a snapshot.
///
/// ```swift
/// let loans = store.snapshot.records(Loan.self)
/// for loan in try loans.where(\.work, equals: hobbit) { print(loan.borrower) }
/// for loan in try loans.sorted(by: \.due, in: ...Date.now) { print(loan.borrower) }
/// ```
///
/// What asks for a field that has an index costs O(log n) and then a look-up for each record. Without one, and after the
/// indexes of a type were changed until such a record is written, all records of the type are read.
public struct Records<Value: Record>: Sendable {
    let version: Version
    private let kind = RecordKind<Value>.current

    /// O(log n). `nil` when there is no such record.
    public subscript(id: ID<Value>) -> Value? {
        get throws(BookError) {
            try version.check(kind)
            return try version.appRecord(id, kind)
        }
    }

    /// O(log n).
    public var count: Int {
        get throws(BookError) { try all.count }
    }

    /// By identifier: in the order they were inserted, where one device did.
    public var all: RecordList<Value> {
        get throws(BookError) {
            try version.check(kind)
            return try list(LibraryTree.appRecords, from: AppRecordKey.prefix(kind.nameBytes), nil)
        }
    }

    /// The records whose field has the value.
    public func `where`<Field: Encodable>(
        _ field: KeyPath<Value, Field>, equals value: Field
    ) throws(BookError) -> RecordList<Value> {
        let value = try OrderedValue(value)
        return try list(field, from: value, to: value, includingEnd: true)
    }

    /// All records in the order of a field, absent values last; equal ones by identifier.
    public func sorted<Field: Encodable>(by field: KeyPath<Value, Field>) throws(BookError) -> RecordList<Value> {
        try list(field, from: nil, to: nil, includingEnd: true)
    }

    /// The records whose field lies in the range, in its order.
    public func sorted<Field: Encodable & Comparable>(
        by field: KeyPath<Value, Field>, in range: some RangeExpression<Field>
    ) throws(BookError) -> RecordList<Value> {
        try list(field, IndexRange(range))
    }

    /// The records that have the field, and in the range.
    public func sorted<Field: Encodable & Comparable>(
        by field: KeyPath<Value, Field?>, in range: some RangeExpression<Field>
    ) throws(BookError) -> RecordList<Value> {
        try list(field, IndexRange(range))
    }

    // MARK: Pieces

    private func list<Field: Encodable>(
        _ field: KeyPath<Value, Field>, _ range: IndexRange
    ) throws(BookError) -> RecordList<Value> {
        // A range has no room for what is absent.
        try list(field, from: range.start, to: range.end ?? .nothing, includingEnd: range.includesEnd)
    }

    private func list<Field: Encodable>(
        _ field: KeyPath<Value, Field>, from start: OrderedValue?, to end: OrderedValue?, includingEnd: Bool
    ) throws(BookError) -> RecordList<Value> {
        try version.check(kind)
        let isCut = start?.isCut ?? false || end?.isCut ?? false
        guard !isCut, let index = kind.index(of: field), try version.hasIndexes(of: kind)
        else { return try sortedRecords(field, from: start, to: end, includingEnd: includingEnd) }
        let prefix = AppRecordKey.prefix(kind.nameBytes, index: index.name)
        let upper = end.map { includingEnd ? AppRecordKey.end(of: prefix + $0.bytes) : prefix + $0.bytes }
        return try list(
            LibraryTree.appIndexes, from: prefix + (start?.bytes ?? []), upper ?? AppRecordKey.end(of: prefix))
    }

    private func list(_ tree: TreeNumber, from start: [UInt8], _ end: [UInt8]?) throws(BookError) -> RecordList<Value> {
        let lower = try version.position(of: start, in: tree, facet: nil)
        let upper = try version.position(of: end ?? AppRecordKey.end(of: start), in: tree, facet: nil)
        return RecordList(version, kind, .entries(tree, lower..<max(lower, upper)))
    }

    /// Without an index: reads all records. Records that cannot be read are left out.
    private func sortedRecords<Field: Encodable>(
        _ field: KeyPath<Value, Field>, from start: OrderedValue?, to end: OrderedValue?, includingEnd: Bool
    ) throws(BookError) -> RecordList<Value> {
        var found: [(value: OrderedValue, id: ID<Value>)] = []
        for record in try all {
            let value = try OrderedValue(record[keyPath: field])
            if let start, value < start { continue }
            if let end, value > end || (value == end && !includingEnd) { continue }
            found.append((value, record.id))
        }
        found.sort { ($0.value, $0.id) < ($1.value, $1.id) }
        return RecordList(version, kind, .identifiers(found.map(\.id)))
    }
}
