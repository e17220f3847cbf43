import BookDB
import Foundation

/// A ledger that comes as a load, with one unique key a transfer and with none, beside the same in one commit.
struct LedgerLoadBenchmark {
    typealias Account = LedgerBenchmark.Account
    typealias Transfer = LedgerBenchmark.Transfer

    /// As an app that imports a bank's statements keeps them: no line of the bank twice.
    struct BankTransfer: Record {
        var id: ID<BankTransfer> = .unassigned
        var account: Reference<Account> = .unassigned
        var date = Day(daysSince1970: 0)
        var amount: Money = 0
        var category = 0
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, account, date, amount, category, note }
        static let uniqueKeys = [Unique(\.note)]
        static let schema = Schema {
            Link(\.account, onDelete: .cascade)
            Order("statement", \.account, .descending(\.date)).sum(\.amount, findsRows: true)
        }
    }

    let folder: String
    let count: Int

    func run() async throws {
        try await compare(Transfer.self, "five orders with sums") { number, account in
            Transfer(
                account: account, date: Self.date(number), amount: Self.amount(number), category: number % 40,
                note: "note \(number)")
        }
        try await compare(BankTransfer.self, "an order with sums, a link and a unique key") { number, account in
            BankTransfer(
                account: account, date: Self.date(number), amount: Self.amount(number), category: number % 40,
                note: "note \(number)")
        }
    }

    private static func date(_ number: Int) -> Day { Day(daysSince1970: 15_000 + Int32(number * 7919 % 3000)) }

    private static func amount(_ number: Int) -> Money {
        Money(tenThousandths: Int64(number * 104_729 % 200_000 - 100_000) * 100)
    }

    private func compare<Kind: Record>(
        _ kind: Kind.Type, _ words: String, _ record: @escaping @Sendable (Int, ID<Account>) -> Kind
    ) async throws {
        let count = count
        let clock = ContinuousClock()
        var times: [Duration] = []
        for isLoad in [true, false] {
            let path = "\(folder)/Load-\(count).bookdb"
            try? FileManager.default.removeItem(atPath: path)
            let store = try BookStore(at: path)
            let account = try await store.insert(Account(name: "Savings"))
            times.append(
                try await clock.measure {
                    if isLoad {
                        try await store.load(kind) { library in
                            for number in 0..<count { try library.insert(record(number, account)) }
                        }
                    } else {
                        try await store.write { library in
                            for number in 0..<count { try library.insert(record(number, account)) }
                        }
                    }
                })
            guard try store.snapshot.records(kind).all.count == count else { fatalError("records are missing") }
            try await store.close()
            try? FileManager.default.removeItem(atPath: path)
        }
        print("\(count) with \(words): a load \(times[0]), one commit \(times[1])")
    }
}
