import Foundation
import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore
@testable import Filing

/// What at most one record of an app may have.
@Suite struct UniqueKeyTests {
    private struct Account: Record, Equatable {
        var id: ID<Account> = .unassigned
        var name = ""
        var bank: String?
        var number = 0
        enum CodingKeys: Int, CodingKey { case id, name, bank, number }
        static let indexes = [Index(\.number)]
        static let uniqueKeys = [Unique(\.name, folded: true), Unique(\.bank, \.number)]
    }

    /// The same records before anything of them was unique.
    private struct OldAccount: Record {
        var id: ID<OldAccount> = .unassigned
        var name = ""
        var bank: String?
        var number = 0
        enum CodingKeys: Int, CodingKey { case id, name, bank, number }
        static let recordName = "Account"
        static let indexes = [Index(\.number)]
    }

    private func names(_ store: RecordLibrary) throws -> [String] {
        try store.snapshot.records(Account.self).all.map(\.name)
    }

    @Test func `a second record with a unique key of the first is refused, and the transaction goes on`() async throws {
        try await withLibrary { store in
            let savings = try await store.insert(Account(name: "Savings"))
            try await store.write { library in
                let error = #expect(throws: LibraryError.self) { try library.insert(Account(name: "SAVINGS!")) }
                #expect(error == .notUnique(kind: "Account", fields: ["name"], identifier: savings.rawValue))
                #expect(error?.sentence == "Account \(savings) has this name already, and only one may.")
                try library.insert(Account(name: "Cash"))
                // Gone, it may come again.
                try library.delete(savings)
                try library.insert(Account(name: "sávings"))
            }
            #expect(try names(store) == ["Cash", "sávings"])
            let cash = try #require(try store.snapshot.records(Account.self).all.page(limit: 1).first?.id)
            let error = await libraryError { try await store.update(cash) { $0.name = "savings" } }
            #expect(error?.sentence.contains("has this name already") ?? false)
            try await store.update(cash) { $0.name = "CASH" }
            #expect(try names(store) == ["CASH", "sávings"])
        }
    }

    @Test func `a key of several fields is all of them, and a record without one of them has none`() async throws {
        try await withLibrary { store in
            try await store.insert(Account(name: "a", bank: "x", number: 1))
            try await store.insert(Account(name: "b", bank: "x", number: 2))
            try await store.insert(Account(name: "c", bank: nil, number: 1))
            try await store.insert(Account(name: "d", bank: nil, number: 1))
            let error = await libraryError { try await store.insert(Account(name: "e", bank: "x", number: 2)) }
            #expect(error?.sentence.contains("has this bank and number already") ?? false)
            #expect(try names(store) == ["a", "b", "c", "d"])
        }
    }

    @Test func `long texts are compared whole, and punctuation alone as it is written`() async throws {
        try await withLibrary { store in
            let long = String(repeating: "ab ", count: 300)
            try await store.insert(Account(name: long + "c"))
            try await store.insert(Account(name: long + "d"))
            let error = await libraryError { try await store.insert(Account(name: long + "C")) }
            #expect(error?.sentence.contains("has this name already") ?? false)
            try await store.insert(Account(name: "!"))
            try await store.insert(Account(name: "?"))
            #expect(await libraryError { try await store.insert(Account(name: "?")) } != nil)
            #expect(try names(store).count == 4)
        }
    }

