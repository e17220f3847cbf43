/// A value as the key of an index: bytes that order as the values do, absent ones last.
///
/// Texts and bytes are cut within a key; the record itself then decides.
struct OrderedValue: Equatable {
    /// All of it, also when a key holds less.
    let bytes: [UInt8]

    /// A key of 511 bytes holds both names and the identifier beside it.
    static let maximumByteCount = 300

    private static let present: UInt8 = 1
    private static let absent: UInt8 = 0xFF

    static let nothing = OrderedValue(bytes: [absent])

    /// - Parameter bytes: as a component of a key has them, whole.
    init(bytes: [UInt8]) { self.bytes = bytes }

    init(scalar: some TaggedScalar) {
        var bytes = [Self.present]
        scalar.ordered.append(to: &bytes)
        self.bytes = bytes
    }

    /// Several values in turn: no two lists of values of the same types give the same bytes, unless they are equal.
    init(joining values: [OrderedValue]) { bytes = values.flatMap(\.bytes) }

    /// - Throws: `LibraryError.schemaMismatch` for a value that has no order.
    init(_ value: some Encodable) throws(LibraryError) {
        if let scalar = value as? any TaggedScalar {
            self.init(scalar: scalar)
            return
        }
        let encoder = Encoding()
        do {
            try value.encode(to: encoder)
        } catch {
            throw .invalidValue("A value of an index could not be encoded: \(error)")
        }
        guard let ordered = encoder.output.value else {
            throw .schemaMismatch("A value of type \(type(of: value)) has no order, so it cannot be indexed.")
        }
        self = ordered
    }

    var isCut: Bool { bytes.count > Self.maximumByteCount }

    /// What of it a key holds.
    var key: [UInt8] { Array(Self.key(of: bytes)) }

    /// The same of the bytes of one, or less of it. Never half of an escaped zero, so that a cut value orders as the whole one does.
    static func key(of bytes: [UInt8], byteCount: Int = maximumByteCount) -> ArraySlice<UInt8> {
        guard bytes.count > byteCount else { return bytes[...] }
        var end = byteCount
        if bytes[end] == 0xFF, bytes[end - 1] == 0 { end -= 1 }
        return bytes[..<end]
    }
}

extension OrderedValue: Comparable {
    static func < (left: OrderedValue, right: OrderedValue) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension OrderedValue {
    private final class Output {
        var value: OrderedValue?
    }

    /// Takes one value and no containers.
    private struct Encoding: Encoder, SingleValueEncodingContainer {
        let output = Output()
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        private var elsewhere: TaggedEncoder { TaggedEncoder(node: TaggedNode(), codingPath: []) }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            elsewhere.container(keyedBy: type)
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer { elsewhere.unkeyedContainer() }

        func singleValueContainer() -> any SingleValueEncodingContainer { self }

        func encodeNil() { output.value = .nothing }

        func encode<Value: Encodable>(_ value: Value) throws { output.value = try OrderedValue(value) }
    }
}
