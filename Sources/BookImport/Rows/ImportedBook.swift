import BookDB

/// What one row of a file says about a book, cleaned and typed, before the library has seen it.
///
/// A property is nil or empty when the row says nothing about it; nothing is guessed.
public struct ImportedBook: Equatable, Sendable {
    /// Somebody on the title page.
    public struct Person: Hashable, Sendable {
        /// As shown: `Ursula K. Le Guin`.
        public var name: String

        /// As filed, when the source says so: `Le Guin, Ursula K.`.
        public var sortName: String?

        public init(_ name: String, sortName: String? = nil) {
            self.name = name
            self.sortName = sortName
        }
    }

    // The work
    public var title: String
    public var subtitle: String?
    public var originalTitle: String?
    public var sortTitle: String?
    public var authors: [Person] = []
    public var series: [SeriesMembership] = []
    public var language: String?
    public var firstPublicationYear: Int?
    public var coverURL: String?
    public var description: String?
    public var subjects: [String] = []

    // The edition
    public var isbns: [ISBN] = []
    /// What stood where an ISBN belongs and is none.
    public var unparsedISBN: String?
    public var publisher: String?
    public var pageCount: Int?
    public var format: String?
    public var publicationYear: Int?
    public var identifiers: [SourceIdentifier] = []

    // The reader
    public var status: ReadingStatus?
    public var rating: Rating?
    public var dateAdded: Day?
    public var dateStarted: Day?
    public var dateFinished: Day?
    public var readCount: Int?
    public var notes: String?
    public var review: String?
    public var tags: [String] = []
    public var isOwned: Bool?

    /// Whether its identifier stands on other rows of the file too: one for each author, mostly.
    var isOnSeveralRows = false

    public init(title: String) {
        self.title = title
    }

    /// True when the row says what the reader did with the book; a catalogue's rows do not.
    public var hasReaderState: Bool {
        status != nil || rating != nil || dateStarted != nil || dateFinished != nil || readCount != nil
            || notes != nil || review != nil || !tags.isEmpty || isOwned != nil
    }
}
