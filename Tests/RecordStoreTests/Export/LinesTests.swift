import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

private struct Person: Record, Equatable {
    var id: ID<Person> = .unassigned
    var name = ""
    var friend: Reference<Person>?
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1, friend = 2 }
    static let uniqueKeys = [Unique(\.name)]
    static let schema = Schema {
        Link(\.friend, onDelete: .nullify)
        Order("by name", \.name)
        Order("by friend", .linked(\.friend, .ascending(\.name)))
    }
}

/// A library leaves as lines and comes back as the same.
@Suite struct LinesTests {
    private func imported(_ lines: [String], device: UInt32 = 7) async throws -> (RecordLibrary, LineImport) {
        let library = try RecordLibrary.inMemory(device: device)
        return (library, try await library.importLines(lines))
    }

    @Test(arguments: 1...3) func `a ledger comes back byte for byte, and its orders say the same`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator.forTest(fallback: seed)
        let store = try RecordLibrary.inMemory()
        var model = try await store.write(.memory) { library in
            var model = LedgerModel()
            try model.begin(&library)
            return model
        }
        for _ in 0..<30 {
            let known = (model, random)
            (model, random) = try await store.write(.memory) { library in
                var (model, random) = known
                for _ in 0..<8 { try model.step(&library, &random) }
                return (model, random)
            }
        }
        let lines = try store.snapshot.exportedLines()
        #expect(!lines.contains { $0.contains("\"#") }, "every field has words")
        let (library, report) = try await imported(lines)
        #expect(report.inserted == lines.count && report.refused == 0 && report.firstNewLine == 1, "\(report.refusals)")
        #expect(try library.snapshot.exportedLines() == lines)
        // The app's types find their records, and make their orders.
        try await library.makeOrders(of: Ledger.Account.self)
        try await library.makeOrders(of: Ledger.Subcategory.self)
        try await library.makeOrders(of: Ledger.Transfer.self)
        try model.check(library.snapshot, &random)
        expectSound(library.snapshot)
        // Again, in any order and with orders to keep up: nothing is new, and nothing changes.
        let again = try await library.importLines(lines.shuffled(using: &random))
        #expect(again.known == lines.count && again.inserted == 0 && again.firstNewLine == nil)
        let (third, _) = try await imported([])
        try await third.makeOrders(of: Ledger.Account.self)
        try await third.makeOrders(of: Ledger.Category.self)
        try await third.makeOrders(of: Ledger.Subcategory.self)
        try await third.makeOrders(of: Ledger.Series.self)
        try await third.makeOrders(of: Ledger.Transfer.self)
        #expect(try await third.importLines(lines).refused == 0)
        #expect(try third.snapshot.exportedLines() == lines)
        try model.check(third.snapshot, &random)
        expectSound(third.snapshot)
        for library in [store, library, third] { try await library.close() }
    }

    @Test func `records that name each other, and what comes behind, find each other`() async throws {
        let store = try RecordLibrary.inMemory(device: 1)
        let ann = try await store.insert(Person(name: "Ann"))
        let bob = try await store.insert(Person(name: "Bob", friend: ann))
        try await store.update(ann) { $0.friend = bob }
        let eve = try await store.insert(Person(name: "Eve", friend: bob))
        let lines = try store.snapshot.exportedLines()
        for lines in [lines, [lines[0]] + lines.dropFirst().reversed()] {
            let (library, report) = try await imported(lines)
            #expect(report.refused == 0 && report.inserted == 4, "\(report.refusals)")
            #expect(try library.snapshot.exportedLines() == (try store.snapshot.exportedLines()))
            try await library.makeOrders(of: Person.self)
            let byFriend = try library.snapshot.list(Person.self, "by friend").page(limit: 9) { try $0.name }
            #expect(byFriend == ["Bob", "Ann", "Eve"])
            expectSound(library.snapshot)
            try await library.close()
        }
        // Who names what is nowhere is refused, and then who names that one.
        let (library, report) = try await imported(
            lines.filter { !$0.contains("\"name\":\"Bob\"") || $0.contains("\"type\":\"kind\"") })
        #expect(report.refused == 2 && report.refusals.map(\.line) == [2, 3] && report.inserted == 1)
        #expect(report.refusals[1].reason == "Its friend is Person \(bob), which is not there.", "\(report.refusals)")
        #expect(try library.snapshot.records(Person.self).count == 0)
        _ = eve
        try await store.close()
        try await library.close()
    }

    @Test func `orders by what is named follow what comes behind`() async throws {
        let store = try RecordLibrary.inMemory(device: 1)
        let ann = try await store.insert(Person(name: "Ann"))
        try await store.insert(Person(name: "Zoe", friend: ann))
        try await store.insert(Person(name: "Bob", friend: ann))
        let lines = try store.snapshot.exportedLines()
        let library = try RecordLibrary.inMemory(device: 2)
        try await library.makeOrders(of: Person.self)
        #expect(try await library.importLines(lines.reversed()).refused == 0)
        expectSound(library.snapshot)
        #expect(
            try library.snapshot.list(Person.self, "by name").page(limit: 9) { try $0.name } == ["Ann", "Bob", "Zoe"])
        try await store.close()
        try await library.close()
    }

    @Test func `each line that cannot be taken is refused by itself, in words`() async throws {
        let kind = #"{"type":"kind","kind":"Person","fields":[{"number":1,"name":"name","type":"text"}]}"#
        let ann = #"{"type":"record","kind":"Person","id":"000009-1","fields":{"name":"Ann"}}"#
        let lines = [
            kind, ann, "", "no JSON", "[]", #"{"type":"planet"}"#,
            #"{"type":"record","kind":"Nobody","id":"000009-2","fields":{}}"#,
            #"{"type":"record","kind":"Person","id":"9","fields":{}}"#,
            #"{"type":"record","kind":"Person","id":"000009-3","fields":{"nick":"A"}}"#,
            #"{"type":"record","kind":"Person","id":"000009-4","fields":{"name":7}}"#,
            #"{"type":"record","kind":"Person","id":"000009-1","fields":{"name":"Another"}}"#,
            #"{"type":"record","kind":"Person","id":"000009-5"}"#,
            #"{"type":"kind","kind":"Person","fields":[{"number":1,"name":"name","type":"money"}]}"#,
            #"{"type":"kind","kind":"Odd","fields":[{"number":1,"name":"a","type":"quaternion"}]}"#,
            ##"{"type":"record","kind":"Person","id":"000009-6","version":3,"fields":{"name":"Kept","#9":{"#number":4}}}"##,
        ]
        let (library, report) = try await imported(lines)
        let reasons = report.refusals.map { "\($0.line): \($0.reason)" }
        #expect(report.inserted == 3 && report.refused == 11 && report.lineCount == 15, "\(reasons)")
        let expected = [
            "4: This is no JSON: this is no value, at byte 1.",
            "5: A line of an export is a JSON object with a “type”.",
            "6: A line of the type “planet” is of what this library does not keep.",
            "7: There is no kind Nobody here.", "8: A line of a record has an “id”, such as a3f09c-1024.",
            "9: This Person cannot be read: Person has no field “nick” here.",
            "10: This Person cannot be read: “name”: it is not a text.",
            "11: Person 000009-1 is in the library already, and is another.",
            "12: This Person cannot be read: it has no “fields”.",
            "13: “name”, field 1 of Person, is a text in this library, and money here.",
            "14: The line of the kind Odd cannot be read: the type “quaternion” of a field is not known here.",
        ]
        for (reason, beginning) in zip(reasons, expected) { #expect(reason.hasPrefix(beginning), "\(reason)") }
        #expect(try library.snapshot.exportedLines() == [kind, ann, lines[14]])
        try await library.close()
    }

    @Test func `an import that was broken off goes on where it stopped, and no identifier is given twice`() async throws
    {
        let store = try RecordLibrary.inMemory(device: 5)
        try await store.write(.memory) { library in
            for number in 0..<2500 { try library.insert(Person(name: "P\(number)")) }
        }
        let lines = try store.snapshot.exportedLines()
        let library = try RecordLibrary.inMemory(device: 5)
        try await library.importLines(lines.prefix(1700))
        var reports: [LineImport] = []
        let report = try await library.importLines(lines, report: { reports.append($0) })
        #expect(report.known == 1700 && report.inserted == 801 && report.firstNewLine == 1701)
        #expect(reports.map(\.lineCount) == [1000, 2000, 2501])
        let new = try await library.insert(Person(name: "new"))
        #expect(new.counter == 2501, "the library has the number of the other")
        await #expect(throws: LibraryError.self) { try await library.insert(Person(name: "P7")) }
        #expect(try library.snapshot.exportedLines().count == lines.count + 1)
        expectSound(library.snapshot)
        // A line with a key that another has is refused where the app's type is known.
        let taken = try await library.importLines([
            #"{"type":"record","kind":"Person","id":"000009-1","fields":{"name":"P7"}}"#
        ])
        #expect(taken.refused == 1 && taken.refusals[0].reason.contains("name"), "\(taken.refusals)")
        try await store.close()
        try await library.close()
    }
}
