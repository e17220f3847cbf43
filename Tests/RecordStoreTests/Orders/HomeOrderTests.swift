import LibrarySupport
import Filing
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

private struct Person: Record {
    var id: ID<Person> = .unassigned
    var name = ""
    enum CodingKeys: Int, CodingKey { case id, name }
}

private struct Item: Record, Equatable {
    var id: ID<Item> = .unassigned
    var title = ""
    var language: String?
    var owner: Reference<Person>?
    var tags: [String] = []
    var year: Int?
    enum CodingKeys: Int, CodingKey { case id, title, language, owner, tags, year }
    static let schema = Schema {
        Link(\.owner, onDelete: .nullify)
        Home(Order("by title", .filed(\.title, language: \.language)))
        Order("by year", \.year)
        Order("newest", .descending(\.year, absentFirst: true))
        Order("by tag", .each(\.tags))
        Order("by year and title", \.year, .filed(\.title, language: \.language, descending: true))
    }
}

/// The same without a home, as an older version of the app has it.
private struct HomelessItem: Record {
    var id: ID<HomelessItem> = .unassigned
    var title = ""
    var language: String?
    var year: Int?
    enum CodingKeys: Int, CodingKey { case id = 0, title = 1, language = 2, year = 5 }
    static let recordName = "Item"
    static let schema = Schema { Order("by year", \.year) }
}

/// Records that are equal in an order follow by their home order.
@Suite struct HomeOrderTests {
    // MARK: What the orders should be

    private static func title(_ item: Item, _ filing: FilingTailoring) -> [UInt8] {
        TitleKey.make(title: item.title, sortTitle: nil, language: item.language, filing: filing) + [0]
    }

    private static func precedes(_ left: Item, _ right: Item, _ filing: FilingTailoring) -> Bool {
        let (first, second) = (title(left, filing), title(right, filing))
        return first == second ? left.id < right.id : first.lexicographicallyPrecedes(second)
    }

    private static func expectOrders(_ snapshot: Snapshot, filing: FilingTailoring = .standard) throws {
        let home = try snapshot.records(Item.self).all.map { $0 }.sorted { precedes($0, $1, filing) }
        func expect(_ found: RecordOrderList<Item>, _ expected: [Item], _ name: String) throws {
            let (found, wanted) = (try found.identifiers(limit: .max), expected.map(\.id))
            #expect(found == wanted, "\(name)")
        }
        try expect(snapshot.list(Item.self, "by title"), home, "by title")
        // Each sort keeps what is equal in its home order.
        let years = Set(home.map(\.year))
        let ascending = years.compactMap { $0 }.sorted().map { Optional($0) } + [nil]
        try expect(
            snapshot.list(Item.self, "by year"), ascending.flatMap { year in home.filter { $0.year == year } },
            "by year")
        try expect(
            snapshot.list(Item.self, "newest"),
            ascending.reversed().flatMap { year in home.filter { $0.year == year } },
            "newest")
        for tag in Set(home.flatMap(\.tags)) {
            try expect(
                snapshot.list(Item.self, "by tag", of: tag), home.filter { $0.tags.contains(tag) }, "tag \(tag)")
        }
        for owner in Set(home.compactMap(\.owner)) {
            try expect(
                snapshot.list(Item.self, linkedBy: \.owner, to: owner), home.filter { $0.owner == owner }, "\(owner)")
        }
    }

    // MARK: Claims

    @Test func `random records that are equal in an order follow by title, and only then as they came`() async throws {
        var generator = SeededGenerator.forTest(fallback: 23)
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        var people: [ID<Person>] = []
        for name in ["Ann", "Bea"] { people.append(try await store.insert(Person(name: name))) }
        func changed(_ item: Item) -> Item {
            var item = item
            let titles = ["The Ark", "Ark", "Ärger", "Zoo", "Die Ärzte", "Åland", "Öl", "", "12 Oaks", "9 Oaks"]
            item.title = titles.randomElement(using: &generator)!
            item.language = ["en", "de", nil].randomElement(using: &generator)!
            item.owner = (people + [nil]).randomElement(using: &generator)!
            item.tags = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                ["a", "b", "c"].randomElement(using: &generator)!
            }
            item.year = [1990, 2000, 2010, nil].randomElement(using: &generator)!
            return item
        }
        for _ in 0..<40 {
            let ids = try store.snapshot.records(Item.self).all.map(\.id)
            let (first, second) = (changed(Item()), changed(Item()))
            let (updated, deleted) = (ids.randomElement(using: &generator), ids.randomElement(using: &generator))
            let change = changed(Item())
            try await store.write { library in
                try library.insert(first)
                try library.insert(second)
                if let updated {
                    var item = change
                    item.id = updated
                    try library.update(item)
                }
                if let deleted, deleted.rawValue.isMultiple(of: 3) { try library.delete(deleted) }
            }
            try Self.expectOrders(store.snapshot)
        }
        try await store.setFiling(.swedish)
        try await store.makeOrders(of: Item.self)
        try Self.expectOrders(store.snapshot, filing: .swedish)
        let ann = people[0]
        try await store.write { library in try library.delete(ann) }
        try Self.expectOrders(store.snapshot, filing: .swedish)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `an order that goes by the home's fields itself does not repeat them in its keys`() async throws {
        let orders = RecordKind<Item>.current.orders
        let tails = orders.map { $0.declaration.tail.map(\.tag) }
        let title = try #require(RecordKind<Item>.current.tag(of: \.title))
        #expect(orders.map(\.name).prefix(5) == ["by title", "by year", "newest", "by tag", "by year and title"])
        #expect(tails == [[], [title], [title], [title], [], [title]])
        for order in orders {
            #expect(try OrderDeclaration(decoding: order.declaration.encoded()) == order.declaration)
        }
    }

