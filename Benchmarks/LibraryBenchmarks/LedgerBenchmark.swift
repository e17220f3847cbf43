import BookDB
import Foundation

/// What a finance app has of BookDB alone, with transactions in five orders with kept sums: edits in memory, an order that is made
/// while others write, and what an edit costs what is on the screen.
///
///     swift run -c release LibraryBenchmarks FOLDER --ledger TRANSACTIONS …
///
/// `./dev peers --ledger` measures the rest, beside SQLite.
struct LedgerBenchmark {
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

    let folder: String
    let count: Int

    /// The numbers that the ledger beside SQLite is made of, too.
    private struct Numbers {
        var state: UInt64 = 88_172_645_463_325_252
        mutating func next(below limit: UInt64) -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state % limit
        }
    }

    func run() async throws {
        try await LedgerLoadBenchmark(folder: folder, count: count).run()
        let (store, account) = try await inserted()
        try await edits(store)
        _ = try await store.compact()
        try await newOrder(store, account)
        try await LiveLedgerBenchmark(store: store, account: account).run()
        try await store.close()
    }

    /// A new library with all transactions, and one of its accounts.
    private func inserted() async throws -> (store: BookStore, account: ID<Account>) {
        let path = "\(folder)/Ledger-\(count).bookdb"
        try? FileManager.default.removeItem(atPath: path)
        let store = try BookStore(at: path)
        var accounts: [ID<Account>] = []
        for number in 0..<5 { accounts.append(try await store.insert(Account(name: "Account \(number)"))) }
        var numbers = Numbers()
        let transfers = (0..<count).map { number in
            let account = accounts[Int(numbers.next(below: 5))]
            let date = Day(daysSince1970: 15_000 + Int32(numbers.next(below: 3000)))
            let amount = Money(tenThousandths: (Int64(numbers.next(below: 200_000)) - 100_000) * 100)
            return Transfer(
                account: account, date: date, amount: amount, category: Int(numbers.next(below: 40)),
                note: "note \(number)")
        }
        try await store.write { library in for transfer in transfers { try library.insert(transfer) } }
        return (store, accounts[2])
    }

    /// The app's next version, with an order more.
    private struct NotedTransfer: Record {
        var id: ID<NotedTransfer> = .unassigned
        var account: Reference<Account> = .unassigned
        var note = ""
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1, note = 5 }
        static let recordName = "Transfer"
        static let schema = Schema { Order("by note", .folded(\.note)) }
    }

    private func newOrder(_ store: BookStore, _ account: ID<Account>) async throws {
        let clock = ContinuousClock()
        async let making: Void = store.makeOrders(of: NotedTransfer.self)
        var waits: [Duration] = []
        let start = clock.now
        while (try? store.snapshot.list(NotedTransfer.self, "by note")) == nil {
            waits.append(
                try await clock.measure {
                    _ = try await store.insert(NotedTransfer(account: account, note: "meanwhile"), .memory)
                })
        }
        try await making
        let total = clock.now - start
        waits.sort()
        print(
            "one order more, made while others write: \(total); \(waits.count) commits meanwhile, median \(waits[waits.count / 2]), "
                + "longest \(waits.last ?? .zero)")
    }

    private func edits(_ store: BookStore) async throws {
        let ids = try store.snapshot.list(Transfer.self, "all").identifiers(limit: 200)
        var times: [Duration] = []
        for id in ids {
            times.append(
                try await ContinuousClock().measure { try await store.update(id, .memory) { $0.amount += 1 } })
        }
        print("one edit, in memory: \(times.sorted()[times.count / 2])")
    }
}
