/// The queries of an app's records of one type: the same of a snapshot (`Records`) and within a transaction (`TransactionRecords`).
///
/// What asks for a field that has an index, or for a value of one that is a unique key by itself, costs O(log n) and then a look-up
/// for each record. Without one, and after the indexes of a type were changed until such a record is written, all records of
/// the type are read.
public protocol RecordQueries<Value> {
    associatedtype Value: Record

    /// Records in an order.
    associatedtype List

    /// The records that a query finds. The calls below make the queries.
    func list(_ query: RecordQuery<Value>) throws(BookError) -> List
}

extension RecordQueries {
    /// By identifier: in the order they were inserted, where one device did.
    public var all: List {
        get throws(BookError) { try list(RecordQuery()) }
    }

    /// The records whose field has the value.
    public func `where`<Field: Encodable>(
        _ field: KeyPath<Value, Field>, equals value: Field
    ) throws(BookError) -> List {
        try list(RecordQuery(field, equals: value))
    }

    /// The records that a condition holds for, by identifier. All records of the type are looked at, but only the fields that the condition
    /// asks for are read: see `RecordRow`. One that cannot be read is left out; any other error of the condition ends the query.
    ///
    /// ```swift
    /// let large = try snapshot.records(Transfer.self).where { try $0.amount < -500 && $0.note.isEmpty }
    /// ```
    public func `where`(
        _ condition: @escaping (RecordRow<Value>) throws -> Bool
    ) throws(BookError) -> List {
        try list(RecordQuery(where: condition))
    }

    /// All records in the order of a field, absent values last; equal ones by identifier.
    public func sorted<Field: Encodable>(by field: KeyPath<Value, Field>) throws(BookError) -> List {
        try list(RecordQuery(sortedBy: field))
    }

    /// The records whose field lies in the range, in its order.
    public func sorted<Field: Encodable & Comparable>(
        by field: KeyPath<Value, Field>, in range: some RangeExpression<Field>
    ) throws(BookError) -> List {
        try list(RecordQuery(field, in: IndexRange(range)))
    }

    /// The records that have the field, and in the range.
    public func sorted<Field: Encodable & Comparable>(
        by field: KeyPath<Value, Field?>, in range: some RangeExpression<Field>
    ) throws(BookError) -> List {
        try list(RecordQuery(field, in: IndexRange(range)))
    }
}
