import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// Deleting a record of which others would keep what no order takes: it is refused before anything is changed, in transactions that go on.
struct RefusedDeletionTests {
    private struct Category: Record, Equatable {
        var id: ID<Category> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    private struct Basket: Record, Equatable {
        struct Part: RecordPart, Equatable {
            var category: Reference<Category>?
            var amount: Money = 0
            enum CodingKeys: Int, CodingKey { case category, amount }
        }

        var id: ID<Basket> = .unassigned
        var parts: [Part] = []
        enum CodingKeys: Int, CodingKey { case id, parts }
        static let schema = Schema {
            Link(each: \.parts, \.category, onDelete: .nullify)
            Order("by category", .each(\.parts, \.category)).sum(each: \.parts, \.amount)
        }
    }

    @Test func `parts that come to more than a sum holds without what they name keep that from being deleted`()
        async throws
    {
        try await withLibrary { store in
            let food = try await store.insert(Category(name: "food"))
            let rent = try await store.insert(Category(name: "rent"))
            let basket = Basket(parts: [
                .init(category: food, amount: Money(tenThousandths: .max)), .init(category: nil, amount: 1),
                .init(category: rent, amount: 5),
            ])
            try await store.insert(basket)
            let error = await libraryError { try await store.delete(food) }
            guard case .invalidValue(let reason) = error else { Issue.record("\(String(describing: error))"); return }
            #expect(reason.contains("by category"))
            #expect(try store.snapshot.list(Basket.self, "by category", of: food).count == 1)
            #expect(try store.snapshot.list(Basket.self, "by category", of: rent).count == 1)
            try await store.delete(rent)
            #expect(try store.snapshot.list(Basket.self, "by category", of: nil as Reference<Category>?).count == 1)
        }
    }

    private struct Folder: Record, Equatable {
        var id: ID<Folder> = .unassigned
        var name = ""
        var parent: Reference<Folder>?
        enum CodingKeys: Int, CodingKey { case id, name, parent }
        var path: String { "\(parent.map { "\($0)" } ?? "")/\(name)" }
        static let uniqueKeys = [Unique(\.path, name: "path", version: 1)]
        static let schema = Schema { Link(\.parent, onDelete: .nullify) }
    }

