/// What `SQLiteLedgerReader` asks, each query in the quickest of the forms that were tried.
struct SQLiteLedgerQueries {
    let balance: SQLiteStatement
    /// Two stretches of an index: compared as a pair, month and day take a quarter longer.
    let balanceSince: SQLiteStatement
    /// The kept balance without what is newer; the rest of the statement is not read.
    let runningSum: SQLiteStatement
    /// The caller adds them up and leaves: by a window function a row costs six times as much.
    let amounts: SQLiteStatement
    let months: SQLiteStatement
    let newestLines: SQLiteStatement
    let newestNamedLines: SQLiteStatement
    /// From an identifier on: SQLite counts rows one by one.
    let lines: SQLiteStatement
    let newestTransfers: SQLiteStatement
    /// What comes before is passed by in the index alone.
    let transfers: SQLiteStatement
    let newestIdentifiers: SQLiteStatement
    /// The signs keep SQLite from its indexes.
    let filtered: SQLiteStatement
    let selected: SQLiteStatement
    let noted: SQLiteStatement
    let searchCount: SQLiteStatement

    static let balance = "SELECT balance FROM account WHERE id = ?1"

    init(_ database: SQLiteConnection) throws {
        let statementOrder = "ORDER BY month DESC, date DESC, id"
        let wholeTransfer = "transfer.id, account, date, amount, category, note"
        balance = try database.prepared(Self.balance)
        balanceSince = try database.prepared(
            """
            SELECT (SELECT ifnull(sum(amount), 0) FROM transfer WHERE account = ?1 AND month > ?2)
              + (SELECT ifnull(sum(amount), 0) FROM transfer WHERE account = ?1 AND month = ?2 AND date >= ?3)
            """)
        runningSum = try database.prepared(
            """
            SELECT balance - (SELECT ifnull(sum(amount), 0) FROM
              (SELECT amount FROM transfer WHERE account = ?1 \(statementOrder) LIMIT ?2))
            FROM account WHERE id = ?1
            """)
        amounts = try database.prepared("SELECT amount FROM transfer WHERE account = ?1 \(statementOrder)")
        months = try database.prepared(
            "SELECT month, count(*), sum(amount) FROM transfer WHERE account = ?1 GROUP BY month ORDER BY month DESC")
        newestLines = try database.prepared(
            "SELECT id, date, amount, note FROM transfer ORDER BY date DESC, id LIMIT 50")
        newestNamedLines = try database.prepared(
            """
            SELECT transfer.id, date, amount, note, name FROM transfer JOIN account ON account.id = account
            ORDER BY date DESC, transfer.id LIMIT 50
            """)
        lines = try database.prepared(
            "SELECT id, date, amount, note FROM transfer WHERE id >= ?1 ORDER BY id LIMIT 50")
        newestTransfers = try database.prepared(
            "SELECT \(wholeTransfer) FROM transfer ORDER BY date DESC, id LIMIT 50")
        transfers = try database.prepared(
            """
            SELECT \(wholeTransfer) FROM transfer
            JOIN (SELECT id AS found FROM transfer ORDER BY date DESC, id LIMIT 50 OFFSET ?1) ON transfer.id = found
            ORDER BY date DESC, transfer.id
            """)
        newestIdentifiers = try database.prepared("SELECT id FROM transfer ORDER BY date DESC, id LIMIT ?1")
        filtered = try database.prepared(
            "SELECT id FROM transfer WHERE +amount > ?1 AND +category = ?2 ORDER BY id")
        selected = try database.prepared("SELECT id FROM transfer WHERE amount > ?1 AND category = ?2 ORDER BY id")
        noted = try database.prepared("SELECT id FROM transfer WHERE note = ?1 ORDER BY id")
        searchCount = try database.prepared("SELECT count(*) FROM transfer WHERE note LIKE ?1 AND note LIKE ?2")
    }
}
