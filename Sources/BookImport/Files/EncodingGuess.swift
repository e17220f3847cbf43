/// Finds out how a file is encoded from all its bytes.
///
/// Text with letters beyond ASCII that is valid UTF-8 is UTF-8. What is not is windows-1252 when its letters stand where
/// letters of that encoding do; Cyrillic, or a file of an old Macintosh, would have capitals within words, symbols
/// between letters, and whole words of accented letters.
struct EncodingGuess {
    /// A line that is not UTF-8.
    struct Line: Equatable {
        let number: Int
        let bytes: [UInt8]
    }

    /// Characters of two bytes and more that are UTF-8, and bytes that are not.
    private(set) var validCount = 0
    private(set) var invalidCount = 0
    /// Of those that are not: where a letter of windows-1252 would stand oddly.
    private var oddCount = 0
    /// The first lines with some.
    private(set) var lines: [Line] = []

    private var lineNumber = 1
    private var start: [UInt8] = []
    /// The beginning of a line that goes on in the next piece.
    private var rest: [UInt8] = []

    private static let shownCount = 3
    private static let shownByteCount = 160
    private static let lineByteCount = 1 << 20

    /// `nil` when in doubt.
    var encoding: TextEncoding? {
        if let shown = TextEncoding.shown(by: start) { return shown }
        if invalidCount == 0 { return .utf8 }
        return validCount == 0 && oddCount * 20 <= invalidCount ? .windows1252 : nil
    }

    /// Whether the file begins with the mark of UTF-8. No text of another encoding begins with those three bytes.
    var isMarkedAsUTF8: Bool { start.starts(with: [0xEF, 0xBB, 0xBF]) }

    mutating func take(_ piece: [UInt8]) {
        if start.count < 512 { start += piece.prefix(512 - start.count) }
        let bytes = rest.isEmpty ? piece : rest + piece
        // No character goes on behind the end of a line.
        let end =
            bytes.lastIndex(of: .lineFeed).map { $0 + 1 }
            ?? (bytes.count > Self.lineByteCount ? bytes.count - Self.begunByteCount(bytes) : 0)
        scan(bytes[..<end])
        rest = Array(bytes[end...])
    }

    /// - Parameter isWhole: whether the file ends here. Else what its last character begins with says nothing.
    mutating func finish(isWhole: Bool = true) {
        scan(rest.dropLast(isWhole ? 0 : Self.begunByteCount(rest)))
        rest = []
    }

    /// How many of the last bytes are the beginning of a character of UTF-8 that goes on.
    private static func begunByteCount(_ bytes: [UInt8]) -> Int {
        for count in 1..<4 where count <= bytes.count {
            let byte = bytes[bytes.count - count]
            if byte & 0xC0 != 0x80 { return announcedByteCount(byte) > count ? count : 0 }
        }
        return 0
    }

    private mutating func scan(_ bytes: ArraySlice<UInt8>) {
        var index = bytes.startIndex
        var lineStart = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte < 0x80 {
                index += 1
                guard byte == .lineFeed else { continue }
                lineNumber += 1
                lineStart = index
                continue
            }
            let length = Self.characterByteCount(bytes[index...])
            if length > 0 {
                validCount += 1
                index += length
                continue
            }
            invalidCount += 1
            if Self.isOdd(byte, in: bytes, at: index) { oddCount += 1 }
            if lines.count < Self.shownCount, lines.last?.number != lineNumber {
                let shown = bytes[lineStart...].prefix { $0 != .lineFeed && $0 != .carriageReturn }
                // From somewhat before the letter in question, in a long line.
                let first = max(lineStart, min(index - Self.shownByteCount / 2, shown.endIndex - Self.shownByteCount))
                lines.append(Line(number: lineNumber, bytes: Array(shown[first...].prefix(Self.shownByteCount))))
            }
            index += 1
        }
    }

    /// How many bytes the character of UTF-8 has that the bytes begin with; 0 when they begin with none.
    private static func characterByteCount(_ bytes: ArraySlice<UInt8>) -> Int {
        guard let first = bytes.first else { return 0 }
        let count = announcedByteCount(first)
        guard count > 0, bytes.count >= count else { return 0 }
        let character = bytes.prefix(count)
        return String(validating: character, as: UTF8.self) == nil ? 0 : count
    }

    /// How many bytes a character of two or more has that begins with a byte; 0 where none does.
    private static func announcedByteCount(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 0
        }
    }

    /// Whether a byte would be an odd letter of windows-1252 where it stands.
    private static func isOdd(_ byte: UInt8, in bytes: ArraySlice<UInt8>, at index: Int) -> Bool {
        let before = index > bytes.startIndex ? bytes[index - 1] : 0x20
        let after = index + 1 < bytes.endIndex ? bytes[index + 1] : 0x20
        switch kind(of: byte) {
        case .none: return true
        case .symbol:
            let joins: Set<UInt8> = [0x92, 0x96, 0x97, 0xAD, 0xB4, 0xB7]
            return !joins.contains(byte) && isLetter(before) && isLetter(after)
        case .capital: return (0x61...0x7A).contains(before) || kind(of: before) == .small
        case .small:
            // Three in a row hardly occur in the west.
            return kind(of: before) != .symbol && before >= 0x80 && after >= 0x80 && kind(of: after) != .symbol
        }
    }

    private enum Kind { case none, symbol, capital, small }

    private static func kind(of byte: UInt8) -> Kind {
        switch byte {
        case ..<0x80: .none
        case 0x8A, 0x8C, 0x8E, 0x9F, 0xC0...0xD6, 0xD8...0xDE: .capital
        case 0x83, 0x9A, 0x9C, 0x9E, 0xAA, 0xB5, 0xBA, 0xDF...0xF6, 0xF8...0xFF: .small
        case 0x80..<0xA0 where TextEncoding.windowsLetters[Int(byte - 0x80)] == 0: .none
        default: .symbol
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
