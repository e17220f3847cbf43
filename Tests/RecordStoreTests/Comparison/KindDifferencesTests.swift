import Foundation
import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Kinds of an app in two libraries.
@Suite struct KindDifferencesTests {
    private struct Reading: Record {
        var id: ID<Reading> = .unassigned
        var place = ""
        var value = 0
        var note: String?
        enum CodingKeys: Int, CodingKey { case id, place, value, note }
        static let schema = Schema { Order("by place", \.place, \.value) }
    }

    /// The app's next version.
    private struct NewerReading: Record {
        var id: ID<NewerReading> = .unassigned
        var place = ""
        var value = 0
        var note: String?
        var unit: String?
        enum CodingKeys: Int, CodingKey { case id, place, value, note, unit }
        static let recordName = "Reading"
        static let schema = Schema {
            Order("by place", \.place, .descending(\.value))
            Order("by value", \.value)
        }
    }

    private func records(_ one: Snapshot, _ other: Snapshot) throws -> [String] {
        var lines: [String] = []
        try one.differences(from: other) { difference in
            guard case .record(let record) = difference else { return }
            let fields = try record.fields.map { "\($0.name) \($0.first?.text ?? "–") → \($0.second?.text ?? "–")" }
            lines.append("\(record.kind) \(record.id) \(record.change): \(fields.joined(separator: ", "))")
        }
        return lines
    }

