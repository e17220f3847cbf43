import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

private enum Reading {
    struct Note: Record {
        var id: RecordStore.ID<Note> = .unassigned
        var text = ""
        enum CodingKeys: Int, CodingKey { case id, text }
    }
}

private enum Travel {
    struct Note: Record {
        var id: RecordStore.ID<Note> = .unassigned
        var miles = 0
        enum CodingKeys: Int, CodingKey { case id, miles }
    }
}

private struct Numbered: Record {
    var id: RecordStore.ID<Numbered> = .unassigned
    var name = ""
    enum CodingKeys: Int, CodingKey { case id, name }
    var label: String { "\(id) \(name)" }
    static let indexes = [Index(\.id), Index(\.label, name: "label")]
}

/// Declarations of an app that once were taken and answered wrongly.
@Suite struct RecordClashTests {
    @Test func `two types of one name do not share a store; the second is refused when it is used`() async throws {
        try await withLibrary { store in
            try await store.insert(Reading.Note(text: "a beginning"))
            let refusals = [
                await libraryError { try await store.insert(Travel.Note(miles: 3)) },
                await libraryError { try store.snapshot.records(Travel.Note.self).count },
                await libraryError { try store.snapshot.records(Travel.Note.self).where(\.miles, equals: 3).count },
            ]
            for refusal in refusals {
                guard case .schemaMismatch(let sentence)? = refusal else {
                    Issue.record("\(String(describing: refusal))")
                    continue
                }
                #expect(sentence.contains("Reading.Note") && sentence.contains("Travel.Note"))
                #expect(
                    sentence.hasSuffix("would both be stored as “Note”. Give one of the types a recordName of its own.")
                )
            }
            #expect(try store.snapshot.records(Reading.Note.self).all.map(\.text) == ["a beginning"])
        }
        // Of another store they are none of its business.
        try await withLibrary { store in try await store.insert(Travel.Note(miles: 3)) }
    }

    private struct Unnamed: Record {
        var id: RecordStore.ID<Unnamed> = .unassigned
        var text = ""
        enum CodingKeys: Int, CodingKey { case text = 1 }
    }

    @Test func `a type whose coding keys leave its identifier out is refused where it is to be stored`() async throws {
        try await withLibrary { store in
            for refusal in [
                await libraryError { try await store.insert(Unnamed(text: "a")) },
                await libraryError { try await store.makeOrders(of: Unnamed.self) },
                await libraryError { try await store.load { load in _ = try load.insert(Unnamed(text: "a")) } },
            ] {
                guard case .schemaMismatch(let sentence)? = refusal else {
                    Issue.record("\(String(describing: refusal))")
                    continue
                }
                #expect(sentence.hasPrefix("The CodingKeys of Unnamed have no “id”"))
            }
        }
    }

    private struct Counted: Record {
        var id: RecordStore.ID<Counted> = .unassigned
        var count = 0
        enum CodingKeys: Int, CodingKey { case id = 0, count = 1 }
        static let recordName = "Thing"
    }

    private struct Priced: Record {
        var id: RecordStore.ID<Priced> = .unassigned
        var price: Money = 0
        enum CodingKeys: Int, CodingKey { case id = 0, price = 1 }
        static let recordName = "Thing"
    }

    private func expectMismatch<Value>(_ body: () async throws -> Value) async {
        let error = await libraryError(body)
        guard case .schemaMismatch? = error else { Issue.record("\(String(describing: error))"); return }
    }

    @Test func `a type that fitted an older snapshot does not for that fit what was written since`() async throws {
        try await withLibrary { store in
            let old = store.snapshot
            let id = try await store.insert(Counted(count: 5))
            #expect(try old.records(Priced.self).count == 0)
            await expectMismatch { try store.snapshot.records(Priced.self)[ID(rawValue: id.rawValue)] }
            await expectMismatch { try await store.delete(ID<Priced>(rawValue: id.rawValue)) }
            await expectMismatch { try await store.insert(Priced(price: 1)) }
        }
        try await withLibrary { store in
            let emptied = try await store.write { library in
                _ = try library.records(Priced.self).count
                return try library.insert(Counted(count: 1))
            }
            await expectMismatch { try store.snapshot.records(Priced.self).count }
            try await store.delete(emptied)
            try await store.write { library in
                let counted = try library.insert(Counted(count: 1))
                try library.delete(counted)
                try library.insert(Priced(price: 1))
                #expect(throws: LibraryError.self) { try library.insert(Counted(count: 2)) }
            }
            #expect(try store.snapshot.records(Priced.self).all.page(limit: 9).map(\.price) == [1])
        }
    }

    @Test func `a type that fitted a snapshot from before an import does not for that fit what came in`() async throws {
        try await withLibrary { store in
            let old = store.snapshot
            let report = try await store.importLines([
                #"{"type":"kind","kind":"Thing","fields":[{"number":1,"name":"count","type":"integer"}]}"#,
                #"{"type":"record","kind":"Thing","id":"000009-1","fields":{"count":5}}"#,
            ])
            #expect(report.inserted == 2)
            #expect(try old.records(Priced.self).count == 0)
            await expectMismatch { try store.snapshot.records(Priced.self).count }
        }
    }

    private struct TwoNames: Record {
        var id: RecordStore.ID<TwoNames> = .unassigned
        var first = ""
        var last = ""
        enum CodingKeys: Int, CodingKey { case id, first, last }
        var full: String { first + " " + last }
        var slug: String { full.lowercased() }
        static let indexes = [Index(\.full, name: "name")]
        static let uniqueKeys = [Unique(\.slug, name: "name")]
    }

    private struct OneName: Record {
        var id: RecordStore.ID<OneName> = .unassigned
        var first = ""
        enum CodingKeys: Int, CodingKey { case id, first }
        var slug: String { first.lowercased() }
        static let indexes = [Index(\.slug, name: "slug")]
        static let uniqueKeys = [Unique(\.slug, name: "slug")]
    }

    /// The index had what the key works out, and who asked it found nothing.
    @Test func `an index and a unique key of one name are of one property`() async throws {
        try await withLibrary { store in
            let error = await libraryError { try await store.insert(TwoNames(first: "Ann", last: "Lee")) }
            #expect(error?.sentence.contains("Two properties of TwoNames are worked out as “name”") == true)
            let id = try await store.insert(OneName(first: "Ann"))
            #expect(try store.snapshot.records(OneName.self).where(\.slug, equals: "ann").map(\.id) == [id])
        }
    }

    private struct FacetOfOneSign: Record {
        var id: RecordStore.ID<FacetOfOneSign> = .unassigned
        var place = ""
        enum CodingKeys: Int, CodingKey { case id = 0, place = 1 }
        static let recordName = "Visit"
        static let schema = Schema {
            Order("by place", \.place)
            Facet("Caf\u{E9}", \.place == "x")
        }
    }

    private struct FacetOfTwoSigns: Record {
        var id: RecordStore.ID<FacetOfTwoSigns> = .unassigned
        var place = ""
        enum CodingKeys: Int, CodingKey { case id = 0, place = 1 }
        static let recordName = "Visit"
        static let schema = Schema {
            Order("by place", \.place)
            Facet("Cafe\u{301}", \.place == "x")
        }
    }

    /// The order was not found, since its facet is stored by other bytes, and not made, since its facet has an equal name.
    @Test func `a facet whose name is spelt with other signs makes an order of its own`() async throws {
        let disk = MemoryFileSystem()
        for round in 0..<2 {
            let store = try RecordLibrary(at: "A.bookdb", fileSystem: disk)
            if round == 0 {
                try await store.insert(FacetOfOneSign(place: "x"))
                #expect(try store.snapshot.list(FacetOfOneSign.self, "by place").count == 1)
            } else {
                try await store.insert(FacetOfTwoSigns(place: "y"))
                #expect(try store.snapshot.list(FacetOfTwoSigns.self, "by place").map(\.place) == ["x", "y"])
            }
            try await store.close()
        }
    }

    @Test func `a load takes records of no type that the library does not keep as it is declared`() async throws {
        struct Titled: Record {
            var id: RecordStore.ID<Titled> = .unassigned
            var title = ""
            enum CodingKeys: Int, CodingKey { case id = 0, title = 1 }
            static let recordName = "Page"
        }
        struct Rated: Record {
            var id: RecordStore.ID<Rated> = .unassigned
            var title = ""
            var stars = 0
            enum CodingKeys: Int, CodingKey { case id = 0, title = 1, stars = 2 }
            static let recordName = "Page"
        }
        try await withLibrary { store in
            // One that the library has never met, beside one that is named.
            try await store.load(Counted.self) { load in
                #expect(throws: LibraryError.self) { try load.insert(Titled(title: "a")) }
                _ = try load.insert(Counted(count: 1))
            }
            #expect(try store.snapshot.records(Counted.self).count == 1)
            // One that has a field more than those before.
            try await store.insert(Titled(title: "a"))
            await expectMismatch { try await store.load { load in _ = try load.insert(Rated(stars: 5)) } }
            try await store.load(Rated.self) { load in _ = try load.insert(Rated(stars: 5)) }
            #expect(try store.snapshot.kind(named: "Page")?.fields.map(\.name) == ["title", "stars"])
        }
    }

    private struct Composed: Record {
        var id: RecordStore.ID<Composed> = .unassigned
        enum CodingKeys: Int, CodingKey { case id }
        static let recordName = "Caf\u{E9}"
    }

    private struct Decomposed: Record {
        var id: RecordStore.ID<Decomposed> = .unassigned
        enum CodingKeys: Int, CodingKey { case id }
        static let recordName = "Cafe\u{301}"
    }

    private struct Listed: Record {
        var id: RecordStore.ID<Listed> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
        static let schema = Schema { Order("Caf\u{E9}s", \.name) }
    }

    private struct ListedAgain: Record {
        var id: RecordStore.ID<ListedAgain> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
        static let recordName = "Listed"
        static let schema = Schema { Order("Cafe\u{301}s", \.name) }
    }

    @Test func `an order whose name changes its form alone is made under the new one`() async throws {
        let fileSystem = MemoryFileSystem()
        var store = try RecordLibrary(at: "Library.bookdb", fileSystem: fileSystem)
        try await store.insert(Listed(name: "a"))
        try await store.close()
        store = try RecordLibrary(at: "Library.bookdb", fileSystem: fileSystem)
        try await store.insert(ListedAgain(name: "b"))
        #expect(try store.snapshot.list(ListedAgain.self, "Cafe\u{301}s").map(\.name) == ["a", "b"])
        try await store.close()
    }

    @Test func `two kinds whose names are the same for people are refused, whoever brings the second`() async throws {
        try await withLibrary { store in
            try await store.insert(Composed())
            let other = try RecordLibrary.inMemory()
            try await other.insert(Decomposed())
            var lines: [String] = []
            try other.snapshot.export { lines.append($0) }
            #expect(await libraryError { try await store.insert(Decomposed()) } != nil)
            let report = try await store.importLines(lines)
            #expect(report.inserted == 0)
            #expect(report.refused == lines.count)
            let reason = report.refusals.first?.reason ?? ""
            #expect(reason.contains("other bytes"), "\(reason)")
            #expect(try store.snapshot.records(Composed.self).count == 1)
        }
    }

    @Test func `an index that involves the identifier is made from the one that the record gets`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Numbered(name: "one"))
            let records = store.snapshot.records(Numbered.self)
            #expect(try records.where(\.id, equals: id).map(\.name) == ["one"])
            #expect(try records.where(\.label, equals: "\(id) one").count == 1)
            try await store.update(id) { $0.name = "two" }
            let after = store.snapshot.records(Numbered.self)
            #expect(try after.sorted(by: \.label).map(\.label) == ["\(id) two"])
            #expect(try after.where(\.id, equals: id).count == 1)
        }
    }

    @Test func `verify finds a record that an index names twice`() async throws {
        let store = try RecordLibrary.inMemory(device: 1)
        let id = try await store.insert(Numbered(name: "one"))
        try await store.database.write { trees in
            let order = try #require(try trees.storedOrder(named: "label", of: "Numbered"))
            try trees.put([], forKey: OrderedValue("stale").key + .bigEndian(id.rawValue), in: order.tree)
        }
        let items = LibraryVerifier.verify(store.snapshot).checks.flatMap(\.items)
        #expect(
            items.map { "\($0)" }.contains {
                $0.contains("The order label of Numbered has 2 entries; its records come to 1.")
            }, "\(items)")
    }

    @Test func `a page of records takes no negative numbers, and any others`() async throws {
        try await withLibrary { store in
            for number in 0..<3 { try await store.insert(Numbered(name: "\(number)")) }
            let all = try store.snapshot.records(Numbered.self).all
            for (offset, limit) in [(-1, 2), (0, -1), (Int.min, Int.max)] {
                #expect(throws: LibraryError.self) { try all.page(offset: offset, limit: limit) }
            }
            #expect(try all.page(offset: 1, limit: .max).map(\.name) == ["1", "2"])
            #expect(try all.page(offset: .max, limit: 5).isEmpty && all.page(offset: 0, limit: 0).isEmpty)
        }
    }
}
