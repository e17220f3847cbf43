import Foundation
import GRDB

/// GRDB as its documentation shows it: records, a pool, an index, and FTS5 with trigrams.
final class GRDBPeer: Peer {
    static let name = "GRDB"

    private struct Record: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "book"
        var id: Int64
        var place: Int64
        var title: String
        var authors: String
        var coverURL: String?
        var year: Int?
        var status: Int
        var rating: Int?

        init(_ book: Book) {
            id = book.id
            place = book.place
            title = book.title
            authors = book.authors
            coverURL = book.coverURL
            year = book.year
            status = book.status
            rating = book.rating
        }

        var row: ListRow {
            ListRow(id: id, title: title, authors: authors, year: year, status: status, rating: rating)
        }
    }

    private let pool: DatabasePool

    init(path: String) throws {
        pool = try DatabasePool(path: path)
        // A pool makes its connections NORMAL when it opens them: a commit would not be flushed.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    }

    static func fill(path: String, with books: [Book]) throws {
        let peer = try GRDBPeer(path: path)
        try peer.pool.write { database in
            try database.create(table: "book") { table in
                table.primaryKey("id", .integer)
                table.column("place", .integer).notNull()
                table.column("title", .text).notNull()
                table.column("authors", .text).notNull()
                table.column("coverURL", .text)
                table.column("year", .integer)
                table.column("status", .integer).notNull()
                table.column("rating", .integer)
            }
            try database.create(index: "byPlace", on: "book", columns: ["place"])
            try database.create(index: "byStatus", on: "book", columns: ["status", "place"])
            try database.execute(sql: "CREATE VIRTUAL TABLE search USING fts5(text, tokenize='trigram', detail=none)")
            try Self.insert(books, database)
        }
        try peer.pool.writeWithoutTransaction { database in
            _ = try database.checkpoint(.truncate)
        }
        try peer.pool.close()
    }

    private static func insert(_ books: [Book], _ database: Database) throws {
        let statement = try database.cachedStatement(sql: "INSERT INTO search (rowid, text) VALUES (?, ?)")
        for book in books {
            try Record(book).insert(database)
            try statement.execute(arguments: [book.place, book.text])
        }
    }

    private func rows(_ request: QueryInterfaceRequest<Record>) throws -> [ListRow] {
        try pool.read { try request.fetchAll($0) }.map(\.row)
    }

    func page(offset: Int) throws -> [ListRow] {
        try rows(Record.order(Column("place")).limit(50, offset: offset))
    }

    func page(after row: (place: Int64, id: Int64)) throws -> [ListRow] {
        try rows(Record.filter(Column("place") > row.place).order(Column("place")).limit(50))
    }

    func page(status: Int, offset: Int) throws -> [ListRow] {
        try rows(Record.filter(Column("status") == status).order(Column("place")).limit(50, offset: offset))
    }

    func statusCounts() throws -> [Int] {
        try pool.read { database in
            try Row.fetchAll(database, sql: "SELECT status, count(*) FROM book GROUP BY status ORDER BY status")
                .map { $0[1] as Int }
        }
    }

    func search(_ needle: String) throws -> [ListRow] {
        let sql = """
            SELECT book.* FROM search JOIN book ON place = search.rowid WHERE text LIKE '%' || ? || '%'
            ORDER BY place LIMIT 50
            """
        return try pool.read { try Record.fetchAll($0, sql: sql, arguments: [needle]) }.map(\.row)
    }

    func searchCount(_ needle: String) throws -> Int {
        try pool.read { database in
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM search WHERE text LIKE '%' || ? || '%'", arguments: [needle]) ?? 0
        }
    }

    func insert(_ books: [Book]) throws {
        try pool.write { try Self.insert(books, $0) }
    }

    func rename(_ id: Int64, to title: String, place: Int64) throws {
        try pool.write { database in
            guard var record = try Record.fetchOne(database, key: id) else { return }
            try database.execute(
                sql: "UPDATE search SET rowid = ?, text = ? WHERE rowid = ?",
                arguments: [place, title.lowercased() + "\n" + record.authors.lowercased(), record.place])
            record.title = title
            record.place = place
            try record.update(database)
        }
    }
}
