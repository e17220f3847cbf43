import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore
@testable import Filing

/// Orders by texts: as titles are filed, by their beginnings, and what lists of them find.
struct FiledOrderTests {
    private struct Place: Record, Equatable {
        var id: ID<Place> = .unassigned
        var name: String?
        var text = ""
        enum CodingKeys: Int, CodingKey { case id, name, text }
        static let schema = Schema {
            Order("by name", .filed(\.name))
            Order("from the end", .filed(\.name, descending: true, absentFirst: true))
            Order("by text", .folded(\.text))
            Order("as written", .beginning(\.text))
        }
    }

    @Test func `a list by filed names has sections by letters, and finds what begins with a typed text`() async throws {
        try await withLibrary { store in
            let names = [
                "Åre", "The Arctic", "Ängelholm", "Zürich", "12 Oaks", "Aachen", "n/a", "Ørsted", nil, "Östersund",
            ]
            try await store.write { library in
                for name in names { try library.insert(Place(name: name)) }
            }
            func sections(_ order: String) throws -> [String] {
                try store.snapshot.list(Place.self, order).sections().map { section in
                    let names = try section.list.page(limit: 99) { try $0.name ?? "-" }
                    return "\(section.label): \(names.joined(separator: ", "))"
                }
            }
            #expect(
                try sections("by name") == [
                    "#: 12 Oaks", "A: Aachen, Ängelholm, The Arctic, Åre", "N: n/a", "O: Ørsted, Östersund",
                    "Z: Zürich",
                ])
            #expect(
                try sections("from the end") == [
                    "Z: Zürich", "O: Östersund, Ørsted", "N: n/a", "A: Åre, The Arctic, Ängelholm, Aachen",
                    "#: 12 Oaks",
                ])
            // A process that died between the two commits, and a record that was written behind the first.
            try await store.transact(.memory) { (library) throws(LibraryError) in
                let swedish = UInt64(FilingTailoring.swedish.rawValue)
                try library.put(.bigEndian(swedish), forKey: LibraryMeta.Name.filingTailoring, in: LibraryTree.meta)
            }
            let extra = try await store.insert(Place(name: "Extra"))
            try await store.delete(extra)
            try await store.setFiling(.swedish)
            try await store.makeOrders(of: Place.self)
            let trees = store.snapshot.version.declarations.map(\.number).filter(LibraryTree.isOrder)
            let counts = try trees.map { try store.snapshot.version.count(of: $0) }
            let named = try store.snapshot.version.storedOrderEntries(of: Array("Place".utf8)).map(\.head.tree)
            #expect(zip(trees, counts).allSatisfy { named.contains($0) || $1 == 0 }, "\(named) \(trees) \(counts)")
            let filed = [
                "#: 12 Oaks", "A: Aachen, The Arctic", "N: n/a", "Z: Zürich", "Å: Åre", "Ä: Ängelholm",
                "Ö: Ørsted, Östersund",
            ]
            #expect(try sections("by name") == filed)
            #expect(try sections("from the end").map { $0.prefix(1) } == filed.reversed().map { $0.prefix(1) })
            let list = try store.snapshot.list(Place.self, "by name")
            #expect(try list.beginning(with: "the ar").page(limit: 9).map(\.name) == ["The Arctic"])
            #expect(try list.beginning(with: "A").count == 2)
            #expect(try list.beginning(with: "").count == 9)
            #expect(try list.beginning(with: "nowhere").sections().isEmpty)
            #expect(try store.snapshot.list(Place.self, "from the end").beginning(with: "A").count == 2)
            #expect(try store.snapshot.list(Place.self, "from the end").beginning(with: "å").count == 1)
            #expect(try list.of("Arctic").count == 1)
            #expect(try list.of(nil as String?).count == 1)
        }
    }

    @Test func `what begins with n does not begin with ñ, where that is another letter`() async throws {
        let store = try RecordLibrary.inMemory(filing: .spanish)
        try await store.write { library in
            for name in ["Nada", "Ñandú", "Montana", "Montaña", "Oca"] { try library.insert(Place(name: name)) }
        }
        for order in ["by name", "from the end"] {
            let list = try store.snapshot.list(Place.self, order)
            for (typed, found) in [("n", "Nada"), ("ñ", "Ñandú"), ("montan", "Montana"), ("montañ", "Montaña")] {
                #expect(try list.beginning(with: typed).page(limit: 9).map(\.name) == [found], "\(typed), \(order)")
            }
            let sections = try list.sections().map { "\($0.label) \($0.list.count)" }
            #expect(Set(sections) == ["M 2", "N 1", "Ñ 1", "O 1"])
            #expect(try list.beginning(with: "").count == 5)
        }
        try await store.close()
    }

    @Test func `what begins with a typed text is what a filter by the folded text finds`() async throws {
        var random = SeededGenerator.forTest(fallback: 141)
        let letters = ["a", "B", "é", " ", "\u{0}", "ß", "7", "-", "Å"]
        func text() -> String {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in random.pick(letters)! }.joined()
        }
        try await withLibrary { store in
            let texts = (0..<300).map { _ in text() }
            try await store.write(.memory) { library in
                for text in texts { try library.insert(Place(text: text)) }
            }
            for _ in 0..<60 {
                let typed = text()
                let folded = FoldedText.key(of: Array(typed.utf8))
                let found = try store.snapshot.list(Place.self, "by text").beginning(with: typed)
                #expect(found.count == texts.count { FoldedText.key(of: Array($0.utf8)).starts(with: folded) })
                let written = try store.snapshot.list(Place.self, "as written").beginning(with: typed)
                #expect(written.count == texts.count { $0.utf8.starts(with: typed.utf8) })
            }
            let places = Array(try store.snapshot.list(Place.self, "as written"))
            let sorted = places.sorted { left, right in
                left.text.utf8.elementsEqual(right.text.utf8)
                    ? left.id < right.id : left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
            }
            #expect(places == sorted)
        }
    }

    @Test func `of a text of any length the beginning counts, where the order says so`() async throws {
        struct Note: Record {
            var id: ID<Note> = .unassigned
            var text = ""
            enum CodingKeys: Int, CodingKey { case id, text }
            static let schema = Schema { Order("by text", .beginning(\.text, descending: true)) }
        }
        try await withLibrary { store in
            let long = String(repeating: "é", count: 20_000)
            let ids = try await [long, long + "a", "z", ""].asyncMap { try await store.insert(Note(text: $0)) }
            #expect(
                try store.snapshot.list(Note.self, "by text").identifiers(limit: 9) == [ids[0], ids[1], ids[2], ids[3]])
            #expect(try store.snapshot.list(Note.self, "by text", of: long + "b").count == 2)
        }
    }

    private struct Numbered: Record {
        var id: ID<Numbered> = .unassigned
        var number = 0
        enum CodingKeys: Int, CodingKey { case id, number }
        static let schema = Schema { Order("by number", \.number) }
    }

    @Test func `sections are of texts that are filed, and only texts begin with a typed one`() async throws {
        try await withLibrary { store in
            _ = try await store.insert(Place())
            let list = try store.snapshot.list(Place.self, "by text")
            let error = #expect(throws: LibraryError.self) { try list.sections() }
            #expect(error?.sentence.contains("Declare it by .filed(…)") == true)
            _ = try await store.insert(Numbered())
            let numbers = try store.snapshot.list(Numbered.self, "by number")
            #expect(throws: LibraryError.self) { try numbers.beginning(with: "1") }
            #expect(throws: LibraryError.self) { try numbers.sections() }
        }
    }

    // MARK: Where a library files letters

    private struct Town: Record {
        var id: ID<Town> = .unassigned
        var name = "Österreich"
        var sorted: String?
        enum CodingKeys: Int, CodingKey { case id, name, sorted }
        static let schema = Schema { Order("by name", .filed(\.name)) }
    }

    private struct Street: Record {
        var id: ID<Street> = .unassigned
        var town: Reference<Town>?
        enum CodingKeys: Int, CodingKey { case id, town }
        static let schema = Schema {
            Link(\.town, onDelete: .deny)
            Order("by town", .linked(\.town, .filed(\.name)))
            Order("from the end", .linked(\.town, .filed(\.name, sortedAs: \.sorted, descending: true)))
        }
    }

    @Test func `a new library files as it is told from its first transaction on, defaults among them`() async throws {
        let store = try RecordLibrary.inMemory(filing: .swedish)
        let labels = try await store.write { library in
            let town = try library.insert(Town())
            _ = try library.insert(Town(name: "Oslo"))
            let stored = try library.trees.recordBytes(town.rawValue, in: RecordKind<Town>.current.tree) ?? []
            // Written by a version that had no names.
            let bytes = try LinkField(tag: FieldNumber.tag(1), isList: false).removing([7], from: stored)
            #expect(bytes.isEmpty)
            try library.put(bytes, forKey: town.rawValue, in: RecordKind<Town>.current.tree)
            _ = try library.insert(Street(town: town))
            return try library.list(Town.self, "by name").sections().map(\.label)
                + library.list(Street.self, "by town").sections().map(\.label)
                + library.list(Street.self, "from the end").sections().map(\.label)
        }
        #expect(labels == ["O", "Ö", "Ö", "Ö"])
        // What is to be filed in its place is, whether or not the text was ever written.
        let town = try #require(try store.snapshot.list(Street.self, "by town").page(limit: 1).first?.town)
        try await store.write { library in
            var bytes = RecordWriter()
            bytes.write(FieldNumber.tag(2), "Zug".utf8)
            let record = try library.trees.recordBytes(town.rawValue, in: RecordKind<Town>.current.tree) ?? []
            #expect(record.isEmpty)
            let linked = try library.linkedEntries(by: ("Town", town.rawValue), from: record, to: bytes.finish())
            try library.put(bytes.finish(), forKey: town.rawValue, in: RecordKind<Town>.current.tree)
            try library.apply { (library) throws(LibraryError) in try library.follow(linked) }
        }
        #expect(try store.snapshot.list(Street.self, "from the end").sections().map(\.label) == ["Z"])
        expectSound(store.snapshot)
        try await store.close()
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
