/// How well a work matches a search: the better bands come first.
package enum SearchBand: Int, CaseIterable, Comparable, Hashable, Sendable {
    /// An edition has the ISBN, or one that begins with the seven or more digits typed.
    case isbn

    /// The title is what was typed, as titles are filed: case, accents and a leading article do not count.
    case exactTitle

    /// The title begins with what was typed, filed so.
    case titleBeginning

    /// Every word typed is the beginning of a word of the title, the authors or the other names.
    case wordBeginnings

    /// The title is what was typed, or begins so, but for a letter too many, too few, or wrong, or two that were swapped, and
    /// for blanks: one such typo up to eight letters, two up to seventeen, then three. The nearest titles come first.
    case nearTitle

    /// Every word typed is somewhere in them.
    case substring

    /// An edition has an ISBN that begins with the four to six digits typed. Behind the words: 1984 is a title first.
    case isbnBeginning

    /// Every word typed is there, but some ran several together.
    case joinedWords

    /// Every word typed is there, but for a typo in some.
    case typo

    /// Two typos in a word of six letters or more.
    case twoTypos

    /// Some words typed are not there at all, as few as can be: no work has them all. `SearchMatch.missingWords` has them.
    case someWords

    /// Whether something typed was taken for a mistake.
    package var isGuess: Bool {
        switch self {
        case .isbn, .exactTitle, .titleBeginning, .wordBeginnings, .substring, .isbnBeginning: false
        case .nearTitle, .joinedWords, .typo, .twoTypos, .someWords: true
        }
    }

    /// How far a word may be from the one typed.
    package var editCount: Int {
        switch self {
        case .isbn, .exactTitle, .titleBeginning, .wordBeginnings, .substring, .isbnBeginning, .joinedWords: 0
        case .typo, .someWords: 1
        case .nearTitle, .twoTypos: 2
        }
    }

    package static func < (left: SearchBand, right: SearchBand) -> Bool { left.rawValue < right.rawValue }
}
