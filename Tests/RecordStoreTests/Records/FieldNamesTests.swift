import Foundation
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

private enum Mood: String, Codable, CaseIterable { case calm, merry }

private struct Address: Codable, Equatable {
    var street = ""
    var number = 0
}

/// A record with a field of every sort.
private struct Sorts: Record {
    struct Part: RecordPart, Equatable {
        var category = ""
        var amount: Money = 0
        enum CodingKeys: Int, CodingKey { case category = 1, amount = 4 }
    }

    /// One that is nested in itself.
    struct Branch: Codable, Equatable {
        var name = ""
        var branches: [Branch] = []
        enum CodingKeys: Int, CodingKey { case name = 0, branches = 1 }
    }

    var id: ID<Sorts> = .unassigned
    var flag = false
    var count = 0
    var natural: UInt32 = 0
    var real = 0.0
    var text: String?
    var bytes = Data()
    var account: ID<Sorts>?
    var day = Day(daysSince1970: 0)
    var moment: Date?
    var money: Money = 0
    var uuid: UUID?
    var url: URL?
    var tags: [String] = []
    var numbers: Set<Int> = []
    var mood: Mood = .calm
    var home: Address?
    var parts: [Part] = []
    var amounts: [String: Int] = [:]
    var tree = Branch()
    enum CodingKeys: Int, CodingKey {
        case id = 0, flag = 1, count = 2, natural = 3, real = 4, text = 5, bytes = 6, account = 7, day = 8, moment = 9,
            money = 10
        case uuid = 11, url = 12, tags = 13, numbers = 14, mood = 15, home = 16, parts = 17, amounts = 18, tree = 19
    }
}

/// A kind as several versions of an app declare it.
private enum Note {
    struct First: Record {
        var id: ID<First> = .unassigned
        var title = ""
        var amount: Money = 0
        var note = ""
        enum CodingKeys: Int, CodingKey { case id = 0, title = 1, amount = 2, note = 3 }
        static let recordName = "Note"
    }

    /// The same with a field that only this version has.
    struct Wider: Record {
        var id: ID<Wider> = .unassigned
        var title = ""
        var isPinned = false
        enum CodingKeys: Int, CodingKey { case id = 0, title = 1, isPinned = 7 }
        static let recordName = "Note"
    }

    /// An amount that became a text.
    struct Retyped: Record {
        var id: ID<Retyped> = .unassigned
        var amount = ""
        enum CodingKeys: Int, CodingKey { case id = 0, amount = 2 }
        static let recordName = "Note"
    }

    /// The number of the amount for something else.
    struct Reused: Record {
        var id: ID<Reused> = .unassigned
        var tags: [String] = []
        enum CodingKeys: Int, CodingKey { case id = 0, tags = 2 }
        static let recordName = "Note"
    }

    /// A case that came in between, so that the numbers behind it moved.
    struct Moved: Record {
        var id: ID<Moved> = .unassigned
        var title = ""
        var amount: Money = 0
        var memo = ""
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, title, amount, memo, note }
        static let recordName = "Note"
    }

    /// The same numbers, meant.
    struct Renamed: Record {
        var id: ID<Renamed> = .unassigned
        var title = ""
        var amount: Money = 0
        var memo = ""
        var note = ""
        enum CodingKeys: Int, CodingKey { case id = 0, title = 1, amount = 2, memo = 3, note = 4 }
        static let recordName = "Note"
        static let schema = Schema { RecordRename(\.memo, from: "note") }
    }

    /// What was the note is called otherwise.
    struct Memo: Record {
        var id: ID<Memo> = .unassigned
        var memo = ""
        enum CodingKeys: Int, CodingKey { case id = 0, memo = 3 }
        static let recordName = "Note"
    }
}

/// A library knows what the fields of an app's records are called and what they mean.
@Suite struct FieldNamesTests {
    private func fields(_ library: RecordLibrary, _ kind: String = "Note") throws -> [FieldDescription] {
        library.snapshot.version.storedFields(of: Array(kind.utf8)).fields
    }

