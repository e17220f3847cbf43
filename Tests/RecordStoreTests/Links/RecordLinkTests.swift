import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Links between records: what they lead to is there, and deleting does what they say.
struct RecordLinkTests {
    private struct Bank: Record, Equatable {
        var id: ID<Bank> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    private struct Account: Record, Equatable {
        var id: ID<Account> = .unassigned
        var bank: Reference<Bank> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, bank, name }
        static let indexes = [Index(\.name)]
        static let schema = Schema { Link(\.bank, onDelete: .cascade) }
    }

    /// A category may be within another.
    private struct Category: Record, Equatable {
        var id: ID<Category> = .unassigned
        var parent: Reference<Category>?
        enum CodingKeys: Int, CodingKey { case id, parent }
        static let schema = Schema { Link(\.parent, onDelete: .cascade) }
    }

    private struct Transfer: Record, Equatable {
        var id: ID<Transfer> = .unassigned
        var account: Reference<Account> = .unassigned
        var category: Reference<Category>?
        var amount: Money = 0
        var number = 0
        enum CodingKeys: Int, CodingKey { case id, account, category, amount, number }
        static let uniqueKeys = [Unique(\.number)]
        static let schema = Schema {
            Link(\.account, onDelete: .cascade)
            Link(\.category, onDelete: .nullify)
            Order("statement", .descending(\.account), .ascending(\.amount)).sum(\.amount)
            Order("largest", .descending(\.amount)).sum(\.amount)
            Facet("filed", \.category != nil)
        }
    }

    private struct Receipt: Record, Equatable {
        var id: ID<Receipt> = .unassigned
        var transfer: Reference<Transfer> = .unassigned
        var category: Reference<Category>?
        enum CodingKeys: Int, CodingKey { case id, transfer, category }
        static let schema = Schema {
            Link(\.transfer, onDelete: .deny)
            Link(\.category, onDelete: .cascade)
        }
    }

    // MARK: Histories

    /// The same ledger as arrays.
    private struct Model {
        var banks: [Bank] = []
        var accounts: [Account] = []
        var categories: [Category] = []
        var transfers: [Transfer] = []
        var receipts: [Receipt] = []

        /// Deletes, and what follows; `false` and nothing when a receipt keeps a transfer.
        mutating func delete(
            banks gone: Set<ID<Bank>> = [], accounts: Set<ID<Account>> = [], categories: Set<ID<Category>> = [],
            transfers: Set<ID<Transfer>> = []
        ) -> Bool {
            let accounts = accounts.union(self.accounts.filter { gone.contains($0.bank) }.map(\.id))
            var categories = categories
            while true {
                let more = self.categories.filter { $0.parent.map(categories.contains) ?? false }.map(\.id)
                if categories.isSuperset(of: more) { break }
                categories.formUnion(more)
            }
            let transfers = transfers.union(self.transfers.filter { accounts.contains($0.account) }.map(\.id))
            let receipts = self.receipts.filter { !($0.category.map(categories.contains) ?? false) }
            guard !receipts.contains(where: { transfers.contains($0.transfer) }) else { return false }
            self.receipts = receipts
            banks.removeAll { gone.contains($0.id) }
            self.accounts.removeAll { accounts.contains($0.id) }
            self.categories.removeAll { categories.contains($0.id) }
            self.transfers.removeAll { transfers.contains($0.id) }
            for index in self.transfers.indices
            where self.transfers[index].category.map(categories.contains) ?? false {
                self.transfers[index].category = nil
            }
            return true
        }
    }

