import Testing

@testable import RecordStore

/// Values whose form is met seldom, and that come back as they were all the same.
struct OddValuesTests {
    private struct Phones: Record, Equatable {
        var id: ID<Phones> = .unassigned
        var names: [String: String] = [:]
        var counts: [String: [String: Int]] = [:]
        enum CodingKeys: Int, CodingKey { case id = 0, names = 1, counts = 2 }
    }

    @Test func `keys of a dictionary are names, whatever they look like`() async throws {
        let store = try RecordLibrary.inMemory()
        let keys = ["+5", "5", "-5", "05", "+05", "+491701234567", "", " 5", "+", "-", "1e3", "٣", "é", "+a"]
        var phones = Phones()
        for (number, key) in keys.enumerated() {
            phones.names[key] = "\(number)"
            phones.counts[key] = [key: number]
        }
        phones.id = try await store.insert(phones)
        #expect(try store.snapshot.records(Phones.self)[phones.id] == phones)
        phones.names["+5"] = nil
        try await store.update(phones.id) { $0.names["+5"] = nil }
        #expect(try store.snapshot.records(Phones.self)[phones.id] == phones)
        try await store.close()
    }

    private enum Shape: Codable, Equatable { case point, circle(radius: Double) }
    private enum LaterShape: Codable, Equatable { case point, circle(radius: Double), polygon(corners: [Int]) }

    private struct Drawing: Record {
        var id: ID<Drawing> = .unassigned
        var name = ""
        var shape: Shape?
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, shape = 2 }
        static let recordName = "Drawing"
    }

    private struct LaterDrawing: Record, Equatable {
        var id: ID<LaterDrawing> = .unassigned
        var name = ""
        var shape: LaterShape?
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, shape = 2 }
        static let recordName = "Drawing"
    }

    private struct FixedDrawing: Record {
        var id: ID<FixedDrawing> = .unassigned
        var shape = Shape.point
        enum CodingKeys: Int, CodingKey { case id = 0, shape = 2 }
        static let recordName = "Drawing"
    }

    @Test func `a case with values that a later version has is absent in this one, and stays in the library`()
        async throws
    {
        let store = try RecordLibrary.inMemory()
        let id = try await store.insert(LaterDrawing(name: "a", shape: .polygon(corners: [1, 2, 3])))
        _ = try await store.insert(LaterDrawing(name: "b", shape: .circle(radius: 2)))
        #expect(try store.snapshot.records(Drawing.self).all.page(limit: 9).map(\.shape) == [nil, .circle(radius: 2)])
        try await store.update(ID<Drawing>(rawValue: id.rawValue)) { $0.name = "c" }
        #expect(
            try store.snapshot.records(LaterDrawing.self)[id]
                == LaterDrawing(id: id, name: "c", shape: .polygon(corners: [1, 2, 3])))
        // Where there must be a value, it is the type's own.
        #expect(
            try store.snapshot.records(FixedDrawing.self).all.page(limit: 9).map(\.shape)
                == [.point, .circle(radius: 2)])
        try await store.close()
    }
}