    @Test func `a record that would come to the unique key of another keeps what it names`() async throws {
        try await withLibrary { store in
            let (a, b) = (try await store.insert(Folder(name: "a")), try await store.insert(Folder(name: "b")))
            let x = try await store.insert(Folder(name: "x"))
            let inner = try await store.insert(Folder(name: "x", parent: a))
            try await store.write { library in
                #expect(throws: LibraryError.notUnique(kind: "Folder", fields: ["path"], identifier: x.rawValue)) {
                    try library.delete(a)
                }
                try library.insert(Folder(name: "y", parent: a))
            }
            #expect(try store.snapshot.records(Folder.self)[inner]?.parent == a)
            #expect(try store.snapshot.records(Folder.self).conflicts().isEmpty)
            // Two that would come to one key together.
            try await store.delete(x)
            try await store.insert(Folder(name: "x", parent: b))
            try await store.delete(a)
            #expect(await libraryError { try await store.delete(b) } != nil)
            try await store.update(inner) { $0.name = "z" }
            try await store.delete(b)
            #expect(
                try store.snapshot.records(Folder.self).all.page(limit: 9).map(\.path).sorted() == ["/x", "/y", "/z"])
        }
    }

    /// As a version declared it whose field was not optional yet.
    private struct OldItem: Record, Equatable {
        static var recordName: String { "StoredItem" }
        var id: ID<OldItem> = .unassigned
        var folder: Reference<Category> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, folder, name }
        static let uniqueKeys = [Unique(\.folder, \.name)]
        static let schema = Schema { Link(\.folder, onDelete: .cascade) }
    }

    private struct NewItem: Record, Equatable {
        static var recordName: String { "StoredItem" }
        var id: ID<NewItem> = .unassigned
        var folder: Reference<Category>?
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, folder, name }
        static let schema = Schema { Link(\.folder, onDelete: .nullify) }
    }

    @Test func `a unique key of an earlier version is one for what a deletion leaves, too`() async throws {
        try await withLibrary { store in
            let (a, b) = (try await store.insert(Category(name: "a")), try await store.insert(Category(name: "b")))
            for category in [a, b] { try await store.insert(OldItem(folder: category, name: "x")) }
            try await store.makeOrders(of: NewItem.self)
            let error = await libraryError { try await store.delete([a, b]) }
            guard case .notUnique? = error else { Issue.record("\(String(describing: error))"); return }
            #expect(try store.snapshot.records(Category.self).count == 2)
            expectSound(store.snapshot)
        }
    }

    private struct Shelf: Record, Equatable {
        var id: ID<Shelf> = .unassigned
        enum CodingKeys: Int, CodingKey { case id }
    }

    private struct Box: Record, Equatable {
        var id: ID<Box> = .unassigned
        var shelf: Reference<Shelf> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, shelf }
        static let schema = Schema { Link(\.shelf, onDelete: .cascade) }
    }

    /// Goes with its shelf, and not with its box.
    private struct Item: Record, Equatable {
        var id: ID<Item> = .unassigned
        var name = ""
        var box: Reference<Box>?
        var shelf: Reference<Shelf>?
        enum CodingKeys: Int, CodingKey { case id, name, box, shelf }
        var place: String { "\(box.map { "\($0)" } ?? "")/\(name)" }
        static let uniqueKeys = [Unique(\.place, name: "place", version: 1)]
        static let schema = Schema {
            Link(\.box, onDelete: .nullify)
            Link(\.shelf, onDelete: .cascade)
        }
    }

    @Test func `what a deletion leaves is compared with itself, and not with what goes`() async throws {
        try await withLibrary { store in
            let shelf = try await store.insert(Shelf())
            let (a, b) = (try await store.insert(Box(shelf: shelf)), try await store.insert(Box(shelf: shelf)))
            let first = try await store.insert(Item(name: "x", box: a))
            let second = try await store.insert(Item(name: "x", box: b))
            // Both would be nowhere, under one name.
            let error = await libraryError { try await store.delete(shelf) }
            guard case .notUnique? = error else { Issue.record("\(String(describing: error))"); return }
            #expect(try store.snapshot.records(Item.self).all.page(limit: 9).map(\.box) == [a, b])
            try await store.delete(second)
            // One that is there under the name goes as well.
            try await store.insert(Item(name: "x", shelf: shelf))
            try await store.delete(shelf)
            #expect(try store.snapshot.records(Item.self).all.page(limit: 9).map(\.id) == [first])
        }
    }

    private struct Owner: Record, Equatable {
        var id: ID<Owner> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    /// The same, to be put in its place.
    private struct Company: Record, Equatable {
        var id: ID<Company> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    private struct Purse: Record, Equatable {
        var id: ID<Purse> = .unassigned
        var owner: Reference<Owner>?
        enum CodingKeys: Int, CodingKey { case id, owner }
        static let schema = Schema { Link(\.owner, onDelete: .nullify) }
    }

    /// What went from one purse to another, in the statement of the owner of each.
    private struct Transfer: Record, Equatable {
        var id: ID<Transfer> = .unassigned
        var from: Reference<Purse>?
        var to: Reference<Purse>?
        var sent: Money = 0
        var sentIn = "EUR"
        var received: Money = 0
        var receivedIn = "USD"
        enum CodingKeys: Int, CodingKey { case id, from, to, sent, sentIn, received, receivedIn }
        static let schema = Schema {
            Link(\.from, onDelete: .nullify)
            Link(\.to, onDelete: .nullify)
            Order("statement") {
                Stand(.linked(\.from, .ascending(\.owner))).sum(\.sent, in: \.sentIn)
                Stand(.linked(\.to, .ascending(\.owner))).sum(\.received, in: \.receivedIn)
            }
        }
    }

    @Test func `a deletion that an order by what is named refuses leaves its transaction as it was`() async throws {
        try await withLibrary { store in
            let (first, second, purse) = try await store.write { library in
                let (first, second) = (try library.insert(Owner(name: "A")), try library.insert(Owner(name: "B")))
                let purses = (
                    try library.insert(Purse(owner: first)), try library.insert(Purse(owner: second))
                )
                for _ in 0..<3 { try library.insert(Purse(owner: second)) }
                try library.insert(Transfer(from: purses.0, to: purses.1, sent: 1, received: 1))
                return (first, second, purses.1)
            }
            try await store.write { library in
                try library.delete(first)
                do throws(LibraryError) {
                    try library.delete(second)
                    Issue.record("one place has amounts in two currencies")
                } catch {
                    guard case .invalidValue = error else { throw error }
                }
                try library.insert(Owner(name: "C"))
            }
            #expect(try store.snapshot.records(Purse.self).where(\.owner, equals: second).count == 4)
            #expect(try store.snapshot.records(Owner.self).count == 2)
            // Nor is what it names put away for a record of another kind.
            try await store.write { library in
                do throws(LibraryError) {
                    try library.replace(purse, with: Company(name: "C"))
                    Issue.record("one place has amounts in two currencies")
                } catch {
                    guard case .invalidValue = error else { throw error }
                }
                try library.insert(Company(name: "D"))
            }
            #expect(try store.snapshot.records(Company.self).all.page(limit: 9).map(\.name) == ["D"])
            #expect(try store.snapshot.records(Purse.self)[purse]?.owner == second)
        }
    }
}
