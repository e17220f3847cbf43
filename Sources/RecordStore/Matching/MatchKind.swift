/// How a line can match. Each kind but the first is a part of the matches that no other has.
package enum MatchKind {
    /// Every word is there as typed.
    case typed
    /// So, and each begins a word.
    case wordBeginnings
    /// So, and one of them does not.
    case inside
    /// What was typed is how the title begins, as it is printed.
    case titleBeginning
    /// Every word is there as typed or, from the beginning of a word, with blanks in it, and one with blanks.
    case joined
    /// Every word is there as typed or with at most so many edits, and one with no fewer.
    case edits(Int)

    /// Whether a line that matches so holds every word as typed.
    package var isTyped: Bool {
        switch self {
        case .typed, .wordBeginnings, .inside, .titleBeginning: true
        case .joined, .edits: false
        }
    }
}
