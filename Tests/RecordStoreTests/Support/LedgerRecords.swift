import RecordStore

/// An account of the ledger in these tests.
struct LedgerAccount: Record, Equatable {
    var id: ID<LedgerAccount> = .unassigned
    var name = ""
    enum CodingKeys: Int, CodingKey { case id, name }
    static let uniqueKeys = [Unique(\.name)]
}

enum PaymentMethod: String, Codable, CaseIterable { case cash, transfer, card }

/// A transaction of one account.
struct LedgerTransfer: Record, Equatable {
    var id: ID<LedgerTransfer> = .unassigned
    // `ID<LedgerAccount>` here may be taken for the own `ID`, depending on which file is compiled first.
    var account: Reference<LedgerAccount> = .unassigned
    var date = Day(daysSince1970: 0)
    var amount: Money = 0
    var category: String?
    var note = ""
    var fee: Money?
    var method: PaymentMethod = .cash
    var isPending = false
    enum CodingKeys: Int, CodingKey { case id, account, date, amount, category, note, fee, method, isPending }
    static let schema = Schema {
        Order("all", .descending(\.date))
        Order("statement", \.account, .descending(\.date)).sum(\.amount, findsRows: true)
        Order("by category", \.category, \.date).sum(\.amount).sum(\.fee)
        Order("by method", .ascending(\.method), .folded(\.note, descending: true))
        Order("uncategorised first", .ascending(\.category, absentFirst: true))
        Facet(\.isPending)
        Facet(\.method)
        Facet("income", \.amount > 0)
        Facet("without a category", \.category == nil)
        Facet("not food", \.category != "Food")
        Facet("small fee", \.fee <= 500)
        Facet("of the first hundred days", \.date < Day(daysSince1970: 100))
    }
}
