/// How well a row matches a search: the better bands come first.
package enum SearchBand: Int, CaseIterable, Comparable, Hashable, Sendable {
    /// A number of it is what was typed, or begins so, and so much was typed that it is meant.
    case number

    /// The title is what was typed, as titles are filed: case, accents and a leading article do not count.
    case exactTitle

    /// The title begins with what was typed, filed so.
    case titleBeginning

    /// Every word typed is the beginning of a word of its texts.
    case wordBeginnings

    /// The title is what was typed, or begins so, but for a letter too many, too few, or wrong, or two that were swapped, and
    /// for blanks: one such typo up to eight letters, two up to seventeen, then three. The nearest titles come first.
    case nearTitle

    /// Every word typed is somewhere in them.
    case substring

    /// A number of it begins with the few digits typed. Behind the words: 1984 is a title first.
    case numberBeginning

    /// Every word typed is there, but some ran several together.
    case joinedWords

    /// Every word typed is there, but for a typo in some.
    case typo

    /// Two typos in a word of six letters or more.
    case twoTypos

    /// Some words typed are not there at all, as few as can be: no row has them all.
    case someWords

    /// Whether something typed was taken for a mistake.
    package var isGuess: Bool {
        switch self {
        case .number, .exactTitle, .titleBeginning, .wordBeginnings, .substring, .numberBeginning: false
        case .nearTitle, .joinedWords, .typo, .twoTypos, .someWords: true
        }
    }

    /// How far a word may be from the one typed.
    package var editCount: Int {
        switch self {
        case .number, .exactTitle, .titleBeginning, .wordBeginnings, .substring, .numberBeginning, .joinedWords: 0
        case .typo, .someWords: 1
        case .nearTitle, .twoTypos: 2
        }
    }

    package static func < (left: SearchBand, right: SearchBand) -> Bool { left.rawValue < right.rawValue }
}