    private let refusal = LibraryError.schemaMismatch(
        "“amount”, field 2 of Note, is money in this library, and a text here. What is stored would mean something else: give the new "
            + "field a name and a number of its own and convert with migrate(_:), or declare Retyped(\\.amount) where its type reads both."
    )

    private func expectRefused(_ body: () throws -> Void) throws { #expect(throws: refusal, performing: body) }

    private func names(_ library: RecordLibrary) throws -> [String] {
        try fields(library).map { "\($0.number ?? -1) \($0.name)" }
    }

    @Test func `a field of every sort is known by number, name and type`() async throws {
        let library = try RecordLibrary.inMemory(device: 1)
        try await library.insert(Sorts())
        let plain: [(Int, String, FieldType)] = [
            (1, "flag", .flag), (2, "count", .integer), (3, "natural", .natural), (4, "real", .real),
            (5, "text", .text),
            (6, "bytes", .bytes), (7, "account", .identifier), (8, "day", .day), (9, "moment", .moment),
            (10, "money", .money), (11, "uuid", .uuid), (12, "url", .url), (13, "tags", .list(of: .text)),
            (14, "numbers", .list(of: .integer)), (15, "mood", .text),
            // Optional, and of code that need not read what was never written: it is not run to find out.
            (16, "home", .unknown),
            (
                17, "parts",
                .list(
                    of: .record([
                        .init(number: 1, name: "category", type: .text), .init(number: 4, name: "amount", type: .money),
                    ]))
            ),
            (18, "amounts", .named(.integer)),
            (
                19, "tree",
                .record([
                    .init(number: 0, name: "name", type: .text),
                    .init(number: 1, name: "branches", type: .list(of: .unknown)),
                ])
            ),
        ]
        let expected = plain.map { FieldDescription(number: $0.0, name: $0.1, type: $0.2) }
        let found = try fields(library, "Sorts")
        for (field, other) in zip(found, expected) { #expect(field == other) }
        #expect(found.count == expected.count)
        #expect(try KindFields(decoding: KindFields(expected).encoded()) == KindFields(expected))
    }

    @Test func `a number of which the type changed is refused when the type is first used, to read and to write`()
        async throws
    {
        let library = try RecordLibrary.inMemory(device: 1)
        let id = try await library.insert(Note.First(title: "a", amount: 5))
        let before = library.snapshot.commitNumber
        let same = ID<Note.Retyped>(rawValue: id.rawValue)
        try expectRefused { _ = try library.snapshot.records(Note.Retyped.self).count }
        try expectRefused { _ = try library.snapshot.records(Note.Retyped.self)[same] }
        await #expect(throws: refusal) { try await library.insert(Note.Retyped(amount: "x")) }
        await #expect(throws: refusal) { try await library.update(same) { $0.amount = "x" } }
        await #expect(throws: refusal) { try await library.delete(same) }
        await #expect(throws: refusal) {
            try await library.load(Note.Retyped.self) { _ = try $0.insert(Note.Retyped(amount: "x")) }
        }
        #expect(library.snapshot.commitNumber == before)
        #expect(try library.snapshot.records(Note.First.self)[id]?.amount == 5)
    }

    @Test func `a number that is used for another field is refused with both declarations`() async throws {
        let library = try RecordLibrary.inMemory(device: 1)
        try await library.insert(Note.First(title: "a", amount: 5))
        let error = try await #require(throws: LibraryError.self) { try await library.insert(Note.Reused(tags: ["x"])) }
        let sentence = "\(error)"
        #expect(
            sentence.contains("Field 2 of Note is “amount” in this library, money, and “tags” here"),
            "\(sentence)")
        #expect(sentence.contains("a list, each element a text"), "\(sentence)")
    }

