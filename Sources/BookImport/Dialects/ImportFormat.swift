/// A kind of file that can be imported. The raw value is the name used on the command line.
public enum ImportFormat: String, CaseIterable, Hashable, Sendable {
    /// The library export of Goodreads, old and new.
    case goodreads

    /// The library export of StoryGraph.
    case storyGraph = "storygraph"

    /// `books.csv` of the goodbooks-10k data set.
    case goodbooks = "goodbooks-10k"

    /// The catalogue of calibre as CSV.
    case calibre

    /// Any table, by the names of its columns or a mapping.
    case csv
}
