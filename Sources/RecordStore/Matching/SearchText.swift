import Filing
import StorageEngine

/// What a search looks through: one line of folded text for each row.
///
/// ```
/// title ␞ other texts ␞ and others ⏎
/// ```
///
/// Folded as `FoldedText` says, so a word begins behind a blank, a ␞ or a ⏎, and every one of these is at most 0x20. Empty
/// texts at the end are left out with their ␞. A title without a letter or digit, such as `!!!`, stands as it is written.
package enum SearchText {
    /// A change of what the text of a row is, or of what the search file says of it, makes another; search files of other
    /// rules are not used.
    package static let ruleVersion: UInt32 = 6
    package static let fieldEnd: UInt8 = 0x1E
    package static let rowEnd: UInt8 = 0x0A
    static let rowEnds = [rowEnd]

    package static func endsWord(_ byte: UInt8) -> Bool { byte <= 0x20 }

    /// Where one of the lines of a text is, without its end; `nil` when there are fewer. O(bytes before it).
    package static func line(_ number: Int, of text: RawSpan) -> Range<Int>? {
        guard let start = start(ofLine: number, of: text) else { return nil }
        return start..<(text.firstOccurrence(of: rowEnds, from: start) ?? text.byteCount)
    }

    /// Behind so many row ends, which are counted eight bytes at a time.
    private static func start(ofLine number: Int, of text: RawSpan) -> Int? {
        let (ends, lowBits) = (UInt64(rowEnd) &* 0x0101_0101_0101_0101, 0x7F7F_7F7F_7F7F_7F7F as UInt64)
        var (left, offset) = (number, 0)
        while left > 0 {
            if text.byteCount - offset >= 8 {
                // The high bit of each byte that is a row end, and no other: no carry leaves its byte.
                let difference = text.loadLittleEndian(at: offset, as: UInt64.self) ^ ends
                let found = (~((difference & lowBits) &+ lowBits | difference | lowBits)).nonzeroBitCount
                if found < left {
                    left -= found
                    offset += 8
                    continue
                }
            }
            guard offset < text.byteCount else { return nil }
            if text.byte(at: offset) == rowEnd { left -= 1 }
            offset += 1
        }
        return offset
    }

    /// The words of a query, at most 64 from its first 1,024 bytes; those of a text without a letter or digit as they are written. None of a text that shows
    /// nothing.
    static func words(_ text: String) -> [[UInt8]] {
        guard !text.isBlank else { return [] }
        let utf8 = Array(text.utf8.prefix(1024))
        // One that is cut may end within a letter.
        let bytes = folded(utf8.count < 1024 ? utf8 : utf8.repairedText)
        return bytes.split(separator: 0x20).prefix(64).map(Array.init)
    }

    /// A text as it is looked through: folded, or as it is written when it has no letter or digit.
    static func folded(_ utf8: [UInt8]) -> [UInt8] {
        let folded = FoldedText(utf8: utf8[...]).bytes
        guard folded.isEmpty else { return folded }
        return Array(utf8.split { !isVisible($0) }.joined(separator: [0x20]))
    }

    /// Adds a text that lies at a place of some bytes, as it is looked through: folded, or as it is written when it has no letter or digit.
    package static func append(_ bytes: RawSpan, _ range: Range<Int>, to folder: inout TextFolder) {
        folder.add(bytes, range)
        if folder.isEmpty { copyWords(bytes, range, into: &folder) }
    }

    private static func copyWords(_ row: RawSpan, _ range: Range<Int>, into folder: inout TextFolder) {
        for offset in range {
            let byte = row.byte(at: offset)
            if isVisible(byte) {
                folder.append(unfolded: byte)
            } else if let last = folder.bytes.last, !endsWord(last) {
                folder.append(unfolded: 0x20)
            }
        }
        folder.removeLast { $0 == 0x20 }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }
}
