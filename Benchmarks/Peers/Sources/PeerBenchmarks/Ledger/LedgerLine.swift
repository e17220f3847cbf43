import BookDB

/// What a list shows of a transfer, as typed values.
struct LedgerLine {
    let id: Int64
    let date: Day
    let amount: Money
    let note: String
}

/// The same with the name of the transfer's account.
struct NamedLedgerLine {
    let line: LedgerLine
    let account: String
}
