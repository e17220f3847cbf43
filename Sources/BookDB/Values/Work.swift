#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A work: what all editions of a book have in common.
public struct Work: Identifiable, Equatable, Sendable {
    /// `.unassigned` until `LibraryTransaction.insert` gives the work its identifier.
    public internal(set) var id: BookDB.ID<Work> = .unassigned

    public var title: String
    public var subtitle: String?
    public var originalTitle: String?

    /// The title to file under, as the reader or the source gave it; it wins over the filing rules.
    public var sortTitle: String?

    /// The language of `title`, such as `en`: it decides which leading articles are skipped in filing.
    public var language: String?

    /// One of `years`; negative before our era, where year 0 is 1 BC.
    public var firstPublicationYear: Int?
    public var coverURL: String?

    /// Stored apart from the record, so that lists and look-ups do not carry it.
    public var description: String?

    /// The first line, or another that says what the book sounds like.
    public var excerpt: String?

    public var subjects: [String]
    public var series: [SeriesMembership]

    /// In the order of the title page. An author named twice counts once.
    public var authors: [BookDB.ID<Author>]

    public var reviewStatus: ReviewStatus

    /// When the work came into the library, in whole milliseconds.
    public var dateAdded: Date {
        get { added.date }
        set { added = Milliseconds(newValue) }
    }

    var added: Milliseconds

    /// What a newer version of the library wrote and this one only keeps.
    var unknownFields = UnknownFields()

    public init(
        title: String,
        authors: [BookDB.ID<Author>] = [],
        year: Int? = nil,
        subtitle: String? = nil,
        originalTitle: String? = nil,
        sortTitle: String? = nil,
        language: String? = nil,
        coverURL: String? = nil,
        description: String? = nil,
        excerpt: String? = nil,
        subjects: [String] = [],
        series: [SeriesMembership] = [],
        reviewStatus: ReviewStatus = .unreviewed,
        dateAdded: Date = Date()
    ) {
        self.title = title
        self.authors = authors
        firstPublicationYear = year
        self.subtitle = subtitle
        self.originalTitle = originalTitle
        self.sortTitle = sortTitle
        self.language = language
        self.coverURL = coverURL
        self.description = description
        self.excerpt = excerpt
        self.subjects = subjects
        self.series = series
        self.reviewStatus = reviewStatus
        added = Milliseconds(dateAdded)
    }

    /// Years that a work or an edition can have.
    public static let years = -32_767...32_766

    /// `Work("The Hobbit", by: tolkien, year: 1937)`
    public init(
        _ title: String, by authors: BookDB.ID<Author>..., year: Int? = nil, language: String? = nil,
        dateAdded: Date = Date()
    ) {
        self.init(title: title, authors: authors, year: year, language: language, dateAdded: dateAdded)
    }
}

extension Work {
    /// The same work without an identifier: for inserting again what was deleted, or what another library has.
    public var withoutID: Work {
        var copy = self
        copy.id = .unassigned
        return copy
    }
}
