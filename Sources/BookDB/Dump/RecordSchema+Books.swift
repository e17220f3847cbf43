import RecordStore

/// What the tags of books mean: the table of `Formats/LIBRARY.md`, which a test compares with this one.
extension RecordSchema {
    static let all = [work, edition, author, entry, series, identifier]

    static let work = RecordSchema(
        "work",
        [
            (WorkTag.title, "title", .text), (WorkTag.authors, "authors", .identifier),
            (WorkTag.added, "added", .milliseconds), (WorkTag.firstPublicationYear, "firstPublicationYear", .signed),
            (WorkTag.coverURL, "coverURL", .text),
            (WorkTag.reviewStatus, "reviewStatus", .named { ReviewStatus(rawValue: $0)?.name }),
            (WorkTag.language, "language", .text), (WorkTag.subtitle, "subtitle", .text),
            (WorkTag.originalTitle, "originalTitle", .text), (WorkTag.sortTitle, "sortTitle", .text),
            (WorkTag.subjects, "subjects", .text), (WorkTag.series, "series", .record(series)),
            (WorkTag.texts, "texts", texts),
        ])

    static let edition = RecordSchema(
        "edition",
        [
            (EditionTag.isbns, "isbns", .number), (EditionTag.title, "title", .text),
            (EditionTag.publisher, "publisher", .text), (EditionTag.pageCount, "pageCount", .signed),
            (EditionTag.format, "format", .text), (EditionTag.publicationYear, "publicationYear", .signed),
            (EditionTag.language, "language", .text), (EditionTag.identifiers, "identifiers", .record(identifier)),
            (EditionTag.unparsedISBN, "unparsedISBN", .text),
        ])

    static let author = RecordSchema(
        "author", [(AuthorTag.name, "name", .text), (AuthorTag.sortName, "sortName", .text)])

    static let entry = RecordSchema(
        "entry",
        [
            (EntryTag.status, "status", .named { ReadingStatus(rawValue: $0)?.name }),
            (EntryTag.rating, "rating", .named { Rating(quarterStars: $0).map { "\($0) stars" } }),
            (EntryTag.dateStarted, "dateStarted", .days), (EntryTag.dateFinished, "dateFinished", .days),
            (EntryTag.readCount, "readCount", .signed), (EntryTag.isOwned, "isOwned", .number),
            (EntryTag.tags, "tags", .text), (EntryTag.texts, "texts", texts),
        ])

    static let series = RecordSchema(
        "series", [(SeriesTag.name, "name", .text), (SeriesTag.number, "number", .text)])

    static let identifier = RecordSchema(
        "identifier", [(IdentifierTag.source, "source", .text), (IdentifierTag.value, "value", .text)])

    private static let texts = Kind.flags(TextKind.allCases.map { ($0.flag, $0.name) })
}
