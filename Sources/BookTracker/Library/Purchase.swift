import BookDB

/// A book that was bought: when, for how much, and from which account.
struct Purchase: Record {
    var id: ID<Purchase> = .unassigned
    var account: Reference<Account> = .unassigned
    var work: Reference<Work>?
    var date = Day(daysSince1970: 0)
    var amount: Money = 0

    enum CodingKeys: Int, CodingKey { case id = 0, account = 1, work = 2, date = 3, amount = 4 }

    static let schema = Schema {
        Link(\.account, onDelete: .cascade)
        Link(\.work, onDelete: .nullify)
        Order("newest", .descending(\.date))
        Order("statement", \.account, .descending(\.date)).sum(\.amount)
    }
}
