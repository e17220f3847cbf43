import BookDB
import TestSupport

/// What a commit that changes one transfer costs the lists and observers of an app.
struct LiveLedgerBenchmark {
    typealias Account = LedgerBenchmark.Account
    typealias Transfer = LedgerBenchmark.Transfer

    let store: BookStore
    let account: ID<Account>

    private static let commitCount = 1000

    @MainActor func run() async throws {
        let statement = try store.snapshot.list(Transfer.self, "statement", of: account)
        let changed = try statement.identifiers(offset: statement.count / 2, limit: 1)[0]
        let others = try store.snapshot.records(Transfer.self).all.prefix(10_001).map(\.id).filter { $0 != changed }

        let single = [LiveRecord(store, others[0])]
        let before = try await microseconds(changing: changed)
        let observers = others.map { LiveRecord(store, $0) }
        let with = try await microseconds(changing: changed)
        blackHole((single, observers.map { $0.value?.amount }))
        print("A commit with one observer of another row: \(before) µs; with \(observers.count): \(with) µs.")

        let kinds: [(name: String, count: Int, choose: @MainActor (LiveRecords<Transfer>) -> Void)] = [
            ("a statement", 1, { _ in }), ("a hundred lists of it", 100, { _ in }),
            ("a statement under a predicate", 1, { $0.predicate = { try $0.category < 20 } }),
        ]
        for kind in kinds {
            let lists = try (0..<kind.count).map { _ in
                try LiveRecords(store, Transfer.self, "statement", of: account)
            }
            for list in lists {
                kind.choose(list)
                await list.shows(0)
            }
            let time = try await microseconds(changing: changed)
            print("A commit with \(kind.name) of \(lists[0].count) rows: \(time) µs.")
            blackHole(lists.map(\.changeNumber))
        }
        try await insertions()
    }

    /// What an import of a file does: a thousand transfers in one durable commit, with the account's statement and all transfers shown.
    @MainActor private func insertions() async throws {
        let lists = [
            try LiveRecords(store, Transfer.self, "statement", of: account),
            try LiveRecords(store, Transfer.self, "all"),
        ]
        var times: [Duration] = []
        for round in 0..<5 {
            let transfers = (0..<1000).map { number in
                Transfer(
                    account: account, date: Day(daysSince1970: 15_000 + Int32(number * 7 % 3000)),
                    amount: Money(number - round), category: number % 40, note: "imported \(number)")
            }
            let time = try await ContinuousClock().measure {
                try await store.write { library in for transfer in transfers { try library.insert(transfer) } }
                for list in lists { await list.shows(store.snapshot.commitNumber) }
            }
            times.append(time)
        }
        print("1000 inserted in one durable commit and shown by two lists: \(times.sorted()[2])")
        blackHole(lists.map(\.count))
    }

    /// How long all lists and observers took to show a commit, as a median of many.
    @MainActor private func microseconds(changing id: ID<Transfer>) async throws -> Double {
        var samples: [Int] = []
        for round in 0..<Self.commitCount {
            try await store.update(id, .memory) { $0.date = Day(daysSince1970: 15_000 + Int32(round * 7 % 3000)) }
            if let time = await store.nanosecondsToShow(store.snapshot.commitNumber) { samples.append(time) }
        }
        return Double(samples.sorted()[samples.count / 2]) / 1000
    }
}
