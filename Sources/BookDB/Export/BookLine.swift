import RecordStore

/// An author, a work, an edition or an entry on a line of an export, as `jsonLine` writes them. What another store does not know and its
/// lines leave out, such as the name an author is filed under, is as in a record that was made here.
struct BookLine {
    private let line: JSONValue
    private let words: String

    /// - Throws: `LibraryError.invalidValue` for a line with a member that such a line has not: what it says would be lost.
    private init(_ line: JSONValue, _ words: String, _ members: Set<String>) throws(LibraryError) {
        (self.line, self.words) = (line, words)
        do throws(RecordProblem) {
            try line.requireMembers(members.union(["type", "unknown"]))
        } catch {
            throw .invalidValue("\(words) cannot be taken: \(error.description).")
        }
    }

    /// Fields that a later version has written.
    private func unknownFields() throws(LibraryError) -> UnknownFields {
        try optional("unknown") { $0.text.flatMap { UnknownFields(hexadecimal: $0) } } ?? UnknownFields()
    }

    /// Fields that this version knows have members of their own, where their values are looked at: none of them may come as one that it does not know.
    private func check(
        _ unknown: UnknownFields, in record: [UInt8],
        _ decode: (RawSpan) throws(RecordProblem) -> UnknownFields
    ) throws(LibraryError) {
        guard !unknown.isEmpty else { return }
        let found = record.withBytes { bytes in try? decode(bytes) }
        guard found == unknown else { throw problem("unknown") }
    }

    // MARK: Members

    private func problem(_ name: String) -> LibraryError {
        .invalidValue("The “\(name)” of \(words.lowercased()) is missing, or not as it is written.")
    }

    /// `nil` for one that is not there.
    private func optional<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(LibraryError) -> Value? {
        guard let value = line[name], value != .null else { return nil }
        guard let read = read(value) else { throw problem(name) }
        return read
    }

    private func required<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(LibraryError) -> Value {
        guard let value = try optional(name, read) else { throw problem(name) }
        return value
    }

    private func text(_ name: String) throws(LibraryError) -> String? { try optional(name, \.text) }

    private func integer<Integer: FixedWidthInteger>(_ name: String) throws(LibraryError) -> Integer? {
        try optional(name) { $0.integer() }
    }

    private func flag(_ name: String) throws(LibraryError) -> Bool? {
        try optional(name) { (value: JSONValue) -> Bool? in
            if case .flag(let isSet) = value { isSet } else { nil }
        }
    }

    private func list<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(LibraryError) -> [Value] {
        try optional(name) { value in
            let found = value.elements?.compactMap(read)
            return found?.count == value.elements?.count ? found : nil
        } ?? []
    }

    private static func id<Record>(_ value: JSONValue) -> BookDB.ID<Record>? {
        value.text.flatMap { BookDB.ID($0) }.flatMap { $0.isAssigned ? $0 : nil }
    }

    // MARK: Records

    static func author(_ line: JSONValue) throws(LibraryError) -> Author {
        let line = try BookLine(line, "An author", ["id", "name", "sortName"])
        var author = Author(try line.required("name", \.text))
        author.sortName = try line.text("sortName") ?? author.sortName
        author.id = try line.required("id", id)
        author.unknownFields = try line.unknownFields()
        try line.check(author.unknownFields, in: author.encodedRecord()) { (bytes) throws(RecordProblem) in
            try Author.decode(bytes, id: author.id).unknownFields
        }
        return author
    }