    @Test func `a case that came in between is refused, unless it is said to be a new name`() async throws {
        let library = try RecordLibrary.inMemory(device: 1)
        let id = try await library.insert(Note.First(title: "a", note: "old"))
        let error = try await #require(throws: LibraryError.self) { try await library.insert(Note.Moved(memo: "m")) }
        #expect("\(error)".contains("“note” of Note is field 3 in this library and field 4 here"), "\(error)")
        #expect("\(error)".contains("Renamed(\\.memo, from: \"note\")"), "\(error)")
        try await library.insert(Note.Renamed(memo: "m", note: "n"))
        #expect(try names(library) == ["1 title", "2 amount", "3 memo", "4 note"])
        #expect(try library.snapshot.records(Note.Renamed.self)[ID(rawValue: id.rawValue)]?.memo == "old")
        // The library knows the names of both now.
        try await library.insert(Note.Moved(memo: "m", note: "n"))
    }

    @Test func `versions of an app leave each other's fields, and a new name is taken over`() async throws {
        let library = try RecordLibrary.inMemory(device: 1)
        try await library.insert(Note.First(title: "a"))
        try await library.insert(Note.Wider(title: "b", isPinned: true))
        #expect(try names(library) == ["1 title", "2 amount", "3 note", "7 isPinned"])
        try await library.insert(Note.Memo(memo: "c"))
        #expect(try names(library) == ["1 title", "2 amount", "3 memo", "7 isPinned"])
        try await library.insert(Note.Wider(title: "d"))
        try await library.insert(Note.First(title: "e"))
        #expect(try names(library) == ["1 title", "2 amount", "3 note", "7 isPinned"])
    }

