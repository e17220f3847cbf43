import GRDBSQLite

/// A connection of SQLite that keeps its prepared statements.
final class SQLiteConnection {
    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    init(path: String, access: Access) throws {
        let flags = access == .read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
            throw Failure("SQLite cannot open \(path)")
        }
        self.handle = handle
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement.handle) }
        sqlite3_close_v2(handle)
    }

    /// Makes commits as durable as those of other stores, and a new file one with a log beside it and the tables of a schema.
    ///
    /// - Parameter schema: sets the user's version to 1.
    /// - Returns: whether the file was new.
    @discardableResult
    func prepare(_ access: Access, schema: String) throws -> Bool {
        try execute("PRAGMA busy_timeout = 10000; PRAGMA mmap_size = 4294967296")
        guard access == .write else { return false }
        try execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -65536")
        guard try rows("PRAGMA user_version", row: { $0.number(0) }) == [0] else { return false }
        // The file remembers its mode.
        try execute("PRAGMA journal_mode = WAL")
        try execute(schema)
        return true
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// Ready to be bound and stepped.
    func prepared(_ sql: String) throws -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw failure(sql) }
        let made = SQLiteStatement(handle: statement)
        statements[sql] = made
        return made
    }

    func run(_ sql: String, _ values: SQLiteValue...) throws {
        guard try prepared(sql).bound(values).run() else { throw failure(sql) }
    }

    /// - Parameter hasRun: what a statement's `run` said.
    func check(_ hasRun: Bool) throws {
        guard hasRun else { throw failure("a prepared statement") }
    }

    func rows<Row>(_ sql: String, _ values: SQLiteValue..., row: (SQLiteStatement) -> Row) throws -> [Row] {
        try prepared(sql).bound(values).rows(row)
    }

    private func failure(_ sql: String) -> Failure { Failure(String(cString: sqlite3_errmsg(handle)) + " in " + sql) }
}
