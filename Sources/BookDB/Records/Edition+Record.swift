import RecordStore
import StorageEngine

/// An edition's record. Its key holds the identifiers of the work and of the edition.
extension Edition {
    func encodedRecord() -> [UInt8] {
        var writer = RecordWriter(keeping: unknownFields, reserving: Self.usualRecordByteCount)
        for isbn in isbns { writer.write(EditionTag.isbns, number: isbn.digits) }
        writer.optional(EditionTag.title, text: title)
        writer.optional(EditionTag.publisher, text: publisher)
        writer.optional(EditionTag.pageCount, signed: pageCount)
        writer.optional(EditionTag.format, text: format)
        writer.optional(EditionTag.publicationYear, signed: publicationYear)
        writer.optional(EditionTag.language, text: language)
        for identifier in identifiers { writer.write(EditionTag.identifiers, identifier.encodedRecord()) }
        writer.optional(EditionTag.unparsedISBN, text: unparsedISBN)
        return writer.finish()
    }

    /// Enough for nearly all, so that a record is one allocation and not four.
    private static let usualRecordByteCount = 120

    static func decode(
        _ record: RawSpan, id: BookDB.ID<Edition>, work: BookDB.ID<Work>
    ) throws(RecordProblem) -> Edition {
        var edition = Edition(of: work)
        edition.id = id
        try edition.take(record)
        return edition
    }

    /// Fills the fields in place, as those of a work.
    private mutating func take(_ record: RawSpan) throws(RecordProblem) {
        var cursor = RecordCursor()
        while let field = try cursor.next(in: record) {
            switch field.tag {
            case EditionTag.isbns:
                guard let isbn = ISBN(digits: try field.number) else {
                    throw RecordProblem("\(try field.number) is not an ISBN", at: field.range.lowerBound)
                }
                isbns.append(isbn)
            case EditionTag.title: title = try field.text(in: record)
            case EditionTag.publisher: publisher = try field.text(in: record)
            case EditionTag.pageCount: pageCount = try field.signed(as: Int.self)
            case EditionTag.format: format = try field.text(in: record)
            case EditionTag.publicationYear: publicationYear = try field.signed(as: Int.self)
            case EditionTag.language: language = try field.text(in: record)
            case EditionTag.identifiers:
                identifiers.append(try SourceIdentifier.decode(record.extracting(field.bytes)))
            case EditionTag.unparsedISBN: unparsedISBN = try field.text(in: record)
            default: unknownFields.append(field.kept(from: record))
            }
        }
    }
}

/// The numbers of its fields; see `RecordField`.
enum EditionTag {
    static let isbns: UInt32 = 1
    static let title: UInt32 = 2
    static let publisher: UInt32 = 3
    static let pageCount: UInt32 = 4
    static let format: UInt32 = 5
    static let publicationYear: UInt32 = 6
    static let language: UInt32 = 7
    static let identifiers: UInt32 = 8
    static let unparsedISBN: UInt32 = 9

    static let retired: Set<UInt32> = []
}

extension RecordSchema {
    static let edition = RecordSchema(
        "edition",
        [
            (EditionTag.isbns, "isbns", .number), (EditionTag.title, "title", .text),
            (EditionTag.publisher, "publisher", .text), (EditionTag.pageCount, "pageCount", .signed),
            (EditionTag.format, "format", .text), (EditionTag.publicationYear, "publicationYear", .signed),
            (EditionTag.language, "language", .text), (EditionTag.identifiers, "identifiers", .record(identifier)),
            (EditionTag.unparsedISBN, "unparsedISBN", .text),
        ])
}

extension Edition {
    /// A line of an export. Members are only ever added, at the end.
    func jsonLine() -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "edition")
            json.member("id", id.description)
            json.member("work", work.description)
            json.list("isbns", isbns) { json, isbn in json.element(isbn.description) }
            json.optional("unparsedISBN", unparsedISBN)
            json.optional("title", title)
            json.optional("publisher", publisher)
            json.optional("pageCount", pageCount)
            json.optional("format", format)
            json.optional("publicationYear", publicationYear)
            json.optional("language", language)
            json.list("identifiers", identifiers) { json, identifier in
                json.object { json in
                    json.member("source", identifier.source)
                    json.member("value", identifier.value)
                }
            }
            if !unknownFields.isEmpty { json.member("unknown", unknownFields.hexadecimal) }
        }
        return json.text
    }
}
