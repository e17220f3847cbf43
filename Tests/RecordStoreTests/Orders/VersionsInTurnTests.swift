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

    /// A number or a text: which of them, only its code knows.
    private struct Due: Codable, Equatable {
        var text: String

        init(_ text: String = "") { self.text = text }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                text = "\(number)"
            } else {
                text = try container.decode(String.self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private struct Timed: Record {
        var id: ID<Timed> = .unassigned
        var due = 0
        enum CodingKeys: Int, CodingKey { case id = 0, due = 1 }
        static let recordName = "Deadline"
        static let indexes = [Index(\.due)]
    }

    private struct Retimed: Record {
        var id: ID<Retimed> = .unassigned
        var due = Due()
        enum CodingKeys: Int, CodingKey { case id = 0, due = 1 }
        static let recordName = "Deadline"
        static let schema = Schema { Retyped(\.due) }
    }

    @Test func `an index of a field that is retyped keeps nobody from writing`() async throws {
        let store = try open()
        try await store.insert(Timed(due: 7))
        try await store.insert(Retimed(due: Due("soon")))
        #expect(try orders(store, of: "Deadline").isEmpty)
        #expect(try store.snapshot.records(Retimed.self).all.map(\.due.text) == ["7", "soon"])
        expectSound(store.snapshot)
        try await store.close()
    }

    private struct NamedOwner: Record {
        var id: ID<NamedOwner> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
        static let recordName = "Owner"
    }

    private struct CodedOwner: Record {
        var id: ID<CodedOwner> = .unassigned
        var code = 0
        enum CodingKeys: Int, CodingKey { case id = 0, code = 1 }
        static let recordName = "Owner"
    }

    private struct RecodedOwner: Record {
        var id: ID<RecodedOwner> = .unassigned
        var code = Due()
        enum CodingKeys: Int, CodingKey { case id = 0, code = 1 }
        static let recordName = "Owner"
        static let schema = Schema { Retyped(\.code) }
    }

    private struct AssetByName: Record {
        var id: ID<AssetByName> = .unassigned
        var owner: Reference<NamedOwner>?
        enum CodingKeys: Int, CodingKey { case id = 0, owner = 1 }
        static let recordName = "Asset"
        static let schema = Schema {
            Link(\.owner, onDelete: .nullify)
            Order("by owner", .linked(\.owner, .ascending(\.name)))
        }
    }

    private struct AssetByCode: Record {
        var id: ID<AssetByCode> = .unassigned
        var owner: Reference<CodedOwner>?
        enum CodingKeys: Int, CodingKey { case id = 0, owner = 1 }
        static let recordName = "Asset"
        static let schema = Schema {
            Link(\.owner, onDelete: .nullify)
            Order("by owner", .linked(\.owner, .ascending(\.code)))
        }
    }

    private struct Asset: Record {
        var id: ID<Asset> = .unassigned
        var owner: Reference<CodedOwner>?
        enum CodingKeys: Int, CodingKey { case id = 0, owner = 1 }
        static let schema = Schema { Link(\.owner, onDelete: .nullify) }
    }

    @Test func `an order by a field of another record goes when that has become another`() async throws {
        let store = try open()
        let named = try await store.insert(NamedOwner(name: "Ann"))
        try await store.insert(AssetByName(owner: named))
        try await store.delete(named)
        let owner = try await store.insert(CodedOwner(code: 3))
        try await store.insert(AssetByCode(owner: owner))
        #expect(try store.snapshot.list(AssetByCode.self, "by owner", of: 3).count == 1)
        #expect(try orders(store, of: "Asset").map(\.name).sorted() == ["by owner", "link 1"])
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `an order by a field of another record that is retyped keeps nobody from changing that`() async throws {
        let store = try open()
        let owner = try await store.insert(CodedOwner(code: 3))
        try await store.insert(AssetByCode(owner: owner))
        try await store.write { library in
            // The order was met in the same transaction, when the field was what it is by.
            try library.insert(Asset(owner: owner))
            try library.update(RecodedOwner(id: ID(rawValue: owner.rawValue), code: Due("A3")))
        }
        #expect(try orders(store, of: "Asset").map(\.name) == ["link 1"])
        #expect(try store.snapshot.records(RecodedOwner.self).all.map(\.code.text) == ["A3"])
        expectSound(store.snapshot)
        try await store.close()
    }

    private struct Holding: Record {
        struct Share: RecordPart {
            var account: Reference<Account>?
            enum CodingKeys: Int, CodingKey { case account = 1 }
        }

        var id: ID<Holding> = .unassigned
        var owner: Reference<Account>?
        var others: [Reference<Account>] = []
        var shares: [Share] = []
        enum CodingKeys: Int, CodingKey { case id = 0, owner = 1, others = 2, shares = 3 }
        static let schema = Schema {
            Link(\.owner, onDelete: .nullify)
            Link(\.others, onDelete: .nullify)
            Link(each: \.shares, \.account, onDelete: .nullify)
        }
    }

    private struct CountedHolding: Record {
        var id: ID<CountedHolding> = .unassigned
        var count = 0
        var others: [Reference<Account>] = []
        var shares: [Holding.Share] = []
        enum CodingKeys: Int, CodingKey { case id = 0, count = 1, others = 2, shares = 3 }
        static let recordName = "Holding"
    }

    @Test func `a link by a field that has become another ends, and those by fields that are the same stay`()
        async throws
    {
        let store = try open()
        let account = try await store.insert(Account(name: "savings"))
        let holding = try await store.insert(Holding(owner: account))
        try await store.delete(holding)
        let counted = try await store.insert(
            CountedHolding(count: 3, others: [account], shares: [Holding.Share(account: account)]))
        #expect(try orders(store, of: "Holding").map(\.name).sorted() == ["link 2", "link 3.1"])
        let links = try store.snapshot.version.storedLinks()
        #expect(links.map(\.fieldName).sorted() == ["others", "shares.account"])
        try await store.delete(account)
        let left = try #require(try store.snapshot.records(CountedHolding.self)[counted])
        #expect(left.count == 3 && left.others.isEmpty && left.shares.map(\.account) == [nil])
        expectSound(store.snapshot)
        try await store.close()
    }

    private struct RetypedHolding: Record {
        var id: ID<RetypedHolding> = .unassigned
        var owner = 0
        enum CodingKeys: Int, CodingKey { case id = 0, owner = 1 }
        static let recordName = "Holding"
        static let schema = Schema { Retyped(\.owner) }
    }

    @Test func `a link by a field that is retyped ends, though there are records`() async throws {
        let store = try open()
        let account = try await store.insert(Account(name: "savings"))
        let holding = try await store.insert(Holding(owner: account))
        let retyped = try await store.insert(RetypedHolding(owner: 3))
        #expect(try store.snapshot.records(RetypedHolding.self)[retyped]?.owner == 3)
        #expect(try store.snapshot.version.storedLinks().map(\.fieldName).sorted() == ["others", "shares.account"])
        let former = ID<RetypedHolding>(rawValue: holding.rawValue)
        let before = try store.snapshot.records(RetypedHolding.self)[former]
        try await store.delete(account)
        #expect(try store.snapshot.records(RetypedHolding.self)[former]?.owner == before?.owner && before?.owner != 0)
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
