/// Text as a filing clerk sees it: lower-case letters and digits, in words one blank apart.
///
/// Marks and apostrophes leave no trace, other punctuation counts as a blank, letters with marks and ligatures become
/// their base letters. Since a blank sorts before every letter, comparing two folded texts byte by byte puts them in
/// order word by word, "nothing before something": New York before Newark.
///
/// Always true: no byte is below 0x20, no blank is first, last or doubled, and the same text folds to the same bytes
/// on every platform and system version.
package struct FoldedText: Equatable, Sendable {
    package let bytes: [UInt8]

    package var isEmpty: Bool { bytes.isEmpty }

    /// Folds a text.
    @inlinable package init(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8)[...])
    }

    /// Folds valid UTF-8, stopping before the character that would make the result longer than `limit` bytes.
    package init(utf8: ArraySlice<UInt8>, limit: Int = .max) {
        var folder = TextFolder(limit: limit, expecting: utf8.count)
        var index = utf8.startIndex
        while index < utf8.endIndex, !folder.isFull {
            let byte = utf8[index]
            if byte < 0x80 {
                folder.addASCII(byte)
                index += 1
            } else {
                let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                let end = min(index + length, utf8.endIndex)
                folder.add(TextFolder.scalar(utf8[index..<end]))
                index = end
            }
        }
        bytes = folder.bytes
    }

    /// What a key has for a text: folded, and the text itself where it is nothing but punctuation, since every such text would be
    /// one otherwise. Bytes that are not UTF-8 are folded as U+FFFD.
    package static func key(of text: [UInt8]) -> [UInt8] {
        let folded = FoldedText(utf8: text.repairedText[...])
        return folded.isEmpty ? text : folded.bytes
    }
}
