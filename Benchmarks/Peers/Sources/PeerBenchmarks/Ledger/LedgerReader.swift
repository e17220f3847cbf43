import BookDB

/// Answers what the screens of a finance app ask, as of one commit. The statement is that of one account, newest first.
protocol LedgerReader {
    /// A transfer with all its fields, as the store gives it.
    associatedtype WholeTransfer

    // MARK: A statement

    func balance() throws -> Money

    /// The same after the newest commit of all, with nothing at hand.
    func balanceNow() throws -> Money
    func balance(since day: Day) throws -> Money

    /// The balance that is printed beside a row.
    func runningSum(at row: Int) throws -> Money

    /// The first row at which the sum from the newest row on is at least so much.
    func row(whereSumReaches sum: Money) throws -> Int?
    func months() throws -> [LedgerMonth]

    // MARK: All transfers

    func newestLines() throws -> [LedgerLine]
    func newestNamedLines() throws -> [NamedLedgerLine]

    /// Fifty by identifier, from the transfer with a number on.
    func lines(from number: Int) throws -> [LedgerLine]
    func newestTransfers() throws -> [WholeTransfer]

    /// Fifty of all, newest first.
    func transfers(offset: Int) throws -> [WholeTransfer]
    func newestIdentifiers(limit: Int) throws -> [Int64]

    // MARK: Conditions

    /// The large transfers of a category: every transfer is looked at.
    func filtered() throws -> [Int64]

    /// The same by whatever the store has for it.
    func selected() throws -> [Int64]

    /// The transfers with a note, which no order or index begins with.
    func noted() throws -> [Int64]

    /// How many notes have all the words.
    func searchCount(_ words: String) throws -> Int

    // MARK: What all stores share

    /// 1 for the transfer that was inserted first.
    func number(of id: Int64) -> Int
    func plain(_ transfer: WholeTransfer) -> LedgerTransfer
}
