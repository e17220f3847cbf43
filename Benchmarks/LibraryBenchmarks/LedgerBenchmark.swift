import BookDB
import Foundation
import TestSupport

/// What a finance app feels: transactions in five orders with kept sums, balances of every kind, one edit, and
/// what one edit costs what is on the screen.
///
///     swift run -c release LibraryBenchmarks FOLDER --ledger TRANSACTIONS …
///     python3 Benchmarks/sqlite_ledger.py TRANSACTIONS …
///
/// The second does the same in SQLite, with the same numbers from the same seed: five indexes, and a trigger that keeps balances.
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

    /// What a list shows of a transfer.
    struct Line {
        let id: ID<Transfer>
        let date: Day
        let amount: Money
        let note: String
    }

    let folder: String
    let count: Int

    /// The numbers that the script in Python makes, too.
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
        var times: [Duration] = []
        // Each in a library of its own; the last is read.
        for _ in 1..<Self.insertingCount {
            let (store, _, time) = try await inserted()
            times.append(time)
            try await store.close()
        }
        try await LedgerLoadBenchmark(folder: folder, count: count).run()
        let (store, account, last) = try await inserted()
        times.append(last)
        let median = times.sorted()[times.count / 2]
        print("\(count) transactions in one commit, five orders with sums: \(median), median of \(times.count)")
        try readings(store, account, "as inserted")
        try await edits(store)
        _ = try await store.compact()
        try readings(store, account, "compacted")
        try await newOrder(store, account)
        try await LiveLedgerBenchmark(store: store, account: account).run()
        try await store.close()
    }

    private static let insertingCount = 7

    /// A new library with all transactions, one of its accounts, and how long the commit of the transactions took.
    private func inserted() async throws -> (store: BookStore, account: ID<Account>, time: Duration) {
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
        let time = try await ContinuousClock().measure {
            try await store.write { library in
                for transfer in transfers { try library.insert(transfer) }
            }
        }
        return (store, accounts[2], time)
    }

    private func readings(_ store: BookStore, _ account: ID<Account>, _ state: String) throws {
        let snapshot = store.snapshot
        let day = Day(daysSince1970: 16_500)
        let statement = try snapshot.list(Transfer.self, "statement", of: account)
        var random = SeededGenerator(seed: 5)
        func print(_ words: String, _ body: () throws -> Void) rethrows {
            let watch = try Stopwatch.time(2000, body)
            Swift.print("\(state): \(words): \(Double(watch.median) / 1000) µs (p99 \(Double(watch.p99) / 1000))")
        }
        Swift.print("\(statement.count) rows, balance \(try statement.sum(\.amount))")
        try print("list of an account and its balance") {
            _ = try snapshot.list(Transfer.self, "statement", of: account).sum(\.amount)
        }
        try print("balance of a list") { _ = try statement.sum(\.amount) }
        try print("balance since a day") { _ = try statement[from: day].sum(\.amount) }
        try print("running sum at a row") {
            _ = try statement.runningSum(\.amount, at: Int.random(in: 0..<statement.count, using: &random))
        }
        let bounds = try statement.bounds(\.amount)
        try print("row where the sum reaches 500,000") {
            _ = try statement.row(whereSumOf: \.amount, isAtLeast: Money(500_000))
        }
        _ = bounds
        let all = try snapshot.list(Transfer.self, "all")
        try print("newest fifty") { _ = try all.page(limit: 50) }
        try print("newest fifty, as lines of a list") {
            _ = try all.page(limit: 50) { try Line(id: $0.id, date: $0.date, amount: $0.amount, note: $0.note) }
        }
        try print("newest fifty, as lines with the names of their accounts") {
            _ = try all.page(limit: 50, with: \.account) { try ($0.date, $1?.name, $0.amount, $0.note) }
        }
        let records = snapshot.records(Transfer.self)
        let byIdentifier = try records.all
        try print("fifty by identifier, as lines of a list") {
            _ = try byIdentifier.page(offset: count / 2, limit: 50) {
                try Line(id: $0.id, date: $0.date, amount: $0.amount, note: $0.note)
            }
        }
        let filter = try clockMedian { _ = try records.where { try $0.amount > 900 && $0.category == 7 }.count }
        for text in ["note 77", "nto 77"] {
            let search = try clockMedian { _ = try records.search(text, in: \.note).count }
            Swift.print("\(state): a search for “\(text)”: \(search) µs")
        }
        Swift.print("\(state): a filter of two fields without an order: \(filter) µs")
        let conditions = try clockMedian {
            _ = try records.where(\.amount > 900, \.category == 7).count
        }
        Swift.print("\(state): the same as conditions, by the shortest list: \(conditions) µs")
        let scan = try clockMedian { _ = try records.where(\.note == "note 77").count }
        Swift.print("\(state): a condition on a field without an order: \(scan) µs")
        try print("fifty anywhere") {
            _ = try all.page(offset: Int.random(in: 0..<all.count - 50, using: &random), limit: 50)
        }
        let months = try clockMedian { _ = try statement.groups(by: .month).map { try $0.list.sum(\.amount) } }
        Swift.print("\(state): all months of a statement with their sums: \(months) µs")
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

    private func clockMedian(_ body: () throws -> Void) rethrows -> Double {
        Double(try Stopwatch.time(50, body).median) / 1000
    }

    private func edits(_ store: BookStore) async throws {
        let ids = try store.snapshot.list(Transfer.self, "all").identifiers(limit: 200)
        for (words, durability) in [("in memory", Durability.memory), ("durable", .flushed)] {
            var times: [Duration] = []
            let clock = ContinuousClock()
            for id in ids {
                times.append(try await clock.measure { try await store.update(id, durability) { $0.amount += 1 } })
            }
            print("one edit, \(words): \(times.sorted()[times.count / 2])")
        }
    }
}
