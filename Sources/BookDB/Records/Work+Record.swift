import RecordStore
import StorageEngine

/// A work's record. The identifier is its key and the description a text of its own.
extension Work {
    func encodedRecord() -> [UInt8] {
        var writer = RecordWriter(keeping: unknownFields, reserving: Self.usualRecordByteCount)
        writer.text(WorkTag.title, title)
        for author in authors { writer.write(WorkTag.authors, eightBytes: author.rawValue) }
        writer.signed(WorkTag.added, added.since1970)
        writer.optional(WorkTag.firstPublicationYear, signed: firstPublicationYear)
        writer.optional(WorkTag.coverURL, text: coverURL)
        writer.number(WorkTag.reviewStatus, UInt64(reviewStatus.rawValue))
        writer.optional(WorkTag.language, text: language)
        writer.optional(WorkTag.subtitle, text: subtitle)
        writer.optional(WorkTag.originalTitle, text: originalTitle)
        writer.optional(WorkTag.sortTitle, text: sortTitle)
        writer.texts(WorkTag.subjects, subjects)
        for series in series { writer.write(WorkTag.series, series.encodedRecord()) }
        writer.number(WorkTag.texts, description == nil ? 0 : TextKind.description.flag)
        writer.optional(WorkTag.excerpt, text: excerpt)
        return writer.finish()
    }

    /// Enough for nearly all, so that a record is one allocation and not five.
    private static let usualRecordByteCount = 240

    /// Decodes all but the description, and which texts there are.
    static func decode(
        _ record: RawSpan, id: BookDB.ID<Work>
    ) throws(RecordProblem) -> (work: Work, texts: UInt64) {
        var work = Work(blank: id)
        let texts = try work.take(record)
        return (work, texts)
    }

    /// Fills the fields in place: a work that is returned from a loop that throws is copied, with all its references.
    ///
    /// - Returns: which texts there are.
    private mutating func take(_ record: RawSpan) throws(RecordProblem) -> UInt64 {
        var texts: UInt64 = 0
        var cursor = RecordCursor()
        while let field = try cursor.next(in: record) {
            switch field.tag {
            case WorkTag.title: title = try field.text(in: record)
            case WorkTag.authors: authors.append(BookDB.ID(rawValue: try field.number))
            case WorkTag.added: added = Milliseconds(since1970: try field.signed(as: Int64.self))
            case WorkTag.firstPublicationYear: firstPublicationYear = try field.signed(as: Int.self)
            case WorkTag.coverURL: coverURL = try field.text(in: record)
            case WorkTag.reviewStatus:
                guard let status = try UInt8(exactly: field.number).flatMap(ReviewStatus.init(rawValue:)) else {
                    unknownFields.append(field.kept(from: record))
                    continue
                }
                reviewStatus = status
            case WorkTag.language: language = try field.text(in: record)
            case WorkTag.subtitle: subtitle = try field.text(in: record)
            case WorkTag.originalTitle: originalTitle = try field.text(in: record)
            case WorkTag.sortTitle: sortTitle = try field.text(in: record)
            case WorkTag.subjects: subjects.append(try field.text(in: record))
            case WorkTag.series: series.append(try SeriesMembership.decode(record.extracting(field.bytes)))
            case WorkTag.texts: texts = try field.number
            case WorkTag.excerpt: excerpt = try field.text(in: record)
            default: unknownFields.append(field.kept(from: record))
            }
        }
        return texts
    }

    /// Every field at the value that is left out of records.
    private init(blank id: BookDB.ID<Work>) {
        self.id = id
        title = ""
        subjects = []
        series = []
        authors = []
        reviewStatus = .unreviewed
        added = Milliseconds(since1970: 0)
    }
}

/// The numbers of its fields; see `RecordField`.
enum WorkTag {
    static let title: UInt32 = 1
    static let authors: UInt32 = 2
    static let added: UInt32 = 3
    static let firstPublicationYear: UInt32 = 4
    static let coverURL: UInt32 = 5
    static let reviewStatus: UInt32 = 6
    static let language: UInt32 = 7
    static let subtitle: UInt32 = 8
    static let originalTitle: UInt32 = 9
    static let sortTitle: UInt32 = 10
    static let subjects: UInt32 = 11
    static let series: UInt32 = 12

    /// Which texts of the work exist in the tree of texts; see `TextKind`.
    static let texts: UInt32 = 13
    static let excerpt: UInt32 = 14

    static let retired: Set<UInt32> = []
}

extension RecordSchema {
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
            (WorkTag.texts, "texts", .texts), (WorkTag.excerpt, "excerpt", .text),
        ])
}

extension Work {
    /// A line of an export. Members are only ever added, at the end.
    func jsonLine() -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "work")
            json.member("id", id.description)
            json.member("title", title)
            json.optional("subtitle", subtitle)
            json.optional("originalTitle", originalTitle)
            json.optional("sortTitle", sortTitle)
            json.list("authors", authors) { json, author in json.element(author.description) }
            json.optional("language", language)
            json.optional("firstPublicationYear", firstPublicationYear)
            json.optional("coverURL", coverURL)
            json.optional("description", description)
            json.list("subjects", subjects) { json, subject in json.element(subject) }
            json.list("series", series) { json, series in
                json.object { json in
                    json.member("name", series.name)
                    json.optional("number", series.number)
                }
            }
            json.member("reviewStatus", reviewStatus.name)
            json.member("dateAddedMilliseconds", added.since1970)
            json.optional("excerpt", excerpt)
            if !unknownFields.isEmpty { json.member("unknown", unknownFields.hexadecimal) }
        }
        return json.text
    }
}
