/// Makes a record from tagged fields. Never throws for want of a field.
struct TaggedDecoder: Decoder {
    let input: TaggedInput
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Fields<Key>(codingPath: codingPath, fields: try input.fields()))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        Elements(codingPath: codingPath, input: input, list: try TaggedList(input))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        Single(codingPath: codingPath, input: input)
    }
}

extension TaggedDecoder {
    private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let codingPath: [any CodingKey]
        let fields: InputFields

        var allKeys: [Key] {
            let names = (try? fields.allNames()) ?? []
            let tags = (try? fields.allTags()) ?? []
            return names.compactMap { Key(stringValue: $0) }
                + tags.compactMap { FieldNumber.number(ofTag: $0).flatMap { Key(intValue: $0) } }
        }

        func contains(_ key: Key) -> Bool {
            // What cannot be read is there: it is told where it is decoded.
            !((try? fields.field(key, usingBlank: false))?.isMissing ?? false)
        }

        func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            let tag = try InputFields.tag(of: key)
            // The commonest first: to find out whether the library knows a type costs more than to decode it.
            if Value.self == Money.self {
                return try fields.scalar(Money.self, as: type, tag, key.stringValue)
            }
            if Value.self == Day.self { return try fields.scalar(Day.self, as: type, tag, key.stringValue) }
            if let scalar = type as? any TaggedScalar.Type {
                return try fields.scalar(scalar, as: type, tag, key.stringValue)
            }
            return try fields.field(key, usingBlank: true).decode(type, codingPath, key)
        }

        // The commonest types, known without a cast.
        func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(type, key) }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try scalar(type, key) }
        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(type, key) }
        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(type, key) }

        @inline(__always) private func scalar<Scalar: TaggedScalar>(_ type: Scalar.Type, _ key: Key) throws -> Scalar {
            try fields.scalar(type, try InputFields.tag(of: key), key.stringValue)
        }

        /// A value that is there and that this version of an enumeration has no case for is absent.
        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            if let scalar = type as? any TaggedScalar.Type {
                return try fields.scalarIfPresent(scalar, as: type, try InputFields.tag(of: key), key.stringValue)
            }
            let field = try fields.field(key, usingBlank: false)
            return field.isMissing ? nil : try field.decodeIfKnown(type, codingPath, key)
        }

        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
            try fields.scalarIfPresent(type, try InputFields.tag(of: key), key.stringValue)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try superDecoder(forKey: key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try superDecoder(forKey: key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder {
            let key = PlainKey(stringValue: "super")
            return try fields.field(key, usingBlank: true).decoder(codingPath, key)
        }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            try fields.field(key, usingBlank: true).decoder(codingPath, key)
        }
    }

    private struct Elements: UnkeyedDecodingContainer {
        let codingPath: [any CodingKey]
        let input: TaggedInput
        var list: TaggedList

        /// Not told: bytes may claim any.
        var count: Int? { nil }
        var isAtEnd: Bool { list.isAtEnd }
        var currentIndex: Int { list.index }

        private func element(_ element: TaggedPlace) -> TaggedInput { input.element(element) }

        mutating func decodeNil() throws -> Bool { list.skipAbsent() }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            let key = PlainKey(intValue: list.index)
            return try element(list.next()).decode(type, codingPath, key)
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            try superDecoder().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try superDecoder().unkeyedContainer()
        }

        mutating func superDecoder() throws -> any Decoder {
            let key = PlainKey(intValue: list.index)
            return try element(list.next()).decoder(codingPath, key)
        }
    }

    private struct Single: SingleValueDecodingContainer {
        let codingPath: [any CodingKey]
        let input: TaggedInput

        func decodeNil() -> Bool { input.isMissing }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try input.decode(type, codingPath, PlainKey(stringValue: ""))
        }
    }
}
