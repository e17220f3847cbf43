import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// An app and its widget, of several versions, that take turns in a library.
struct VersionsInTurnTests {
    private let fileSystem = MemoryFileSystem()

    private func open(limit: Int = 30) throws -> RecordLibrary {
        try RecordLibrary(at: "Turns.bookdb", unusedOrderLimit: limit, fileSystem: fileSystem)
    }

    private func orders(_ store: RecordLibrary, of kind: String) throws -> [StoredOrder] {
        try store.snapshot.version.storedOrders(of: Array(kind.utf8))
    }

    // MARK: Several new orders

    private struct Plain: Record {
        var id: ID<Plain> = .unassigned
        var title = ""
        var due = 0
        enum CodingKeys: Int, CodingKey { case id = 0, title = 1, due = 2 }
        static let recordName = "Errand"
    }

    private struct Sorted: Record {
        var id: ID<Sorted> = .unassigned
        var title = ""
        var due = 0
        enum CodingKeys: Int, CodingKey { case id = 0, title = 1, due = 2 }
        static let recordName = "Errand"
        static let indexes = [Index(\.due)]
        static let schema = Schema { Order("by title", \.title) }
    }

    @Test func `a record that one new order does not take stands in the others when it is mended`() async throws {
        let store = try open()
        let long = try await store.insert(Plain(title: String(repeating: "x", count: 301), due: 5))
        try await store.insert(Plain(title: "b", due: 7))
        try await store.update(ID<Sorted>(rawValue: long.rawValue)) { $0.title = "short" }
        let records = store.snapshot.records(Sorted.self)
        #expect(try records.where(\.due, equals: 5).map(\.title) == ["short"])
        #expect(try store.snapshot.list(Sorted.self, "by title").map(\.title) == ["b", "short"])
        expectSound(store.snapshot)
        try await store.close()
    }

    // MARK: Types that know less

