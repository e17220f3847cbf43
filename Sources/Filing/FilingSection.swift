/// The section of a list in filing order that a key belongs to, as a strip of letters beside the list shows them.
///
/// Sections are ranges of keys: all keys of one follow each other. So a list finds its sections by looking for the first
/// key at or behind `upperBound`, O(log n) for each section, without reading what is in them.
///
/// | keys that begin with | label |
/// |---|---|
/// | digits, punctuation, nothing | `#` |
/// | a letter | the letter, as a capital where it has one; Å, Ä, Ö, Æ, Ø, Ñ where the tailoring files them apart |
/// | a Hangul syllable | its initial consonant, ㄲ with ㄱ |
/// | kana | the first kana of the row: あ, か, さ |
/// | Han | 漢 |
public struct FilingSection: Hashable, Sendable {
    public let label: String

    /// The smallest key behind the section.
    public let upperBound: [UInt8]

    /// The section of a key of the title or author order, with or without what follows it in a tree.
    ///
    /// - Parameter tailoring: the one the key was made with.
    public init(key: [UInt8], tailoring: FilingTailoring) {
        let first = key.first ?? 0
        switch first {
        case ..<UInt8(ascii: "a"): (label, upperBound) = ("#", [UInt8(ascii: "a")])
        case UInt8(ascii: "n") where tailoring == .spanish:
            let moved = [first, FilingTailoring.nextLetter]
            let isMoved = !key.lexicographicallyPrecedes(moved)
            (label, upperBound) = isMoved ? ("Ñ", [first + 1]) : ("N", moved)
        case ...UInt8(ascii: "z"):
            (label, upperBound) = (String(Unicode.Scalar(first & 0xDF)), [first + 1])
        case ..<0x80:
            let index = Int(first - FilingTailoring.firstByteBehindZ)
            let letters = tailoring.lettersBehindZ
            label = index < letters.count ? letters[index].properties.uppercaseMapping : Self.otherLabel
            upperBound = [index < letters.count ? first + 1 : 0x80]
        case FilingAlphabet.kanaLead: (label, upperBound) = Self.kana(key)
        case FilingAlphabet.hanLeads: (label, upperBound) = ("漢", [FilingTailoring.nextLetter])
        case FilingTailoring.nextLetter...:
            // Works without an author file behind everything else.
            (label, upperBound) = (Self.otherLabel, [0xFF, 0xFF])
        default: (label, upperBound) = Self.letter(key)
        }
    }

    /// The section of a text in the order of folded texts, in which letters stand by their code points: under the same labels, which may come
    /// more than once.
    public init(foldedText text: [UInt8]) {
        // Letters that stand by their code points in both orders.
        let section = { (letter: [UInt8]) in FilingSection(key: letter, tailoring: .standard) }
        guard let lead = text.first, lead >= 0x80,
            let scalar = String(decoding: text, as: UTF8.self).unicodeScalars.first
        else {
            self = section([text.first ?? 0])
            return
        }
        let letter = FilingAlphabet.letter(scalar.value).bytes
        let filed = section(letter)
        var bound = scalar.value + 1
        if FilingAlphabet.kana.contains(scalar.value) {
            bound = FilingAlphabet.firstLetter(of: filed.upperBound[...])?.scalar.value ?? bound
            if !FilingAlphabet.kana.contains(bound) { bound = FilingAlphabet.kana.upperBound + 1 }
        } else if FilingAlphabet.hangul.contains(scalar.value) {
            bound = FilingAlphabet.firstLetter(of: filed.upperBound[...])?.scalar.value ?? bound
        } else if let han = FilingAlphabet.han.first(where: { $0.contains(scalar.value) }) {
            bound = han.upperBound + 1
        }
        label = filed.label
        upperBound = Unicode.Scalar(bound).map { Array(String($0).utf8) } ?? [FilingTailoring.nextLetter]
    }

    /// For what no rule files: works without an author, and bytes that are no key.
    private static let otherLabel = "…"

    private static func letter(_ key: [UInt8]) -> (String, [UInt8]) {
        guard let letter = FilingAlphabet.firstLetter(of: key[...]) else {
            return (otherLabel, [key[0] + 1])
        }
        let scalar = letter.scalar
        if FilingAlphabet.hangul.contains(scalar.value) { return hangul(scalar.value) }
        // Georgian capitals are for whole words in capitals only.
        let isGeorgian = FilingAlphabet.georgian.contains(scalar.value)
        let label = isGeorgian ? String(scalar) : scalar.properties.uppercaseMapping
        var upperBound = Array(key.prefix(letter.count))
        upperBound[letter.count - 1] += 1
        return (label, upperBound)
    }

    private static func hangul(_ syllable: UInt32) -> (String, [UInt8]) {
        let initials: [(label: String, first: Int)] = [
            ("ㄱ", 0), ("ㄴ", 2), ("ㄷ", 3), ("ㄹ", 5), ("ㅁ", 6), ("ㅂ", 7), ("ㅅ", 9), ("ㅇ", 11), ("ㅈ", 12), ("ㅊ", 14),
            ("ㅋ", 15), ("ㅌ", 16), ("ㅍ", 17), ("ㅎ", 18),
        ]
        let initial = HangulSyllable.initial(of: syllable)
        let index = initials.lastIndex { $0.first <= initial } ?? 0
        let next = index + 1 < initials.count ? initials[index + 1].first : 19
        let bound = HangulSyllable.firstSyllable(ofInitial: next)
        return (initials[index].label, FilingAlphabet.letter(bound).bytes)
    }

    private static func kana(_ key: [UInt8]) -> (String, [UInt8]) {
        let rows = KanaRow.firstKana
        for (row, next) in zip(rows, rows.dropFirst()) {
            let bound = FilingAlphabet.letter(next.value).bytes
            if key.lexicographicallyPrecedes(bound) { return (String(row), bound) }
        }
        return (String(rows[rows.count - 1]), [FilingAlphabet.hanLeads.lowerBound])
    }
}
