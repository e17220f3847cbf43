import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// What a verification finds in a library whose types it has not got: mistakes are planted by keys and bytes.
@Suite struct ForeignSchemaTests {
    private struct Shop: Record {
        var id: ID<Shop> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
        static let uniqueKeys = [Unique(\.name)]
    }

    private struct Bill: Record {
        var id: ID<Bill> = .unassigned
        var shop: Reference<Shop> = .unassigned
        var amount: Money = 0
        var tags: [String] = []
        var isPaid = false
        enum CodingKeys: Int, CodingKey { case id, shop, amount, tags, isPaid }
        var size: Int { tags.count }
        static let indexes = [Index(\.size, name: "size", version: 1)]
        static let schema = Schema {
            Link(\.shop, onDelete: .deny)
            Order("by shop", \.shop).sum(\.amount)
            Order("by tag", .each(\.tags))
            Order("by name", .linked(\.shop, .ascending(\.name)))
            Facet("paid", \.isPaid == true)
        }
    }

    /// Three shops and six bills.
    private static func library() async throws -> (database: Database, shops: [ID<Shop>], bills: [ID<Bill>]) {
        let fileSystem = MemoryFileSystem()
        let store = try RecordLibrary(at: "L", fileSystem: fileSystem, device: 7)
        let (shops, bills) = try await store.write { library in
            let shops = try ["Ash", "Birch", "Cedar"].map { try library.insert(Shop(name: $0)) }
            let bills = try (0..<6).map { number in
                try library.insert(
                    Bill(
                        shop: shops[number % 3], amount: Money(number), tags: ["t\(number)", "all"],
                        isPaid: number % 2 == 0))
            }
            return (shops, bills)
        }
        try await store.close()
        return (try Database.open(at: "L", trees: [], fileSystem: fileSystem), shops, bills)
    }

    /// What is done to a library, and words of what has to be found.
    struct Plant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let finding: String
        fileprivate let plant: @Sendable (borrowing PlantedLibrary, inout Transaction) throws -> Void

