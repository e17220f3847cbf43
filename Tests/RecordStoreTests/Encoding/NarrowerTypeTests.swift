import LibrarySupport
import Testing

@testable import RecordStore

/// A field whose type became narrower than what an earlier version of the app wrote.
@Suite struct NarrowerTypeTests {
    private struct Wide: Record {
        var id: ID<Wide> = .unassigned
        var count = 0
        var level: Int?
        var mood: UInt = 0
        var counts: [Int] = []
        var stock: [String: Int] = [:]
        enum CodingKeys: Int, CodingKey { case id = 0, count = 1, level = 2, mood = 3, counts = 4, stock = 5 }
        static let recordName = "Sample"
    }

    private enum Mood: UInt8, Codable, CaseIterable { case calm, merry }

    private struct NarrowCount: Record {
        var id: ID<NarrowCount> = .unassigned
        var count: Int8 = 0
        enum CodingKeys: Int, CodingKey { case id = 0, count = 1 }
        static let recordName = "Sample"
    }

    private struct NarrowLevel: Record {
        var id: ID<NarrowLevel> = .unassigned
        var level: Int16?
        enum CodingKeys: Int, CodingKey { case id = 0, level = 2 }
        static let recordName = "Sample"
    }

    private struct NarrowMood: Record {
        var id: ID<NarrowMood> = .unassigned
        var mood = Mood.merry
        enum CodingKeys: Int, CodingKey { case id = 0, mood = 3 }
        static let recordName = "Sample"
    }

    private struct Marks: OptionSet, Codable, Hashable, Sendable {
        var rawValue: UInt8
        static let read = Marks(rawValue: 1)
    }

    private struct NarrowMarks: Record {
        var id: ID<NarrowMarks> = .unassigned
        var mood: Marks?
        enum CodingKeys: Int, CodingKey { case id = 0, mood = 3 }
        static let recordName = "Sample"
    }

    private struct NarrowStock: Record {
        var id: ID<NarrowStock> = .unassigned
        var stock: [String: Int8] = [:]
        enum CodingKeys: Int, CodingKey { case id = 0, stock = 5 }
        static let recordName = "Sample"
    }

    private struct NarrowList: Record {
        var id: ID<NarrowList> = .unassigned
        var counts: [Int8] = []
        enum CodingKeys: Int, CodingKey { case id = 0, counts = 4 }
        static let recordName = "Sample"
    }

    private func refusal(
        _ field: String, _ number: Int, _ type: String, _ id: UInt64, wide: String = "Int"
    ) -> LibraryError {
        .schemaMismatch(
            "The field “\(field)” of Sample \(ID<Wide>(rawValue: id)) is \(number), for which its type \(type) has no room. Give it a type as wide "
                + "as the one it was written with, such as \(wide).")
    }

    @Test func `a number that a narrower type has no room for is refused by its field, and is no damage`()
        async throws
    {
        try await withLibrary { store in
            let id = try await store.insert(Wide(count: 300, level: -40_000, mood: 300, counts: [1, 200])).rawValue
            let snapshot = store.snapshot
            let (count, level) = (refusal("count", 300, "Int8", id), refusal("level", -40_000, "Int16", id))
            #expect(throws: count) { try snapshot.records(NarrowCount.self)[ID(rawValue: id)] }
            #expect(throws: level) { try snapshot.records(NarrowLevel.self)[ID(rawValue: id)] }
            #expect(throws: refusal("counts", 200, "Int8", id)) {
                try snapshot.records(NarrowList.self)[ID(rawValue: id)]
            }
            #expect(throws: count) { _ = try snapshot.records(NarrowCount.self).where { try $0.count > 1 }.count }
            #expect(throws: level) { _ = try snapshot.records(NarrowLevel.self).where { try $0.level != nil }.count }
            #expect(try snapshot.records(Wide.self)[ID(rawValue: id)]?.count == 300)
        }
    }

    /// They read as none, and what was written of them next took the place of all.
    @Test func `options that a narrower type has no room for are refused, and stay as they are`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Wide(mood: 300)).rawValue
            let expected = refusal("mood", 300, "UInt8", id, wide: "UInt")
            #expect(throws: expected) { try store.snapshot.records(NarrowMarks.self)[ID(rawValue: id)] }
            let error = await libraryError {
                try await store.update(ID<NarrowMarks>(rawValue: id)) { $0.mood?.insert(.read) }
            }
            #expect(error == expected)
            #expect(try store.snapshot.records(Wide.self)[ID(rawValue: id)]?.mood == 300)
        }
    }

    @Test func `of a number within a dictionary the refusal names the field`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Wide(stock: ["apples": 300])).rawValue
            #expect(throws: refusal("stock", 300, "Int8", id)) {
                try store.snapshot.records(NarrowStock.self)[ID(rawValue: id)]
            }
        }
    }

    @Test func `a raw value that an enumeration has no room for is a case that it does not have`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Wide(mood: 300)).rawValue
            #expect(try store.snapshot.records(NarrowMood.self)[ID(rawValue: id)]?.mood == .merry)
            #expect(try store.snapshot.records(NarrowMood.self).where { try $0.mood == .merry }.count == 1)
        }
    }
}
