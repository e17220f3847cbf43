/// How the values of a field are stored and ordered: what a declaration says of a field, so that keys can be made of records
/// without the type they are of. The raw value is part of the format.
enum FieldKind: UInt8 {
    /// Also days, and money in ten-thousandths.
    case signed = 1
    /// Also flags and identifiers.
    case number = 2
    /// Also moments.
    case real = 3
    /// Also web addresses.
    case text = 4
    case bytes = 5

    /// That of a field's type, and whether it is optional; `nil` for a type that has no order.
    static func of(_ type: Any.Type) -> (kind: FieldKind, isOptional: Bool)? {
        if let scalar = type as? any TaggedScalar.Type { return (scalar.fieldKind, false) }
        if let optional = type as? any OptionalField.Type { return of(optional.wrapped).map { ($0.kind, true) } }
        if let raw = type as? any RawRepresentable.Type { return of(rawValue(of: raw)) }
        return nil
    }

    private static func rawValue<Value: RawRepresentable>(of type: Value.Type) -> Any.Type { Value.RawValue.self }
}

/// A type, to be compared and named: `Day` of a `Day?`.
struct ValueType: Equatable, Sendable {
    private let type: ObjectIdentifier
    let name: String

    init(_ type: Any.Type) {
        var type = type
        while let optional = type as? any OptionalField.Type { type = optional.wrapped }
        self.type = ObjectIdentifier(type)
        name = String(describing: type)
    }

    static func == (left: ValueType, right: ValueType) -> Bool { left.type == right.type }
}

/// An optional, where its type is not known.
protocol OptionalField {
    static var wrapped: Any.Type { get }
    var value: (any Encodable)? { get }
}

extension Optional: OptionalField {
    static var wrapped: Any.Type { Wrapped.self }
    var value: (any Encodable)? { self as? any Encodable }
}

extension TaggedValue {
    /// What a record holds for a value of a field; `nil` for what is absent, and for a value that is none of those `FieldKind` knows.
    static func of(_ value: some Encodable) -> TaggedValue? {
        if let scalar = value as? any TaggedScalar { return scalar.tagged }
        if let optional = value as? any OptionalField {
            guard let wrapped = optional.value, !(wrapped is any OptionalField) else { return nil }
            return of(wrapped)
        }
        guard let raw = value as? any RawRepresentable, let value = raw.rawValue as? any Encodable else { return nil }
        return of(value)
    }
}
