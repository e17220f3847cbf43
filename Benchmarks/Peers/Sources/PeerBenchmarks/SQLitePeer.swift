import Foundation
import GRDBSQLite

/// SQLite as tight as it goes by hand: the list is a table in title order that holds all a row shows, statements are prepared
/// once, counts are kept by triggers, and the search is a trigram index without positions whose row numbers are the places.
final class SQLitePeer: Peer {
    static let name = "SQLite"

    struct Failure: Error { let message: String }

    private let database: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    init(path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK, let handle
        else { throw Failure(message: "cannot open \(path)") }
        database = handle
        try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 4294967296")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(database)
    }

    static func fill(path: String, with books: [Book]) throws {
        let peer = try SQLitePeer(path: path)
        try peer.execute(
            """
            CREATE TABLE list (place INTEGER PRIMARY KEY, id INTEGER, title TEXT, authors TEXT, year INTEGER,
              status INTEGER, rating INTEGER, coverURL TEXT);
            CREATE UNIQUE INDEX byId ON list (id, place);
            CREATE INDEX byStatus ON list (status, place, id, title, authors, year, rating);
            CREATE TABLE counts (status INTEGER PRIMARY KEY, count INTEGER);
            CREATE TRIGGER added AFTER INSERT ON list BEGIN
              INSERT INTO counts VALUES (new.status, 1) ON CONFLICT DO UPDATE SET count = count + 1; END;
            CREATE TRIGGER removed AFTER DELETE ON list BEGIN
              UPDATE counts SET count = count - 1 WHERE status = old.status; END;
            CREATE VIRTUAL TABLE search USING fts5(text, tokenize='trigram', detail=none);
            """)
        try peer.insert(books)
        try peer.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize")
    }

    private func execute(_ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(database)) + " in " + sql)
        }
    }

    private func prepared(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] {
            sqlite3_reset(statement)
            return statement
        }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw Failure(message: String(cString: sqlite3_errmsg(database)) + " in " + sql) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ statement: OpaquePointer, _ text: String, at index: Int32) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(statement, index, text, -1, transient)
    }

    private func rows(_ statement: OpaquePointer) -> [ListRow] {
        var rows: [ListRow] = []
        rows.reserveCapacity(50)
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                ListRow(
                    id: sqlite3_column_int64(statement, 0), title: text(statement, 1), authors: text(statement, 2),
                    year: sqlite3_column_type(statement, 3) == SQLITE_NULL
                        ? nil : Int(sqlite3_column_int64(statement, 3)),
                    status: Int(sqlite3_column_int64(statement, 4)),
                    rating: sqlite3_column_type(statement, 5) == SQLITE_NULL
                        ? nil : Int(sqlite3_column_int64(statement, 5))))
        }
        sqlite3_reset(statement)
        return rows
    }

    private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    private static let columns = "id, title, authors, year, status, rating"

    func page(offset: Int) throws -> [ListRow] {
        let statement = try prepared("SELECT \(Self.columns) FROM list ORDER BY place LIMIT 50 OFFSET ?")
        sqlite3_bind_int64(statement, 1, Int64(offset))
        return rows(statement)
    }

    func page(after row: (place: Int64, id: Int64)) throws -> [ListRow] {
        let statement = try prepared("SELECT \(Self.columns) FROM list WHERE place > ? ORDER BY place LIMIT 50")
        sqlite3_bind_int64(statement, 1, row.place)
        return rows(statement)
    }

    func page(status: Int, offset: Int) throws -> [ListRow] {
        let statement = try prepared(
            "SELECT \(Self.columns) FROM list INDEXED BY byStatus WHERE status = ? ORDER BY place LIMIT 50 OFFSET ?")
        sqlite3_bind_int64(statement, 1, Int64(status))
        sqlite3_bind_int64(statement, 2, Int64(offset))
        return rows(statement)
    }

    func statusCounts() throws -> [Int] {
        let statement = try prepared("SELECT count FROM counts ORDER BY status")
        var counts: [Int] = []
        while sqlite3_step(statement) == SQLITE_ROW { counts.append(Int(sqlite3_column_int64(statement, 0))) }
        sqlite3_reset(statement)
        return counts
    }

    func search(_ needle: String) throws -> [ListRow] {
        let statement = try prepared(
            """
            SELECT \(Self.columns) FROM list WHERE place IN
              (SELECT rowid FROM search WHERE text LIKE '%' || ? || '%' ORDER BY rowid LIMIT 50) ORDER BY place
            """)
        bind(statement, needle, at: 1)
        return rows(statement)
    }

    func searchCount(_ needle: String) throws -> Int {
        let statement = try prepared("SELECT count(*) FROM search WHERE text LIKE '%' || ? || '%'")
        bind(statement, needle, at: 1)
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : 0
    }

    func insert(_ books: [Book]) throws {
        try execute("BEGIN IMMEDIATE")
        for book in books {
            let list = try prepared("INSERT INTO list VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            sqlite3_bind_int64(list, 1, book.place)
            sqlite3_bind_int64(list, 2, book.id)
            bind(list, book.title, at: 3)
            bind(list, book.authors, at: 4)
            if let year = book.year { sqlite3_bind_int64(list, 5, Int64(year)) } else { sqlite3_bind_null(list, 5) }
            sqlite3_bind_int64(list, 6, Int64(book.status))
            if let rating = book.rating {
                sqlite3_bind_int64(list, 7, Int64(rating))
            } else {
                sqlite3_bind_null(list, 7)
            }
            if let url = book.coverURL { bind(list, url, at: 8) } else { sqlite3_bind_null(list, 8) }
            try step(list)
            let search = try prepared("INSERT INTO search (rowid, text) VALUES (?, ?)")
            sqlite3_bind_int64(search, 1, book.place)
            bind(search, book.text, at: 2)
            try step(search)
        }
        try execute("COMMIT")
    }

    private func step(_ statement: OpaquePointer) throws {
        defer { sqlite3_reset(statement) }
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw Failure(message: String(cString: sqlite3_errmsg(database)))
        }
    }

    func rename(_ id: Int64, to title: String, place: Int64) throws {
        try execute("BEGIN IMMEDIATE")
        let search = try prepared(
            "UPDATE search SET rowid = ?, text = ? WHERE rowid = (SELECT place FROM list WHERE id = ?)")
        sqlite3_bind_int64(search, 1, place)
        bind(search, title.lowercased(), at: 2)
        sqlite3_bind_int64(search, 3, id)
        try step(search)
        let list = try prepared("UPDATE list SET place = ?, title = ? WHERE id = ?")
        sqlite3_bind_int64(list, 1, place)
        bind(list, title, at: 2)
        sqlite3_bind_int64(list, 3, id)
        try step(list)
        try execute("COMMIT")
    }
}
