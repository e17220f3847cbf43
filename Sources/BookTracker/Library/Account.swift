import BookDB

/// What books are paid from.
struct Account: Record {
    var id: ID<Account> = .unassigned
    var name = ""

    enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }

    static let uniqueKeys = [Unique(\.name, folded: true)]
}
