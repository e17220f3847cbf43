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
/// What asks for a field that has an index, or for a value of one that is a unique key by itself, costs O(log n) and then a look-up
/// for each record. Without one, and after the indexes of a type were changed until such a record is written, all records of
/// the type are read.
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
        get throws(BookError) { try RecordList(RecordQuery(kind), in: version) }
    }

    /// The records whose field has the value.
    public func `where`<Field: Encodable>(
        _ field: KeyPath<Value, Field>, equals value: Field
    ) throws(BookError) -> RecordList<Value> {
        try RecordList(RecordQuery(kind, field, equals: value), in: version)
    }

    /// All records in the order of a field, absent values last; equal ones by identifier.
    public func sorted<Field: Encodable>(by field: KeyPath<Value, Field>) throws(BookError) -> RecordList<Value> {
        try RecordList(RecordQuery(kind, sortedBy: field), in: version)
    }

    /// The records whose field lies in the range, in its order.
    public func sorted<Field: Encodable & Comparable>(
        by field: KeyPath<Value, Field>, in range: some RangeExpression<Field>
    ) throws(BookError) -> RecordList<Value> {
        try RecordList(RecordQuery(kind, field, in: IndexRange(range)), in: version)
    }

    /// The records that have the field, and in the range.
    public func sorted<Field: Encodable & Comparable>(
        by field: KeyPath<Value, Field?>, in range: some RangeExpression<Field>
    ) throws(BookError) -> RecordList<Value> {
        try RecordList(RecordQuery(kind, field, in: IndexRange(range)), in: version)
    }

    /// Records that share a unique key: from before it was declared. Empty as a rule. Reads all records of the type; those that cannot
    /// be read are left out.
    public func conflicts() throws(BookError) -> [UniqueConflict<Value>] {
        try version.check(kind)
        var conflicts: [UniqueConflict<Value>] = []
        for (_, key) in kind.uniqueKeys {
            var holders: [[UInt8]: [BookDB.ID<Value>]] = [:]
            try kind.forEachRecord(in: version) { (record) throws(BookError) in
                if let value = try key.value(record) { holders[value.bytes, default: []].append(record.id) }
            }
            let shared = holders.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
            conflicts += shared.map { UniqueConflict(fields: key.fieldNames, identifiers: $0) }
        }
        return conflicts
    }
}
