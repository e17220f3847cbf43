/// Turns the bytes of a file into UTF-8, piece by piece.
///
/// What is no letter in the encoding becomes U+FFFD, and the rows that have it are rejected: it is never imported.
struct Transcoder: Sendable {
    let encoding: TextEncoding
    /// The bytes of a unit, or the first half of a pair of surrogates, that the next piece goes on with.
    private var rest: [UInt8] = []
    private var isAtStart = true

    init(_ encoding: TextEncoding) { self.encoding = encoding }

    /// The next piece. UTF-8 is given as it is.
    mutating func utf8(_ bytes: [UInt8]) -> [UInt8] {
        switch encoding {
        case .utf8: return bytes
        case .windows1252: return Self.fromWindows(bytes)
        case .utf16LittleEndian, .utf16BigEndian: return fromUTF16(rest + bytes, isLast: false)
        }
    }

    /// What is left at the end of the file.
    mutating func finish() -> [UInt8] { rest.isEmpty ? [] : fromUTF16(rest, isLast: true) }

    private static func fromWindows(_ bytes: [UInt8]) -> [UInt8] {
        var utf8: [UInt8] = []
        utf8.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            switch byte {
            case ..<0x80: utf8.append(byte)
            case ..<0xA0:
                let letter = TextEncoding.windowsLetters[Int(byte - 0x80)]
                utf8.append(
                    contentsOf: UTF8.encode(Unicode.Scalar(letter == 0 ? 0xFFFD : letter) ?? "\u{FFFD}") ?? .init())
            default:
                utf8.append(0xC0 | byte >> 6)
                utf8.append(0x80 | byte & 0x3F)
            }
        }
        return utf8
    }

    private mutating func fromUTF16(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        let (high, low) = encoding == .utf16BigEndian ? (0, 1) : (1, 0)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            units.append(UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + low]))
        }
        rest = bytes.count.isMultiple(of: 2) ? [] : [bytes[bytes.count - 1]]
        if !isLast, let last = units.last, UTF16.isLeadSurrogate(last) {
            units.removeLast()
            rest = bytes[(2 * units.count)...] + []
        }
        if isAtStart, units.first == 0xFEFF { units.removeFirst() }
        if !units.isEmpty { isAtStart = false }
        var utf8 = Array(String(decoding: units, as: UTF16.self).utf8)
        if isLast, !rest.isEmpty {
            utf8 += [0xEF, 0xBF, 0xBD]
            rest = []
        }
        return utf8
    }
}