    static func work(_ line: JSONValue) throws(LibraryError) -> Work {
        let line = try BookLine(
            line, "A work",
            [
                "id", "title", "subtitle", "originalTitle", "sortTitle", "authors", "language", "firstPublicationYear",
                "coverURL", "description", "subjects", "series", "reviewStatus", "dateAddedMilliseconds", "excerpt",
            ])
        var work = Work(try line.required("title", \.text))
        work.id = try line.required("id", id)
        work.subtitle = try line.text("subtitle")
        work.originalTitle = try line.text("originalTitle")
        work.sortTitle = try line.text("sortTitle")
        work.authors = try line.list("authors", id)
        work.language = try line.text("language")
        work.firstPublicationYear = try line.integer("firstPublicationYear")
        work.coverURL = try line.text("coverURL")
        work.description = try line.text("description")
        work.subjects = try line.list("subjects", \.text)
        work.series = try line.list("series") { value in
            guard let name = value["name"]?.text, (try? value.requireMembers(["name", "number"])) != nil,
                value["number"] == nil || value["number"]?.text != nil
            else { return nil }
            return SeriesMembership(name: name, number: value["number"]?.text)
        }
        if let status = try line.optional("reviewStatus", { $0.text.flatMap { ReviewStatus(name: $0) } }) {
            work.reviewStatus = status
        }
        work.added = Milliseconds(since1970: try line.required("dateAddedMilliseconds") { $0.integer() })
        work.excerpt = try line.text("excerpt")
        work.unknownFields = try line.unknownFields()
        try line.check(work.unknownFields, in: work.encodedRecord()) { (bytes) throws(RecordProblem) in
            try Work.decode(bytes, id: work.id).work.unknownFields
        }
        return work
    }

    static func edition(_ line: JSONValue) throws(LibraryError) -> Edition {
        let line = try BookLine(
            line, "An edition",
            [
                "id", "work", "isbns", "unparsedISBN", "title", "publisher", "pageCount", "format", "publicationYear",
                "language", "identifiers",
            ])
        var edition = Edition(of: try line.required("work", id))
        edition.id = try line.required("id", id)
        edition.isbns = try line.list("isbns") { $0.text.flatMap { try? ISBN($0) } }
        edition.unparsedISBN = try line.text("unparsedISBN")
        edition.title = try line.text("title")
        edition.publisher = try line.text("publisher")
        edition.pageCount = try line.integer("pageCount")
        edition.format = try line.text("format")
        edition.publicationYear = try line.integer("publicationYear")
        edition.language = try line.text("language")
        edition.identifiers = try line.list("identifiers") { value in
            guard let source = value["source"]?.text, let text = value["value"]?.text,
                (try? value.requireMembers(["source", "value"])) != nil
            else { return nil }
            return SourceIdentifier(source: source, value: text)
        }
        edition.unknownFields = try line.unknownFields()
        try line.check(edition.unknownFields, in: edition.encodedRecord()) { (bytes) throws(RecordProblem) in
            try Edition.decode(bytes, id: edition.id, work: edition.work).unknownFields
        }
        return edition
    }

    static func entry(_ line: JSONValue) throws(LibraryError) -> UserLibraryEntry {
        let line = try BookLine(
            line, "An entry",
            [
                "work", "status", "rating", "dateStarted", "dateFinished", "readCount", "notes", "review", "tags",
                "isOwned",
            ])
        var entry = UserLibraryEntry(for: try line.required("work", id))
        entry.status = try line.required("status") { $0.text.flatMap { ReadingStatus(name: $0) } }
        entry.rating = try line.optional("rating") { value in
            // What would be rounded is refused: the line would come back as another.
            guard case .number(let digits) = value, let stars = Double(digits), let rating = Rating(stars: stars),
                rating.stars == stars
            else { return nil }
            return rating
        }
        entry.dateStarted = try line.optional("dateStarted") { $0.text.flatMap { Day($0) } }
        entry.dateFinished = try line.optional("dateFinished") { $0.text.flatMap { Day($0) } }
        entry.readCount = try line.integer("readCount") ?? entry.readCount
        entry.notes = try line.text("notes")
        entry.review = try line.text("review")
        entry.tags = try line.list("tags", \.text)
        entry.isOwned = try line.flag("isOwned") ?? entry.isOwned
        entry.unknownFields = try line.unknownFields()
        try line.check(entry.unknownFields, in: entry.encodedRecord()) { (bytes) throws(RecordProblem) in
            try UserLibraryEntry.decode(bytes, work: entry.work).entry.unknownFields
        }
        return entry
    }
}
