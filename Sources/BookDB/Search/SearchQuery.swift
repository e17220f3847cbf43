/// What was typed, taken apart. Every match refers to it, so it is an object.
final class SearchQuery: Sendable {
    let text: String
    /// Folded; the last one may still be growing.
    let words: [[UInt8]]
    /// For each word.
    let patterns: [TypoPattern]
    let isbns: ISBNBeginning?
    let scope: SearchScope
    let matching: WordMatching
    /// Whether typos, words run together and words that are not there are forgiven.
    let isForgiving: Bool

    init(
        _ text: String, in scope: SearchScope = .everything, _ matching: WordMatching = .anywhere,
        isForgiving: Bool = true
    ) {
        self.text = text
        self.scope = scope
        self.matching = matching
        self.isForgiving = isForgiving
        let words = SearchText.words(text)
        self.words = words
        let forgivesWords = isForgiving && words.count <= Self.forgivingWordCount
        patterns = words.enumerated().map {
            TypoPattern($1, isLast: $0 == words.count - 1, isForgiving: forgivesWords)
        }
        isbns = scope == .everything ? ISBNBeginning(text) : nil
    }

    /// What has more words is a title that was pasted: its typos are those of the title.
    private static let forgivingWordCount = 12

    var isEmpty: Bool { words.isEmpty }

    /// Some of the words, by a bit for each.
    func words(_ some: UInt64) -> [String] {
        words.indices.filter { some & 1 << UInt64($0) != 0 }.map { String(decoding: words[$0], as: UTF8.self) }
    }

    /// A bit for each.
    var allWords: UInt64 { words.count == 64 ? .max : 1 << UInt64(words.count) - 1 }

    /// Letters of some of the words.
    func letterCount(_ some: UInt64) -> Int {
        patterns.enumerated().reduce(0) {
            $0 + (some & 1 << UInt64($1.offset) != 0 ? $1.element.letterCount : 0)
        }
    }

    /// Whether a word allows so many typos.
    func allows(edits: Int) -> Bool { patterns.contains { $0.allowed >= edits } }
}

/// The digits at the beginning of an ISBN, in either of its forms.
struct ISBNBeginning: Equatable, Sendable {
    static let leastDigitCount = 4
    /// So many digits are no year and no number in a title.
    private static let sureDigitCount = 7

    /// The 13-digit numbers that begin so.
    let numbers: [Range<UInt64>]
    let isSure: Bool

    /// `nil` for text that is no such beginning: four digits or more, hyphens and blanks between them.
    init?(_ text: String) {
        let symbols = text.prefix(64).filter { $0 != "-" && $0 != " " }
        let digits = symbols.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isWhole = digits.count == symbols.utf8.count
        guard isWhole || (digits.count == 9 && symbols.dropFirst(9).lowercased() == "x"),
            (Self.leastDigitCount...13).contains(symbols.utf8.count), let number = UInt64(String(digits) ?? "")
        else { return nil }
        isSure = symbols.utf8.count >= Self.sureDigitCount
        var numbers: [Range<UInt64>] = []
        if isWhole, text.contains(where: \.isNumber), symbols.hasPrefix("978") || symbols.hasPrefix("979") {
            let unit = Self.power(13 - digits.count)
            numbers.append(number * unit..<(number + 1) * unit)
        }
        if symbols.utf8.count == 10 {
            if let isbn = try? ISBN(symbols) { numbers.append(isbn.digits..<isbn.digits + 1) }
        } else if isWhole, digits.count < 10 {
            // Nine digits of an ISBN-10 stand between 978 and the check digit of the ISBN-13.
            let unit = Self.power(10 - digits.count)
            let first = 978 * Self.power(10) + number * unit
            numbers.append(first..<first + unit)
        }
        guard !numbers.isEmpty else { return nil }
        self.numbers = numbers
    }

    private static func power(_ exponent: Int) -> UInt64 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
