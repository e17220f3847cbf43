import Foundation

/// What the peers look through when they search, folded as BookDB folds it as far as words of Latin letters go. Rows that a
/// search finds are compared, so a difference would end the run.
enum SearchText {
    private static let replaced: [Character: String] = [
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h",
        "ŧ": "t",
    ]
    private static let dropped: Set<Character> = ["'", "`", "‘", "’", "‛", "′"]

    /// Of a work whose row shows the title and the authors; of its other names as much as BookDB's row keeps.
    static func of(_ row: ListRow, _ work: WorkRecord) -> String {
        let names = [work.subtitle, work.originalTitle].compactMap { $0 } + work.series.map(\.name)
        return fold([row.title, row.authors, cut(names.joined(separator: "\n"), toByteCount: 200)])
    }

    private static func cut(_ text: String, toByteCount limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var byteCount = "…".utf8.count
        return String(
            text.prefix { character in
                byteCount += character.utf8.count
                return byteCount <= limit
            })
    }

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
