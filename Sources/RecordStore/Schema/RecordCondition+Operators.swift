// Conditions of facets and queries. Of an optional field, what is absent is neither less nor greater than anything.

public func == <Value: Record, Field: Encodable & Equatable & SendableMetatype>(
    field: KeyPath<Value, Field> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .equal, value)
}

public func != <Value: Record, Field: Encodable & Equatable & SendableMetatype>(
    field: KeyPath<Value, Field> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .unequal, value)
}

public func < <Value: Record, Field: Encodable & Comparable & SendableMetatype>(
    field: KeyPath<Value, Field> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .less, value)
}

public func <= <Value: Record, Field: Encodable & Comparable & SendableMetatype>(
    field: KeyPath<Value, Field> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .lessOrEqual, value)
}

public func > <Value: Record, Field: Encodable & Comparable & SendableMetatype>(
    field: KeyPath<Value, Field> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .greater, value)
}

public func >= <Value: Record, Field: Encodable & Comparable & SendableMetatype>(
    field: KeyPath<Value, Field> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .greaterOrEqual, value)
}

public func < <Value: Record, Field: Encodable & Comparable & SendableMetatype>(
    field: KeyPath<Value, Field?> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .less, value)
}

public func <= <Value: Record, Field: Encodable & Comparable & SendableMetatype>(
    field: KeyPath<Value, Field?> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .lessOrEqual, value)
}

public func > <Value: Record, Field: Encodable & Comparable & SendableMetatype>(
    field: KeyPath<Value, Field?> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .greater, value)
}

public func >= <Value: Record, Field: Encodable & Comparable & SendableMetatype>(
    field: KeyPath<Value, Field?> & Sendable, value: Field
) -> RecordCondition<Value> {
    RecordCondition(field, .greaterOrEqual, value)
}
