/// One published form of a work: a particular printing, e-book or recording.
public struct Edition: Identifiable, Equatable, Sendable {
    /// `.unassigned` until `LibraryTransaction.insert` gives the edition its identifier.
    public internal(set) var id: BookDB.ID<Edition> = .unassigned

    /// The work this is an edition of.
    public var work: BookDB.ID<Work>

    public var isbns: [ISBN]

    /// What a source gave as ISBN and no rule could read: kept as it was, so that a person can put it right.
    public var unparsedISBN: String?

    /// The title on this edition where it differs from the work's.
    public var title: String?

    public var publisher: String?
    public var pageCount: Int?

    /// Such as `Hardcover`, `Paperback`, `Kindle Edition`, in the words of the source.
    public var format: String?

    public var publicationYear: Int?
    public var language: String?
    public var identifiers: [SourceIdentifier]

    /// What a newer version of the library wrote and this one only keeps.
    var unknownFields = UnknownFields()

    public init(
        of work: BookDB.ID<Work>,
        isbns: [ISBN] = [],
        unparsedISBN: String? = nil,
        title: String? = nil,
        publisher: String? = nil,
        pageCount: Int? = nil,
        format: String? = nil,
        publicationYear: Int? = nil,
        language: String? = nil,
        identifiers: [SourceIdentifier] = []
    ) {
        self.work = work
        self.isbns = isbns
        self.unparsedISBN = unparsedISBN
        self.title = title
        self.publisher = publisher
        self.pageCount = pageCount
        self.format = format
        self.publicationYear = publicationYear
        self.language = language
        self.identifiers = identifiers
    }
}

extension Edition {
    /// The same edition without an identifier: for inserting again what was deleted, or what another library has.
    public var withoutID: Edition {
        var copy = self
        copy.id = .unassigned
        return copy
    }
}
