import LibrarySupport
import Testing

@testable import RecordStore

/// What a deletion writes that changes others.
@Suite struct CascadeCostTests {
    private struct Group: Record {
        var id: ID<Group> = .unassigned
        enum CodingKeys: Int, CodingKey { case id }
    }

    private struct Category: Record {
        var id: ID<Category> = .unassigned
        var group: Reference<Group> = .unassigned
        enum CodingKeys: Int, CodingKey { case id, group }
        static let schema = Schema { Link(\.group, onDelete: .cascade) }
    }

    private struct Basket: Record {
        struct Part: RecordPart {
            var category: Reference<Category>?
            var amount: Money = 0
            enum CodingKeys: Int, CodingKey { case category, amount }
        }

        var id: ID<Basket> = .unassigned
        var parts: [Part] = []
        var favourites: [Reference<Category>] = []
        enum CodingKeys: Int, CodingKey { case id, parts, favourites }
        static let schema = Schema {
            Link(each: \.parts, \.category, onDelete: .nullify)
            Link(\.favourites, onDelete: .nullify)
            Order("by category", .each(\.parts, \.category)).sum(each: \.parts, \.amount)
        }
    }

    @Test func `a record that loses many fields, or elements, is one of those that change`() async throws {
        try await withLibrary { store in
            let group = try await store.write { library in
                let group = try library.insert(Group())
                var categories: [ID<Category>] = []
                for _ in 0..<10 { categories.append(try library.insert(Category(group: group))) }
                let parts = categories.map { Basket.Part(category: $0, amount: 1) }
                for _ in 0..<3 { try library.insert(Basket(parts: parts, favourites: categories)) }
                return group
            }
            try await store.write { library in
                let start = [LinkedRecord(target: .records("Group"), id: group.rawValue)]
                let cascade = try library.cascade(from: start, maximumCount: 13)
                #expect(cascade.deletions.count == 10 && Set(cascade.nullified.map(\.id)).count == 3)
                let error = #expect(throws: LibraryError.self) { try library.cascade(from: start, maximumCount: 12) }
                #expect(error?.sentence.contains("more than 12 other records") == true)
            }
        }
    }

    /// It was written once for each element, with all the others: what goes times what stays.
    @Test func `a record that loses many elements of a list is written once`() async throws {
        try await withLibrary { store in
            let count = 400
            let group = try await store.insert(Group())
            let basket = try await store.write { library in
                var categories: [ID<Category>] = []
                for _ in 0..<count { categories.append(try library.insert(Category(group: group))) }
                let kept = try library.insert(Category(group: library.insert(Group())))
                let parts = categories.map { Basket.Part(category: $0, amount: 1) }
                return try library.insert(
                    Basket(parts: parts + [Basket.Part(category: kept, amount: 2)], favourites: categories + [kept]))
            }
            let before = store.database.status.logByteCount
            try await store.delete(group)
            #expect(store.database.status.logByteCount - before < 150 * count)
            let left = try #require(try store.snapshot.records(Basket.self)[basket])
            #expect(left.parts.count == count + 1 && left.parts.count { $0.category != nil } == 1)
            #expect(left.favourites.count == 1)
            #expect(try store.snapshot.list(Basket.self, "by category", of: nil as Reference<Category>?).count == 1)
        }
    }
}
