import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Versions of an app that declare one kind differently and take turns in a library.
@Suite struct SchemaVersionsTests {
    private struct First: Record {
        var id: ID<First> = .unassigned
        var name = ""
        var price = 0
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, price = 2 }
        static let recordName = "Item"
        static let indexes = [Index(\.price)]
        static let schema = Schema { Order("list", \.name) }
    }

    private struct Second: Record {
        var id: ID<Second> = .unassigned
        var name = ""
        var price = 0
        var initial: String { String(name.prefix(1)) }
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, price = 2 }
        static let recordName = "Item"
        static let indexes = [Index(\.initial, name: "initial", version: 2)]
        static let uniqueKeys = [Unique(\.name, folded: true)]
        static let schema = Schema { Order("list", .descending(\.price), .ascending(\.name)).sum(\.price) }
    }

    /// The same as the second, but for what its code computes.
    private struct Third: Record {
        var id: ID<Third> = .unassigned
        var name = ""
        var price = 0
        var initial: String { String(name.suffix(1)) }
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, price = 2 }
        static let recordName = "Item"
        static let indexes = [Index(\.initial, name: "initial", version: 3)]
        static let upgrades = [Upgrade<Third>(2) { $0.price += 1 }]
        static let schema = Schema { Order("list", \.price).sum(\.price) }
    }

    private let fileSystem = MemoryFileSystem()

    private func open(limit: Int = 30) throws -> RecordLibrary {
        try RecordLibrary(at: "Items.bookdb", unusedOrderLimit: limit, fileSystem: fileSystem)
    }

    private func orders(_ store: RecordLibrary) throws -> [StoredOrder] {
        try store.snapshot.version.storedOrders(of: Array("Item".utf8))
    }

    @Test func `two definitions of one name stand side by side, each right whoever writes`() async throws {
        let store = try open()
        try await store.insert(First(name: "b", price: 1))
        try await store.insert(Second(name: "a", price: 2))
        try await store.insert(First(name: "c", price: 3))
        let now = store.snapshot
        #expect(try now.list(First.self, "list").map(\.name) == ["a", "b", "c"])
        #expect(try now.list(Second.self, "list").map(\.name) == ["c", "a", "b"])
        #expect(try now.list(Second.self, "list").sum(\.price) == 6)
        #expect(try now.records(First.self).sorted(by: \.price).map(\.name) == ["b", "a", "c"])
        #expect(try orders(store).filter { $0.name == "list" }.count == 2)
        expectSound(now)
        try await store.close()
    }

    @Test func `an order that nobody declares any more goes after so many openings that wrote its kind`() async throws {
        var store = try open(limit: 3)
        try await store.insert(First(name: "a", price: 1))
        try await store.close()
        for opening in 1...3 {
            store = try open(limit: 3)
            #expect(try orders(store).contains { $0.name == "price" }, "before opening \(opening) has written")
            // Several writes of an opening count once.
            for name in ["x", "y"] { try await store.insert(Second(name: "\(name)\(opening)", price: 1)) }
            try await store.close()
        }
        store = try open(limit: 3)
        #expect(try orders(store).map(\.name).sorted() == ["initial", "list", "unique name"])
        // Who declares it has it made again.
        try await store.insert(First(name: "z", price: 0))
        #expect(try store.snapshot.records(First.self).sorted(by: \.price).map(\.name).first == "z")
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `declaring an order again begins the count anew`() async throws {
        for round in 0..<5 {
            let store = try open(limit: 3)
            if round != 2 { try await store.insert(Second(name: "s\(round)")) }
            if round == 0 || round == 2 { try await store.insert(First(name: "f\(round)")) }
            try await store.close()
        }
        let store = try open(limit: 3)
        #expect(try orders(store).contains { $0.name == "price" })
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `who lacks the code of an order sets it aside, and who has it makes it again`() async throws {
        var store = try open()
        for name in ["ab", "ba"] { try await store.insert(Second(name: name)) }
        #expect(try store.snapshot.records(Second.self).sorted(by: \.initial).map(\.name) == ["ab", "ba"])
        try await store.close()

        // Another process, which knows the first version alone.
        store = try open()
        try await store.insert(First(name: "aa"))
        let aside = try #require(try orders(store).first { $0.name == "initial" })
        #expect(try aside.builtTo == 0 && store.snapshot.version.count(of: aside.tree) == 0)
        #expect(try await store.verify().isSound)
        try await store.close()

        store = try open()
        #expect(
            try store.snapshot.records(Second.self).sorted(by: \.initial).map(\.name) == ["ab", "aa", "ba"],
            "all records are read until it is made")
        try await store.makeOrders(of: Second.self)
        let made = try #require(try orders(store).first { $0.name == "initial" })
        #expect(try made.builtTo == nil && store.snapshot.version.count(of: made.tree) == 3)
        // A later version computes something else: an index beside that one.
        try await store.insert(Third(name: "cz"))
        #expect(try store.snapshot.records(Third.self).where(\.initial, equals: "z").map(\.name) == ["cz"])
        #expect(try orders(store).filter { $0.name == "initial" }.count == 2)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `making another order, at an opening that knows no type yet, leaves an order that needs code`()
        async throws
    {
        var store = try RecordLibrary(at: "Items.bookdb", fileSystem: fileSystem, buildsOrders: false)
        try await store.insert(Second(name: "a"))
        try await store.write { library in for name in 0..<1500 { try library.insert(Second(name: "n\(name)")) } }
        // The order of another definition is begun, and not made.
        try await store.database.write { trees in
            var entry = try #require(
                try trees.storedOrderEntries(of: Array("Item".utf8)).first { $0.name == "list" })
            entry.head.builtTo = 0
            try trees.removeAll(in: entry.head.tree)
            try trees.put(entry.value, forKey: entry.key, in: LibraryTree.appOrders)
        }
        try await store.close()
        store = try open()
        try await store.finishOrders()
        let made = try orders(store)
        #expect(made.allSatisfy { $0.builtTo == nil })
        #expect(try store.snapshot.version.count(of: try #require(made.first { $0.name == "initial" }).tree) == 1501)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a type with upgrades has orders of what they leave, also of records that were not written again`()
        async throws
    {
        let store = try open()
        let old = try await store.insert(First(name: "old", price: 5))
        try await store.insert(Third(name: "new", price: 1))
        #expect(try store.snapshot.list(Third.self, "list").map(\.name) == ["new", "old"])
        #expect(try store.snapshot.list(Third.self, "list").sum(\.price) == 7, "5 was upgraded to 6")
        #expect(try store.snapshot.records(First.self).sorted(by: \.price).map(\.price) == [1, 5])
        try await store.update(ID<Third>(rawValue: old.rawValue)) { $0.name = "older" }
        #expect(try store.snapshot.list(Third.self, "list").sum(\.price) == 7)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a verification without the app's code finds what is missing, and says how far it looked`() async throws
    {
        var store = try open()
        let ids = try await store.write { library in
            try ["a", "b"].map { try library.insert(Second(name: $0)) }
        }
        let order = try #require(try orders(store).first { $0.name == "initial" })
        // Whoever goes on with orders and has not the app's code sets aside those that only that makes.
        try await store.finishOrders()
        try await store.close()

        store = try open()
        func items() -> [String] { LibraryVerifier.verify(store.snapshot).checks.flatMap(\.items) }
        #expect(items().isEmpty)
        #expect(
            LibraryVerifier.verify(store.snapshot).checks.contains {
                $0.detail.contains("checked for missing and doubled records only: initial of Item")
            })
        try await store.database.write { trees in
            _ = try trees.remove(OrderedValue("a").key + .bigEndian(ids[0].rawValue), in: order.tree)
            try trees.put([], forKey: OrderedValue("c").key + .bigEndian(ids[1].rawValue), in: order.tree)
        }
        let found = items()
        #expect(found.contains { $0.hasSuffix("does not have \(ids[0]).") }, "\(found)")
        #expect(found.contains { $0.hasSuffix("has \(ids[1]) twice.") }, "\(found)")
        try await store.close()
    }

    @Test func `a unique key binds a version of the app that does not declare it`() async throws {
        let store = try open()
        let id = try await store.insert(Second(name: "Tea"))
        let error = await libraryError { try await store.insert(First(name: "TEA")) }
        #expect(
            error == .notUnique(kind: "Item", fields: ["name"], identifier: id.rawValue, isDeclaredElsewhere: true))
        #expect(error?.sentence.hasSuffix("another version of the app declares a unique key of it.") == true)
        try await store.insert(First(name: "Coffee"))
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a unique key that is still being made keeps records apart that it does not hold yet`() async throws {
        let store = try RecordLibrary(at: "Items.bookdb", fileSystem: fileSystem, buildsOrders: false)
        let ids = try await store.write { library in
            try (0..<1500).map { try library.insert(First(name: "item \($0)", price: $0)) }
        }
        try await store.insert(Second(name: "new"))
        let unique = try #require(try orders(store).first { $0.name == "unique name" })
        #expect(unique.builtTo == 0)
        try await store.write { library in
            let taken = #expect(throws: LibraryError.self) { try library.insert(Second(name: "ITEM 1400")) }
            #expect(taken == .notUnique(kind: "Item", fields: ["name"], identifier: ids[1400].rawValue))
            #expect(throws: LibraryError.self) { try library.insert(First(name: "New")) }
            // Gone within the transaction, it is free.
            try library.delete(ids[1400])
            try library.insert(Second(name: "ITEM 1400"))
            #expect(throws: LibraryError.self) { try library.insert(Second(name: "item 1400")) }
        }
        #expect(try await store.verify().isSound)
        try await store.makeOrders(of: Second.self)
        #expect(try orders(store).allSatisfy { $0.builtTo == nil })
        #expect(await libraryError { try await store.insert(First(name: "item 7")) } != nil)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `an order that a later version declares in a way not known here stops nobody`() async throws {
        var store = try open()
        try await store.insert(Second(name: "a", price: 1))
        let order = try #require(try orders(store).first { $0.name == "list" })
        // A tag that this version does not have.
        var writer = RecordWriter()
        writer.write(900, [1, 2, 3])
        let declaration = order.declaration.encoded() + writer.finish()
        let kind = Array("Item".utf8)
        let key = StoredOrder.key(kind, "later", identity: StoredOrder.identity(of: declaration))
        let tree = TreeNumber(order.tree.rawValue + 40)
        try await store.database.write { trees in
            try trees.declare(StoredOrder.treeDeclaration(tree, "Item", "later", order.declaration))
            try trees.put(
                OrderHead(tree: tree, builtTo: nil).bytes + declaration, forKey: key, in: LibraryTree.appOrders)
            try trees.put([UInt8](repeating: 0, count: 8), forKey: [1, 2, 3], in: tree)
        }
        try await store.close()
        store = try open()
        #expect(
            LibraryVerifier.verify(store.snapshot).checks.contains { $0.detail.contains("not checked: later of Item") })
        try await store.insert(First(name: "b", price: 2))
        #expect(try store.snapshot.version.count(of: tree) == 0, "it is set aside in the same commit")
        #expect(
            try store.snapshot.version.storedOrderEntries(of: kind).contains { $0.name == "later" && $0.order == nil })
        #expect(try store.snapshot.list(Second.self, "list").map(\.name) == ["b", "a"])
        #expect(try await store.verify().isSound)
        try await store.close()
    }

    @Test func `a load takes no notice of an order whose code it does not have, and who has it makes it again`()
        async throws
    {
        var store = try open()
        for name in ["b", "c"] { try await store.insert(Second(name: name, price: 1)) }
        try await store.close()
        store = try open()
        try await store.load(First.self) { load in
            for name in ["a", "d"] { try load.insert(First(name: name, price: 2)) }
        }
        #expect(try orders(store).filter { $0.name == "initial" }.map(\.builtTo) == [0])
        #expect(try store.snapshot.list(First.self, "list").map(\.name) == ["a", "b", "c", "d"])
        // Keys are unique whoever loads.
        #expect(await libraryError { try await store.load(First.self) { try $0.insert(First(name: "B")) } } != nil)
        try await store.makeOrders(of: Second.self)
        #expect(try store.snapshot.records(Second.self).sorted(by: \.initial).map(\.name) == ["a", "b", "c", "d"])
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `orders are made again from their declarations, where no type of the app is known`() async throws {
        var store = try open()
        for (name, price) in [("a", 3), ("b", 1), ("c", 2)] { try await store.insert(Second(name: name, price: price)) }
        try await store.close()
        store = try open()
        let report = try await store.reindex(only: .appOrders)
        #expect(report.trees.map(\.entryCount) == [6], "the list and the unique key; the index waits for its code")
        #expect(try store.snapshot.list(Second.self, "list").map(\.name) == ["a", "c", "b"])
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `every kind of field is the same in an index as in a query`() throws {
        let everything = Everything()
        func check<Field: Encodable & SendableMetatype>(
            _ path: KeyPath<Everything, Field> & Sendable, _ line: Int = #line
        ) throws {
            let component = try #require(try? RecordKind<Everything>.declaration(of: .ascending(path), ""))
            let value = try #require(TaggedValue.of(everything[keyPath: path]))
            #expect(try component.bytes(value) == OrderedValue(everything[keyPath: path]).bytes, "line \(line)")
        }
        try check(\.flag)
        try check(\.integer)
        try check(\.small)
        try check(\.large)
        try check(\.double)
        try check(\.float)
        try check(\.text)
        try check(\.work)
        try check(\.day)
        try check(\.date)
        try check(\.data)
        try check(\.uuid)
        try check(\.url)
        try check(\.shelf)
        try check(\.level)
        try check(\.amount)
        try check(\.present)
    }
}