    @Test func `a transaction that fails leaves no names, and a later one writes them`() async throws {
        struct Refusal: Error {}
        let library = try RecordLibrary.inMemory(device: 1)
        await #expect(throws: Refusal.self) {
            try await library.write { transaction in
                try transaction.insert(Note.First(title: "a"))
                throw Refusal()
            }
        }
        #expect(try names(library) == [])
        try await library.insert(Note.First(title: "a"))
        #expect(try names(library) == ["1 title", "2 amount", "3 note"])
    }

    @Test func `what reads the same is no change of type, and what a type says it reads is none either`() async throws {
        struct Before: Record {
            var id: ID<Before> = .unassigned
            var link = "https://a.b"
            var done = true
            var counts = ["ms": 1]
            var either = 7
            var due = 8.0
            enum CodingKeys: Int, CodingKey { case id = 0, link = 1, done = 2, counts = 3, either = 4, due = 5 }
            static let recordName = "Thing"
        }
        enum Progress: UInt8, Codable, CaseIterable { case open, done }
        struct Counts: Codable, Equatable { var ms = 0 }
        struct After: Record {
            var id: ID<After> = .unassigned
            var link: URL?
            var done: Progress = .open
            var counts = Counts()
            var due: Date?
            enum CodingKeys: Int, CodingKey { case id = 0, link = 1, done = 2, counts = 3, due = 5 }
            static let recordName = "Thing"
            static let schema = Schema {
                Retyped(\.due)
                Retyped(\.link)
            }
        }
        struct Unsaid: Record {
            var id: ID<Unsaid> = .unassigned
            var due: Date?
            enum CodingKeys: Int, CodingKey { case id = 0, due = 5 }
            static let recordName = "Thing"
        }
        // Not every text is an address, nor every number a flag.
        struct Addressed: Record {
            var id: ID<Addressed> = .unassigned
            var link: URL?
            enum CodingKeys: Int, CodingKey { case id = 0, link = 1 }
            static let recordName = "Thing"
        }
        let library = try RecordLibrary.inMemory(device: 1)
        let id = try await library.insert(Before())
        #expect(throws: LibraryError.self) { try library.snapshot.records(Unsaid.self).count }
        #expect(throws: LibraryError.self) { try library.snapshot.records(Addressed.self).count }
        let after = try #require(try library.snapshot.records(After.self)[ID(rawValue: id.rawValue)])
        #expect(after.link == URL(string: "https://a.b") && after.done == .done && after.counts == Counts(ms: 1))
        #expect(after.due == Date(timeIntervalSinceReferenceDate: 8))
        try await library.insert(After())
        #expect(
            try fields(library, "Thing").map(\.type) == [
                .url, .natural, .record([.init(number: nil, name: "ms", type: .integer)]), .integer, .moment,
            ])
        // Where there is nothing to be misread, a type is what it is.
        try await library.write { library in
            for record in try library.records(After.self).all.page(limit: 9) { try library.delete(record.id) }
        }
        struct Other: Record {
            var id: ID<Other> = .unassigned
            var link: Money = 0
            enum CodingKeys: Int, CodingKey { case id = 0, link = 1 }
            static let recordName = "Thing"
        }
        try await library.insert(Other(link: 1))
        #expect(try fields(library, "Thing").map(\.type) == [.money])
    }

    @Test func `a type that tries one after the other is of no known type, and nobody's code is run on nothing`()
        async throws
    {
        struct Code: Codable, Equatable {
            var first: Character
            init(from decoder: any Decoder) throws {
                first = try decoder.singleValueContainer().decode(String.self).first!
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(String(first))
            }
        }
        struct Holder: Record {
            var id: ID<Holder> = .unassigned
            var code: Code?
            var list: [Code] = []
            var either = ""
            enum CodingKeys: Int, CodingKey { case id = 0, code = 1, list = 2, either = 3 }
            init() {}
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(ID.self, forKey: .id)
                code = try container.decodeIfPresent(Code.self, forKey: .code)
                list = try container.decode([Code].self, forKey: .list)
                either =
                    try (try? container.decode(Int.self, forKey: .either)).map(String.init)
                    ?? container.decode(String.self, forKey: .either)
                _ = try? container.decode(String.self, forKey: .either)
            }
        }
        let library = try RecordLibrary.inMemory(device: 1)
        try await library.insert(Holder())
        #expect(try fields(library, "Holder").map(\.type) == [.unknown, .list(of: .unknown), .unknown])
    }

    @Test func `a type that was used while there were no records is compared with those that came since`() async throws
    {
        let library = try RecordLibrary.inMemory(device: 1)
        let id = try await library.insert(Note.First(amount: 1))
        try await library.delete(id)
        #expect(try library.snapshot.records(Note.Retyped.self).count == 0)
        try await library.insert(Note.First(amount: 5))
        try expectRefused { _ = try library.snapshot.records(Note.Retyped.self).all.map(\.amount) }
    }

    @Test func `names within a field move with their numbers`() {
        let field = { (number: Int, name: String) in FieldDescription(number: number, name: name, type: .integer) }
        let one = FieldType.record([field(1, "x"), field(2, "y")])
        let two = FieldType.record([field(2, "y"), field(3, "x")])
        #expect(one.joined(with: two) == .record([field(1, ""), field(2, "y"), field(3, "x")]))
    }

    @Test func `what cannot be read of a kind's fields stops nobody, and is written again`() async throws {
        let library = try RecordLibrary.inMemory(device: 1)
        let id = try await library.insert(Note.First(title: "a"))
        try await library.write { try $0.put([0xFF], forKey: Array("Note".utf8), in: LibraryTree.appFields) }
        #expect(try await library.verify().isSound == false)
        #expect(try library.snapshot.records(Note.First.self)[id]?.title == "a")
        try await library.update(id) { $0.title = "b" }
        #expect(try names(library) == ["1 title", "2 amount", "3 note"])
        #expect(try await library.verify().isSound)
        // A later version may say more of a field than this one knows.
        var more = RecordWriter()
        more.write(1, number: 2)
        more.write(2, "title".utf8)
        more.write(3, number: 5)
        more.write(9, number: 1)
        var kind = RecordWriter()
        kind.write(4, more.finish())
        kind.write(7, number: 1)
        #expect(try KindFields(decoding: kind.finish()).fields.map(\.name) == ["title"])
    }

    @Test func `names that are not sound are damage of the names, not of the records`() async throws {
        let library = try RecordLibrary.inMemory(device: 1)
        try await library.insert(Note.First(title: "a"))
        let sound = try #require(
            try library.snapshot.version.stored(Array("Note".utf8), in: LibraryTree.appFields) {
                $0.copyBytes(0..<$0.byteCount)
            })
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(.random(in: 1..<bytes.count, using: &random)) }
            // It may be other names; never a trap.
            if let fields = try? KindFields(decoding: bytes) {
                #expect(try KindFields(decoding: fields.encoded()) == fields)
            }
        }
    }
}
