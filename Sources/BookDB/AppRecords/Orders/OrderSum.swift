/// A field that an order keeps sums of.
struct OrderSum<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let name: String?
    let fieldType: String
    let valueType: ValueType
    let kind: (kind: FieldKind, isOptional: Bool)?
    let isNegated: Bool
    let unit: OrderUnit<Value>?
    let findsRows: Bool

    init<Field: Summable>(
        _ path: KeyPath<Value, Field> & Sendable, isNegated: Bool, _ unit: OrderUnit<Value>?, findsRows: Bool
    ) {
        self.path = path
        name = path.propertyName
        fieldType = String(describing: Field.self)
        valueType = ValueType(Field.self)
        kind = FieldKind.of(Field.self)
        self.isNegated = isNegated
        self.unit = unit
        self.findsRows = findsRows
    }
}

/// A field that says what amounts are of.
struct OrderUnit<Value: Record>: Sendable {
    let name: String?
    let fieldType: String
    let valueType: ValueType
    let kind: (kind: FieldKind, isOptional: Bool)?

    init<Unit: Encodable & SendableMetatype>(_ path: KeyPath<Value, Unit>) {
        name = path.propertyName
        fieldType = String(describing: Unit.self)
        valueType = ValueType(Unit.self)
        kind = FieldKind.of(Unit.self)
    }
}
