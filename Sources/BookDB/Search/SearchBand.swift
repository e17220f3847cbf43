/// How well a work matches a search: the better bands come first.
public enum SearchBand: Int, CaseIterable, Comparable, Hashable, Sendable {
    /// An edition has the ISBN, or one that begins with the seven or more digits typed.
    case isbn

    /// The title is what was typed, as titles are filed: case, accents and a leading article do not count.
    case exactTitle

    /// The title begins with what was typed, filed so.
    case titleBeginning

    /// Every word typed is the beginning of a word of the title, the authors or the other names.
    case wordBeginnings

    /// Every word typed is somewhere in them.
    case substring

    /// An edition has an ISBN that begins with the four to six digits typed. Behind the words: 1984 is a title first.
    case isbnBeginning

    /// As above but for a letter too many, too few, or wrong, or two that were swapped, in some words.
    case typo

    /// Two of these in a word of six letters or more.
    case twoTypos

    public static func < (left: SearchBand, right: SearchBand) -> Bool { left.rawValue < right.rawValue }
}
