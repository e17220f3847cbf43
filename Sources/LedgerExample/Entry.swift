import RecordStore

/// Money that came to an account, or left it: also to another account, whose statement has the same entry then.
struct Entry: Record {
    var id: ID<Entry> = .unassigned
    var account: Reference<Account> = .unassigned
    var date = Day(daysSince1970: 0)
    var amount: Money = 0
    var currency = "EUR"
    var category = ""
    var note = ""
    /// The bank's own number, by which an entry is not taken twice.
    var reference: String?
    /// Where the money went, or came from, and what it is there.
    var other: Reference<Account>?
    var otherAmount: Money = 0
    var otherCurrency = "EUR"

    enum CodingKeys: Int, CodingKey {
        case id = 0, account = 1, date = 2, amount = 3, category = 4, note = 5, reference = 6, currency = 7
        case other = 8, otherAmount = 9, otherCurrency = 10
    }

    static let uniqueKeys = [Unique(\.account, \.reference)]

    static let schema = Schema {
        Link(\.account, onDelete: .cascade)
        Link(\.other, onDelete: .nullify)
        Order("all", .descending(\.date))
        Order("statement") {
            Stand(\.account, .descending(\.date)).sum(\.amount, in: \.currency)
            Stand(.present(\.other), .descending(\.date)).sum(\.otherAmount, in: \.otherCurrency)
        }
        Order("by category", \.currency, \.category, .ascending(\.date)).sum(\.amount)
    }
}