        fileprivate init(
            _ description: String, _ finding: String,
            _ plant: @escaping @Sendable (borrowing PlantedLibrary, inout Transaction) throws -> Void
        ) {
            (testDescription, self.finding, self.plant) = (description, finding, plant)
        }
    }

    /// The trees of a library's orders, for who plants something.
    struct PlantedLibrary: ~Copyable, Sendable {
        let version: Version
        let shops: [UInt64]
        let bills: [UInt64]

        func order(_ name: String, of kind: String = "Bill") throws -> StoredOrder {
            try #require(try version.storedOrders(of: Array(kind.utf8)).first { $0.name == name })
        }

        /// The entry of a record.
        func entry(
            of id: UInt64, in order: StoredOrder
        ) throws -> (key: [UInt8], value: [UInt8], facets: FacetSet) {
            let key = try #require(
                try version.keys(of: order.tree, prefix: [], after: nil, limit: .max).first {
                    $0.number(at: $0.count - 8) == id
                })
            return (
                key, try #require(try version.bytes(forKey: key, in: order.tree)),
                try #require(try version.facets(forKey: key, in: order.tree))
            )
        }
    }

    fileprivate static let plants: [Plant] = [
        Plant("an entry is gone", "The order by shop of Bill does not have 000007-5 where it belongs") {
            let order = try $0.order("by shop")
            try $1.remove($0.entry(of: $0.bills[1], in: order).key, in: order.tree)
        },
        Plant("an entry names nobody", "The order by shop of Bill has 7 entries; its records come to 6") {
            let order = try $0.order("by shop")
            let entry = try $0.entry(of: $0.bills[1], in: order)
            try $1.put(entry.value, forKey: entry.key.dropLast(8) + .bigEndian(99), in: order.tree)
        },
        Plant("other amounts", "has other amounts of 000007-6 than the record") {
            let order = try $0.order("by shop")
            let entry = try $0.entry(of: $0.bills[2], in: order)
            try $1.put([9] + entry.value.dropFirst(), forKey: entry.key, facets: entry.facets, in: order.tree)
        },
        Plant("other facets", "counts 000007-7 among others than the record") {
            let order = try $0.order("by shop")
            let entry = try $0.entry(of: $0.bills[3], in: order)
            try $1.put(
                entry.value, forKey: entry.key, facets: FacetSet(rawValue: entry.facets.rawValue ^ 1), in: order.tree)
        },
        Plant("one of a list's places is gone", "The order by tag of Bill does not have 000007-4") {
            let order = try $0.order("by tag")
            try $1.remove($0.entry(of: $0.bills[0], in: order).key, in: order.tree)
        },
        Plant("another record's field has changed", "The order by name of Bill does not have") {
            var writer = RecordWriter()
            writer.write(FieldNumber.tag(1), "Yew".utf8)
            try $1.put(writer.finish(), forKey: $0.shops[0], in: KindTree.number(of: "Shop"))
        },
        Plant("a unique key lacks a record", "does not have 000007-2 where it belongs") {
            let order = try #require(try $0.version.storedOrders(of: Array("Shop".utf8)).first)
            try $1.remove($0.entry(of: $0.shops[1], in: order).key, in: order.tree)
        },
        Plant("what code makes lacks a record", "The order size of Bill does not have 000007-9") {
            let order = try $0.order("size")
            try $1.remove($0.entry(of: $0.bills[5], in: order).key, in: order.tree)
        },
        Plant("what code makes has one twice", "The order size of Bill has 000007-9 twice") {
            let order = try $0.order("size")
            let entry = try $0.entry(of: $0.bills[5], in: order)
            try $1.put(entry.value, forKey: [3] + entry.key, in: order.tree)
        },
        Plant("what code makes names nobody", "The order size of Bill names 000000-99, which is not there") {
            let order = try $0.order("size")
            let entry = try $0.entry(of: $0.bills[5], in: order)
            try $1.put(entry.value, forKey: entry.key.dropLast(8) + .bigEndian(99), in: order.tree)
        },
        Plant("a link leads nowhere", "is Shop 000007-3, which is not there") {
            let unique = try #require(try $0.version.storedOrders(of: Array("Shop".utf8)).first)
            try $1.remove($0.entry(of: $0.shops[2], in: unique).key, in: unique.tree)
            try $1.remove(.bigEndian($0.shops[2]), in: KindTree.number(of: "Shop"))
        },
        Plant("a record is none", "Bill 000007-8 is no record") {
            try $1.put([0xFF], forKey: $0.bills[4], in: KindTree.number(of: "Bill"))
        },
        Plant("a key is no identifier", "A record of Bill has the key 010203, which is no identifier") {
            try $1.put([], forKey: [1, 2, 3] as [UInt8], in: KindTree.number(of: "Bill"))
        },
        Plant("an identifier that is yet to be given out", "the next to be given out is") {
            try $1.put([], forKey: ID<Shop>(device: 7, counter: 5_000_000).rawValue, in: KindTree.number(of: "Shop"))
        },
        Plant("an order is not the one that its key names", "is not the one that its key names") {
            let order = try $0.order("by tag")
            try $1.put(order.value.dropLast() + [0], forKey: order.key(Array("Bill".utf8)), in: LibraryTree.appOrders)
        },
        Plant("fields that are none", "What the library says of the fields of Bill cannot be read") {
            try $1.put([0xFF, 0xFF], forKey: Array("Bill".utf8), in: LibraryTree.appFields)
        },
        Plant("records where nobody looks for them", "where nobody looks for them") {
            try $1.declare(KindTree.declaration(TreeNumber(LibraryTree.firstKind.rawValue + 5), "Elsewhere"))
        },
    ]

    @Test func `a library without mistakes is sound`() async throws {
        let (database, _, _) = try await Self.library()
        let verification = LibraryVerifier.verify(Snapshot(database.version))
        #expect(verification.isSound, "\(verification.checks.flatMap(\.items))")
        #expect(verification.checks.map(\.detail).joined().contains("made by code of the app"))
        try await database.close()
    }

    @Test(arguments: plants) fileprivate func `a verification finds what is planted`(planted: Plant) async throws {
        let (database, shops, bills) = try await Self.library()
        let library = PlantedLibrary(
            version: database.version, shops: shops.map(\.rawValue), bills: bills.map(\.rawValue))
        try await database.write { transaction in try planted.plant(library, &transaction) }
        let verification = LibraryVerifier.verify(Snapshot(database.version))
        let items = verification.checks.flatMap(\.items)
        #expect(!verification.isSound && items.contains { $0.contains(planted.finding) }, "\(items)")
        try await database.close()
    }

    @Test func `two that share a unique key are named, and are no damage`() async throws {
        let (database, shops, _) = try await Self.library()
        try await database.write { transaction in
            var writer = RecordWriter()
            writer.write(FieldNumber.tag(1), "Birch".utf8)
            let order = try #require(try database.version.storedOrders(of: Array("Shop".utf8)).first)
            let keys = try database.version.keys(of: order.tree, prefix: [], after: nil, limit: .max)
            try transaction.remove(keys[0], in: order.tree)
            try transaction.put([], forKey: keys[1].dropLast(8) + .bigEndian(shops[0].rawValue), in: order.tree)
            try transaction.put(writer.finish(), forKey: shops[0].rawValue, in: KindTree.number(of: "Shop"))
        }
        let check = try #require(
            LibraryVerifier.verify(Snapshot(database.version)).checks.first { $0.name == "app orders" })
        #expect(check.detail.contains("from a repair: name of Shop 000007-1, 000007-2"), "\(check.detail)")
        try await database.close()
    }
}
