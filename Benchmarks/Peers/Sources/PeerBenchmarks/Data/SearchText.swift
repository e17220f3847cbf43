import Foundation

/// What the peers look through when they search, folded as BookDB folds it as far as words of Latin letters go. Rows that a
/// search finds are compared, so a difference would end the run.
enum SearchText {
    private static let replaced: [Character: String] = [
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h",
        "ŧ": "t",
    ]
    private static let dropped: Set<Character> = ["'", "`", "‘", "’", "‛", "′"]

    static func fold(_ texts: [String]) -> String {
        let folded = texts.joined(separator: "\n").folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        guard folded.contains(where: { dropped.contains($0) || replaced[$0] != nil }) else { return folded }
        var result = ""
        for character in folded where !dropped.contains(character) {
            result += replaced[character] ?? String(character)
        }
        return result
    }
}
