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
            let names = (try? fields.primary?.allNames()) ?? []
            let tags = (try? fields.primary?.allTags()) ?? []
            return names.compactMap { Key(stringValue: $0) }
                + tags.compactMap { FieldNumber.number(ofTag: $0).flatMap { Key(intValue: $0) } }
        }

        func contains(_ key: Key) -> Bool {
            // What cannot be read is there: it is told where it is decoded.
            !((try? fields.field(key, usingBlank: false))?.isMissing ?? false)
        }

        func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            if Value.self == Money.self { return TaggedInput.same(try fields.scalar(key) as Money, as: type) }
            if Value.self == Day.self { return TaggedInput.same(try fields.scalar(key) as Day, as: type) }
            return try fields.field(key, usingBlank: true).decode(type, codingPath, key)
        }

        // The commonest types, known without a cast.
        func decode(_ type: String.Type, forKey key: Key) throws -> String { try fields.scalar(key) }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try fields.scalar(key) }
        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try fields.scalar(key) }
        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try fields.scalar(key) }

        /// A value that is there and that this version of an enumeration has no case for is absent.
        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            let field = try fields.field(key, usingBlank: false)
            return field.isMissing ? nil : try field.decodeIfKnown(type, codingPath, key)
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
