/// What a column can be about. The raw value is the name used in a mapping: `--map "Titel=title"`.
public enum BookField: String, CaseIterable, Hashable, Sendable {
    case title
    case subtitle
    case originalTitle = "original-title"
    case sortTitle = "sort-title"
    case authors
    /// How the first author is filed: `Le Guin, Ursula K.`.
    case authorSort = "author-sort"
    case moreAuthors = "more-authors"
    case isbn
    case publisher
    case pages
    case format
    case year
    case firstYear = "first-year"
    case language
    case series
    case seriesNumber = "series-number"
    case cover
    case description
    case subjects
    /// What the source calls the book; a row is known again by it. `goodreads:12345` names another source.
    case sourceID = "source-id"
    case status
    case rating
    case dateAdded = "date-added"
    case dateStarted = "date-started"
    case dateRead = "date-read"
    case readCount = "read-count"
    case owned
    case tags
    case notes
    case review

    /// Whether values of several columns come together in it. Of any other field a row has one column's.
    var joinsColumns: Bool {
        switch self {
        case .moreAuthors, .isbn, .subjects, .sourceID, .tags: true
        case .title, .subtitle, .originalTitle, .sortTitle, .authors, .authorSort, .publisher, .pages, .format, .year,
            .firstYear, .language, .series, .seriesNumber, .cover, .description, .status, .rating, .dateAdded,
            .dateStarted, .dateRead, .readCount, .owned, .notes, .review:
            false
        }
    }
}
