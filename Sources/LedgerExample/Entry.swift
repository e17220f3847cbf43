import BookDB

/// Money that came to an account, or left it.
struct Entry: Record {
    var id: ID<Entry> = .unassigned
    var account: Reference<Account>
    var date: Day
    var amount: Money
    var category = ""
    var note = ""
    /// The bank's own number, by which an entry is not taken twice.
    var reference: String?

    enum CodingKeys: Int, CodingKey {
        case id = 0, account = 1, date = 2, amount = 3, category = 4, note = 5, reference = 6
    }

    static let uniqueKeys = [Unique(\.account, \.reference)]

    static let schema = Schema {
        Link(\.account, onDelete: .cascade)
        Order("all", .descending(\.date))
        Order("statement", \.account, .descending(\.date)).sum(\.amount)
        Order("by category", \.category, \.date).sum(\.amount)
        Facet("income", \.amount > 0)
    }
}
