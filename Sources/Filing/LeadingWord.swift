/// The first word of a title, up to what ends it, as long as it is short enough to be an article.
struct LeadingWord {
    enum Ending { case blank, apostrophe, hyphen, other }

    /// Behind the quotation marks that open the title.
    private(set) var start: Int
    private(set) var beginsWithApostrophe = false
    private(set) var ending = Ending.other
    /// The text behind the word, and behind the apostrophe or hyphen that ends it.
    private(set) var rest: ArraySlice<UInt8>
    private var letters: ArraySlice<UInt8>
    private var isASCII = true

    init(_ utf8: ArraySlice<UInt8>, longestByteCount: Int) {
        let text = LeadingArticle.withoutOpening(utf8)
        var index = text.startIndex
        beginsWithApostrophe = Self.endsInApostrophe(utf8[..<index])
        start = index
        if index < text.endIndex, text[index] >= 0x80, let end = Self.endOfApostrophe(text, at: index) {
            beginsWithApostrophe = true
            index = end
        } else if text.starts(with: "ŉ".utf8) {
            beginsWithApostrophe = true
        }
        let lettersStart = index
        letters = text[index..<index]
        rest = text
        while index < text.endIndex, index - lettersStart <= longestByteCount {
            let byte = text[index]
            if Self.isLetter(byte), byte < 0x80 {
                index += 1
                continue
            }
            letters = text[lettersStart..<index]
            if let end = Self.endOfApostrophe(text, at: index) {
                ending = .apostrophe
                rest = text[end...]
                return
            }
            if let end = Self.endOfBlank(text, at: index) {
                ending = .blank
                rest = text[end...]
                return
            }
            if byte < 0x80 {
                ending = byte == UInt8(ascii: "-") ? .hyphen : .other
                rest = text[(index + 1)...]
                return
            }
            isASCII = false
            index = UTF8Scalar(text, at: index).end
        }
    }

    /// Whether the word is these folded letters, in any case and with any marks.
    func `is`(_ folded: [UInt8]) -> Bool {
        if isASCII {
            return letters.count == folded.count && zip(folded, letters).allSatisfy { $0 == $1 | 0x20 }
        }
        return FoldedText(utf8: letters).bytes == folded
    }

    /// In ASCII; any character above counts as one.
    static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
        default: false
        }
    }

    private static func endOfBlank(_ text: ArraySlice<UInt8>, at index: Int) -> Int? {
        let byte = text[index]
        if byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) { return index + 1 }
        guard byte >= 0x80 else { return nil }
        let character = UTF8Scalar(text, at: index)
        return character.value == 0xA0 || character.value == 0x202F || character.value == 0x3000 ? character.end : nil
    }

    private static func endsInApostrophe(_ text: ArraySlice<UInt8>) -> Bool {
        guard let last = text.last else { return false }
        let start = text.endIndex - (last < 0x80 ? 1 : 3)
        return start >= text.startIndex && endOfApostrophe(text, at: start) == text.endIndex
    }

    /// The index behind an apostrophe, or one of the marks that are typed for it: ' ` ´ ʹ ʻ ʼ ʽ ‘ ’ ‛ ′ and the wide ones.
    static func endOfApostrophe(_ text: ArraySlice<UInt8>, at index: Int) -> Int? {
        let byte = text[index]
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") { return index + 1 }
        guard byte >= 0x80 else { return nil }
        let character = UTF8Scalar(text, at: index)
        switch character.value {
        case 0xB4, 0x2B9, 0x2BB...0x2BD, 0x2018, 0x2019, 0x201B, 0x2032, 0xFF07, 0xFF40: return character.end
        default: return nil
        }
    }
}
