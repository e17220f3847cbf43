/// A value of a JSON text. The members of an object stand as they were written; numbers keep their digits, so that none loses any.
package indirect enum JSONValue: Equatable, Sendable {
    case null
    case flag(Bool)
    case number(String)
    case text(String)
    case array([JSONValue])
    case object([JSONMember])
}

package struct JSONMember: Equatable, Sendable {
    package let name: String
    package let value: JSONValue
}

extension JSONValue {
    /// That of an object; `nil` for one that is not there, and of anything else. Of a member that is there twice the last counts.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// - Throws: `RecordProblem` for an object with a member that is none of some: what it says would be lost.
    package func requireMembers(_ known: Set<String>) throws(RecordProblem) {
        guard case .object(let members) = self else { throw RecordProblem("it is no object") }
        guard let other = members.first(where: { !known.contains($0.name) }) else { return }
        throw RecordProblem("its “\(other.name)” is not known in this version")
    }

    package var text: String? { if case .text(let text) = self { text } else { nil } }

    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// A whole number that fits.
    package func integer<Integer: FixedWidthInteger>() -> Integer? {
        if case .number(let digits) = self { Integer(digits) } else { nil }
    }
}

/// Why a text is no JSON.
struct JSONProblem: Error, CustomStringConvertible {
    let what: String
    /// In bytes from the beginning.
    let offset: Int

    var description: String { "\(what), at byte \(offset + 1)" }
}

/// Reads one JSON text, as RFC 8259 has it: what `JSONWriter` writes, and what others do.
struct JSONReader {
    private let bytes: [UInt8]
    private var offset = 0

    /// Deeper than records are nested.
    private static let maximumDepth = 3 * FieldNumber.maximumDepth

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func value(of text: String) throws(JSONProblem) -> JSONValue { try value(utf8: Array(text.utf8)) }

    static func value(utf8 bytes: [UInt8]) throws(JSONProblem) -> JSONValue {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.offset == reader.bytes.count else { throw reader.problem("there is something behind the value") }
        return value
    }

    private func problem(_ what: String) -> JSONProblem { JSONProblem(what: what, offset: offset) }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    /// Goes past a sign that may be there, and blanks before it.
    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard next == UInt8(ascii: sign) else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONProblem) -> JSONValue {
        guard depth <= Self.maximumDepth else { throw problem("values are nested too deep") }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw problem("a value is missing")
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else { throw problem("this is no value") }
        offset += word.utf8.count
        return value
    }

    private mutating func object(_ depth: Int) throws(JSONProblem) -> JSONValue {
        offset += 1
        var members: [JSONMember] = []
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw problem("a member has no name") }
            let name = try string()
            guard take(":") else { throw problem("a name has no colon behind it") }
            members.append(JSONMember(name: name, value: try value(depth: depth + 1)))
        } while take(",")
        guard take("}") else { throw problem("an object does not end") }
        return .object(members)
    }

    private mutating func array(_ depth: Int) throws(JSONProblem) -> JSONValue {
        offset += 1
        var elements: [JSONValue] = []
        if take("]") { return .array(elements) }
        repeat { elements.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw problem("an array does not end") }
        return .array(elements)
    }

    /// -? digits (. digits)? ([eE] [+-]? digits)?
    private mutating func number() throws(JSONProblem) -> String {
        let start = offset
        if next == UInt8(ascii: "-") { offset += 1 }
        let first = next
        let count = try digits()
        guard count == 1 || first != UInt8(ascii: "0") else { throw problem("a number begins with a zero") }
        if next == UInt8(ascii: ".") {
            offset += 1
            _ = try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            _ = try digits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func digits() throws(JSONProblem) -> Int {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        guard offset > start else { throw problem("this is no value") }
        return offset - start
    }

    private mutating func string() throws(JSONProblem) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw JSONProblem(what: "a text is not UTF-8", offset: start)
                }
                return string
            case UInt8(ascii: "\\"): text += UTF8.encode(try escaped())!
            case 0..<0x20: throw problem("a line or a sign within a text is not escaped")
            default: text.append(byte)
            }
        }
        throw problem("a text does not end")
    }

    private mutating func escaped() throws(JSONProblem) -> Unicode.Scalar {
        guard let sign = next else { throw problem("a text does not end") }
        offset += 1
        switch sign {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(sign)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicode()
        default: throw problem("a text has an escape that JSON does not know")
        }
    }

    /// Half of a pair by itself is U+FFFD, as elsewhere in a library.
    private mutating func unicode() throws(JSONProblem) -> Unicode.Scalar {
        let first = try fourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, bytes[offset...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
            return "\u{FFFD}"
        }
        let start = offset
        offset += 2
        let second = try fourDigits()
        guard (0xDC00...0xDFFF).contains(second) else {
            offset = start
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func fourDigits() throws(JSONProblem) -> UInt32 {
        let digits = bytes[offset...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw problem("an escape is not four hexadecimal digits") }
        offset += 4
        return number
    }
}
