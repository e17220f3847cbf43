import RecordStore

/// An account: a name, and the currency of its money.
struct Account: Record {
    var id: ID<Account> = .unassigned
    var name = ""
    var currency = "EUR"

    enum CodingKeys: Int, CodingKey { case id = 0, name = 1, currency = 2 }

    static let uniqueKeys = [Unique(\.name, folded: true)]
}
