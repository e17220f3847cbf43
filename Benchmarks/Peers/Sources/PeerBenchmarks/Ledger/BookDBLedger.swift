import BookDB

/// The ledger in BookDB, as an app declares it: five orders, three of them with sums.
struct BookDBLedger: LedgerStore {
    struct Account: Record {
        var id: ID<Account> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    struct Transfer: Record {
        var id: ID<Transfer> = .unassigned
        var account: Reference<Account> = .unassigned
        var date = Day(daysSince1970: 0)
        var amount: Money = 0
        var category = 0
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, account, date, amount, category, note }
        static let schema = Schema {
            Order("all", .descending(\.date))
            Order("statement", \.account, .descending(\.date)).sum(\.amount, findsRows: true)
            Order("by category", \.category, \.date).sum(\.amount)
            Order("by day", \.date).sum(\.amount)
            Order("largest", .descending(\.amount))
        }
    }

    static let name = BookDBPeer.name

    private let store: BookStore
    private let accounts: [ID<Account>]

    init(path: String, access: Access) async throws {
        let store = try BookStore(at: path, access: access == .read ? .readOnly : .exclusive)
        if try store.snapshot.records(Account.self).count == 0 {
            try await store.write { library in
                for index in 0..<LedgerPlan.accountCount { try library.insert(Account(name: "Account \(index)")) }
            }
        }
        accounts = try store.snapshot.records(Account.self).all.map(\.id)
        self.store = store
    }

    func insert(_ transfers: [LedgerTransfer]) async throws {
        try await store.write { library in
            for transfer in transfers {
                try library.insert(
                    Transfer(
                        account: accounts[transfer.account], date: transfer.date, amount: transfer.amount,
                        category: transfer.category, note: transfer.note))
            }
        }
    }

    func edit(_ id: Int64) async throws { try await store.update(ID<Transfer>(id)) { $0.amount += 1 } }

    func reader() throws -> BookDBLedgerReader { try BookDBLedgerReader(store, accounts) }

    func settle() async throws { try await store.compact() }
}
