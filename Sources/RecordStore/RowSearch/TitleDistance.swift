/// How near a title is to what was typed. Nearer ones are less.
package struct TitleDistance: Comparable, Sendable {
    /// Where the typed text ends in the title.
    enum Ending: Int, Sendable { case title, word, letter }

    let edits: Int
    let ending: Ending

    package static func < (left: TitleDistance, right: TitleDistance) -> Bool {
        (left.edits, left.ending.rawValue) < (right.edits, right.ending.rawValue)
    }
}
