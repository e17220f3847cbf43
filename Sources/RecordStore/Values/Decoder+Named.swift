/// Values known by name outside the store: `Codable` writes the name, so files do not depend on raw values.
extension Decoder {
    package func named<Value>(_ make: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        let name = try container.decode(String.self)
        guard let value = make(name) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(name)\" is not a known \(Value.self)")
        }
        return value
    }
}
