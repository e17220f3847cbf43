/// Text from a field as a library wants it.
enum CleanText {
    /// One line: no blanks at the ends, single blanks between words. Nil when nothing is left.
    static func line(_ text: String) -> String? {
        if isClean(text) { return text }
        var visible = text
        visible.unicodeScalars.removeAll { invisible.contains($0) }
        let words = visible.split { $0.isWhitespace }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Soft hyphens and marks of no width, which copying from web pages leaves in names. Joiners are letters' business.
    private static let invisible: Set<Unicode.Scalar> = ["\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}"]

    /// Lines of prose: `<br/>` and every kind of line end become `\n`, blank space at the ends goes.
    static func prose(_ text: String) -> String? {
        var lines = withLineBreaks(text)
            .split(omittingEmptySubsequences: false) { $0.isNewline }
            .map { line in line.trimmingBlanks() }
            .drop { $0.isEmpty }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// The parts of a list, each one line, none twice.
    static func list(_ text: String, separatedBy separators: Set<Character>) -> [String] {
        var parts: [String] = []
        var seen: Set<String> = []
        for part in text.split(whereSeparator: { separators.contains($0) }) {
            guard let part = line(String(part)), seen.insert(part).inserted else { continue }
            parts.append(part)
        }
        return parts
    }

    /// What most fields are: no control characters, no blank first, last or doubled, and no white space but blanks.
    private static func isClean(_ text: String) -> Bool {
        var previous = UInt8(ascii: " ")
        for byte in text.utf8 {
            if byte < 0x20 { return false }
            // white space beyond ASCII, and what is invisible, begins with one of these
            if byte == 0xC2 || 0xE1...0xE3 ~= byte || byte == 0xEF { return false }
            if byte == UInt8(ascii: " "), previous == byte { return false }
            previous = byte
        }
        return previous != UInt8(ascii: " ")
    }

    /// `<br/>`, `<br />`, `<br>` as line ends. Other markup is the reader's and stays.
    private static func withLineBreaks(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "<"), let length = lineBreakByteCount(rest) {
                result.append(.lineFeed)
                rest = rest.dropFirst(length)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// How long the tag is that the bytes begin with, if it is a line break.
    private static func lineBreakByteCount(_ bytes: ArraySlice<UInt8>) -> Int? {
        let tag = bytes.prefix(6).map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        return lineBreaks.first { tag.starts(with: $0) }?.count
    }

    private static let lineBreaks = ["<br/>", "<br />", "<br>"].map { Array($0.utf8) }
}

extension StringProtocol {
    /// Without white space at its ends.
    func trimmingBlanks() -> SubSequence {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
