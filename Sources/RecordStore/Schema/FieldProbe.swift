/// A decoder that gives what a `TaggedDecoder` gives and notes what it is asked for: so the fields of a type are found out, with the names
/// and types that only its code knows.
struct FieldProbe: Decoder {
    private let decoder: TaggedDecoder
    private let notes: Notes
    /// Those around this one: a type that is nested in itself is described once.
    private let types: [ObjectIdentifier]

    var codingPath: [any CodingKey] { decoder.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private final class Notes {
        var fields: [FieldDescription] = []
        var isRecord = false

        func note(_ key: some CodingKey, _ type: FieldType) {
            isRecord = true
            let number = FieldNumber.number(of: key)
            // Of any other nothing can be stored, which encoding tells.
            guard number.map(FieldNumber.range.contains) ?? true else { return }
            let field = FieldDescription(number: number, name: key.stringValue, type: type)
            guard let index = fields.firstIndex(where: field.isField) else { return fields.append(field) }
            // A type that tries one after the other.
            if fields[index].type != type { fields[index].type = .unknown }
        }
    }

    /// The fields that a type reads of a record, by number.
    ///
    /// - Parameter input: what it reads.
    static func fields<Value: Decodable>(of type: Value.Type, reading input: TaggedInput) -> [FieldDescription] {
        let notes = Notes()
        _ = try? Value(
            from: FieldProbe(
                decoder: TaggedDecoder(input: input, codingPath: []), notes: notes, types: [ObjectIdentifier(type)]))
        return notes.fields.sorted(by: FieldDescription.precedes)
    }

    /// What the values of a type mean, as they are stored.
    fileprivate static func type(of type: Any.Type, within types: [ObjectIdentifier]) -> FieldType {
        if let scalar = type as? any TaggedScalar.Type { return scalar.fieldType }
        if let optional = type as? any OptionalField.Type { return self.type(of: optional.wrapped, within: types) }
        if let list = type as? any ListField.Type { return .list(of: self.type(of: list.elementType, within: types)) }
        if let named = type as? any NamedField.Type {
            return named.valueType.map { .named(self.type(of: $0, within: types)) } ?? .unknown
        }
        if let raw = type as? any RawRepresentable.Type {
            switch raw.coding {
            case .rawValues: return self.type(of: raw.rawValueType, within: types)
            case .names: return .text
            case .other: return .unknown
            }
        }
        // The code of a part is made to read what was never written; that of others may not be.
        guard let part = type as? any RecordPart.Type, !types.contains(ObjectIdentifier(type)),
            types.count < maximumDepth
        else { return .unknown }
        return shape(of: part, within: types)
    }

    /// Of parts within each other; types may be nested without end.
    private static let maximumDepth = 8

    private static func shape<Value: Decodable>(
        of type: Value.Type, reading decoder: TaggedDecoder? = nil, within types: [ObjectIdentifier]
    ) -> FieldType {
        let notes = Notes()
        let empty = TaggedDecoder(input: TaggedInput(bytes: [], place: .bytes(0..<0)), codingPath: [])
        _ = try? Value(
            from: FieldProbe(decoder: decoder ?? empty, notes: notes, types: types + [ObjectIdentifier(type)]))
        return notes.isRecord ? .record(notes.fields.sorted(by: FieldDescription.precedes)) : .unknown
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(
            Fields(container: try decoder.container(keyedBy: type), notes: notes, types: types))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder.unkeyedContainer() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { try decoder.singleValueContainer() }

    private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let container: KeyedDecodingContainer<Key>
        let notes: Notes
        let types: [ObjectIdentifier]

        var codingPath: [any CodingKey] { container.codingPath }
        var allKeys: [Key] { container.allKeys }

        func contains(_ key: Key) -> Bool { container.contains(key) }

        func decodeNil(forKey key: Key) throws -> Bool { try container.decodeNil(forKey: key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            var found = FieldProbe.type(of: type, within: types)
            if found == .unknown, !types.contains(ObjectIdentifier(type)), !(type is any OptionalField.Type),
                !(type is any RawRepresentable.Type),
                let inner = try? container.superDecoder(forKey: key) as? TaggedDecoder
            {
                // It is read from the same bytes below, so its code does nothing here that it would not do there.
                found = FieldProbe.shape(of: type, reading: inner, within: types)
            }
            notes.note(key, found)
            return try container.decode(type, forKey: key)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            try present(type, key)
        }

        // Those that the protocol would answer itself, by whether the field is there.
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(type, key) }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(type, key) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(type, key) }
        func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try present(type, key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(type, key) }
        func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try present(type, key) }
        func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try present(type, key) }
        func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(type, key) }
        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(type, key) }
        func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try present(type, key) }
        func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try present(type, key) }
        func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try present(type, key) }
        func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try present(type, key) }
        func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try present(type, key) }

        private func present<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
            notes.note(key, FieldProbe.type(of: type, within: types))
            return try container.decodeIfPresent(type, forKey: key)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            notes.note(key, .unknown)
            return try container.nestedContainer(keyedBy: type, forKey: key)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            notes.note(key, .unknown)
            return try container.nestedUnkeyedContainer(forKey: key)
        }

        func superDecoder() throws -> any Decoder { try container.superDecoder() }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            notes.note(key, .unknown)
            return try container.superDecoder(forKey: key)
        }
    }
}

/// A list, where its type is not known.
private protocol ListField {
    static var elementType: Any.Type { get }
}

extension Array: ListField {
    fileprivate static var elementType: Any.Type { Element.self }
}

extension Set: ListField {
    fileprivate static var elementType: Any.Type { Element.self }
}

/// A dictionary, where its type is not known.
private protocol NamedField {
    /// `nil` for one whose keys are no names: it is stored as a list of both in turn.
    static var valueType: Any.Type? { get }
}

extension Dictionary: NamedField {
    fileprivate static var valueType: Any.Type? { Key.self == String.self || Key.self == Int.self ? Value.self : nil }
}
