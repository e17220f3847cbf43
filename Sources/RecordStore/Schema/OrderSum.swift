/// A field that an order keeps sums of.
struct OrderSum<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    /// Of the elements of the list that the path leads to.
    let part: PartField?
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
        self.init(path, nil, Field.self, isNegated: isNegated, unit, findsRows: findsRows)
    }

    /// A sum of a field of the elements of a list.
    init<Part: RecordPart, Field: Summable>(
        each list: KeyPath<Value, [Part]> & Sendable, _ field: KeyPath<Part, Field> & Sendable,
        _ unit: OrderUnit<Value>?, findsRows: Bool
    ) {
        self.init(list, PartField(field), Field.self, isNegated: false, unit, findsRows: findsRows)
    }

    /// - Parameter type: of the field, or of that of an element.
    private init(
        _ path: PartialKeyPath<Value> & Sendable, _ part: PartField?, _ type: Any.Type, isNegated: Bool,
        _ unit: OrderUnit<Value>?, findsRows: Bool
    ) {
        self.path = path
        self.part = part
        name = path.propertyName
        fieldType = String(describing: type)
        valueType = ValueType(type)
        kind = FieldKind.of(type)
        self.isNegated = isNegated
        self.unit = unit
        self.findsRows = findsRows
    }
}

/// What a list is asked for the sums of: a field of records, or of the elements of a list of theirs.
struct SummedField<Field: Summable> {
    let path: AnyKeyPath
    /// Of the elements of the list that the path leads to.
    let part: AnyKeyPath?

    init<Root>(_ path: KeyPath<Root, Field>) {
        self.path = path
        part = nil
    }

    init<Root, Part>(each list: KeyPath<Root, [Part]>, _ field: KeyPath<Part, Field>) {
        path = list
        part = field
    }

    /// As it is declared.
    func words(_ more: String = "") -> String {
        let names = [path, part].compactMap { $0 }.map { "\\.\($0.propertyName ?? "field")" }.joined(separator: ", ")
        return ".sum(\(part == nil ? "" : "each: ")\(names)\(more))"
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
