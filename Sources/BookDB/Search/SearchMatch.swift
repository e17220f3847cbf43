/// A work that a search found.
public struct SearchMatch: Identifiable, Sendable {
    public let item: WorkListItem
    package let band: SearchBand

    /// Words typed that the work does not have, folded: none unless no work has them all.
    public let missingWords: [String]

    private let highlighter: SearchHighlighter

    init(item: WorkListItem, band: SearchBand, missingWords: [String] = [], highlighter: SearchHighlighter) {
        self.item = item
        self.band = band
        self.missingWords = missingWords
        self.highlighter = highlighter
    }

    public var id: ID<Work> { item.id }

    /// Whether something typed was taken for a mistake: a typo, words run together, or a word that the work does not have.
    public var isGuess: Bool { band.isGuess }

    /// Where the title of the row holds the words typed: ranges of `item.title`, in its order, none touching another.
    public var titleHighlights: [Range<String.Index>] { highlights(in: item.title) }

    /// The same for any text, such as `item.authors`.
    public func highlights(in text: String) -> [Range<String.Index>] { highlighter.ranges(in: text) }
}
