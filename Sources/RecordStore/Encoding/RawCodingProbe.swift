/// A decoder that has nothing, and notes what a type around a raw value asks it for. So its coding is found out without a value of it: of those that
/// could be made up, such as zero, it may have none.
struct RawCodingProbe: Decoder {
    /// What was asked for.
    struct Requests {
        /// Values.
        fileprivate(set) var types: Set<ObjectIdentifier> = []
        /// Whether fields or elements were, before any value: a type that asks for a value first and is given none may let the value's own type ask
        /// for them.
        fileprivate(set) var beginWithFields = false

        var isEmpty: Bool { types.isEmpty && !beginWithFields }

        fileprivate mutating func noteFields() { if types.isEmpty { beginWithFields = true } }
    }

    private final class Notes {
        var requests = Requests()
    }

    /// Ends the reading where it begins.
    private struct Nothing: Error {}

    private let notes = Notes()

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func requests<Value: Decodable>(of type: Value.Type) -> Requests {
        let probe = RawCodingProbe()
        _ = try? Value(from: probe)
        return probe.notes.requests
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        notes.requests.noteFields()
        throw Nothing()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        notes.requests.noteFields()
        throw Nothing()
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(notes: notes) }

    private struct Single: SingleValueDecodingContainer {
        let notes: Notes
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            notes.requests.types.insert(ObjectIdentifier(type))
            throw Nothing()
        }
    }
}