    @Test(arguments: [40, 1100])
    func `a type that gets a home has its orders made again, and one without it has them back`(
        count: Int
    ) async throws {
        let store = try RecordLibrary.inMemory()
        try await store.write { library in
            for index in 0..<count {
                try library.insert(HomelessItem(title: "T\((index * 7919) % 100)", year: index % 3))
            }
        }
        let came = try store.snapshot.list(HomelessItem.self, "by year", of: 1).identifiers(limit: .max)
        #expect(came == came.sorted())
        try await store.makeOrders(of: Item.self)
        try Self.expectOrders(store.snapshot)
        try await store.insert(HomelessItem(title: "T5", year: 1))
        try await store.makeOrders(of: HomelessItem.self)
        let again = try store.snapshot.list(HomelessItem.self, "by year", of: 1).identifiers(limit: .max)
        #expect(again == again.sorted() && again.count == came.count + 1)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a load makes the orders that a transaction makes, and they survive a compaction`() async throws {
        let items = (0..<300).map { index in
            Item(title: "T\((index * 7919) % 50)", tags: ["a", "b"].filter { _ in index % 2 == 0 }, year: index % 5)
        }
        let (loaded, written) = (try RecordLibrary.inMemory(device: 7), try RecordLibrary.inMemory(device: 7))
        try await loaded.load(Item.self) { library in for item in items { try library.insert(item) } }
        try await written.makeOrders(of: Item.self)
        try await written.write { library in for item in items { try library.insert(item) } }
        try await written.compact()
        for store in [loaded, written] { try Self.expectOrders(store.snapshot) }
        func entries(_ store: RecordLibrary) throws -> [[[UInt8]]] {
            let version = store.snapshot.version
            return try version.declarations.filter { LibraryTree.isOrder($0.number) }.map {
                try version.keys(of: $0.number, prefix: [], after: nil, limit: .max)
            }
        }
        #expect(try entries(loaded) == entries(written))
        try await loaded.close()
        try await written.close()
    }

    @MainActor @Test func `a list on the screen follows what moves among equals`() async throws {
        let store = try RecordLibrary.inMemory()
        var ids: [ID<Item>] = []
        for title in ["B", "D", "F"] { ids.append(try await store.insert(Item(title: title, year: 2000))) }
        let list = try LiveRecords(store, Item.self, "by year")
        await list.shows(store.snapshot.commitNumber)
        #expect(list.rows.map(\.id) == ids)
        try await store.update(ids[0]) { $0.title = "E" }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.rows.map(\.id) == [ids[1], ids[0], ids[2]] && !list.change.isReload)
        try await store.close()
    }

    // MARK: Refusals

    private struct Twice: Record {
        var id: ID<Twice> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
        static let schema = Schema {
            Home(Order("by name", \.name))
            Home(Order("folded", .folded(\.name)))
        }
    }

    private struct Several: Record {
        var id: ID<Several> = .unassigned
        var tags: [String] = []
        enum CodingKeys: Int, CodingKey { case id, tags }
        static let schema = Schema { Home(Order("by tag", .each(\.tags))) }
    }

    private struct Foreign: Record {
        var id: ID<Foreign> = .unassigned
        var owner: Reference<Person>?
        enum CodingKeys: Int, CodingKey { case id, owner }
        static let schema = Schema {
            Link(\.owner, onDelete: .nullify)
            Home(Order("by owner", .linked(\.owner, .folded(\.name))))
        }
    }

    @Test func `a home that cannot be is refused by name, with what to write instead`() async throws {
        let store = try RecordLibrary.inMemory()
        let refusals = [
            await libraryError { try await store.insert(Twice()) },
            await libraryError { try await store.insert(Several()) },
            await libraryError { try await store.insert(Foreign()) },
        ]
        let sentences = refusals.map {
            if case .schemaMismatch(let sentence)? = $0 { sentence } else { "\($0 as Any)" }
        }
        #expect(
            sentences[0] == "Twice has two homes, “by name” and “folded”. Declare one; the other is an Order.")
        #expect(
            sentences[1].hasPrefix("The order “by tag” of Several cannot be its home")
                && sentences[2].hasPrefix("The order “by owner” of Foreign cannot be its home"))
        #expect(sentences[1].hasSuffix("go without stands, .each, .present and .linked."))
        try await store.close()
    }

    @Test func `stored orders go on with nothing but what a home may be by`() throws {
        var order = OrderDeclaration()
        let plain = OrderDeclaration.Component(
            tag: 5, kind: .number, isOptional: false, isDescending: false, isAbsentFirst: false)
        order.components = [plain]
        order.tail = [plain]
        #expect(try OrderDeclaration(decoding: order.encoded()).tail == [plain])
        var each = plain
        each.occurrence = .each
        order.tail = [each]
        #expect(throws: RecordProblem.self) { try OrderDeclaration(decoding: order.encoded()) }
    }
}
