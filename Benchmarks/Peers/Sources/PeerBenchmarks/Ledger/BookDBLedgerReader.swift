import BookDB

/// A snapshot of the ledger in BookDB, with the lists that an app keeps at hand.
struct BookDBLedgerReader: LedgerReader {
    typealias Transfer = BookDBLedger.Transfer

    private let store: BookStore
    private let accounts: [ID<BookDBLedger.Account>]
    private let statement: RecordOrderList<Transfer>
    private let newest: RecordOrderList<Transfer>
    private let records: Records<Transfer>
    private let byIdentifier: RecordList<Transfer>
    /// The identifier of the transfer that was inserted first.
    private let first: Int64

    init(_ store: BookStore, _ accounts: [ID<BookDBLedger.Account>]) throws {
        self.store = store
        self.accounts = accounts
        let snapshot = store.snapshot
        statement = try snapshot.list(Transfer.self, "statement", of: accounts[LedgerPlan.account])
        newest = try snapshot.list(Transfer.self, "all")
        records = snapshot.records(Transfer.self)
        byIdentifier = try records.all
        first = try byIdentifier.page(limit: 1).first?.id.number ?? 0
    }

    // MARK: A statement

    func balance() throws -> Money { try statement.sum(\.amount) }

    func balanceNow() throws -> Money {
        try store.snapshot.list(Transfer.self, "statement", of: accounts[LedgerPlan.account]).sum(\.amount)
    }

    func balance(since day: Day) throws -> Money { try statement[from: day].sum(\.amount) }

    func runningSum(at row: Int) throws -> Money { try statement.runningSum(\.amount, at: row) }

    func row(whereSumReaches sum: Money) throws -> Int? { try statement.row(whereSumOf: \.amount, isAtLeast: sum) }

    func months() throws -> [LedgerMonth] {
        try statement.groups(by: .month).map { first, list in
            LedgerMonth(first: first, count: list.count, sum: try list.sum(\.amount))
        }
    }

    // MARK: All transfers

    func newestLines() throws -> [LedgerLine] { try newest.page(limit: 50, line) }

    func newestNamedLines() throws -> [NamedLedgerLine] {
        try newest.page(limit: 50, with: \.account) { transfer, account in
            NamedLedgerLine(line: try line(transfer), account: try account?.name ?? "")
        }
    }

    func lines(from number: Int) throws -> [LedgerLine] {
        try byIdentifier.page(offset: number - 1, limit: 50, line)
    }

    func newestTransfers() throws -> [Transfer] { try newest.page(limit: 50) }

    func transfers(offset: Int) throws -> [Transfer] { try newest.page(offset: offset, limit: 50) }

    func newestIdentifiers(limit: Int) throws -> [Int64] { try newest.identifiers(limit: limit).map(\.number) }

    private func line(_ row: RecordRow<Transfer>) throws -> LedgerLine {
        LedgerLine(id: row.id.number, date: try row.date, amount: try row.amount, note: try row.note)
    }

    // MARK: Conditions

    func filtered() throws -> [Int64] {
        try identifiers(records.where { try $0.amount > LedgerPlan.largeAmount && $0.category == LedgerPlan.category })
    }

    func selected() throws -> [Int64] {
        try identifiers(records.where(\.amount > LedgerPlan.largeAmount, \.category == LedgerPlan.category))
    }

    func noted() throws -> [Int64] { try identifiers(records.where(\.note == LedgerPlan.note)) }

    private func identifiers(_ list: RecordList<Transfer>) throws -> [Int64] {
        try list.page(limit: list.count) { $0.id.number }
    }

    func searchCount(_ words: String) throws -> Int { try records.search(words, in: \.note).count }

    // MARK: What all stores share

    func number(of id: Int64) -> Int { Int(id - first) + 1 }

    func plain(_ transfer: Transfer) -> LedgerTransfer {
        LedgerTransfer(
            number: number(of: transfer.id.number), account: accounts.firstIndex(of: transfer.account) ?? -1,
            date: transfer.date, amount: transfer.amount, category: transfer.category, note: transfer.note)
    }
}
