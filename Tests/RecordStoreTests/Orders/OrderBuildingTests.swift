import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Orders of many records, made a piece in each commit while others write.
struct OrderBuildingTests {
    /// Before the orders.
    private struct Plain: Record {
        var id: ID<Plain> = .unassigned
        var title = ""
        var amount: Money = 0
        enum CodingKeys: Int, CodingKey { case id, title, amount }
        static let recordName = "Payment"
    }

    private struct Ordered: Record, Equatable {
        var id: ID<Ordered> = .unassigned
        var title = ""
        var amount: Money = 0
        enum CodingKeys: Int, CodingKey { case id, title, amount }
        static let recordName = "Payment"
        static let schema = Schema {
            Order("by title", \.title).sum(\.amount, findsRows: true)
            Order("largest", .descending(\.amount)).sum(\.amount)
            Facet("income", \.amount > 0)
        }
    }

    private static let count = 1500

    private static func fill(_ store: RecordLibrary) async throws {
        try await store.write(.memory) { library in
            for number in 0..<count {
                try library.insert(Plain(title: "t\(number * 7919 % 1000)", amount: Money(number % 41 - 20)))
            }
        }
    }

    private static func check(_ store: RecordLibrary, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let snapshot = store.snapshot
        let all = Array(try snapshot.records(Ordered.self).all)
        let total = all.reduce(Money(0)) { $0 + $1.amount }
        let byTitle = try snapshot.list(Ordered.self, "by title")
        let expected = all.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
        #expect(Array(byTitle) == expected, sourceLocation: sourceLocation)
        #expect(try byTitle.sum(\.amount) == total, sourceLocation: sourceLocation)
        let largest = try snapshot.list(Ordered.self, "largest")
        #expect(try largest.sum(\.amount) == total && largest.count == all.count, sourceLocation: sourceLocation)
        #expect(try largest.filtered(by: "income").count == all.count { $0.amount > 0 }, sourceLocation: sourceLocation)
        expectSound(snapshot, sourceLocation: sourceLocation)
    }

    private static func isIncomplete(_ snapshot: Snapshot) -> Bool {
        do {
            _ = try snapshot.list(Ordered.self, "by title")
            return false
        } catch {
            guard case .incompleteOrder(kind: "Payment", order: "by title", let made, let count) = error else {
                return false
            }
            return made < count && error.sentence.contains(": \(made) of \(count) records are in it.")
        }
    }

    /// A change of some records, by either version of the app.
    private static func change(_ library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        let ids = try library.records(Plain.self).all.page().map(\.id)
        for _ in 0..<3 {
            let id = ids.randomElement(using: &random)!
            let title = "u\(Int.random(in: 0..<1000, using: &random))"
            let amount = Money(Int.random(in: -20...20, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try library.insert(Plain(title: title, amount: amount))
            case 1: try library.insert(Ordered(title: title, amount: amount))
            case 2: try library.delete(id)
            case 3: try library.delete(ID<Ordered>(rawValue: id.rawValue))
            case 4 where try library.record(id) != nil: try library.update(Plain(id: id, title: title, amount: amount))
            case 5 where try library.record(id) != nil:
                try library.update(Ordered(id: ID(rawValue: id.rawValue), title: title, amount: amount))
            default: break
            }
        }
    }

    @Test(arguments: 1...3)
    func `an order goes on where it stood, whenever the library is closed and whatever is written`(
        seed: UInt64
    ) async throws {
        let fileSystem = MemoryFileSystem()
        func open() throws -> RecordLibrary {
            try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem, buildsOrders: false)
        }
        var store = try open()
        try await Self.fill(store)
        try await store.insert(Ordered(title: "first", amount: 3))
        #expect(Self.isIncomplete(store.snapshot))
        var stepCount = 0
        var random = SeededGenerator(seed: seed)
        while try await store.write(
            .memory, { library in try library.buildOrders(ofKind: "Payment", entryCount: 200) })
        {
            stepCount += 1
            let before = random
            random = try await store.write { library in
                var random = before
                try Self.change(&library, &random)
                return random
            }
            if stepCount % 4 == 0 { expectSound(store.snapshot) }
            try await store.close()
            store = try open()
            if stepCount % 3 == 0 { _ = try await store.compact() }
            #expect(stepCount < 17, "the making begins anew")
        }
        #expect(stepCount >= 15)
        try Self.check(store)
        try await store.close()
    }

