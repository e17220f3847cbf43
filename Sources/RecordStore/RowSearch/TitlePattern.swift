import Filing
import StorageEngine

/// What was typed as the beginning of a title, and how far a title may be from it: letters left out, put in, exchanged, or swapped
/// with their neighbour. Blanks do not count, so `theegg` is *The Egg* and `star dust` is *Stardust*.
///
/// Compared are keys, as titles are filed: without their article, numbers by value. A number allows no typo: 1984 is not 1985.
package struct TitlePattern: Sendable {
    /// What is typed of a title that ends within a word there has so many letters, where it has two typos: of fewer letters it is
    /// the beginning of some word or other.
    static let surePartLetterCount = 12
    /// Of a longer text the beginning is compared.
    private static let maximumLetterCount = TitleComparison<UInt128>.maximumLetterCount

    let letters: [UInt32]
    /// How many typos are forgiven: none in one or two letters, one up to eight, then two, and three from eighteen on.
    let allowed: Int
    /// Typos in what is not compared: an article that was mistyped.
    let spent: Int

    private init(_ key: [UInt8], spent: Int) {
        var letters: [UInt32] = []
        key.withBytes { bytes in
            var offset = 0
            while let letter = Self.letter(of: bytes, &offset) { letters.append(letter) }
        }
        self.init(letters: letters, spent: spent)
    }

    private init(letters: [UInt32], spent: Int) {
        let forgiven =
            switch letters.count {
            case ..<3: 0
            case ..<9: 1
            case ..<18: 2
            default: 3
            }
        self.init(letters: letters, allowed: forgiven - spent, spent: spent)
    }

    private init(letters: [UInt32], allowed: Int, spent: Int) {
        self.letters = Array(letters.prefix(Self.maximumLetterCount))
        self.allowed = allowed
        self.spent = spent
    }

    /// The same with fewer typos.
    func allowing(edits: Int) -> TitlePattern {
        TitlePattern(letters: letters, allowed: min(allowed, edits), spent: spent)
    }

    /// The ways in which a title may be filed that begins with what was typed: as it is, without an article of any language, without
    /// one that was mistyped, and without one that ran together with its word.
    package static func all(_ text: String, _ words: [[UInt8]], filing: FilingTailoring) -> [TitlePattern] {
        let key = TitleKey.searchPrefix(text, filing: filing)
        guard key.first != TitleKey.punctuationLead else { return [] }
        var patterns = [TitlePattern(key, spent: 0)]
        for other in TitleKey.searchPrefixesByLanguage(text, filing: filing) where other != key {
            patterns.append(TitlePattern(other, spent: 0))
        }
        if let first = words.first, patterns.count == 1, key.starts(with: first) {
            if words.count > 1, isNearArticle(first), let blank = key.firstIndex(of: LibraryKey.blank) {
                patterns.append(TitlePattern(Array(key[(blank + 1)...]), spent: 1))
            }
            let article = FilingLanguage.longArticles.filter { first.starts(with: $0) }.max { $0.count < $1.count }
            if let article, first.count > article.count {
                patterns.append(TitlePattern(Array(key.dropFirst(article.count)), spent: 0))
            }
        }
        return patterns.filter { !$0.letters.isEmpty && $0.allowed >= 0 }
    }

    /// Whether a word may have been meant as an article.
    private static func isNearArticle(_ word: [UInt8]) -> Bool {
        guard (3...5).contains(word.count) else { return false }
        let pattern = TypoPattern(word, isLast: false)
        return FilingLanguage.longArticles.contains { article in
            article.withBytes { pattern.edits($0, 0..<$0.byteCount, limit: 1) } == 1
        }
    }

    /// The next letter of a key as one number, blanks skipped; `nil` at the end of the text. Moves the offset behind it.
    @inline(__always)
    static func letter(of key: RawSpan, _ offset: inout Int) -> UInt32? {
        let count = key.byteCount
        while offset < count, key.byte(at: offset) == LibraryKey.blank { offset += 1 }
        guard offset < count else { return nil }
        let lead = key.byte(at: offset)
        guard lead > LibraryKey.blank else { return nil }
        var letter = UInt32(lead)
        offset += 1
        if lead >= 0x80 {
            while offset < count, key.byte(at: offset) & 0xC0 == 0x80 {
                letter = letter << 8 | UInt32(key.byte(at: offset))
                offset += 1
            }
        }
        if offset < count, key.byte(at: offset) == FilingTailoring.nextLetter {
            letter = letter << 8 | UInt32(FilingTailoring.nextLetter)
            offset += 1
        }
        return letter
    }

    /// Whether it is of a number, or tells how long one is.
    @inline(__always)
    static func isOfNumber(_ letter: UInt32) -> Bool {
        (UInt32(UInt8(ascii: "0"))...UInt32(UInt8(ascii: "9"))).contains(letter)
            || (UInt32(UInt8(ascii: "B"))...UInt32(UInt8(ascii: "Z"))).contains(letter)
    }

    /// The bytes of its first letter in a key.
    var firstBytes: [UInt8] {
        var bytes: [UInt8] = []
        var rest = letters[0]
        while rest > 0 {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return bytes
    }
}
