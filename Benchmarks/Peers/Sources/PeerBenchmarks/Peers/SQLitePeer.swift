import Foundation

/// SQLite as tight as it goes by hand: tables that hold what a query shows, statements prepared once. One thread reads; those that
/// write take turns.
final class SQLitePeer: BlockingPeer, @unchecked Sendable {
    static let name = "SQLite"

    let database: SQLiteConnection
    private let path: String
    private let lock = NSLock()

    init(path: String, access: Access) throws {
        self.path = path
        database = try SQLiteConnection(path: path, access: access)
        try database.prepare(access, schema: SQLiteSchema.sql)
    }

    func another() throws -> SQLitePeer { try SQLitePeer(path: path, access: .read) }

    // MARK: Lists

    private static let columns = "id, title, authors, coverURL, year, status, rating"

    private func list(_ rest: String, _ values: SQLiteValue...) throws -> [ListRow] {
        try database.prepared("SELECT \(Self.columns) FROM list \(rest)").bound(values).rows { row in
            ListRow(
                id: Int64(row.number(0)), title: row.text(1), authors: row.text(2), coverURL: row.optionalText(3),
                year: row.optionalNumber(4), status: row.number(5), rating: row.optionalNumber(6))
        }
    }

    func page(offset: Int) throws -> [ListRow] { try list("ORDER BY place LIMIT 50 OFFSET ?", .number(offset)) }

    func page(after anchor: Anchor) throws -> [ListRow] {
        try list("WHERE place > ? ORDER BY place LIMIT 50", .number(anchor.place))
    }

    func page(status: Int, offset: Int) throws -> [ListRow] {
        try list(
            "INDEXED BY byStatus WHERE status = ? ORDER BY place LIMIT 50 OFFSET ?", .number(status), .number(offset))
    }

    func page(prefix: String, key: [UInt8]) throws -> [ListRow] {
        try list("WHERE key >= ? AND key < ? ORDER BY key LIMIT 50", .bytes(key), .bytes(key + [0xFF]))
    }

    func statusCounts() throws -> [Int] {
        try database.rows("SELECT count FROM counts ORDER BY status") { $0.number(0) }
    }

    func search(_ needle: String) throws -> [ListRow] {
        let match = TrigramMatch(needle)
        return try list(
            "WHERE place IN (SELECT rowid FROM search WHERE \(match.condition) ORDER BY rowid LIMIT 50) ORDER BY place",
            .text(match.value))
    }

    func searchCount(_ needle: String) async throws -> Int {
        let match = TrigramMatch(needle)
        return try database.rows("SELECT count(*) FROM search WHERE \(match.condition)", .text(match.value)) {
            $0.number(0)
        }.first ?? 0
    }

    func rankedSearch(_ needle: String) throws -> [ListRow]? {
        let match = TrigramMatch(needle)
        return try list(
            """
            JOIN (SELECT rowid AS found, rank AS score FROM search WHERE \(match.condition) ORDER BY rank LIMIT 50)
            ON place = found ORDER BY score
            """, .text(match.value))
    }

    // MARK: Writing

    /// One transaction for all that `body` does.
    func write(_ body: () throws -> Void) throws {
        try lock.withLock {
            try database.run("BEGIN IMMEDIATE")
            try body()
            try database.run("COMMIT")
        }
    }

    func put(_ book: Book) throws { try write { try add(book) } }

    func rename(_ changes: [Renaming], durably: Bool) async throws {
        if !durably { try database.execute("PRAGMA synchronous = NORMAL") }
        try write {
            for change in changes {
                try database.run(
                    "UPDATE search SET rowid = ?, text = ? WHERE rowid = (SELECT place FROM list WHERE id = ?)",
                    .number(change.place), .text(change.text), .number(change.id))
                try database.run(
                    "UPDATE list SET place = ?, key = ?, title = ? WHERE id = ?", .number(change.place),
                    .bytes(change.key), .text(change.title), .number(change.id))
                try database.run("UPDATE work SET title = ? WHERE id = ?", .text(change.title), .number(change.id))
            }
        }
        if !durably { try database.execute("PRAGMA synchronous = FULL") }
    }

    func importBooks(_ file: BookFile) async throws {
        try database.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144")
        try file.forEachBatch { books, _ in
            try write { for book in books { try add(book) } }
        }
        try database.execute("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize")
    }

    func compact() async throws { try database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") }
}
