import BookDB

/// The ledger in SQLite, through statements that were prepared before, within one transaction: a transaction for each query costs a
/// microsecond each.
struct SQLiteLedgerReader: LedgerReader {
    private let database: SQLiteConnection
    private let queries: SQLiteLedgerQueries
    /// Each query of this one is a transaction.
    private let newest: SQLiteConnection
    private let newestBalance: SQLiteStatement

    init(path: String) throws {
        database = try SQLiteConnection(path: path, access: .read)
        newest = try SQLiteConnection(path: path, access: .read)
        for connection in [database, newest] { try connection.prepare(.read, schema: SQLiteLedgerSchema.sql) }
        queries = try SQLiteLedgerQueries(database)
        newestBalance = try newest.prepared(SQLiteLedgerQueries.balance)
        try database.run("BEGIN")
    }

    // MARK: A statement

    func balance() throws -> Money { try ofAccount(queries.balance).first(sum) }

    func balanceNow() throws -> Money { try ofAccount(newestBalance).first(sum) }

    func balance(since day: Day) throws -> Money {
        let query = ofAccount(queries.balanceSince)
        query.bind(day.monthNumber, at: 2)
        query.bind(Int(day.daysSince1970), at: 3)
        return try query.first(sum)
    }

    func runningSum(at row: Int) throws -> Money {
        let query = ofAccount(queries.runningSum)
        query.bind(row, at: 2)
        return try query.first(sum)
    }

    func row(whereSumReaches sum: Money) throws -> Int? {
        var rest = Int(sum.tenThousandths)
        return ofAccount(queries.amounts).firstIndex { row in
            rest -= row.number(0)
            return rest <= 0
        }
    }

    func months() throws -> [LedgerMonth] {
        ofAccount(queries.months).rows { row in
            LedgerMonth(
                first: Day(monthNumber: row.number(0)) ?? Day(daysSince1970: 0), count: row.number(1),
                sum: Money(tenThousandths: Int64(row.number(2))))
        }
    }

    private func ofAccount(_ query: SQLiteStatement) -> SQLiteStatement {
        query.bind(LedgerPlan.account, at: 1)
        return query
    }

    private func sum(_ row: SQLiteStatement) -> Money { Money(tenThousandths: Int64(row.number(0))) }

    // MARK: All transfers

    func newestLines() throws -> [LedgerLine] { queries.newestLines.rows(line) }

    func newestNamedLines() throws -> [NamedLedgerLine] {
        queries.newestNamedLines.rows { NamedLedgerLine(line: line($0), account: $0.text(4)) }
    }

    func lines(from number: Int) throws -> [LedgerLine] {
        queries.lines.bind(number, at: 1)
        return queries.lines.rows(line)
    }

    func newestTransfers() throws -> [LedgerTransfer] { queries.newestTransfers.rows(transfer) }

    func transfers(offset: Int) throws -> [LedgerTransfer] {
        queries.transfers.bind(offset, at: 1)
        return queries.transfers.rows(transfer)
    }

    func newestIdentifiers(limit: Int) throws -> [Int64] {
        queries.newestIdentifiers.bind(limit, at: 1)
        return queries.newestIdentifiers.rows(identifier)
    }

    private func line(_ row: SQLiteStatement) -> LedgerLine {
        LedgerLine(
            id: identifier(row), date: Day(daysSince1970: Int32(row.number(1))),
            amount: Money(tenThousandths: Int64(row.number(2))), note: row.text(3))
    }

    private func transfer(_ row: SQLiteStatement) -> LedgerTransfer {
        LedgerTransfer(
            number: row.number(0), account: row.number(1), date: Day(daysSince1970: Int32(row.number(2))),
            amount: Money(tenThousandths: Int64(row.number(3))), category: row.number(4), note: row.text(5))
    }

    private func identifier(_ row: SQLiteStatement) -> Int64 { Int64(row.number(0)) }

    // MARK: Conditions

    func filtered() throws -> [Int64] { largeOfCategory(queries.filtered) }

    func selected() throws -> [Int64] { largeOfCategory(queries.selected) }

    private func largeOfCategory(_ query: SQLiteStatement) -> [Int64] {
        query.bind(Int(LedgerPlan.largeAmount.tenThousandths), at: 1)
        query.bind(LedgerPlan.category, at: 2)
        return query.rows(identifier)
    }

    func noted() throws -> [Int64] {
        queries.noted.bind(LedgerPlan.note, at: 1)
        return queries.noted.rows(identifier)
    }

    /// Two words at most.
    func searchCount(_ words: String) throws -> Int {
        let patterns = words.split(separator: " ").map { "%\($0)%" }
        queries.searchCount.bind(patterns.first ?? "%", at: 1)
        queries.searchCount.bind(patterns.last ?? "%", at: 2)
        return try queries.searchCount.first { $0.number(0) }
    }

    // MARK: What all stores share

    func number(of id: Int64) -> Int { Int(id) }

    func plain(_ transfer: LedgerTransfer) -> LedgerTransfer { transfer }
}
