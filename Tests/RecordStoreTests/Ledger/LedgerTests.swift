import LibrarySupport
import Foundation
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// A finance app on the record store: what it shows is what a recount of everything says.
struct LedgerTests {
    @Test(arguments: 1...3) func `random histories of a ledger are what an exact recount says, after every commit`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let fileSystem = MemoryFileSystem()
        var store = try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem)
        var model = try await store.write(.memory) { library in
            var model = LedgerModel()
            try model.begin(&library)
            return model
        }
        for round in 0..<60 {
            let known = (model, random)
            let isAbandoned = random.oneIn(8)
            do {
                let done = try await store.write(.memory) { library in
                    var (model, random) = known
                    for _ in 0..<6 { try model.step(&library, &random) }
                    if isAbandoned { throw Abandoned() }
                    return (model, random)
                }
                (model, random) = done
            } catch is Abandoned {
                _ = random.next()
            }
            try model.check(store.snapshot, &random)
            switch round % 20 {
            case 7: try await store.compact()
            case 13:
                try await store.close()
                store = try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem)
                try model.check(store.snapshot, &random)
            default: break
            }
        }
        expectSound(store.snapshot)
        #expect(model.transfers.count > 15)
        try await store.close()
    }

    private struct Abandoned: Error {}

    /// A million where there is time: `BOOKDB_LEDGER_COUNT=1000000 swift test --filter LedgerTests`.
    private static let transferCount =
        ProcessInfo.processInfo.environment["BOOKDB_LEDGER_COUNT"].flatMap { Int($0) } ?? 6000

    @Test func `a series that two tasks generate at once is generated once`() async throws {
        let store = try RecordLibrary.inMemory()
        let account = try await store.insert(Ledger.Account(name: "a"))
        let series = try await store.insert(
            Ledger.Series(from: account, amount: 10, first: Day(daysSince1970: 0), everyDays: 10))
        await withTaskGroup { group in
            for end in [40, 70, 99, 99, 20] as [Int32] {
                group.addTask {
                    try? await store.write(.memory) { library in
                        try library.generate(series, through: Day(daysSince1970: end))
                    }
                }
            }
        }
        let statement = try store.snapshot.statement(of: account)
        #expect(statement.count == 10)
        #expect(try statement.sum(\.sent) == -100)
        try await store.write(.memory) { library in try library.stop(series, behind: Day(daysSince1970: 45)) }
        #expect(try store.snapshot.statement(of: account).sum(\.sent) == -50)
        try await store.close()
    }

    @Test func `a transfer between currencies is in both statements, and what would add them up is refused`()
        async throws
    {
        let store = try RecordLibrary.inMemory()
        let euros = try await store.insert(Ledger.Account(name: "euros"))
        let dollars = try await store.insert(Ledger.Account(name: "dollars", currency: "USD"))
        try await store.insert(
            Ledger.Transfer(from: euros, to: dollars, sent: 100, received: 108, receivedIn: "USD"))
        #expect(try store.snapshot.statement(of: euros).sum(\.sent) == -100)
        #expect(try store.snapshot.statement(of: dollars).sum(\.sent) == 108)
        // Somebody pays euros into the account of dollars: it shows, and has no total any more.
        let wrong = try await store.insert(Ledger.Transfer(to: dollars, received: 5))
        #expect(throws: LibraryError.self) { try store.snapshot.statement(of: dollars).sum(\.sent) }
        #expect(try store.snapshot.statement(of: dollars).amounts(\.sent, limit: 9) == [108, 5])
        try await store.update(wrong) { $0.receivedIn = "USD" }
        #expect(try store.snapshot.statement(of: dollars).sum(\.sent) == 113)
        try await store.close()
    }

    /// An earlier version of the app: without dates of series, with orders of its own.
    private struct EarlierTransfer: Record {
        static let recordName = "Transfer"
        var id: ID<EarlierTransfer> = .unassigned
        var from: Reference<Ledger.Account>?
        var to: Reference<Ledger.Account>?
        var date = Day(daysSince1970: 0)
        var sent: Money = 0
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, from, to, date, sent, note = 9 }
        static let schema = Schema {
            Order("largest", .descending(\.sent))
            Order("by day", \.date).sum(\.sent)
        }
    }

    @Test func `two versions of the app take turns, and each keeps the other's orders, links and fields`() async throws
    {
        let fileSystem = MemoryFileSystem()
        func open() throws -> RecordLibrary { try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem) }
        var random = SeededGenerator.forTest(fallback: 12)
        var store = try open()
        let accounts = [
            try await store.insert(Ledger.Account(name: "a")), try await store.insert(Ledger.Account(name: "b")),
        ]
        for round in 0..<8 {
            let seed = random.next()
            try await store.write(.memory) { library in
                var random = SeededGenerator(seed: seed)
                for number in 0..<400 {
                    let day = Day(daysSince1970: .random(in: 0...99, using: &random))
                    let account = random.pick(accounts)!
                    let amount = Money(Int.random(in: 1...99, using: &random))
                    if round.isMultiple(of: 2) {
                        try library.insert(
                            Ledger.Transfer(from: account, date: day, sent: amount, received: amount, note: "new"))
                    } else {
                        try library.insert(EarlierTransfer(from: account, date: day, sent: amount, note: "old"))
                        if number.isMultiple(of: 4),
                            let other = try library.records(EarlierTransfer.self).where(\.note == "new", limit: 1)
                                .page().first
                        {
                            var changed = other
                            changed.note = "touched"
                            try library.update(changed)
                        }
                    }
                }
            }
            try await store.makeOrders(of: Ledger.Transfer.self)
            try await store.makeOrders(of: EarlierTransfer.self)
            let all = try store.snapshot.records(Ledger.Transfer.self).all.map { $0 }
            #expect(all.allSatisfy { $0.note != "touched" || $0.received == $0.sent }, "what it does not know stays")
            for account in accounts {
                let sent = all.filter { $0.from == account }.reduce(Money(0)) { $0 + $1.sent }
                #expect(try store.snapshot.statement(of: account).sum(\.sent) == -sent)
            }
            let byDay = try store.snapshot.list(EarlierTransfer.self, "by day")
            #expect(try byDay.sum(\.sent) == all.reduce(Money(0)) { $0 + $1.sent })
            #expect(byDay.count == all.count)
            try await store.close()
            store = try open()
        }
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a ledger of many transfers: one record is renamed, one statement goes, the rest stays as it is`()
        async throws
    {
        let count = Self.transferCount
        let store = try RecordLibrary(at: "L.bookdb", fileSystem: MemoryFileSystem())
        var random = SeededGenerator.forTest(fallback: 90)
        var accounts: [ID<Ledger.Account>] = []
        for number in 0..<20 { accounts.append(try await store.insert(Ledger.Account(name: "\(number)"))) }
        let food = try await store.insert(Ledger.Subcategory(name: "food"))
        var balances: [ID<Ledger.Account>: Money] = [:]
        var made = 0
        while made < count {
            let transfers = (0..<min(5000, count - made)).map { _ in
                // The last account is small.
                let from = random.oneIn(500) ? accounts[19] : accounts[Int.random(in: 0..<19, using: &random)]
                let amount = Money(Int.random(in: 1...500, using: &random))
                return Ledger.Transfer(
                    from: from, to: random.oneIn(5) ? accounts[0] : nil,
                    date: Day(daysSince1970: .random(in: 0...5000, using: &random)), sent: amount, received: amount,
                    subcategory: food)
            }
            try await store.write(.memory) { library in for transfer in transfers { try library.insert(transfer) } }
            for transfer in transfers {
                balances[transfer.from!, default: 0] = (balances[transfer.from!] ?? 0) - transfer.sent
                if let to = transfer.to { balances[to] = (balances[to] ?? 0) + transfer.received }
            }
            made += transfers.count
        }
        func check() throws {
            for account in accounts {
                #expect(try store.snapshot.statement(of: account).sum(\.sent) == balances[account] ?? 0)
            }
        }
        try check()
        // A name that all of them show is in one record.
        let number = store.snapshot.commitNumber
        try await store.update(food) { $0.name = "Food and drink" }
        #expect(store.snapshot.commitNumber == number + 1)
        try await store.compact()
        try check()
        let gone = accounts.removeLast()
        try await store.write(.memory) { library in try library.delete(gone) }
        balances[gone] = nil
        try check()
        #expect(try store.snapshot.records(Ledger.Transfer.self).count == count)
        expectSound(store.snapshot)
        try await store.close()
    }
}
