import BookDB

/// A transfer before it is in a store, and a whole record as SQLite gives it.
struct LedgerTransfer: Sendable {
    /// 1 for the first that is inserted.
    let number: Int
    /// The index of its account.
    let account: Int
    let date: Day
    let amount: Money
    let category: Int
    let note: String
}

extension LedgerTransfer {
    /// Invents the transfer with a number.
    init(number: Int, _ numbers: inout LedgerNumbers) {
        self.number = number
        account = numbers.next(below: LedgerPlan.accountCount)
        date = Day(daysSince1970: 15_000 + Int32(numbers.next(below: 3000)))
        amount = Money(tenThousandths: (Int64(numbers.next(below: 200_000)) - 100_000) * 100)
        category = numbers.next(below: 40)
        note = "note \(number - 1)"
    }
}

extension Day {
    /// The month of the day, counted from the year 0: what SQLite groups by.
    var monthNumber: Int {
        let (year, month, _) = components
        return year * 12 + month - 1
    }

    /// The first day of a month.
    init?(monthNumber: Int) { self.init(year: monthNumber / 12, month: monthNumber % 12 + 1, day: 1) }
}
