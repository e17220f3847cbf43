import BookDB

/// The ledger in SQLite, as tight as it goes by hand: every query has its index and a statement that was prepared once.
final class SQLiteLedger: LedgerStore {
    static let name = SQLitePeer.name

    private let path: String
    private let database: SQLiteConnection
    private let insertion: SQLiteStatement
    private let change: SQLiteStatement

    init(path: String, access: Access) async throws {
        self.path = path
        database = try SQLiteConnection(path: path, access: access)
        if try database.prepare(access, schema: SQLiteLedgerSchema.sql) {
            for index in 0..<LedgerPlan.accountCount {
                try database.run(
                    "INSERT INTO account (id, name) VALUES (?, ?)", .number(index), .text("Account \(index)"))
            }
        }
        insertion = try database.prepared(
            "INSERT INTO transfer (account, date, month, amount, category, note) VALUES (?, ?, ?, ?, ?, ?)")
        change = try database.prepared("UPDATE transfer SET amount = amount + 10000 WHERE id = ?")
    }

    func insert(_ transfers: [LedgerTransfer]) throws {
        try database.run("BEGIN IMMEDIATE")
        for transfer in transfers {
            insertion.bind(transfer.account, at: 1)
            insertion.bind(Int(transfer.date.daysSince1970), at: 2)
            insertion.bind(transfer.date.monthNumber, at: 3)
            insertion.bind(Int(transfer.amount.tenThousandths), at: 4)
            insertion.bind(transfer.category, at: 5)
            insertion.bind(transfer.note, at: 6)
            try database.check(insertion.run())
        }
        try database.run("COMMIT")
    }

    /// A commit by itself.
    func edit(_ id: Int64) throws {
        change.bind(Int(id), at: 1)
        try database.check(change.run())
    }

    func reader() throws -> SQLiteLedgerReader { try SQLiteLedgerReader(path: path) }

    func settle() throws { try database.execute("VACUUM; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)") }
}
