/// Turns a record into tagged fields, by what its `encode(to:)` tells.
struct TaggedEncoder: Encoder {
    let node: TaggedNode
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Throws: what the value's own `encode(to:)` throws, and `LibraryError.invalidValue` or `.schemaMismatch`.
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = TaggedEncoder(node: TaggedNode(), codingPath: [])
        try value.encode(to: encoder)
        return try encoder.node.encoded()
    }

    fileprivate func tagged(_ scalar: some TaggedScalar) -> TaggedValue {
        node.marks.map { scalar.marked($0) } ?? scalar.tagged
    }

    fileprivate func newNode() -> TaggedNode { TaggedNode(marks: node.marks) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.shape = .fields
        return KeyedEncodingContainer(Fields<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.shape = .list
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    fileprivate func nested(_ node: TaggedNode, _ key: some CodingKey) -> TaggedEncoder {
        TaggedEncoder(node: node, codingPath: codingPath + [key])
    }

    /// A value that is more than one field, where its container was asked for.
    ///
    /// - Throws: `LibraryError.invalidValue` before the stack is at its end. A value may be within another without being nested in the record, so that is
    ///   found out exactly when there are bytes.
    fileprivate func encode<Value: Encodable>(_ value: Value, to node: TaggedNode, _ key: some CodingKey) throws {
        guard codingPath.count <= 3 * FieldNumber.maximumDepth else { throw TaggedNode.tooDeep }
        if let count = (Value.self as? any Unordered.Type)?.elementCount { node.unorderedCount = count }
        try value.encode(to: nested(node, key))
    }
}

/// A collection that is written as a list and goes through equal contents in different orders.
private protocol Unordered {
    /// Of those that belong together.
    static var elementCount: Int { get }
}

extension Set: Unordered {
    fileprivate static var elementCount: Int { 1 }
}

extension Dictionary: Unordered {
    fileprivate static var elementCount: Int { 2 }
}

extension TaggedEncoder {
    private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: TaggedEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        private func node(_ key: some CodingKey) -> TaggedNode {
            let node = encoder.newNode()
            encoder.node.add(.node(node), forKey: key)
            return node
        }

        private func add(_ value: TaggedValue, _ key: Key) { encoder.node.add(.value(value), forKey: key) }

        mutating func encodeNil(forKey key: Key) throws { _ = node(key) }

        mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            // To find out whether a type is one that the library knows costs more than to encode it.
            if Value.self == Money.self, let money = value as? Money { return add(encoder.tagged(money), key) }
            if Value.self == Day.self, let day = value as? Day { return add(encoder.tagged(day), key) }
            if let scalar = value as? any TaggedScalar { return add(encoder.tagged(scalar), key) }
            try encoder.encode(value, to: node(key), key)
        }

        // The commonest types, known without a cast.
        mutating func encode(_ value: String, forKey key: Key) { add(encoder.tagged(value), key) }
        mutating func encode(_ value: Int, forKey key: Key) { add(encoder.tagged(value), key) }
        mutating func encode(_ value: Bool, forKey key: Key) { add(encoder.tagged(value), key) }
        mutating func encode(_ value: Double, forKey key: Key) { add(encoder.tagged(value), key) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            encoder.nested(node(key), key).container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.nested(node(key), key).unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder {
            let key = PlainKey(stringValue: "super")
            return encoder.nested(node(key), key)
        }

        mutating func superEncoder(forKey key: Key) -> any Encoder {
            encoder.nested(node(key), key)
        }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let encoder: TaggedEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { encoder.node.elements.count }

        private func node() -> (TaggedNode, PlainKey) {
            let key = PlainKey(intValue: count)
            let node = encoder.newNode()
            encoder.node.elements.append(.node(node))
            return (node, key)
        }

        mutating func encodeNil() throws { _ = node() }

        mutating func encode<Value: Encodable>(_ value: Value) throws {
            if let scalar = value as? any TaggedScalar {
                encoder.node.elements.append(.value(encoder.tagged(scalar)))
                return
            }
            let (node, key) = node()
            try encoder.encode(value, to: node, key)
        }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            let (node, key) = node()
            return encoder.nested(node, key).container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            let (node, key) = node()
            return encoder.nested(node, key).unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder {
            let (node, key) = node()
            return encoder.nested(node, key)
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: TaggedEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        mutating func encodeNil() throws { encoder.node.shape = .nothing }

        mutating func encode<Value: Encodable>(_ value: Value) throws {
            if let scalar = value as? any TaggedScalar {
                encoder.node.shape = .value(encoder.tagged(scalar))
            } else {
                try encoder.encode(value, to: encoder.node, PlainKey(stringValue: ""))
            }
        }
    }
}

/// A key that stands for a place in a list or for a class's superclass.
struct PlainKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
