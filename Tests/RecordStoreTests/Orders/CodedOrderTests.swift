import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// Orders and unique keys whose keys code of the app makes, as versions of it take turns in a library.
@Suite struct CodedOrderTests {
    private let fileSystem = MemoryFileSystem()

    private func withLibrary(_ body: (RecordLibrary) async throws -> Void) async throws {
        let store = try RecordLibrary(at: "Coded.bookdb", fileSystem: fileSystem, buildsOrders: false)
        try await body(store)
        expectSound(store.snapshot)
        try await store.close()
    }

    // MARK: A unique key that is set aside

    private struct PlainRoom: Record {
        var id: ID<PlainRoom> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
        static let recordName = "Room"
    }

    private struct Room: Record {
        var id: ID<Room> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
        static let recordName = "Room"
        static let upgrades = [Upgrade<Room>(2) { $0.name = $0.name.lowercased() }]
        static let uniqueKeys = [Unique(\.name)]
    }

    @Test func `a unique key that nobody has begun to make holds no value that was given up without its code`()
        async throws
    {
        var id = ID<Room>.unassigned
        try await withLibrary { store in
            id = try await store.insert(Room(name: "x"))
            // As it is where the key was set aside before that: what is written goes there ahead of its making.
            try await store.write { library in
                var entry = try #require(try library.trees.storedOrderEntries(of: Array("Room".utf8)).first)
                entry.head.builtTo = 0
                try library.put(entry.value, forKey: entry.key, in: LibraryTree.appOrders)
            }
        }
        try await withLibrary { [id] store in
            try await store.update(ID<PlainRoom>(rawValue: id.rawValue)) { $0.name = "y" }
        }
        try await withLibrary { store in
            try await store.makeOrders(of: Room.self)
            try await store.insert(Room(name: "x"))
            #expect(await libraryError { try await store.insert(Room(name: "y")) } != nil)
            #expect(try store.snapshot.records(Room.self).conflicts().isEmpty)
        }
    }

    // MARK: Defaults that upgrades read

    private struct OldFare: Record {
        var id: ID<OldFare> = .unassigned
        var place = ""
        enum CodingKeys: Int, CodingKey { case id = 0, place = 1 }
        static let recordName = "Fare"
    }

    private struct Fare: Record {
        var id: ID<Fare> = .unassigned
        var place = ""
        var factor = 1
        var rate = 0
        enum CodingKeys: Int, CodingKey { case id = 0, place = 1, factor = 2, rate = 3 }
        static let recordName = "Fare"
        static let upgrades = [Upgrade<Fare>(2) { $0.rate = $0.factor * 2 }]
        static let schema = Schema { Order("by rate", \.rate) }
    }

    /// The same with another default.
    private struct DearFare: Record {
        var id: ID<DearFare> = .unassigned
        var place = ""
        var factor = 7
        var rate = 0
        enum CodingKeys: Int, CodingKey { case id = 0, place = 1, factor = 2, rate = 3 }
        static let recordName = "Fare"
        static let upgrades = [Upgrade<DearFare>(2) { $0.rate = $0.factor * 2 }]
        static let schema = Schema { Order("by rate", \.rate) }
    }

    @Test func `an order by what upgrades make of a default is another one with another default`() async throws {
        var id: UInt64 = 0
        try await withLibrary { store in
            id = try await store.insert(OldFare(place: "a")).rawValue
            try await store.insert(OldFare(place: "b"))
        }
        try await withLibrary { store in
            try await store.makeOrders(of: Fare.self)
            #expect(try store.snapshot.list(Fare.self, "by rate").map(\.rate) == [2, 2])
        }
        try await withLibrary { [id] store in
            try await store.update(ID<DearFare>(rawValue: id)) { $0.place = "c" }
            #expect(try store.snapshot.list(DearFare.self, "by rate").map(\.rate) == [14, 14])
        }
        try await withLibrary { store in
            try await store.makeOrders(of: Fare.self)
            #expect(try store.snapshot.list(Fare.self, "by rate").map(\.rate) == [2, 14])
        }
    }
}
