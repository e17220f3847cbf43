/// The English articles a title is not filed under: A, An and The.
enum LeadingArticle {
    private static let articles: [[UInt8]] = ["a", "an", "the"].map { Array($0.utf8) }
    /// What may stand before a title's first word. Any other character above ASCII is a letter, and no article's.
    private static let openingQuotes: [[UInt8]] = ["“", "‘", "„", "«", "‹"].map { Array($0.utf8) }

    /// The text behind a leading article, or `nil` where there is none.
    ///
    /// The article is a word of its own with a blank behind it. So `“The Raven” and Other Poems` has one, and
    /// `A-Z of Birds`, `"A" Is for Alibi` and `A. B. C.` have none.
    static func textAfterArticle(in utf8: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let text = withoutOpening(utf8)
        let word = text.prefix(while: isWordByte)
        guard word.count <= 3, let next = text.dropFirst(word.count).first, isBlank(next) else { return nil }
        guard articles.contains(where: { $0.elementsEqual(word.lazy.map { $0 | 0x20 }) }) else { return nil }
        return text.dropFirst(word.count)
    }

    static func withoutOpening(_ utf8: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = utf8
        while let first = text.first, !isWordByte(first) {
            if first < 0x80 {
                text.removeFirst()
            } else if let quote = openingQuotes.first(where: { text.starts(with: $0) }) {
                text.removeFirst(quote.count)
            } else {
                break
            }
        }
        return text
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}