    private struct Whole: Record {
        var id: ID<Whole> = .unassigned
        var name = ""
        var due: Int?
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, due = 2 }
        static let recordName = "Loan"
    }

    private struct Upgraded: Record {
        var id: ID<Upgraded> = .unassigned
        var name = ""
        var due: Int?
        var borrower = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, due = 2, borrower = 3 }
        static let recordName = "Loan"
        static let upgrades = [Upgrade<Upgraded>(2) { $0.borrower = $0.name }]
        static let schema = Schema { Order("by due", \.due) }
    }

    private struct Reduced: Record {
        var id: ID<Reduced> = .unassigned
        var name = ""
        var borrower = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, borrower = 3 }
        static let recordName = "Loan"
        static let upgrades = [Upgrade<Reduced>(2) { $0.borrower = $0.name }]
    }

    @Test func `who does not know a field takes a record out of an order by it all the same`() async throws {
        var store = try open()
        let loan = try await store.insert(Whole(name: "Ann", due: 5))
        try await store.insert(Whole(name: "Ben", due: 7))
        try await store.makeOrders(of: Upgraded.self)
        try await store.close()
        store = try open()
        try await store.write { try $0.delete(ID<Reduced>(rawValue: loan.rawValue)) }
        #expect(try store.snapshot.list(Upgraded.self, "by due").map(\.name) == ["Ben"])
        try await store.close()
    }

    // MARK: Openings that count

    private struct Account: Record {
        var id: ID<Account> = .unassigned
        var name = ""
        var balance = 0
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, balance = 2 }
    }

    private struct PlainTransfer: Record {
        var id: ID<PlainTransfer> = .unassigned
        var account: Reference<Account> = .unassigned
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1 }
        static let recordName = "Transfer"
    }

    private struct Transfer: Record {
        var id: ID<Transfer> = .unassigned
        var account: Reference<Account> = .unassigned
        var initial: String { "x" }
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1 }
        static let indexes = [Index(\.initial, name: "initial", version: 1)]
        static let schema = Schema {
            Link(\.account, onDelete: .cascade)
            Order("by account", .linked(\.account, .ascending(\.name)))
        }
    }

    @Test func `who changes what a record names first, and then writes one, still declares its orders`() async throws {
        var store = try open(limit: 3)
        let account = try await store.insert(Account(name: "savings"))
        try await store.insert(Transfer(account: account))
        try await store.close()
        for round in 1...5 {
            store = try open(limit: 3)
            try await store.insert(PlainTransfer(account: account))
            try await store.close()
            store = try open(limit: 3)
            try await store.write { library in
                try library.update(Account(id: account, name: "savings \(round)"))
                try library.insert(Transfer(account: account))
            }
            #expect(try orders(store, of: "Transfer").allSatisfy { $0.unusedOpenings == 0 })
            #expect(try store.snapshot.list(Transfer.self, "by account").count == 1 + 2 * round)
            try await store.close()
        }
    }

    @Test func `an opening whose first write is refused still counts with the next`() async throws {
        var store = try open(limit: 2)
        let account = try await store.insert(Account(name: "savings"))
        try await store.insert(Transfer(account: account))
        try await store.close()
        for _ in 1...2 {
            store = try open(limit: 2)
            await #expect(throws: LibraryError.self) {
                try await store.write { library in
                    try library.insert(PlainTransfer(account: account))
                    throw LibraryError.cancelled
                }
            }
            try await store.insert(PlainTransfer(account: account))
            try await store.close()
        }
        store = try open(limit: 2)
        #expect(try orders(store, of: "Transfer").isEmpty)
        try await store.close()
    }

    @Test func `a change that no order goes by sets none aside whose code is not here`() async throws {
        var store = try open()
        let account = try await store.insert(Account(name: "savings"))
        for _ in 0..<3 { try await store.insert(Transfer(account: account)) }
        try await store.close()
        store = try open()
        try await store.update(account) { $0.balance = 5 }
        let kept = try #require(try orders(store, of: "Transfer").first { $0.name == "initial" })
        #expect(try kept.builtTo == nil && store.snapshot.version.count(of: kept.tree) == 3)
        // One by which they stand does, as before.
        try await store.update(account) { $0.name = "other" }
        #expect(try orders(store, of: "Transfer").first { $0.name == "initial" }?.builtTo == 0)
        try await store.close()
    }

    // MARK: Fields that become others

    private struct Numbered: Record {
        var id: ID<Numbered> = .unassigned
        var code = 0
        enum CodingKeys: Int, CodingKey { case id = 0, code = 1 }
        static let recordName = "Ticket"
        static let indexes = [Index(\.code)]
    }

    private struct Lettered: Record {
        var id: ID<Lettered> = .unassigned
        var code = ""
        enum CodingKeys: Int, CodingKey { case id = 0, code = 1 }
        static let recordName = "Ticket"
        static let uniqueKeys = [Unique(\.code)]
    }

    @Test func `an index of a field that has become another keeps nobody from writing`() async throws {
        let store = try open()
        let number = try await store.insert(Numbered(code: 7))
        #expect(try orders(store, of: "Ticket").map(\.name) == ["code"])
        // While there are none the number is free.
        try await store.delete(number)
        try await store.insert(Lettered(code: "A7"))
        #expect(try orders(store, of: "Ticket").map(\.name) == ["unique code"])
        #expect(try store.snapshot.records(Lettered.self).where(\.code, equals: "A7").count == 1)
        expectSound(store.snapshot)
        try await store.close()
    }

    // MARK: Upgrades that were taken out

    private struct Settled: Record {
        var id: ID<Settled> = .unassigned
        var name = ""
        var due: Int?
        var borrower = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, due = 2, borrower = 3 }
        static let recordName = "Loan"
        static let recordVersion = 2
        static let schema = Schema { Order("by borrower", \.borrower) }
    }

    @Test func `what is written without an upgrade that was taken out is upgraded by nobody`() async throws {
        let store = try open()
        let loan = try await store.insert(Settled(name: "Emma", borrower: "Ann"))
        let old = ID<Upgraded>(rawValue: loan.rawValue)
        #expect(try store.snapshot.records(Upgraded.self)[old]?.borrower == "Ann")
        try await store.update(old) { $0.due = 3 }
        #expect(try store.snapshot.records(Settled.self)[loan]?.borrower == "Ann")
        #expect(try store.snapshot.list(Settled.self, "by borrower", of: "Ann").count == 1)
        expectSound(store.snapshot)
        try await store.close()
    }

    // MARK: Links and upgrades

    private struct Payment: Record {
        var id: ID<Payment> = .unassigned
        var account: Reference<Account> = .unassigned
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1 }
        static let schema = Schema { Link(\.account, onDelete: .cascade) }
    }

    private struct MovedPayment: Record {
        var id: ID<MovedPayment> = .unassigned
        var account: Reference<Account> = .unassigned
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1 }
        static let recordName = "Payment"
        static let indexes = [Index(\.account)]
        static let upgrades = [Upgrade<MovedPayment>(2) { $0.account = Reference(rawValue: $0.account.rawValue + 1) }]
    }

    @Test func `a link is what is stored, whatever upgrades make of it`() async throws {
        let store = try open()
        let (first, second) = try await store.write { library in
            (try library.insert(Account(name: "first")), try library.insert(Account(name: "second")))
        }
        #expect(second.rawValue == first.rawValue + 1)
        for account in [first, first, second] { try await store.insert(Payment(account: account)) }
        try await store.makeOrders(of: MovedPayment.self)
        try await store.write { try $0.delete(first) }
        #expect(try store.snapshot.records(Payment.self).all.map(\.account) == [second])
        expectSound(store.snapshot)
        try await store.close()
    }
}
