/// The queries of an app's records of one type: the same of a snapshot (`Records`) and within a transaction (`TransactionRecords`).
///
/// What asks for a field that has an index, or for a value of one that is a unique key by itself, costs O(log n) and then a look-up
/// for each record; of a text or bytes an index has the first 300 bytes, and a query for more looks at all records. Without one, and
/// after the indexes of a type were changed until such a record is written, all records of the type are read.
public protocol RecordQueries<Value> {
    associatedtype Value: Record

    /// Records in an order.
    associatedtype List

    /// The records that a query finds. The calls below make the queries.
    func list(_ query: RecordQuery<Value>) throws(LibraryError) -> List
}

extension RecordQueries {
    /// By identifier: in the order they were inserted, where one device did.
    public var all: List {
        get throws(LibraryError) { try list(RecordQuery()) }
    }

    /// The records whose field has the value, as it is stored: of texts byte by byte, and of an enumeration not by the case that stands for those which
    /// only another version of the app has.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for a field whose values have no order.
    public func `where`<Field: Encodable>(
        _ field: KeyPath<Value, Field>, equals value: Field
    ) throws(LibraryError) -> List {
        try list(RecordQuery(field, equals: value))
    }

    /// The records that all conditions hold for: in an order that the type declares, or by identifier.
    ///
    /// ```swift
    /// let transfers = store.snapshot.records(Transfer.self)
    /// for transfer in try transfers.where(\.account == savings, \.amount < -500, in: "statement") { print(transfer.amount) }
    /// print(try transfers.explain(\.account == savings, \.amount < -500))
    /// ```
    ///
    /// The shortest list that the orders, indexes, unique keys and facets of the type have of such records is gone through, chosen by exact
    /// counts, and the other conditions are tested on the bytes of each record in it: `explain` says which. A record that cannot be read
    /// is left out.
    ///
    /// - Parameter limit: so many of the first are enough.
    /// - Throws: `LibraryError.schemaMismatch` for a condition that cannot be, and for an order that the type does not declare;
    ///   `.incompleteOrder` for one that is being made, or that no write has begun; `.invalidArgument` for an order in which a record may have several places.
    public func `where`(
        _ conditions: RecordCondition<Value>..., in order: String? = nil, limit: Int = .max
    ) throws(LibraryError) -> List {
        try list(RecordQuery(RecordSelection(conditions, in: order, limit: limit)))
    }

    /// The records that a condition holds for, by identifier. All records of the type are looked at, but only the fields that the condition
    /// asks for are read: see `RecordRow`. One that cannot be read is left out; any other error of the condition ends the query.
    ///
    /// ```swift
    /// let large = try snapshot.records(Transfer.self).where { try $0.amount < -500 && $0.note.isEmpty }
    /// ```
    public func `where`(
        _ condition: @escaping (RecordRow<Value>) throws -> Bool
    ) throws(LibraryError) -> List {
        try list(RecordQuery(where: condition))
    }

    /// All records in the order of a field, as it is stored, absent values last; equal ones by identifier.
    public func sorted<Field: Encodable>(by field: KeyPath<Value, Field>) throws(LibraryError) -> List {
        try list(RecordQuery(sortedBy: field))
    }

    /// The records whose field lies in the range, in its order.
    public func sorted<Field: Encodable & Comparable>(
        by field: KeyPath<Value, Field>, in range: some RangeExpression<Field>
    ) throws(LibraryError) -> List {
        try list(RecordQuery(field, in: IndexRange(range)))
    }

    /// The records that have the field, and in the range.
    public func sorted<Field: Encodable & Comparable>(
        by field: KeyPath<Value, Field?>, in range: some RangeExpression<Field>
    ) throws(LibraryError) -> List {
        try list(RecordQuery(field, in: IndexRange(range)))
    }
}
