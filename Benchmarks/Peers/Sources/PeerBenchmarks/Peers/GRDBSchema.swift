import Foundation
import GRDB

/// The tables of `GRDBPeer`. Lists within a record are JSON, as GRDB keeps them.
enum GRDBSchema {
    static func create(_ database: Database) throws {
        try database.create(table: "book") { table in
            table.primaryKey("id", .integer)
            table.column("place", .integer).notNull()
            table.column("key", .blob).notNull()
            table.column("title", .text).notNull()
            table.column("authors", .text).notNull()
            table.column("coverURL", .text)
            table.column("year", .integer)
            table.column("status", .integer).notNull()
            table.column("rating", .integer)
        }
        try database.create(index: "byPlace", on: "book", columns: ["place"])
        try database.create(index: "byKey", on: "book", columns: ["key"])
        try database.create(index: "byStatus", on: "book", columns: ["status", "place"])
        try database.execute(sql: "CREATE VIRTUAL TABLE search USING fts5(text, tokenize='trigram')")
        try table("work", id: "id", "title, subtitle, originalTitle, sortTitle, language", database)
        try add("year, coverURL, description, subjects, series, review, added, authors", to: "work", database)
        try table("author", id: "id", "name, sortName", database)
        try table("edition", id: "id", "work, isbns, unparsedISBN, title, publisher, pageCount", database)
        try add("format, year, language, identifiers", to: "edition", database)
        try database.create(index: "editionByWork", on: "edition", columns: ["work"])
        try table("entry", id: "work", "status, rating, started, finished", database)
        try add("readCount, notes, review, tags, isOwned", to: "entry", database)
        try table("session", id: "id", "work, day, pages, note", database)
        try database.create(index: "sessionByDay", on: "session", columns: ["day"])
    }

    private static func table(_ name: String, id: String, _ columns: String, _ database: Database) throws {
        try database.create(table: name) { table in
            table.primaryKey(id, .integer)
            for column in columns.split(separator: ", ") { table.column(String(column)) }
        }
    }

    private static func add(_ columns: String, to name: String, _ database: Database) throws {
        try database.alter(table: name) { table in
            for column in columns.split(separator: ", ") { table.add(column: String(column)) }
        }
    }
}

/// A row of the list.
struct BookRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "book"
    var id: Int64
    var place: Int64
    var key: Data
    var title: String
    var authors: String
    var coverURL: String?
    var year: Int?
    var status: Int
    var rating: Int?

    init(_ book: Book) {
        id = book.row.id
        place = book.place
        key = Data(book.key)
        title = book.row.title
        authors = book.row.authors
        coverURL = book.row.coverURL
        year = book.row.year
        status = book.row.status
        rating = book.row.rating
    }

    var row: ListRow {
        ListRow(
            id: id, title: title, authors: authors, coverURL: coverURL, year: year, status: status, rating: rating)
    }
}

extension WorkRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "work"
}

extension AuthorRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "author"
}

extension EditionRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "edition"
}

extension EntryRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "entry"
}
