/// The lines of a dump: the offset and the bytes on the left, words on the right. `Formats/DUMP.md` describes them.
///
/// A line that begins with ✗ says what does not fit the format.
package struct DumpText {
    let emit: (String) -> Void
    package private(set) var misfitCount = 0

    /// As many bytes of a field as a line shows.
    static let shownByteCount = 16
    /// As many bytes of a key or value as are shown as text.
    private static let shownTextByteCount = 64
    private static let bytesWidth = 50

    package init(_ emit: @escaping (String) -> Void) { self.emit = emit }

    package func title(_ text: String) { emit(text) }

    package mutating func misfit(_ text: String) {
        misfitCount += 1
        emit("✗ " + text)
    }

    /// A field of a stretch of bytes, and what it means.
    package mutating func field(_ piece: DumpedBytes, _ offset: Int, _ count: Int, _ words: String) {
        let place = Self.offset(piece.byteOffset + offset)
        guard offset >= 0, count >= 0, offset <= piece.count - min(count, Self.shownByteCount) else {
            return misfit("\(place)  lies behind the end of the file: \(words)")
        }
        var digits = piece.slice(offset..<offset + min(count, Self.shownByteCount)).map(Self.digits)
            .joined(separator: " ")
        if count > Self.shownByteCount { digits += " …" }
        digits += String(repeating: " ", count: max(0, Self.bytesWidth - digits.count))
        emit("\(place)  \(digits)\(words)")
    }

    /// The same, of a structure that begins at `start`.
    mutating func field<Value>(_ piece: DumpedBytes, _ field: Field<Value>, at start: Int = 0, _ words: String) {
        self.field(piece, start + field.offset, field.byteCount, words)
    }

    mutating func number<Value: FixedWidthInteger & BitwiseCopyable>(
        _ piece: DumpedBytes, _ field: Field<Value>, at start: Int = 0, _ name: String
    ) {
        self.field(piece, field, at: start, piece.number(field, at: start).map { "\(name) \($0)" } ?? name)
    }

    /// Eight digits, as checksums and salts are shown.
    mutating func checksum(_ piece: DumpedBytes, _ field: Field<UInt32>, at start: Int = 0, _ name: String) {
        self.field(piece, field, at: start, piece.number(field, at: start).map { "\(name) \($0.hexadecimal)" } ?? name)
    }

    mutating func text(_ piece: DumpedBytes, _ field: Field<[UInt8]>, _ name: String) {
        text(piece, field.offset, field.byteCount, name)
    }

    mutating func text(_ piece: DumpedBytes, _ offset: Int, _ count: Int, _ name: String) {
        field(piece, offset, count, "\(name) \(Self.words(piece.slice(offset..<offset + count)))")
    }

    // MARK: Words

    static func offset(_ offset: Int) -> String {
        let digits = String(offset, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    private static func digits(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// Bytes as text where they are text: other bytes are `\` and two digits.
    package static func words(_ bytes: some Collection<UInt8>) -> String {
        var text = "\""
        for byte in bytes.prefix(shownTextByteCount) {
            if byte >= 0x20, byte < 0x7F, byte != 0x22, byte != 0x5C {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\" + digits(byte)
            }
        }
        return text + (bytes.count > shownTextByteCount ? "\"…" : "\"")
    }

    package static func count(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
}
