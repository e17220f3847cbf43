import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Counts of a ledger that must not grow, each a little above what it is today; see `CostTests`.
struct LedgerCostTests {
    private static let transferCount = 3000

    /// A compacted ledger with five orders, some with sums, and links.
    private func ledger() async throws -> (CountingDisk, RecordLibrary) {
        let disk = CountingDisk()
        let store = try RecordLibrary(at: "Costs", fileSystem: disk, device: 7)
        var random = SeededGenerator(seed: 3)
        var accounts: [ID<LedgerAccount>] = []
        for number in 0..<5 { accounts.append(try await store.insert(LedgerAccount(name: "\(number)"))) }
        let transfers = (0..<Self.transferCount).map { number in
            LedgerTransfer(
                account: random.pick(accounts)!, date: Day(daysSince1970: .random(in: 0...900, using: &random)),
                amount: Money(Int.random(in: -500...500, using: &random)), category: random.pick(["Food", "Rent"])!,
                note: "note \(number)")
        }
        try await store.write { library in for transfer in transfers { try library.insert(transfer) } }
        try await store.compact()
        return (disk, store)
    }

    @Test func `an edit is one write of some hundred bytes, and makes the nodes of the paths it changes`() async throws
    {
        let (disk, store) = try await ledger()
        let ids = try store.snapshot.list(LedgerTransfer.self, "all").identifiers(offset: 1000, limit: 4)
        // The first commit behind a compaction reserves space.
        try await store.update(ids[0]) { $0.note = "begun" }
        let before = store.snapshot.version.allocations
        let amount = try await disk.counts { try await store.update(ids[1]) { $0.amount += 1 } }
        let after = store.snapshot.version.allocations
        #expect(amount.writes == 1 && amount.flushes == 1 && amount.directoryFlushes == 0)
        #expect(amount.bytesWritten <= 220, "\(amount)")
        #expect(after.count - before.count <= 8, "\(after.count - before.count) nodes")
        #expect(after.byteCount - before.byteCount <= 18_000, "\(after.byteCount - before.byteCount) bytes")
        let date = try await disk.counts {
            try await store.update(ids[2]) { $0.date = Day(daysSince1970: 3) }
        }
        #expect(date.writes == 1 && date.bytesWritten <= 300, "\(date)")
        // A record that many show is one entry.
        let name = try await disk.counts {
            try await store.write { library in
                var account = try library.record(try #require(library.record(ids[3])?.account))
                account?.name = "Another"
                try library.update(try #require(account))
            }
        }
        #expect(name.bytesWritten <= 200, "\(name)")
        try await store.close()
    }

    @Test func `many inserts make few nodes more than the leaves they come to`() async throws {
        let (_, store) = try await ledger()
        let account = try #require(try store.snapshot.records(LedgerAccount.self).all.first { _ in true }?.id)
        let before = store.snapshot.version.allocations
        try await store.write { library in
            for number in 0..<1000 {
                try library.insert(
                    LedgerTransfer(
                        account: account, date: Day(daysSince1970: Int32(number * 7 % 900)), amount: 1, note: "new"))
            }
        }
        let count = store.snapshot.version.allocations.count - before.count
        // Six trees of some sixty leaves.
        #expect(count <= 220, "\(count) nodes")
        try await store.close()
    }
}
