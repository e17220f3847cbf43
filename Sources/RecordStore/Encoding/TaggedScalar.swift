#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value that is one field by itself, and can be a key of an index.
protocol TaggedScalar {
    /// What a field has that was never written.
    static var zero: Self { get }

    var tagged: TaggedValue { get }

    init(_ value: TaggedValue) throws(RecordProblem)

    /// What a field of bytes is, where it lies in a record.
    static func decoded(_ bytes: ArraySlice<UInt8>) throws(RecordProblem) -> Self

    /// Bytes that order as the values do.
    var ordered: OrderedBytes { get }

    /// How the values are stored.
    static var fieldKind: FieldKind { get }

    /// What the values mean.
    static var fieldType: FieldType { get }

    // Of each type by itself, since what is made for all types together takes several times as long.
    /// A `FieldReader<Self>`, made of another that is asked where the field is absent.
    static func reader(_ tag: UInt32, orElse whole: AnyObject) -> AnyObject?
    /// A `FieldReader<Self?>`.
    static func optionalReader(_ tag: UInt32, _ missing: Any?) -> AnyObject
}

/// Texts and bytes can be of any length, so they end with a mark within a key.
enum OrderedBytes {
    /// Eight bytes, big-endian.
    case eightBytes(UInt64)
    case text([UInt8])

    static func number(_ value: UInt64) -> OrderedBytes { .eightBytes(value) }
    static func signed(_ value: Int64) -> OrderedBytes { number(UInt64(bitPattern: value) ^ 1 << 63) }

    /// Negative numbers by their magnitude, the other way round. Both zeros are one.
    static func number(_ value: Double) -> OrderedBytes {
        number(bits(value))
    }

    static func bits(_ value: Double) -> UInt64 {
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 0 ? bits ^ 1 << 63 : ~bits
    }

    /// As they stand within a key: texts have each zero byte followed by `FF` and end with two zero bytes, so that a text that
    /// begins another comes before it.
    func append(to key: inout [UInt8]) {
        switch self {
        case .eightBytes(let number): key.append(bigEndian: number)
        case .text(let text):
            for byte in text {
                key.append(byte)
                if byte == 0 { key.append(0xFF) }
            }
            key.append(0)
            key.append(0)
        }
    }

    /// 0 for what is no text.
    var textByteCount: Int {
        if case .text(let text) = self { text.count } else { 0 }
    }
}

extension TaggedScalar {
    /// With its type, as this process knows it: what is stored alike and is of another type differs.
    func marked(_ marks: TaggedNode.Marks) -> TaggedValue {
        let type = [UInt8].bigEndian(UInt64(UInt(bitPattern: ObjectIdentifier(Self.self))))
        return switch tagged {
        case .number(let number), .eightBytes(let number): .bytes(type + .bigEndian(number))
        case .bytes(let bytes): .bytes(type + (marks == .types ? bytes : bytes.sorted()))
        }
    }

    static func decoded(_ bytes: ArraySlice<UInt8>) throws(RecordProblem) -> Self { try Self(.bytes(Array(bytes))) }
}

extension TaggedValue {
    var number: UInt64 {
        get throws(RecordProblem) {
            switch self {
            case .number(let number), .eightBytes(let number): return number
            case .bytes: throw RecordProblem("a field is bytes where a number is expected")
            }
        }
    }

    var bytes: [UInt8] {
        get throws(RecordProblem) {
            guard case .bytes(let bytes) = self else {
                throw RecordProblem("a field is a number where bytes are expected")
            }
            return bytes
        }
    }

