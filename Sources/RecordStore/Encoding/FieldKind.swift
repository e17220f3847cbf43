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
        guard let raw = type as? any RawRepresentable.Type else { return nil }
        switch raw.coding {
        case .rawValues: return of(raw.rawValueType)
        case .names: return (.text, false)
        case .other: return nil
        }
    }
}

/// How the values of a type with raw values are written by its own coding.
enum RawCoding {
    case rawValues
    /// In place of the raw values.
    case names
    case other
}

extension RawRepresentable {
    static var rawValueType: Any.Type { RawValue.self }

    /// By the first case, or by what the type's code asks for where it is read: no value is made up, which the type may not have. Swift writes raw values
    /// that are numbers or texts, and a type around any other as a record of one field, unless it has code of its own.
    static var coding: RawCoding {
        if let first = firstCase {
            if first.written == first.rawValue { return .rawValues }
            if case .bytes = first.written { return .names }
            return .other
        }
        guard let type = Self.self as? any Decodable.Type, case let asked = RawCodingProbe.requests(of: type),
            !asked.isEmpty
        else { return isWrittenBySwift ? .rawValues : .other }
        // What was written otherwise before may be asked for as well; of a number or a text an order then says so.
        if asked.types.contains(ObjectIdentifier(RawValue.self)), isWrittenBySwift || !asked.beginWithFields {
            return .rawValues
        }
        return asked.types.contains(ObjectIdentifier(String.self)) ? .names : .other
    }

    private static var isWrittenBySwift: Bool {
        RawValue.self is any FixedWidthInteger.Type || RawValue.self is any BinaryFloatingPoint.Type
            || RawValue.self == String.self || RawValue.self == Bool.self
    }

    /// How the first case is written by the type's own coding, and its raw value; `nil` for a type that does not list its cases.
    static var firstCase: (written: TaggedValue, rawValue: TaggedValue?)? {
        guard let cases = Self.self as? any CaseIterable.Type, let first = cases.anyFirst as? Self,
            let written = (first as? any Encodable).flatMap({ TaggedValue.of($0) })
        else { return nil }
        return (written, (first.rawValue as? any TaggedScalar)?.tagged)
    }
}

extension TaggedScalar {
    fileprivate static var taggedZero: TaggedValue { zero.tagged }
}

/// A type, to be compared and named: `Day` of a `Day?`.
struct ValueType: Equatable, Sendable {
    private let type: Any.Type

    init(_ type: Any.Type) {
        var type = type
        while let optional = type as? any OptionalField.Type { type = optional.wrapped }
        self.type = type
    }

    var name: String { String(describing: type) }

    /// How its values are ordered; `nil` for a type that only its own coding knows.
    var fieldKind: FieldKind? { FieldKind.of(type)?.kind }

    /// Whether it is that of a type.
    func isThat(of type: Any.Type) -> Bool { self.type == type || self == ValueType(type) }

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
    /// What is read of a type where nothing was written, as it would be written.
    static func zero(of type: Any.Type) -> TaggedValue? {
        if let scalar = type as? any TaggedScalar.Type { return scalar.taggedZero }
        return (type as? any RawRepresentable.Type)?.firstCase?.written
    }

    /// What a record holds for a value of a field; `nil` for what is absent, and for a value that is no field by itself.
    static func of<Value: Encodable>(_ value: Value) -> TaggedValue? {
        // As in encoding: to find out whether the library knows a type costs more than the rest.
        if Value.self == Day.self, let day = value as? Day { return day.tagged }
        if let scalar = value as? any TaggedScalar { return scalar.tagged }
        if let optional = value as? any OptionalField {
            guard let wrapped = optional.value, !(wrapped is any OptionalField) else { return nil }
            return of(wrapped)
        }
        let node = TaggedNode()
        guard (try? value.encode(to: TaggedEncoder(node: node, codingPath: []))) != nil,
            case .value(let value) = node.shape
        else { return nil }
        return value
    }
}

extension FieldKind {
    /// Whether values of a type are stored in their order: not the cases of an enumeration, which may have one of their own.
    static func isStoredInOrder(_ type: Any.Type) -> Bool {
        type is any TaggedScalar.Type || (type as? any OptionalField.Type)?.wrapped is any TaggedScalar.Type
    }

    /// - Throws: `LibraryError.invalidArgument` for a type whose values no range of stored ones is asked by.
    static func requireStoredOrder(_ type: Any.Type) throws(LibraryError) {
        guard !isStoredInOrder(type) else { return }
        throw .invalidArgument(
            "A range of \(type) goes by what is stored of its cases, which need not be their order. Ask for each case.")
    }
}