    @Test func `random writes are taken and refused as a look at all records says`() async throws {
        var random = SeededGenerator.forTest(fallback: 17)
        try await withLibrary { store in
            var model: [Account] = []
            for _ in 0..<300 {
                var account = Account(
                    name: random.pick(["a", "A", "b", "á", "a b", "A-B", "c", "d", "e"])!,
                    bank: random.pick([nil, "", "x", "x\u{0}"])!, number: Int(random.next() % 4))
                let index = random.oneIn(2) ? model.indices.randomElement(using: &random) : nil
                if let index, random.oneIn(4) {
                    let id = model.remove(at: index).id
                    try await store.write(.memory) { library in _ = try library.delete(id) }
                    continue
                }
                if let index { account.id = model[index].id }
                let new = account
                let isFree = !model.contains { other in
                    other.id != new.id
                        && (FoldedText(other.name) == FoldedText(new.name)
                            || (new.bank != nil && other.bank == new.bank && other.number == new.number))
                }
                let error = await libraryError {
                    try await store.write(.memory) { library in
                        if new.id.isAssigned { try library.update(new) } else { _ = try library.insert(new) }
                    }
                }
                #expect((error == nil) == isFree, "\(new)")
                guard isFree else { continue }
                if let index {
                    model[index] = new
                } else {
                    let added = try #require(try store.snapshot.records(Account.self).all.map { $0 }.last)
                    model.append(added)
                }
            }
            let accounts = store.snapshot.records(Account.self)
            #expect(try accounts.all.map { $0 } == model.sorted { $0.id < $1.id })
            // By the unique key, and still as it is written.
            for name in ["a", "A", "á", "a b", "A-B", "zz"] {
                #expect(
                    try accounts.where(\.name, equals: name).map { $0 } == model.filter { $0.name == name }, "\(name)")
            }
            #expect(try store.snapshot.records(Account.self).conflicts().isEmpty)
        }
    }

    @Test func `records that share a key from before it was declared stay, and are listed`() async throws {
        try await withLibrary { store in
            let ids = try await store.write { library in
                try ["Cash", "cash", "Savings"].map {
                    ID<Account>(rawValue: try library.insert(OldAccount(name: $0)).rawValue)
                }
            }
            let conflicts = [UniqueConflict<Account>(fields: ["name"], identifiers: [ids[0], ids[1]])]
            #expect(try store.snapshot.records(Account.self).conflicts() == conflicts)
            // A write that leaves the key as it is, is taken; one that would give it to a third is not.
            try await store.update(ids[1]) { $0.number = 5 }
            #expect(await libraryError { try await store.update(ids[2]) { $0.name = "Cash" } } != nil)
            #expect(await libraryError { try await store.insert(Account(name: "CASH")) } != nil)
            #expect(try store.snapshot.records(Account.self).conflicts() == conflicts)
            try await store.update(ids[1]) { $0.name = "Petty cash" }
            #expect(try store.snapshot.records(Account.self).conflicts().isEmpty)
        }
    }

    private struct Page: Record {
        var id: ID<Page> = .unassigned
        var url = ""
        var site: String?
        var path = ""
        var canonical: String { path.lowercased() }
        enum CodingKeys: Int, CodingKey { case id, url, site, path }
        static let uniqueKeys = [
            Unique(\.url), Unique(\.site, \.url), Unique(\.canonical, name: "canonical", version: 1),
        ]
    }

    @Test func `long values are compared whole, whether they are new, changed or taken back`() async throws {
        let store = try RecordLibrary.inMemory(device: 7, undo: .on)
        for count in [10, 100, 230, 240, 299, 300, 301, 400, 700] {
            let long = String(repeating: "\(count % 10)", count: count)
            @Sendable func page(_ end: String) -> Page { Page(url: long + end, site: "s", path: "/" + long + end) }
            let a = try await store.insert(page("a"))
            let b = try await store.insert(page("b"))
            // A key that a record has it keeps, and no other.
            try await store.update(b) { $0.site = "t" }
            #expect(await libraryError { try await store.update(b) { $0.url = long + "a" } } != nil)
            #expect(await libraryError { try await store.update(b) { $0.path = "/" + long.uppercased() + "A" } } != nil)
            #expect(await libraryError { try await store.insert(page("a")) } != nil)
            try await store.update(b) { ($0.url, $0.path) = (long + "c", "/" + long + "c") }
            try await store.write { library in
                library.leaveOutOfUndo()
                try library.insert(page("b"))
            }
            // Somebody has the values that the record had.
            #expect(await libraryError { try await store.undo() } != nil)
            try await store.update(a) { $0.url = long + "d" }
        }
        // One that just fills its key is no longer one that begins with it.
        for count in [236, 237, 238, 299, 300, 301] {
            let text = String(repeating: "u", count: count)
            let longer = try await store.insert(Page(url: text + "x", site: "s", path: "/l\(count)"))
            let own = try await store.write { library in
                try library.upsert(Page(url: text, site: "s", path: "/u\(count)"), replacing: \.path)
            }
            #expect(own != longer)
            #expect(await libraryError { try await store.insert(Page(url: text, site: "q", path: "/")) } != nil)
        }
        #expect(try store.snapshot.records(Page.self).conflicts().isEmpty)
        // A key of two texts has room for 237 bytes of each.
        let name = try #require(RecordKind<Page>.current.declared.uniqueKeys.first { $0.key.valueTypes.count == 2 })
            .order.name
        let url = String(repeating: "0", count: 240) + "c"
        #expect(try store.snapshot.list(Page.self, name, of: "t", url).map(\.url).contains(url))
        expectSound(store.snapshot)
        try await store.close()
    }

    private struct Spot: Record {
        var id: ID<Spot> = .unassigned
        var a = ""
        var b = ""
        var c = ""
        var x: String { a.lowercased() }
        var y: String { b.lowercased() }
        var z: String { c.lowercased() }
        enum CodingKeys: Int, CodingKey { case id, a, b, c }
        static let uniqueKeys = [
            Unique(\.x, \.y, name: "two", version: 1), Unique(\.a, \.y, name: "mixed", version: 1),
            Unique(\.x, \.y, \.z, name: "three", version: 1),
        ]
    }

    @Test func `long values that are worked out share a key, and are compared whole`() async throws {
        try await withLibrary { store in
            let texts = [10, 236, 237, 238, 260, 300, 700].map { String(repeating: "\($0 % 10)", count: $0) }
            for long in texts + [String(repeating: "\u{0}", count: 150)] {
                try await store.insert(Spot(a: long + "a", b: long + "b", c: long + "c"))
                let other = try await store.insert(Spot(a: long + "a", b: long + "d", c: long + "c"))
                let error = await libraryError {
                    try await store.insert(Spot(a: long + "A", b: long + "B", c: "another"))
                }
                guard case .notUnique(_, ["two"], _, false)? = error else {
                    Issue.record("\(long.utf8.count): \(String(describing: error))")
                    continue
                }
                #expect(await libraryError { try await store.update(other) { $0.b = long + "b" } } != nil)
                let found = try store.snapshot.list(Spot.self, "unique two", of: long + "a", long + "d")
                #expect(found.map(\.b).contains(long + "d"))
            }
            #expect(try store.snapshot.records(Spot.self).conflicts().isEmpty)
        }
    }

    /// With keys of every sort, over records that have none in the order yet.
    private struct Card: Record {
        var id: ID<Card> = .unassigned
        var code = ""
        var name = ""
        var bank: String?
        var number = 5
        var rate = 0.0
        enum CodingKeys: Int, CodingKey { case id, code, name, bank, number, rate }
        static let uniqueKeys = [
            Unique(\.code), Unique(\.name, folded: true), Unique(\.bank, \.number), Unique(\.rate),
        ]
    }

    private struct OldCard: Record {
        var id: ID<OldCard> = .unassigned
        var code = ""
        var name = ""
        var bank: String?
        enum CodingKeys: Int, CodingKey { case id, code, name, bank }
        static let recordName = "Card"
    }

    @Test(arguments: [1, 20])
    func `while a key is being made, each record is compared with those that are not in it yet`(
        checkCount: Int
    ) async throws {
        let store = try RecordLibrary(at: "L", fileSystem: MemoryFileSystem(), device: 7, buildsOrders: false)
        let long = String(repeating: "x", count: 700)
        try await store.write { library in
            for number in 0..<2_000 {
                try library.insert(
                    OldCard(
                        code: number == 1_500 ? long : "code \(number)", name: "name \(number)",
                        bank: number % 2 == 0 ? "bank \(number)" : nil))
            }
        }
        // Wrong in one of its keys, and right beside that.
        let clashes: [(card: Card, field: String)] = [
            (Card(code: "code 1700", name: "a", rate: 1), "code"),
            (Card(code: "b", name: "NAME 1999", rate: 2), "name"),
            (Card(code: "c", name: "c", bank: "bank 1800", rate: 3), "bank, number"),
            (Card(code: "d", name: "d"), "rate"), (Card(code: "e", name: "e", rate: -0.0), "rate"),
            (Card(code: long, name: "f", rate: 4), "code"),
        ]
        try await store.write { library in
            for _ in 0..<checkCount {
                for (card, field) in clashes {
                    let error = #expect(throws: LibraryError.self) { try library.insert(card) }
                    guard case .notUnique(_, let fields, _, _)? = error else {
                        Issue.record("\(card): \(String(describing: error))")
                        continue
                    }
                    #expect(fields.joined(separator: ", ") == field)
                }
            }
            try library.insert(Card(code: long + "y", name: "g", bank: "bank 1800", number: 6, rate: 5))
            try library.insert(Card(code: "h", name: "h", rate: 6))
        }
        #expect(try store.snapshot.version.unfinishedOrders(of: RecordKind<Card>.current).count == 4)
        try await store.makeOrders(of: Card.self)
        #expect(try store.snapshot.records(Card.self).conflicts().map(\.fields) == [["rate"]], "from before it was one")
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a key that names a field twice is of that field, also while it is made`() async throws {
        struct OldPair: Record {
            static let recordName = "Pair"
            var id: ID<OldPair> = .unassigned
            var name = ""
            enum CodingKeys: Int, CodingKey { case id, name }
        }
        struct Pair: Record {
            var id: ID<Pair> = .unassigned
            var name = ""
            enum CodingKeys: Int, CodingKey { case id, name }
            static let uniqueKeys = [Unique(\.name, \.name)]
        }
        let store = try RecordLibrary(at: "L", fileSystem: MemoryFileSystem(), device: 7, buildsOrders: false)
        try await store.write { library in
            for number in 0..<2_000 { try library.insert(OldPair(name: "\(number)")) }
        }
        try await store.write { library in
            #expect(throws: LibraryError.self) { try library.insert(Pair(name: "1700")) }
            try library.insert(Pair(name: "2000"))
        }
        #expect(try store.snapshot.version.unfinishedOrders(of: RecordKind<Pair>.current).count == 1)
        try await store.close()
    }

    @Test func `a write that needs a long key is run again when that is whole, and its first run counts for nothing`()
        async throws
    {
        let store = try RecordLibrary(at: "L", fileSystem: MemoryFileSystem(), device: 7, buildsOrders: false)
        let count = OrderBuilding.recordCountLookedThrough + 1
        try await store.write { library in
            for number in 0..<count { try library.insert(OldAccount(name: "n\(number)", number: number)) }
        }
        let other = try await store.insert(OldAccount(name: "other"))
        #expect(try store.snapshot.kinds.flatMap(\.orders).map(\.name) == ["number"], "who has none makes none")
        let runCount = Lock(0)
        try await store.write { library in
            runCount.withLock { $0 += 1 }
            let old = try library.insert(OldAccount(name: "in every run"))
            // Whoever makes nothing of errors is run again all the same.
            if let id = try? library.insert(Account(name: "new")) { #expect(id.rawValue == old.rawValue + 1) }
            let error = #expect(throws: LibraryError.self) { try library.insert(Account(name: "N7")) }
            if runCount.withLock({ $0 }) == 2, case .notUnique? = error {} else { #expect(error == .cancelled) }
        }
        #expect(runCount.withLock { $0 } == 2)
        let orders = try store.snapshot.version.storedOrders(of: Array("Account".utf8))
        #expect(orders.filter(\.declaration.isUnique).map(\.builtTo) == [nil, nil])
        #expect(try store.snapshot.records(Account.self).count == count + 3)
        try await store.update(ID<Account>(rawValue: other.rawValue)) { $0.name = "another" }
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `lines are taken in once each beside a long key that is being made`() async throws {
        let store = try RecordLibrary(at: "L", fileSystem: MemoryFileSystem(), device: 7, buildsOrders: false)
        let count = OrderBuilding.recordCountLookedThrough + 1
        try await store.write { library in
            for number in 0..<count { try library.insert(OldAccount(name: "n\(number)", number: number)) }
            try library.makeOrders(of: Account.self)
        }
        let names = ["a", "N77", "b", "A!", "c"]
        let lines = names.enumerated().map { number, name in
            #"{"type":"record","kind":"Account","id":"000009-\#(number + 1)","fields":{"name":"\#(name)"}}"#
        }
        let report = try await store.importLines(lines)
        #expect(report.inserted == 3 && report.refused == 2, "\(report)")
        #expect(try store.snapshot.records(Account.self).count == count + 3)
        try await store.makeOrders(of: Account.self)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test(arguments: [true, false])
    func `lines come in when the unique keys of their kind are whole`(isNamed: Bool) async throws {
        let store = try RecordLibrary(at: "L", fileSystem: MemoryFileSystem(), device: 7, buildsOrders: false)
        try await store.write { library in
            for number in 0..<2_000 { try library.insert(OldAccount(name: "n\(number)", number: number)) }
            if !isNamed { try library.makeOrders(of: Account.self) }
        }
        let lines = ["a", "N77"].enumerated().map { number, name in
            #"{"type":"record","kind":"Account","id":"000009-\#(number + 1)","fields":{"name":"\#(name)"}}"#
        }
        let report = try await isNamed ? store.importLines(lines, Account.self) : store.importLines(lines)
        #expect(report.inserted == 1 && report.refused == 1, "\(report)")
        let orders = try store.snapshot.version.storedOrders(of: Array("Account".utf8))
        #expect(orders.filter(\.declaration.isUnique).map(\.builtTo) == [nil, nil])
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a change that leaves the key as it is waits for nothing`() async throws {
        let store = try RecordLibrary(at: "L", fileSystem: MemoryFileSystem(), device: 7, buildsOrders: false)
        let ids = try await store.write { library in
            try (0...OrderBuilding.recordCountLookedThrough).map { number in
                try library.insert(OldAccount(name: "n\(number)", number: number))
            }
        }
        try await store.update(ID<Account>(rawValue: ids[5].rawValue)) { $0.number = -1 }
        let orders = try store.snapshot.version.storedOrders(of: Array("Account".utf8))
        #expect(orders.filter(\.declaration.isUnique).allSatisfy { $0.builtTo != nil })
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `types that take turns under one name leave the indexes of the last`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                for number in 0..<3 {
                    try library.insert(OldAccount(name: "old \(number)", number: number))
                    let id = try library.insert(Account(name: "new \(number)", number: number))
                    if number == 1 { try library.delete(id) }
                    let error = #expect(throws: LibraryError.self) {
                        try library.insert(Account(name: "OLD \(number)"))
                    }
                    #expect(error?.sentence.contains("has this name already") ?? false)
                }
            }
            let accounts = store.snapshot.records(Account.self)
            #expect(try accounts.where(\.name, equals: "old 0").map(\.number) == [0])
            #expect(try accounts.where(\.number, equals: 1).map(\.name) == ["old 1"])
            #expect(try accounts.where(\.number, equals: 2).map(\.name) == ["old 2", "new 2"])
        }
    }

    /// The same records with a key of the name as it is written.
    private struct LooseAccount: Record {
        var id: ID<LooseAccount> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
        static let recordName = "Account"
        static let uniqueKeys = [Unique(\.name)]
    }

    @Test func `a key that another version folds is not the type's own, though it is called the same`() async throws {
        try await withLibrary { store in
            let savings = try await store.insert(Account(name: "Savings"))
            let refusal = LibraryError.notUnique(
                kind: "Account", fields: ["name"], identifier: savings.rawValue, isDeclaredElsewhere: true)
            #expect(await libraryError { try await store.insert(LooseAccount(name: "savings")) } == refusal)
            let loaded = await libraryError {
                try await store.load(LooseAccount.self) { try $0.insert(LooseAccount(name: "savings")) }
            }
            #expect(loaded == refusal)
        }
    }

    private struct Entry: Record {
        var id: ID<Entry> = .unassigned
        var title = ""
        var place = ""
        var slug: String { title }
        var first: String { String(place.prefix(1)) }
        var last: String { String(place.suffix(1)) }
        enum CodingKeys: Int, CodingKey { case id, title, place }
        static let uniqueKeys = [
            Unique(\.slug, folded: true, name: "slug", version: 1), Unique(\.first, \.last, name: "ends", version: 1),
        ]
    }

    private struct BareEntry: Record {
        var id: ID<BareEntry> = .unassigned
        var title = ""
        var place = ""
        enum CodingKeys: Int, CodingKey { case id, title, place }
        static let recordName = "Entry"
    }

    @Test func `a key of what is worked out goes by the name that the app gave it`() async throws {
        try await withLibrary { store in
            let tea = try await store.insert(Entry(title: "Tea", place: "ab"))
            func refusal(_ fields: [String], isDeclaredElsewhere: Bool = false) -> LibraryError {
                .notUnique(
                    kind: "Entry", fields: fields, identifier: tea.rawValue, isDeclaredElsewhere: isDeclaredElsewhere)
            }
            let folded = await libraryError { try await store.insert(Entry(title: "TEA", place: "cd")) }
            #expect(folded == refusal(["slug"]))
            let several = await libraryError { try await store.insert(Entry(title: "Milk", place: "axb")) }
            #expect(several == refusal(["ends"]))
            let undeclared = await libraryError { try await store.insert(BareEntry(title: "tea", place: "ef")) }
            #expect(undeclared == refusal(["slug"], isDeclaredElsewhere: true))
        }
    }

    private enum Genre: String, Codable, CaseIterable { case sciFi = "SciFi", crime = "Crime!" }

    private struct Shelf: Record {
        var id: ID<Shelf> = .unassigned
        var genre: Genre?
        var url: URL?
        enum CodingKeys: Int, CodingKey { case id, genre, url }
        static let uniqueKeys = [Unique(\.genre, folded: true), Unique(\.url, folded: true)]
    }

    @Test func `a folded key finds what is stored as a text, whatever its type`() async throws {
        try await withLibrary { store in
            let url = try #require(URL(string: "https://Example.org/A?b=C"))
            try await store.insert(Shelf(genre: .sciFi, url: url))
            try await store.insert(Shelf(genre: .crime))
            let records = store.snapshot.records(Shelf.self)
            #expect(try records.where(\.genre, equals: .sciFi).count == 1)
            #expect(try records.where(\.genre, equals: .crime).count == 1)
            #expect(try records.where(\.url, equals: url).count == 1)
            #expect(try records.where(\.url, equals: URL(string: "https://example.org/a?b=c")).isEmpty)
            #expect(try records.where(\.genre, equals: nil).isEmpty)
        }
    }

    @Test func `an upsert inserts, or replaces the named fields of the record that has the key`() async throws {
        struct Loose: Record {
            var id: ID<Loose> = .unassigned
            var text = ""
            enum CodingKeys: Int, CodingKey { case id, text }
        }
        try await withLibrary { store in
            let (first, second) = try await store.write { library in
                let first = try library.upsert(Account(name: "Cash", bank: "x", number: 1), replacing: \.number, \.bank)
                let second = try library.upsert(Account(name: "cash", bank: "y", number: 2), replacing: \.number)
                return (first, second)
            }
            #expect(first == second)
            #expect(
                try store.snapshot.records(Account.self).all.map { $0 }
                    == [Account(id: first, name: "Cash", bank: "x", number: 2)])
            try await store.insert(Account(name: "Savings", bank: "z", number: 9))
            // Its name is one account's, its number another's.
            let torn = await libraryError {
                try await store.write { library in
                    _ = try library.upsert(Account(name: "Cash", bank: "z", number: 9), replacing: \.number)
                }
            }
            #expect(torn?.sentence.contains("has this bank and number already") ?? false)
            let keyless = await libraryError {
                try await store.write { library in _ = try library.upsert(Loose(), replacing: \.text) }
            }
            #expect(keyless?.sentence.contains("has no unique key") ?? false)
            #expect(try store.snapshot.records(Account.self).count == 2)
        }
    }

    @Test func `a declaration that cannot be kept apart is refused when it is used`() async throws {
        struct Nameless: Record {
            var id: ID<Nameless> = .unassigned
            var text = ""
            var length: Int { text.count }
            enum CodingKeys: Int, CodingKey { case id, text }
            static let indexes = [Index(\.length)]
        }
        struct Fieldless: Record {
            var id: ID<Fieldless> = .unassigned
            enum CodingKeys: Int, CodingKey { case id }
            static let uniqueKeys = [Unique()]
        }
        struct Twice: Record {
            var id: ID<Twice> = .unassigned
            var text = ""
            enum CodingKeys: Int, CodingKey { case id, text }
            static let uniqueKeys = [Unique(\.text), Unique(\.text, folded: true)]
        }
        try await withLibrary { store in
            let fieldless = await libraryError { try await store.insert(Fieldless()) }
            #expect(fieldless?.sentence == "A unique key of Fieldless names no field. Name one at least.")
            let nameless = await libraryError { try await store.insert(Nameless()) }
            #expect(nameless?.sentence.contains("by a property that is computed and has no name") ?? false)
            let twice = await libraryError { try await store.insert(Twice()) }
            #expect(twice?.sentence.contains("Two orders or indexes of Twice are called “unique text”") ?? false)
        }
    }

    private struct Link: Record {
        var id: ID<Link> = .unassigned
        var site = ""
        var url = ""
        enum CodingKeys: Int, CodingKey { case id, site, url }
        static let uniqueKeys = [Unique(\.site, \.url)]
    }

    @Test func `a long text is found by a typed beginning that is longer than what keys hold of it`() async throws {
        try await withLibrary { store in
            let long = String(repeating: "u", count: 240)
            let zeros = String(repeating: "\u{0}", count: 200)
            for url in [long, long + "v", zeros, "u"] { try await store.insert(Link(site: "s", url: url)) }
            let urls = try store.snapshot.list(Link.self, "unique site, url", of: "s")
            #expect(try urls.beginning(with: long).count == 2)
            #expect(try urls.beginning(with: "u").count == 3)
            #expect(try urls.beginning(with: String(repeating: "\u{0}", count: 160)).count == 1)
        }
    }
}