    @Test func `a changed record says which fields differ, by the names that the library has`() async throws {
        try await withLibrary { store in
            let ids = try await store.write { library in
                try (0..<3).map { try library.insert(Reading(place: "roof", value: $0)) }
            }
            let before = store.snapshot
            try await store.update(ids[1]) { $0.value = 20 }
            try await store.write { library in
                try library.delete(ids[0])
                try library.insert(Reading(place: "cellar", value: 7))
            }
            #expect(
                try records(before, store.snapshot) == [
                    "Reading \(ids[0]) onlyInFirst: place roof → –, value 0 → –",
                    "Reading \(ids[1]) changed: value 1 → 20",
                    "Reading 00b00c-4 onlyInSecond: place – → cellar, value – → 7",
                ])
        }
    }

    private struct Address: Codable, Hashable, Sendable {
        var street = ""
        enum CodingKeys: Int, CodingKey { case street = 1 }
    }

    private struct Person: Record {
        var id: ID<Person> = .unassigned
        var name = ""
        var home = Address()
        enum CodingKeys: Int, CodingKey { case id, name, home }
        static let schema = Schema { Order("by name", \.name) }
    }

    private struct OtherPerson: Record {
        struct Address: Codable, Hashable, Sendable {
            var road = ""
            enum CodingKeys: Int, CodingKey { case road = 1 }
        }
        var id: ID<OtherPerson> = .unassigned
        var name = ""
        var home = Address()
        enum CodingKeys: Int, CodingKey { case id, name, home }
        static let recordName = "Person"
        static let schema = Schema { Order("by name", .folded(\.name)) }
    }

    @Test func `what is within a field, and how an order goes by it, are told apart`() async throws {
        try await withLibrary { one in
            try await withLibrary { other in
                let id = try await one.insert(Person(name: "Caf\u{E9}", home: Address(street: "High")))
                try await other.insert(OtherPerson(name: "Cafe\u{301}", home: OtherPerson.Address(road: "High")))
                var lines: [String] = []
                let comparison = try one.snapshot.differences(from: other.snapshot) { difference in
                    switch difference {
                    case .declaration(let declaration):
                        lines.append("\(declaration.name): \(declaration.first ?? "–") → \(declaration.second ?? "–")")
                    case .record(let record):
                        #expect(record.id == id.description)
                        lines += try record.fields.map {
                            "\($0.name): \($0.first?.text ?? "–") → \($0.second?.text ?? "–")"
                        }
                    case .unrelated: lines.append("unrelated")
                    }
                }
                #expect(!comparison.isSame && comparison.declarationCount == 2)
                #expect(
                    lines.map { Array($0.utf8) }
                        == [
                            "2: “home”, a value with fields: 1 “street”, a text → “home”, a value with fields: 1 “road”, a text",
                            "by name: by name → by name, in another way", "name: Caf\u{E9} → Cafe\u{301}",
                        ].map { Array($0.utf8) }, "\(lines)")
            }
        }
    }

    @Test func `fields, orders and kinds that only one library has are told before the records`() async throws {
        try await withLibrary { one in
            try await withLibrary { other in
                try await one.insert(Reading(place: "roof", value: 1))
                try await other.insert(NewerReading(place: "roof", value: 1))
                try await other.insert(Loan(borrower: "Ann"))
                var lines: [String] = []
                try one.snapshot.differences(from: other.snapshot) { difference in
                    switch difference {
                    case .declaration(let declaration):
                        lines.append(
                            "\(declaration.kind ?? "") \(declaration.part) \(declaration.name): \(declaration.first ?? "–") → "
                                + (declaration.second ?? "–"))
                    case .record(let record): lines.append("\(record.kind) \(record.change)")
                    case .unrelated: lines.append("unrelated")
                    }
                }
                #expect(
                    lines == [
                        "Reading field 4: – → “unit”, a text",
                        "Reading order by place: by place, value → by place, value descending",
                        "Reading order by value: – → by value",
                        "Loan kind Loan: – → “Loan”, 1 record",
                        "Loan onlyInSecond",
                    ])
            }
        }
    }

    @Test func `a library made by commits, a compaction, a load, lines or a repair has one hash sum`() async throws {
        func sum(_ library: RecordLibrary) throws -> UInt128 {
            try library.snapshot.version.hashSum(of: KindTree.number(of: "Reading"))
        }
        let long = String(repeating: "under the roof, ", count: 100)
        @Sendable func reading(_ number: Int, _ value: Int, _ id: ID<Reading> = .unassigned) -> Reading {
            Reading(
                id: id, place: "place \(number)", value: value, note: number % 100 == 3 ? long + "\(number)" : nil)
        }
        let fileSystem = MemoryFileSystem()
        let store = try RecordLibrary(at: "A", fileSystem: fileSystem, device: 7)
        let ids = try await store.write { library in
            try (0..<2_000).map { try library.insert(reading($0, 9)) }
        }
        // All go to another value, and some back.
        try await store.write { library in
            for (number, id) in ids.enumerated() { try library.update(reading(number, 10, id)) }
        }
        for id in ids.prefix(300) {
            try await store.update(id, .memory) { $0.value = 9 }
        }
        let expected = try sum(store)
        try await store.compact()
        #expect(try sum(store) == expected)
        let lines = try store.snapshot.exportedLines()
        try await store.close()

        let imported = try RecordLibrary.inMemory(device: 8)
        try await imported.importLines(lines, Reading.self)
        #expect(try sum(imported) == expected)
        #expect(try records(store.snapshot, imported.snapshot).isEmpty)

        let loaded = try RecordLibrary(at: "B", fileSystem: MemoryFileSystem(), device: 7)
        try await loaded.load(Reading.self) { library in
            for number in 0..<2_000 { try library.insert(reading(number, number < 300 ? 9 : 10)) }
        }
        #expect(try sum(loaded) == expected)

        _ = try await RecordLibrary.repair(at: "A", to: "Repaired", fileSystem: fileSystem)
        let repaired = try RecordLibrary(at: "Repaired", fileSystem: fileSystem)
        #expect(try sum(repaired) == expected)
        for library in [imported, loaded, repaired] {
            expectSound(library.snapshot)
            try await library.close()
        }
    }

    @Test func `a damaged page is an error that names the file, in either library`() async throws {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        let ids = try await store.write { library in
            try (0..<5_000).map { try library.insert(Reading(place: "place \($0)", value: $0, note: "noted \($0)")) }
        }
        try await store.compact()
        try await store.close()
        let other = try library.copy()
        let changed = try other.open()
        try await changed.update(ids[2_500]) { $0.value = -1 }
        try await changed.compact()
        try await changed.close()
        for (damaged, sound) in [(library, other), (other, library)] {
            let copy = try damaged.copy()
            let path = try copy.snapshotPath
            try copy.flip("noted 2500")
            let opened = try copy.open(.readOnly)
            let whole = try sound.open(.readOnly)
            for (one, two) in [(opened, whole), (whole, opened)] {
                let error = await libraryError { try one.snapshot.differences(from: two.snapshot) }
                guard case .damaged(let words)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(words.contains(path), "\(words)")
            }
            try await opened.close()
            try await whole.close()
        }
    }

    @Test func `kinds of a library from before there were hash sums are compared record by record`() async throws {
        let fileSystem = MemoryFileSystem()
        var libraries: [RecordLibrary] = []
        for path in ["Old", "New"] {
            // As the tree of a kind was declared once.
            let columns: TreeColumns = path == "Old" ? [.fingerprint] : [.fingerprint, .hashSum]
            let tree = TreeDeclaration(KindTree.number(of: "Reading"), "Reading", columns: columns)
            let library = try RecordLibrary(at: path, fileSystem: fileSystem, device: 7)
            try await library.close()
            let database = try Database.open(at: path, trees: [], fileSystem: fileSystem)
            try await database.write { transaction in
                try transaction.declare(tree)
                for id in 1..<500 as Range<UInt64> {
                    let value = path == "New" && id == 77 ? UInt64(1) : 2
                    var writer = RecordWriter()
                    writer.write(FieldNumber.tag(2), number: value * 2)
                    try transaction.put(
                        writer.finish(), forKey: ID<Reading>(device: 7, counter: id).rawValue, in: tree.number)
                }
            }
            try await database.close()
            libraries.append(try RecordLibrary(at: path, access: .readOnly, fileSystem: fileSystem))
        }
        let counts = try libraries[0].snapshot.differences(from: libraries[1].snapshot)
        #expect(counts.kinds.map(\.isByHashSums) == [false])
        #expect(counts.kinds.map(\.changedCount) == [1])
        #expect(
            try records(libraries[0].snapshot, libraries[1].snapshot).map { $0.prefix(24) } == [
                "Reading 000007-77 change"
            ])
        for library in libraries { try await library.close() }
    }
}
