/// The key a title is filed under: its place in the list, made once and stored.
///
/// Word by word, "nothing before something", without regard to case, marks and punctuation, numbers by value, as a
/// librarian files:
///
/// | title | filed as |
/// |---|---|
/// | `The Hobbit` | `hobbit` |
/// | `“A Rose for Émile”` | `rose for emile` |
/// | `Catch-22` | `catch 22` |
/// | `'Salem's Lot` | `salems lot` |
/// | `L’Étranger`, in French | `etranger` |
/// | `A` | `a` |
/// | `!!!` | `!!!` |
///
/// The reader's or the source's own filing title wins over every rule. `docs/TITLES.md` has them all.
package enum TitleKey {
    /// Stored with the index. A change of rules, or of a table they use, is a new version.
    package static let ruleVersion: UInt16 = 4
    static let maximumByteCount = 160

    /// Begins the key of a title without letters and digits, which goes on with the title as it is written.
    package static let punctuationLead = UInt8(ascii: "!")

    /// The key: 0 to 160 bytes, none below 0x20 and none 0xFF. Empty only for a title without a visible character.
    ///
    /// - Parameter language: a code or an English name; of the title, not of the reader.
    package static func make(
        title: String, sortTitle: String?, language: String?, filing: FilingTailoring
    ) -> [UInt8] {
        if let sortTitle {
            let key = key(Array(sortTitle.utf8)[...], filing)
            if !key.isEmpty { return key }
        }
        let utf8 = Array(title.utf8)
        let language = FilingLanguage.named(language)
        if let rest = language.textAfterArticle(in: utf8[...]) {
            let key = key(rest, filing, language)
            if !key.isEmpty { return key }
        }
        let key = key(utf8[...], filing, language)
        return key.isEmpty ? punctuationKey(title) : key
    }

    /// What the keys of titles that begin with the typed text begin with. Empty, and so every title, for no text and for one that shows nothing.
    ///
    /// A typed article is dropped when something follows it, as in the title: "the hob" finds "The Hobbit". "The"
    /// alone may be the start of "Theatre" and searches as typed. A typed number is the whole number: "19" finds
    /// "19 Stories" and not "1984", which files elsewhere.
    package static func searchPrefix(_ query: String, filing: FilingTailoring) -> [UInt8] {
        query.isBlank ? [] : make(title: query, sortTitle: nil, language: nil, filing: filing)
    }

    /// What the keys of titles that are printed with the typed text at their beginning may begin with, whatever their
    /// language: with and without its first word, where that is an article of some language, and with a period between digits as
    /// some group them. At most a few.
    package static func searchPrefixesByLanguage(_ query: String, filing: FilingTailoring) -> [[UInt8]] {
        let utf8 = Array(query.utf8)
        let texts = [utf8[...]] + FilingLanguage.textsAfterArticles(in: utf8[...])
        let keys = texts.count == 1 ? [] : texts.map { key($0, filing) }
        guard hasPeriodBetweenDigits(utf8) else { return keys }
        // Which is one number in many languages, and two in English.
        return keys
            + texts.map { text in
                FilingKeyWriter.key(text, limit: maximumByteCount, tailoring: filing, groupsByPeriod: true)
            }
    }

    private static func hasPeriodBetweenDigits(_ utf8: [UInt8]) -> Bool {
        func isDigit(_ index: Int) -> Bool {
            utf8.indices.contains(index) && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(utf8[index])
        }
        return utf8.indices.contains { utf8[$0] == UInt8(ascii: ".") && isDigit($0 - 1) && isDigit($0 + 1) }
    }

    private static func key(
        _ utf8: ArraySlice<UInt8>, _ filing: FilingTailoring, _ language: FilingLanguage? = nil
    ) -> [UInt8] {
        FilingKeyWriter.key(
            utf8, limit: maximumByteCount, tailoring: filing, groupsByPeriod: language?.groupsByPeriod ?? false)
    }

    /// A title made of nothing but punctuation files as written, with its blanks run together.
    private static func punctuationKey(_ title: String) -> [UInt8] {
        var key: [UInt8] = [punctuationLead]
        for scalar in title.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            guard scalar.value > 0x20, scalar.value != 0x7F else {
                if key.count > 1, key.last != UInt8(ascii: " ") { key.append(UInt8(ascii: " ")) }
                continue
            }
            guard key.count + bytes.count <= maximumByteCount else { break }
            key.append(contentsOf: bytes)
        }
        if key.last == UInt8(ascii: " ") { key.removeLast() }
        return key.count > 1 ? key : []
    }
}
