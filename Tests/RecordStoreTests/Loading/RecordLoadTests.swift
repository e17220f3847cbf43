import LibrarySupport
import Foundation
import TestSupport
import Testing

@testable import RecordStore
@testable import StorageEngine

/// Records of the app that come as a load.
struct RecordLoadTests {
    /// Sorts by what it names, and has a key of its own.
    private struct Receipt: Record, Equatable {
        var id: ID<Receipt> = .unassigned
        var account: Reference<LedgerAccount> = .unassigned
        var number: Int?
        var shop = ""
        enum CodingKeys: Int, CodingKey { case id, account, number, shop }
        static let uniqueKeys = [Unique(\.number), Unique(\.account, \.shop, folded: true)]
        static let indexes = [Index(\.shop)]
        static let schema = Schema {
            Link(\.account, onDelete: .cascade)
            Order("by account", .linked(\.account, .folded(\.name)), .filed(\.shop)).sum(\.number)
        }
    }

    /// Of the same name, as an earlier version of the app has it.
    private struct PlainReceipt: Record {
        var id: ID<PlainReceipt> = .unassigned
        var account: Reference<LedgerAccount> = .unassigned
        var shop = ""
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1, shop = 3 }
        static let recordName = "Receipt"
    }

    private static func transfer(_ number: Int, _ accounts: [RecordStore.ID<LedgerAccount>]) -> LedgerTransfer {
        LedgerTransfer(
            account: accounts[number * 7 % accounts.count], date: Day(daysSince1970: Int32(number * 7919 % 400)),
            amount: Money(number % 83 - 41), category: [nil, "Food", "Rent"][number % 3], note: "Nóte \(number % 50)",
            fee: number % 4 == 0 ? Money(number % 9) : nil, method: PaymentMethod.allCases[number % 3],
            isPending: number % 5 == 0)
    }

    /// What every tree of a library holds: keys and values. `verify` looks at facets.
    private static func entries(_ store: RecordLibrary) throws -> [String: [[UInt8]]] {
        let version = store.snapshot.version
        var found: [String: [[UInt8]]] = [:]
        for tree in version.declarations {
            var entries: [[UInt8]] = []
            try version.scan(tree.number) { key, value in
                entries.append(key.copyBytes(0..<key.byteCount) + [0] + value.copyBytes(0..<value.byteCount))
                return true
            }
            // Each store has its own.
            if tree.number == LibraryTree.meta { entries.removeAll { $0.starts(with: LibraryMeta.Name.deviceStore) } }
            found[tree.name] = entries
        }
        return found
    }

    @Test(arguments: [40, 3_000])
    func `a load makes the library that a transaction makes`(count: Int) async throws {
        let written = try RecordLibrary.inMemory(device: 0xB00C)
        let loaded = try RecordLibrary.inMemory(device: 0xB00C)
        for store in [written, loaded] {
            // What is there before. Beside it 3,000 are many, and 40 so few that the load becomes a transaction.
            try await store.write { library in
                try library.makeOrders(of: LedgerAccount.self)
                try library.makeOrders(of: LedgerTransfer.self)
                try library.makeOrders(of: Receipt.self)
                let account = try library.insert(LedgerAccount(name: "Erste"))
                for number in 0..<700 { try library.insert(Self.transfer(number, [account])) }
            }
            _ = try await store.compact()
        }
        let first = try #require(Array(try loaded.snapshot.records(LedgerAccount.self).all).first).id
        try await written.write { library in
            var accounts = [first]
            for name in ["Çurrent", "apples"] { accounts.append(try library.insert(LedgerAccount(name: name))) }
            for number in 0..<count { try library.insert(Self.transfer(number, accounts)) }
            for number in 0..<30 {
                let account = accounts[number % 3]
                try library.insert(
                    Receipt(account: account, number: number % 2 == 0 ? number : nil, shop: "The Shop \(number)"))
            }
        }
        let inserted = try await loaded.load(LedgerAccount.self, LedgerTransfer.self, Receipt.self) { library in
            var accounts = [first]
            for name in ["Çurrent", "apples"] { accounts.append(try library.insert(LedgerAccount(name: name))) }
            for number in 0..<count { try library.insert(Self.transfer(number, accounts)) }
            for number in 0..<30 {
                let account = accounts[number % 3]
                try library.insert(
                    Receipt(account: account, number: number % 2 == 0 ? number : nil, shop: "The Shop \(number)"))
            }
            return accounts
        }
        let (expected, found) = (try Self.entries(written), try Self.entries(loaded))
        #expect(found.keys.sorted() == expected.keys.sorted())
        for (tree, entries) in expected { #expect(found[tree] == entries, "\(tree)") }
        let statements = [written, loaded].map { $0.snapshot }
        for account in inserted {
            let sums = try statements.map {
                try $0.list(LedgerTransfer.self, "statement", of: account).sum(\.amount)
            }
            #expect(sums[0] == sums[1])
        }
        expectSound(loaded.snapshot)
        #expect(try await loaded.verify().isSound)
        // It goes on as ever.
        let again = try #require(Array(try loaded.snapshot.records(LedgerTransfer.self).all).last)
        try await loaded.update(again.id) { $0.amount += 5 }
        expectSound(loaded.snapshot)
        try await written.close()
        try await loaded.close()
    }

    @Test func `a record that is refused is not in the load, which goes on without it`() async throws {
        try await withLibrary { store in
            let old = try await store.insert(LedgerAccount(name: "Old"))
            _ = try await store.insert(Receipt(account: old, number: 1, shop: "Bäcker"))
            let strange = Reference<LedgerAccount>(device: 9, counter: 9)
            let ids = try await store.load(LedgerAccount.self, Receipt.self, LedgerTransfer.self) { library in
                func refused(_ words: String, _ body: () throws -> Void) {
                    let error = #expect(throws: LibraryError.self) { try body() }
                    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
                }
                let new = try library.insert(LedgerAccount(name: "New"))
                refused("another") { _ = try library.insert(LedgerAccount(name: "Old")) }
                refused("another") { _ = try library.insert(LedgerAccount(name: "New")) }
                refused("already") { _ = try library.insert(LedgerAccount(id: old, name: "Other")) }
                refused("which is not there") { _ = try library.insert(Receipt(account: strange, number: 5)) }
                // It is of another kind.
                let kind = Reference<LedgerAccount>(rawValue: new.rawValue)
                let receipt = try library.insert(Receipt(account: kind, number: 2, shop: "Bäcker"))
                refused("which is not there") {
                    _ = try library.insert(Receipt(account: Reference(rawValue: receipt.rawValue), number: 5))
                }
                refused("another") { _ = try library.insert(Receipt(account: old, number: 1, shop: "x")) }
                refused("another") { _ = try library.insert(Receipt(account: old, number: 2, shop: "x")) }
                refused("another") { _ = try library.insert(Receipt(account: old, number: 7, shop: "BACKER")) }
                refused("by category") {
                    _ = try library.insert(
                        LedgerTransfer(account: new, category: String(repeating: "long ", count: 100)))
                }
                // What is absent is no key, and what was refused has none.
                let absent = try library.insert(Receipt(account: new, number: nil, shop: "x"))
                return [receipt, absent, try library.insert(Receipt(account: old, number: 7, shop: "x"))]
            }
            let records = store.snapshot.records(Receipt.self)
            #expect(try records.all.count == 4)
            #expect(try ids.map { try records[$0]?.number } == [2, nil, 7])
            #expect(ids.map(\.rawValue) == ids.map(\.rawValue).sorted())
            #expect(try store.snapshot.records(LedgerAccount.self).all.map(\.name) == ["Old", "New"])
            #expect(try store.snapshot.records(LedgerTransfer.self).all.isEmpty)
            expectSound(store.snapshot)
        }
    }

    @Test func `a type that the library does not keep as declared is refused by name, and named it is kept so`()
        async throws
    {
        try await withLibrary { store in
            for attempt in 0..<2 {
                let error = await #expect(throws: LibraryError.self) {
                    try await store.load { library in try library.insert(LedgerAccount(name: "A")) }
                }
                #expect(error?.description.contains("store.load(LedgerAccount.self)") == true, "\(attempt)")
            }
            #expect(try store.snapshot.records(LedgerAccount.self).all.isEmpty)
            let account = try await store.insert(LedgerAccount(name: "A"))
            // Now it is kept.
            try await store.load { library in try library.insert(LedgerAccount(name: "B")) }
            // An earlier version knows no link and no order.
            for number in 0..<5 { _ = try await store.insert(PlainReceipt(account: account, shop: "s\(number)")) }
            await #expect(throws: LibraryError.self) {
                try await store.load { library in try library.insert(Receipt(account: account)) }
            }
            try await store.load(Receipt.self) { library in try library.insert(Receipt(account: account, shop: "t")) }
            #expect(
                try store.snapshot.list(Receipt.self, "by account").map(\.shop) == ["s0", "s1", "s2", "s3", "s4", "t"])
            expectSound(store.snapshot)
        }
    }

    /// Another type of the app for the same accounts.
    private struct SameAccount: Record {
        var id: ID<SameAccount> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
        static let recordName = "LedgerAccount"
        static let uniqueKeys = [Unique(\.name)]
    }

    @Test func `two types of one name have their unique keys together`() async throws {
        try await withLibrary { store in
            try await store.load(LedgerAccount.self, SameAccount.self) { library in
                try library.insert(LedgerAccount(name: "A"))
                #expect(throws: LibraryError.self) { try library.insert(SameAccount(name: "A")) }
                try library.insert(SameAccount(name: "B"))
            }
            #expect(try store.snapshot.records(LedgerAccount.self).all.map(\.name) == ["A", "B"])
        }
    }

    @Test func `what an earlier version of the app loads stands in the orders of a later one`() async throws {
        try await withLibrary { store in
            let account = try await store.insert(LedgerAccount(name: "A"))
            _ = try await store.insert(Receipt(account: account, number: 1, shop: "b"))
            try await store.load(PlainReceipt.self) { library in
                try library.insert(PlainReceipt(account: account, shop: "a"))
                // The link of the later version counts, though this one does not declare it.
                #expect(throws: LibraryError.self) {
                    try library.insert(PlainReceipt(account: Reference(device: 3, counter: 3), shop: "c"))
                }
            }
            #expect(try store.snapshot.list(Receipt.self, "by account").map(\.shop) == ["a", "b"])
            expectSound(store.snapshot)
        }
    }

    @Test func `a load beside an order in the making leaves its records to that`() async throws {
        let store = try RecordLibrary(at: "L", fileSystem: MemoryFileSystem(), device: 7, buildsOrders: false)
        let account = try await store.insert(LedgerAccount(name: "A"))
        try await store.write(.memory) { library in
            for number in 0..<1_500 { try library.insert(PlainReceipt(account: account, shop: "s\(number)")) }
        }
        try await store.load(Receipt.self) { library in
            for number in 0..<1_500 {
                try library.insert(Receipt(account: account, number: number, shop: "n\(number)"))
            }
        }
        let unfinished = #expect(throws: LibraryError.self) { try store.snapshot.list(Receipt.self, "by account") }
        #expect(unfinished?.description.contains("0 of 3000") == true, "\(unfinished?.description ?? "")")
        try await store.makeOrders(of: Receipt.self)
        let list = try store.snapshot.list(Receipt.self, "by account")
        #expect(list.count == 3_000)
        let sum: Int = try list.sum(\.number)
        #expect(sum == 1_499 * 1_500 / 2)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `where the disk fails while records are sorted, nothing is added, whatever the body makes of it`()
        async throws
    {
        let path = FileManager.default.temporaryDirectory.path + "/RecordLoad-\(UUID()).bookdb"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try RecordLibrary(at: path)
        try await store.insert(LedgerAccount(name: "A"))
        // What is sorted beside memory finds a folder in its place.
        for number in 0..<4 {
            try FileManager.default.createDirectory(
                atPath: "\(path)/load-\(number).tmp", withIntermediateDirectories: false)
        }
        let failed = Lock(0)
        await #expect(throws: (any Error).self) {
            try await store.database.load(memoryByteCount: 2_000) { load in
                var library = try LibraryLoad(load, new: LibraryMeta(device: 7))
                for number in 0..<100 {
                    do throws(LibraryError) {
                        _ = try library.insert(LedgerAccount(name: "B\(number)"))
                    } catch {
                        failed.withLock { $0 += 1 }
                    }
                }
                try library.finish()
            }
        }
        #expect(failed.withLock { $0 } > 50)
        #expect(try store.snapshot.records(LedgerAccount.self).all.map(\.name) == ["A"])
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a load that is sorted in many pieces is the same`() async throws {
        try await withLibrary { store in
            let account = try await store.insert(LedgerAccount(name: "A"))
            try await store.makeOrders(of: LedgerTransfer.self)
            try await store.database.load(memoryByteCount: 3_000) { load in
                var library = try LibraryLoad(load, new: LibraryMeta(device: 7))
                for number in 0..<700 { try library.insert(Self.transfer(number, [account])) }
                try library.finish()
            }
            let sum = (0..<700).reduce(Money(0)) { $0 + Self.transfer($1, [account]).amount }
            #expect(try store.snapshot.list(LedgerTransfer.self, "statement", of: account).sum(\.amount) == sum)
            #expect(try store.snapshot.list(LedgerTransfer.self, "all").count == 700)
        }
    }

    @Test func `closing ends a load also while a job of the launch waits to write behind it`() async throws {
        let store = try RecordLibrary.inMemory()
        let hasBegun = Lock(false)
        let mayEnd = Lock(false)
        let loading = Task {
            try await store.load(LedgerAccount.self) { load in
                hasBegun.withLock { $0 = true }
                while !mayEnd.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
                _ = try load.insert(LedgerAccount(name: "loaded"))
            }
        }
        while !hasBegun.withLock({ $0 }) { await pause() }
        store.launch.afterFirstFrame("write") { try await store.insert(LedgerAccount(name: "written")) }
        store.launch.firstFrame()
        for _ in 0..<20 { await pause() }
        let closing = Task { try await store.close() }
        // Behind the end of loads.
        while store.launch.jobs.first(where: { $0.name == "write" })?.state != .cancelled { await pause() }
        mayEnd.withLock { $0 = true }
        await #expect(throws: (any Error).self) { try await loading.value }
        try await closing.value
        #expect(try !store.snapshot.records(LedgerAccount.self).all.map(\.name).contains("loaded"))
    }
}
