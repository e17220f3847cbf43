import BookDB

/// A month of a statement.
struct LedgerMonth {
    let first: Day
    let count: Int
    let sum: Money
}
