/// The key a title is filed under: its place in the list, made once and stored.
///
/// Word by word, "nothing before something", without regard to case, marks and punctuation, as a librarian files:
///
/// | title | filed as |
/// |---|---|
/// | `The Hobbit` | `hobbit` |
/// | `“A Rose for Émile”` | `rose for emile` |
/// | `Catch-22` | `catch 22` |
/// | `'Salem's Lot` | `salems lot` |
/// | `A` | `a` |
/// | `!!!` | `!!!` |
///
/// The reader's or the source's own filing title wins over every rule. Digits are compared as they are written;
/// numbers by value are for a later rule version, which rebuilds the index.
enum TitleKey {
    /// Stored with the index. A change of rules, or of `FoldingTable`, is a new version.
    static let ruleVersion: UInt16 = 1
    static let maximumByteCount = 160

    /// The key: 0 to 160 bytes of UTF-8, none below 0x20. Empty only for a title without a visible character.
    static func make(title: String, sortTitle: String?, language: String?) -> [UInt8] {
        if let sortTitle {
            let folded = FoldedText(utf8: Array(sortTitle.utf8)[...], limit: maximumByteCount)
            if !folded.isEmpty { return folded.bytes }
        }
        let utf8 = Array(title.utf8)
        if isEnglish(language), let rest = LeadingArticle.textAfterArticle(in: utf8[...]) {
            let folded = FoldedText(utf8: rest, limit: maximumByteCount)
            if !folded.isEmpty { return folded.bytes }
        }
        let folded = FoldedText(utf8: utf8[...], limit: maximumByteCount)
        return folded.isEmpty ? punctuationKey(utf8) : folded.bytes
    }

    /// What the keys of titles that begin with the typed text begin with. Empty, and so every title, for no text.
    ///
    /// A typed article is dropped when something follows it, as in the title: "the hob" finds "The Hobbit". "The"
    /// alone may be the start of "Theatre" and searches as typed.
    static func searchPrefix(_ query: String) -> [UInt8] {
        make(title: query, sortTitle: nil, language: nil)
    }

    /// No language counts as English: most sources do not say, and their other titles rarely begin with these words.
    private static func isEnglish(_ language: String?) -> Bool {
        guard let language, !language.isEmpty else { return true }
        let primary = language.prefix { $0 != "-" && $0 != "_" }.lowercased()
        return primary == "en" || primary == "eng" || primary == "english"
    }

    /// A title made of nothing but punctuation files as written, with its blanks run together.
    private static func punctuationKey(_ utf8: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            guard scalar.value > 0x20, scalar.value != 0x7F else {
                if !key.isEmpty, key.last != UInt8(ascii: " ") { key.append(UInt8(ascii: " ")) }
                continue
            }
            guard key.count + bytes.count <= maximumByteCount else { break }
            key.append(contentsOf: bytes)
        }
        if key.last == UInt8(ascii: " ") { key.removeLast() }
        return key
    }
}
