/// A work that a search found.
public struct SearchMatch: Identifiable, Sendable {
    public let item: WorkListItem
    public let band: SearchBand

    private let highlighter: SearchHighlighter

    init(item: WorkListItem, band: SearchBand, highlighter: SearchHighlighter) {
        self.item = item
        self.band = band
        self.highlighter = highlighter
    }

    public var id: ID<Work> { item.id }

    /// Where the title of the row holds the words typed: ranges of `item.title`, in its order, none touching another.
    public var titleHighlights: [Range<String.Index>] { highlights(in: item.title) }

    /// The same for any text, such as `item.authors`.
    public func highlights(in text: String) -> [Range<String.Index>] { highlighter.ranges(in: text) }
}