    static func signed(_ value: Int64) -> TaggedValue { .number(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    var signed: Int64 {
        get throws(RecordProblem) {
            let folded = try number
            return Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
        }
    }
}

extension TaggedScalar where Self: FixedWidthInteger & SignedInteger {
    static var fieldKind: FieldKind { .signed }
    static var fieldType: FieldType { .integer }
    var tagged: TaggedValue { .signed(Int64(self)) }
    var ordered: OrderedBytes { .signed(Int64(self)) }

    init(_ value: TaggedValue) throws(RecordProblem) {
        let number = try value.signed
        guard let integer = Self(exactly: number) else { throw RecordProblem(number, tooLargeFor: Self.self) }
        self = integer
    }
}

extension TaggedScalar where Self: FixedWidthInteger & UnsignedInteger {
    static var fieldKind: FieldKind { .number }
    static var fieldType: FieldType { .natural }
    var tagged: TaggedValue { .number(UInt64(self)) }
    var ordered: OrderedBytes { .number(UInt64(self)) }

    init(_ value: TaggedValue) throws(RecordProblem) {
        let number = try value.number
        guard let integer = Self(exactly: number) else { throw RecordProblem(number, tooLargeFor: Self.self) }
        self = integer
    }
}

extension Int: TaggedScalar {}
extension Int8: TaggedScalar {}
extension Int16: TaggedScalar {}
extension Int32: TaggedScalar {}
extension Int64: TaggedScalar {}
extension UInt: TaggedScalar {}
extension UInt8: TaggedScalar {}
extension UInt16: TaggedScalar {}
extension UInt32: TaggedScalar {}
extension UInt64: TaggedScalar {}

extension Bool: TaggedScalar {
    static var fieldKind: FieldKind { .number }
    static var fieldType: FieldType { .flag }
    static var zero: Bool { false }
    var tagged: TaggedValue { .number(self ? 1 : 0) }
    var ordered: OrderedBytes { .eightBytes(self ? 1 : 0) }
    init(_ value: TaggedValue) throws(RecordProblem) { self = try value.number != 0 }
}

extension Double: TaggedScalar {
    static var fieldKind: FieldKind { .real }
    static var fieldType: FieldType { .real }
    var tagged: TaggedValue { .eightBytes(bitPattern) }
    var ordered: OrderedBytes { .number(self) }
    init(_ value: TaggedValue) throws(RecordProblem) { self = Double(bitPattern: try value.number) }
}

/// As the `Double` it equals.
extension Float: TaggedScalar {
    static var fieldKind: FieldKind { .real }
    static var fieldType: FieldType { .real }
    var tagged: TaggedValue { Double(self).tagged }
    var ordered: OrderedBytes { .number(Double(self)) }
    init(_ value: TaggedValue) throws(RecordProblem) { self = Float(try Double(value)) }
}

/// Bytes that are not UTF-8 become U+FFFD, as everywhere in a library.
extension String: TaggedScalar {
    static var fieldKind: FieldKind { .text }
    static var fieldType: FieldType { .text }
    static var zero: String { "" }
    var tagged: TaggedValue { .bytes(Array(utf8)) }
    var ordered: OrderedBytes { .text(Array(utf8)) }
    init(_ value: TaggedValue) throws(RecordProblem) { self.init(decoding: try value.bytes, as: UTF8.self) }
    // Texts are read most often: without an array in between.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension Array: TaggedScalar where Element == UInt8 {
    static var fieldKind: FieldKind { .bytes }
    static var fieldType: FieldType { .bytes }
    static var zero: [UInt8] { [] }
    var tagged: TaggedValue { .bytes(self) }
    var ordered: OrderedBytes { .text(self) }
    init(_ value: TaggedValue) throws(RecordProblem) { self = try value.bytes }
}

extension ID: TaggedScalar {
    static var fieldKind: FieldKind { .number }
    static var fieldType: FieldType { .identifier }
    static var zero: ID { .unassigned }
    var tagged: TaggedValue { .eightBytes(rawValue) }
    var ordered: OrderedBytes { .number(rawValue) }
    init(_ value: TaggedValue) throws(RecordProblem) { self.init(rawValue: try value.number) }
}

extension Money: TaggedScalar {
    static var fieldKind: FieldKind { .signed }
    static var fieldType: FieldType { .money }
    var tagged: TaggedValue { tenThousandths.tagged }
    var ordered: OrderedBytes { tenThousandths.ordered }
    init(_ value: TaggedValue) throws(RecordProblem) { self.init(tenThousandths: try Int64(value)) }
}

extension Day: TaggedScalar {
    static var fieldKind: FieldKind { .signed }
    static var fieldType: FieldType { .day }
    static var zero: Day { Day(daysSince1970: 0) }
    var tagged: TaggedValue { daysSince1970.tagged }
    var ordered: OrderedBytes { daysSince1970.ordered }

    init(_ value: TaggedValue) throws(RecordProblem) {
        let number = try value.signed
        guard let days = Int32(exactly: number) else { throw RecordProblem("\(number) is out of range") }
        self.init(daysSince1970: days)
    }
}

/// To the last bit: a date that was read equals the one that was written.
extension Date: TaggedScalar {
    static var fieldKind: FieldKind { .real }
    static var fieldType: FieldType { .moment }
    static var zero: Date { Date(timeIntervalSinceReferenceDate: 0) }
    var tagged: TaggedValue { timeIntervalSinceReferenceDate.tagged }
    var ordered: OrderedBytes { timeIntervalSinceReferenceDate.ordered }
    init(_ value: TaggedValue) throws(RecordProblem) {
        self.init(timeIntervalSinceReferenceDate: try Double(value))
    }
}

extension Data: TaggedScalar {
    static var fieldKind: FieldKind { .bytes }
    static var fieldType: FieldType { .bytes }
    static var zero: Data { Data() }
    var tagged: TaggedValue { .bytes(Array(self)) }
    var ordered: OrderedBytes { .text(Array(self)) }
    init(_ value: TaggedValue) throws(RecordProblem) { self.init(try value.bytes) }
}

extension UUID: TaggedScalar {
    static var fieldKind: FieldKind { .bytes }
    static var fieldType: FieldType { .uuid }
    static var zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

    private var bytes: [UInt8] {
        let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = uuid
        return [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }

    var tagged: TaggedValue { .bytes(bytes) }
    var ordered: OrderedBytes { .text(bytes) }

    init(_ value: TaggedValue) throws(RecordProblem) {
        let b = try value.bytes
        guard b.count == 16 else { throw RecordProblem("a UUID has \(b.count) bytes") }
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}

/// As its absolute form. What was never written is `/`, for want of an empty one.
extension URL: TaggedScalar {
    static var fieldKind: FieldKind { .text }
    static var fieldType: FieldType { .url }
    static var zero: URL { URL(filePath: "/") }
    var tagged: TaggedValue { absoluteString.tagged }
    var ordered: OrderedBytes { absoluteString.ordered }

    init(_ value: TaggedValue) throws(RecordProblem) {
        let text = try String(value)
        guard let url = URL(string: text) else { throw RecordProblem("“\(text)” is not a URL") }
        self = url
    }
}