    @Test func `no commit of the making puts more than its piece into an order`() async throws {
        let store = try RecordLibrary(at: "L.bookdb", fileSystem: MemoryFileSystem(), buildsOrders: false)
        try await Self.fill(store)
        try await store.insert(Ordered(title: "first", amount: 3))
        let trees = try store.snapshot.version.storedOrders(of: Array("Payment".utf8)).map(\.tree)
        var counts = [0, 0]
        while try await store.write(.memory, { library in try library.buildOrders(ofKind: "Payment") }) {
            let next = try trees.map { try store.snapshot.version.count(of: $0) }
            for (before, after) in zip(counts, next) { #expect(after - before <= OrderBuilding.entryCountOfCommit / 2) }
            counts = next
        }
        #expect(counts == [Self.count + 1, Self.count + 1])
        try await store.close()
    }

    @Test func `others write while an order is made, and it becomes whole by itself`() async throws {
        let store = try RecordLibrary(at: "L.bookdb", fileSystem: MemoryFileSystem())
        try await Self.fill(store)
        var random = SeededGenerator(seed: 9)
        for _ in 0..<100 {
            let before = random
            random = try await store.write(.memory) { library in
                var random = before
                try Self.change(&library, &random)
                try library.insert(Ordered(title: "another", amount: 1))
                return random
            }
        }
        try await store.makeOrders(of: Ordered.self)
        try Self.check(store)
        try await store.close()
    }

    @Test func `an unfinished order is finished by the process that opens the library`() async throws {
        let fileSystem = MemoryFileSystem()
        let first = try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem, buildsOrders: false)
        try await Self.fill(first)
        try await first.insert(Ordered(title: "first", amount: 3))
        try await first.close()
        let store = try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem)
        var commits = store.commits.makeAsyncIterator()
        while Self.isIncomplete(store.snapshot) { _ = await commits.next() }
        try Self.check(store)
        try await store.close()
    }

    @Test func `progress is told from nothing to all`() async throws {
        let store = try RecordLibrary(at: "L.bookdb", fileSystem: MemoryFileSystem(), buildsOrders: false)
        try await Self.fill(store)
        let told = Lock<[Double]>([])
        try await store.makeOrders(of: Ordered.self) { progress in told.withLock { $0.append(progress) } }
        let progress = told.withLock { $0 }
        #expect(progress.first == 0 && progress.last == 1 && progress == progress.sorted() && progress.count >= 7)
        try Self.check(store)
        try await store.makeOrders(of: Ordered.self)
        try await store.close()
    }

    @Test func `many wait for the same order`() async throws {
        for _ in 0..<3 {
            let store = try RecordLibrary(at: "L.bookdb", fileSystem: MemoryFileSystem())
            try await Self.fill(store)
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await store.makeOrders(of: Ordered.self, .memory) } }
                group.addTask { try await store.insert(Ordered(title: "meanwhile", amount: 1)) }
                try await group.waitForAll()
            }
            try Self.check(store)
            try await store.close()
        }
    }

    @Test func `a record that the order does not take is named, and the order goes on when it is mended`() async throws
    {
        let store = try RecordLibrary(at: "L.bookdb", fileSystem: MemoryFileSystem())
        try await Self.fill(store)
        let long = try await store.insert(Plain(title: String(repeating: "x", count: 301)))
        try await store.insert(Plain(title: "behind it"))
        let error = await #expect(throws: LibraryError.self) { try await store.makeOrders(of: Ordered.self) }
        #expect(error?.sentence.contains("The order “by title” does not take Payment \(long)") ?? false)
        #expect(Self.isIncomplete(store.snapshot))
        // The order that takes it is whole.
        #expect(try store.snapshot.list(Ordered.self, "largest").count == Self.count + 2)
        try await store.update(long) { $0.title = "mended" }
        try await store.makeOrders(of: Ordered.self)
        try Self.check(store)
        try await store.close()
    }

    // MARK: Links

    private struct Owner: Record {
        var id: ID<Owner> = .unassigned
        enum CodingKeys: Int, CodingKey { case id }
    }

    private struct Thing: Record {
        var id: ID<Thing> = .unassigned
        var owner: Reference<Owner> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, owner }
        static let recordName = "Thing"
    }

    private struct LinkedThing: Record {
        var id: ID<LinkedThing> = .unassigned
        var owner: Reference<Owner> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, owner }
        static let recordName = "Thing"
        static let schema = Schema { Link(\.owner, onDelete: .cascade) }
    }

    @Test func `a cascade is complete also while the order of its link is being made`() async throws {
        let store = try RecordLibrary(at: "L.bookdb", fileSystem: MemoryFileSystem(), buildsOrders: false)
        let (first, second) = try await store.write(.memory) { library in
            let owners = (try library.insert(Owner()), try library.insert(Owner()))
            for number in 0..<Self.count {
                try library.insert(Thing(owner: number.isMultiple(of: 3) ? owners.0 : owners.1))
            }
            return owners
        }
        try await store.insert(LinkedThing(owner: second))
        #expect(try await store.write(.memory) { library in try library.buildOrders(ofKind: "Thing") })
        try await store.write { library in try library.delete(first) }
        #expect(try store.snapshot.records(LinkedThing.self).count == Self.count - Self.count / 3 + 1)
        expectSound(store.snapshot)
        try await store.makeOrders(of: LinkedThing.self)
        let list = try store.snapshot.list(LinkedThing.self, linkedBy: \.owner, to: second)
        #expect(list.count == Self.count - Self.count / 3 + 1)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test @MainActor func `a live list fills when its order is whole`() async throws {
        let store = try RecordLibrary(at: "L.bookdb", fileSystem: MemoryFileSystem(), buildsOrders: false)
        try await Self.fill(store)
        try await store.insert(Ordered(title: "first", amount: 3))
        let list = try LiveRecords(store, Ordered.self, "by title")
        guard case .incompleteOrder = list.error else { throw try #require(list.error) }
        #expect(list.count == 0)
        try await store.makeOrders(of: Ordered.self)
        await list.shows(store.snapshot.commitNumber)
        #expect(list.error == nil && list.count == Self.count + 1 && list.change.isReload)
        try await store.close()
    }
}