    /// A step of a history, the same in the library and in the model.
    private static func step(
        _ library: inout LibraryTransaction, _ model: inout Model, _ random: inout SeededGenerator
    ) throws {
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
            let bank = Bank(name: "b")
            model.banks.append(Bank(id: try library.insert(bank), name: "b"))
        case 1, 2:
            guard let bank = model.banks.randomElement(using: &random) else { return }
            var account = Account(bank: bank.id, name: "a\(Int.random(in: 0..<4, using: &random))")
            account.id = try library.insert(account)
            model.accounts.append(account)
        case 3, 4:
            var category = Category(parent: model.categories.randomElement(using: &random)?.id)
            category.id = try library.insert(category)
            model.categories.append(category)
        case 5, 6, 7:
            guard let account = model.accounts.randomElement(using: &random) else { return }
            var transfer = Transfer(
                account: account.id, category: model.categories.randomElement(using: &random)?.id,
                amount: Money(Int.random(in: -9...9, using: &random)),
                number: Int.random(in: 0..<100_000, using: &random))
            transfer.id = try library.insert(transfer)
            model.transfers.append(transfer)
        case 8:
            guard let transfer = model.transfers.randomElement(using: &random) else { return }
            var receipt = Receipt(transfer: transfer.id, category: model.categories.randomElement(using: &random)?.id)
            receipt.id = try library.insert(receipt)
            model.receipts.append(receipt)
        case 9:
            // Into itself or below: a circle.
            guard let index = model.categories.indices.randomElement(using: &random) else { return }
            model.categories[index].parent = model.categories.randomElement(using: &random)?.id
            try library.update(model.categories[index])
        case 10:
            guard let index = model.receipts.indices.randomElement(using: &random) else { return }
            try library.delete(model.receipts[index].id)
            model.receipts.remove(at: index)
        case 11:
            let banks = model.banks.shuffled(using: &random).prefix(.random(in: 1...3, using: &random)).map(\.id)
            try delete(&library, banks, model.delete(banks: Set(banks)))
        case 12:
            let categories = model.categories.shuffled(using: &random).prefix(.random(in: 1...3, using: &random))
                .map(\.id)
            try delete(&library, categories, model.delete(categories: Set(categories)))
        default:
            let transfers = model.transfers.shuffled(using: &random).prefix(.random(in: 1...3, using: &random))
                .map(\.id)
            try delete(&library, transfers, model.delete(transfers: Set(transfers)))
        }
    }

    private static func delete<Value: Record>(
        _ library: inout LibraryTransaction, _ ids: [ID<Value>], _ isPossible: Bool
    ) throws {
        do {
            let count = try ids.count == 1 ? (library.delete(ids[0]) ? 1 : 0) : library.delete(ids)
            #expect(count == ids.count && isPossible)
        } catch {
            guard case .referenced(let sentence) = error, !isPossible else { throw error }
            #expect(sentence.contains("cannot be deleted while it is the transfer of Receipt"))
        }
    }

    private static func check(_ store: RecordLibrary, _ model: Model) async throws {
        try await store.makeOrders(of: Account.self)
        try await store.makeOrders(of: Category.self)
        try await store.makeOrders(of: Transfer.self)
        try await store.makeOrders(of: Receipt.self)
        let snapshot = store.snapshot
        #expect(Array(try snapshot.records(Bank.self).all) == model.banks)
        #expect(Array(try snapshot.records(Account.self).all) == model.accounts)
        #expect(Array(try snapshot.records(Category.self).all) == model.categories)
        #expect(Array(try snapshot.records(Transfer.self).all) == model.transfers)
        #expect(Array(try snapshot.records(Receipt.self).all) == model.receipts)
        for account in model.accounts {
            let own = model.transfers.filter { $0.account == account.id }
            let list = try snapshot.list(Transfer.self, linkedBy: \.account, to: account.id)
            #expect(Set(list.map(\.id)) == Set(own.map(\.id)) && list.count == own.count)
            #expect(try list.sum(\.amount) == own.reduce(0) { $0 + $1.amount })
            #expect(
                Set(try snapshot.records(Account.self).where(\.name, equals: account.name).map(\.id)).contains(
                    account.id))
        }
        for category in model.categories {
            let list = try snapshot.list(Transfer.self, linkedBy: \.category, to: category.id)
            #expect(list.map(\.id) == model.transfers.filter { $0.category == category.id }.map(\.id))
            let children = try snapshot.list(Category.self, linkedBy: \.parent, to: category.id)
            #expect(children.map(\.id) == model.categories.filter { $0.parent == category.id }.map(\.id))
        }
        if !model.transfers.isEmpty {
            let filed = try snapshot.list(Transfer.self, "largest").filtered(by: "filed")
            #expect(filed.count == model.transfers.count { $0.category != nil })
        }
        for transfer in model.transfers {
            #expect(
                try snapshot.records(Transfer.self).where(\.number, equals: transfer.number).map(\.id) == [transfer.id])
        }
        #expect(try snapshot.records(Transfer.self).brokenLinks().isEmpty)
        #expect(try snapshot.records(Receipt.self).brokenLinks().isEmpty)
        expectSound(snapshot)
    }

    @Test(arguments: 1...6) func `random histories leave no link that leads nowhere`(seed: UInt64) async throws {
        let fileSystem = MemoryFileSystem()
        var store = try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem)
        var random = SeededGenerator(seed: seed)
        var model = Model()
        for round in 0..<40 {
            let (begun, randomBefore) = (model, random)
            let (after, randomAfter) = try await store.write(.memory) { library in
                var (model, random) = (begun, randomBefore)
                for _ in 0..<Int.random(in: 1...12, using: &random) { try Self.step(&library, &model, &random) }
                return (model, random)
            }
            (model, random) = (after, randomAfter)
            if round % 4 == 0 { try await Self.check(store, model) }
            // Another process: no type was met there before something is deleted.
            if round % 5 == 4 {
                try await store.close()
                store = try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem)
                if Bool.random(using: &random) {
                    try await store.reindex(only: .appOrders)
                }
                if let bank = model.banks.first?.id, try await Self.deletes(bank, store) {
                    let isPossible = model.delete(banks: [bank])
                    #expect(isPossible)
                }
            }
        }
        try await Self.check(store, model)
        try await store.close()
    }

    private static func deletes<Value: Record>(_ id: ID<Value>, _ store: RecordLibrary) async throws -> Bool {
        do {
            return try await store.write { library in try library.delete(id) }
        } catch LibraryError.referenced {
            return false
        }
    }

    // MARK: One by one

    @Test func `a record links to what is there, or is refused by the name of the field`() async throws {
        let store = try RecordLibrary.inMemory()
        try await store.write(.memory) { library in
            let bank = try library.insert(Bank(name: "b"))
            let account = try library.insert(Account(bank: bank))
            for (transfer, words) in [
                (Transfer(account: .unassigned), "The account of this Transfer is unassigned."),
                (Transfer(account: ID(device: 1, counter: 77)), "is Account 000001-77, which is not there"),
                (
                    Transfer(account: account, category: ID(device: 1, counter: 78)),
                    "The category of this Transfer is Category"
                ),
            ] {
                let error = #expect(throws: LibraryError.self) { try library.insert(transfer) }
                guard case .recordNotFound(let sentence) = error else { throw try #require(error) }
                #expect(sentence.contains(words), "\(sentence)")
            }
            var transfer = Transfer(account: account)
            transfer.id = try library.insert(transfer)
            transfer.category = ID(device: 1, counter: 78)
            #expect(throws: LibraryError.self) { try library.update(transfer) }
            transfer.category = nil
            transfer.amount = 5
            try library.update(transfer)
        }
        #expect(try store.snapshot.list(Transfer.self, "largest").sum(\.amount) == 5)
        try await store.close()
    }

    @Test func `a commit tells of what went and what changed with a record`() async throws {
        let store = try RecordLibrary.inMemory()
        let (bank, transfer, other) = try await store.write(.memory) { library in
            let bank = try library.insert(Bank(name: "b"))
            let account = try library.insert(Account(bank: bank))
            let transfer = try library.insert(Transfer(account: account, number: 1))
            let category = try library.insert(Category())
            let rest = try library.insert(Account(bank: try library.insert(Bank(name: "c"))))
            let other = try library.insert(Transfer(account: rest, category: category, number: 2))
            return (bank, transfer, (other, category))
        }
        var commits = store.commits.makeAsyncIterator()
        _ = try await store.write(.memory) { library in
            try library.delete(bank)
            try library.delete(other.1)
        }
        let commit = try #require(await commits.next())
        #expect(
            commit.records(Transfer.self).deleted == [transfer] && commit.records(Transfer.self).updated == [other.0])
        #expect(commit.records(Account.self).deleted.count == 1 && commit.records(Bank.self).deleted == [bank])
        try await store.close()
    }

    @Test func `more records than fit a transaction are refused by name, and nothing is changed`() async throws {
        let store = try RecordLibrary.inMemory()
        try await store.write(.memory) { library in
            let bank = try library.insert(Bank(name: "b"))
            for _ in 0..<4 { try library.insert(Account(bank: bank)) }
            let start = [LinkedRecord(target: .records("Bank"), id: bank.rawValue)]
            #expect(try library.cascade(from: start, maximumCount: 4).deletions.count == 4)
            let error = #expect(throws: LibraryError.self) { try library.cascade(from: start, maximumCount: 3) }
            #expect(error?.sentence.contains("Bank \(bank) would delete or change more than 3") ?? false)
        }
        #expect(try store.snapshot.records(Account.self).count == 4)
        try await store.close()
    }

    /// A transfer of one's own names its account twice.
    private struct Move: Record {
        var id: ID<Move> = .unassigned
        var from: Reference<Bank> = .unassigned
        var to: Reference<Bank> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, from, to }
        static let schema = Schema {
            Link(\.from, onDelete: .cascade)
            Link(\.to, onDelete: .cascade)
        }
    }

    @Test func `a record that is reached by two links counts once, and none is missed for it`() async throws {
        let store = try RecordLibrary.inMemory()
        try await store.write(.memory) { library in
            let (a, b) = (try library.insert(Bank(name: "a")), try library.insert(Bank(name: "b")))
            for _ in 0..<3 { try library.insert(Move(from: a, to: a)) }
            try library.insert(Move(from: b, to: a))
            let start = [LinkedRecord(target: .records("Bank"), id: a.rawValue)]
            for limit in 4...6 { #expect(try library.cascade(from: start, maximumCount: limit).deletions.count == 4) }
            #expect(throws: LibraryError.self) { try library.cascade(from: start, maximumCount: 3) }
        }
        try await store.close()
    }

    @Test func `a version that does not declare a link cannot break it`() async throws {
        let store = try RecordLibrary.inMemory()
        let bank = try await store.insert(Bank(name: "b"))
        let card = try await store.insert(Strict(bank: bank))
        await #expect(throws: LibraryError.self) { try await store.insert(Loose(bank: ID(device: 1, counter: 99))) }
        await #expect(throws: LibraryError.self) {
            try await store.update(ID<Loose>(rawValue: card.rawValue)) { $0.bank = ID(device: 1, counter: 99) }
        }
        // Nor can two types that take turns within a transaction.
        try await store.write(.memory) { library in
            try library.insert(Strict(bank: bank))
            try library.insert(Ended(bank: bank))
            try library.insert(Strict(bank: bank))
            try library.delete(bank)
        }
        #expect(try store.snapshot.records(Strict.self).count == 0)
        expectSound(store.snapshot)
        try await store.close()
    }

    private struct Anonymous: Record {
        var id: ID<Anonymous> = .unassigned
        var note = ""
        enum CodingKeys: Int, CodingKey { case id = 0, note = 2 }
        static let recordName = "Card"
        static let schema = Schema { EndedLink(1) }
    }

    @Test func `a link whose field is gone ends when the type says so`() async throws {
        let store = try RecordLibrary.inMemory()
        let bank = try await store.insert(Bank(name: "b"))
        let card = try await store.insert(Strict(bank: bank))
        try await store.update(ID<Anonymous>(rawValue: card.rawValue)) { $0.note = "mine" }
        #expect(try store.snapshot.version.storedLinks().isEmpty)
        try await store.write { library in try library.delete(bank) }
        #expect(try store.snapshot.records(Anonymous.self).all.map(\.note) == ["mine"])
        try await store.close()
    }

    @Test(arguments: ["x", "1234567", "123456789"]) func `keys that are none of records stop nothing`(
        rest: String
    ) async throws {
        let store = try RecordLibrary.inMemory()
        let bank = try await store.insert(Bank(name: "b"))
        try await store.insert(Strict(bank: bank))
        try await store.database.write { trees in
            let bytes = try RecordKind<Strict>.current.encode(Strict(bank: bank))
            try trees.put(bytes, forKey: Array(rest.utf8), in: RecordKind<Strict>.current.tree)
        }
        _ = LibraryVerifier.verify(store.snapshot)
        try await store.reindex(only: .appOrders)
        try await store.write { library in try library.delete(bank) }
        try await store.makeOrders(of: Strict.self)
        try await store.close()
    }

    // MARK: Declarations that change

    private struct Loose: Record {
        var id: ID<Loose> = .unassigned
        var bank: Reference<Bank> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, bank }
        static let recordName = "Card"
    }

    private struct Strict: Record {
        var id: ID<Strict> = .unassigned
        var bank: Reference<Bank> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, bank }
        static let recordName = "Card"
        static let schema = Schema { Link(\.bank, onDelete: .cascade) }
    }

    private struct Denying: Record {
        var id: ID<Denying> = .unassigned
        var bank: Reference<Bank> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, bank }
        static let recordName = "Card"
        static let schema = Schema { Link(\.bank, onDelete: .deny) }
    }

    private struct Ended: Record {
        var id: ID<Ended> = .unassigned
        var bank: Reference<Bank> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, bank }
        static let recordName = "Card"
        static let schema = Schema { Link(\.bank, onDelete: .keep) }
    }

    private struct Owner: Record {
        var id: ID<Owner> = .unassigned
        enum CodingKeys: Int, CodingKey { case id }
    }

    private struct Elsewhere: Record {
        var id: ID<Elsewhere> = .unassigned
        var bank: Reference<Owner> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, bank }
        static let recordName = "Card"
        static let schema = Schema { Link(\.bank, onDelete: .deny) }
    }

    @Test func `a link that comes later keeps what is broken, lists it, and refuses more of it`() async throws {
        let store = try RecordLibrary.inMemory()
        let nowhere = ID<Bank>(device: 1, counter: 99)
        let broken = try await store.insert(Loose(bank: nowhere))
        try await store.makeOrders(of: Strict.self)
        let links = try store.snapshot.records(Strict.self).brokenLinks()
        #expect(links.map(\.field) == ["bank"] && links.map { $0.identifiers.map(\.rawValue) } == [[broken.rawValue]])
        expectSound(store.snapshot)
        let detail = try store.snapshot.version.storedLinks()
        #expect(detail.map(\.isWhole) == [false])
        await #expect(throws: LibraryError.self) { try await store.insert(Strict(bank: nowhere)) }
        try await store.close()
    }

    @Test func `versions that take turns leave each other's links alone, and a changed link is the newest`()
        async throws
    {
        let store = try RecordLibrary.inMemory()
        func bank() async throws -> ID<Bank> { try await store.insert(Bank(name: "b")) }
        let first = try await bank()
        try await store.insert(Strict(bank: first))
        // The older version knows of no link.
        try await store.insert(Loose(bank: first))
        try await store.write { library in try library.delete(first) }
        #expect(try store.snapshot.records(Loose.self).count == 0)
        let second = try await bank()
        try await store.insert(Strict(bank: second))
        try await store.insert(Denying(bank: second))
        await #expect(throws: LibraryError.self) { try await store.write { library in try library.delete(second) } }
        try await store.insert(Ended(bank: second))
        try await store.write { library in try library.delete(second) }
        #expect(try store.snapshot.records(Loose.self).count == 3)
        try await store.insert(Strict(bank: try await bank()))
        // The field names owners from here on.
        let owner = try await store.insert(Owner())
        try await store.insert(Elsewhere(bank: owner))
        #expect(try store.snapshot.version.storedLinks().map(\.target) == [.records("Owner")])
        await #expect(throws: LibraryError.self) { try await store.write { library in try library.delete(owner) } }
        try await store.close()
    }

    @Test func `verify finds a link whose record is lost, and a repair keeps the links`() async throws {
        let library = try await DamageableLibrary.make()
        var store = try library.open()
        let bank = try await store.insert(Bank(name: "b"))
        let account = try await store.insert(Account(bank: bank))
        try await store.close()
        _ = try await RecordLibrary.repair(
            at: DamageableLibrary.path, to: "Repaired.bookdb", fileSystem: library.fileSystem)
        store = try RecordLibrary(at: "Repaired.bookdb", fileSystem: library.fileSystem)
        expectSound(store.snapshot)
        try await store.write { library in
            try library.remove(bank.rawValue, in: RecordKind<Bank>.current.tree)
        }
        let report = LibraryVerifier.verify(store.snapshot).checks.map { "\($0.items)" }.joined()
        #expect(report.contains("The bank of Account \(account) is Bank \(bank), which is not there."), "\(report)")
        try await store.write { library in try library.insert(Bank(name: "another")) }
        try await store.close()
    }

    @Test func `a link that cannot be is refused when the type is first used`() async throws {
        struct Twice: Record {
            var id: ID<Twice> = .unassigned
            var bank: Reference<Bank> = .unassigned
            enum CodingKeys: Int, CodingKey { case id, bank }
            static let schema = Schema {
                Link(\.bank, onDelete: .deny)
                Link(\.bank, onDelete: .cascade)
            }
        }
        struct ToNothing: Record {
            var id: ID<ToNothing> = .unassigned
            var place: Reference<Int> = .unassigned
            enum CodingKeys: Int, CodingKey { case id, place }
            static let schema = Schema { Link(\.place, onDelete: .deny) }
        }
        struct Named: Record {
            var id: ID<Named> = .unassigned
            var bank: Reference<Bank> = .unassigned
            var name = ""
            enum CodingKeys: Int, CodingKey { case id, bank, name }
            static let schema = Schema {
                Order("link 1", \.name)
                Link(\.bank, onDelete: .deny)
            }
        }
        let store = try RecordLibrary.inMemory()
        let bank = try await store.insert(Bank(name: "b"))
        try await store.write(.memory) { library in
            for (error, words) in [
                (#expect(throws: LibraryError.self) { try library.insert(Twice(bank: bank)) }, "two links by bank"),
                (
                    #expect(throws: LibraryError.self) { try library.insert(ToNothing(place: .unassigned)) },
                    "identifies a Int"
                ),
                (#expect(throws: LibraryError.self) { try library.insert(Named(bank: bank)) }, "is called “link 1”"),
                (
                    #expect(throws: LibraryError.self) { try library.list(Bank.self, linkedBy: \.name, to: "b") },
                    "declares no link by name"
                ),
            ] {
                guard case .schemaMismatch(let sentence) = error else { throw try #require(error) }
                #expect(sentence.contains(words), "\(sentence)")
            }
        }
        try await store.close()
    }
}
