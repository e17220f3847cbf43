import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Fields of records, read where they lie.
struct RecordRowTests {
    private static func row<Value: Record>(_ bytes: [UInt8], _ id: ID<Value>) -> RecordRow<Value> {
        RecordRow(id, RecordBytes(bytes), RecordKind<Value>.current.fields.known)
    }

    @Test func `a field of every kind reads as it does in the whole record`() throws {
        var other = Everything(id: ID(device: 3, counter: 4))
        (other.absent, other.present, other.twice, other.place.shelf) = ("here", nil, nil, nil)
        (other.flag, other.text, other.level, other.shelf, other.byName) = (false, "", .low, .none, [:])
        for everything in [Everything(id: ID(device: 3, counter: 4)), other] {
            let row = Self.row(try RecordKind<Everything>.current.encode(everything), everything.id)
            func check<Field: Decodable & Equatable>(_ path: KeyPath<Everything, Field> & Sendable) throws {
                for _ in 0..<2 { #expect(try row[dynamicMember: path] == everything[keyPath: path]) }
            }
            #expect(try row.id == everything.id && row.record == everything)
            #expect(try row.flag == everything.flag && row.text == everything.text && row.level == everything.level)
            try check(\.integer)
            try check(\.small)
            try check(\.large)
            try check(\.least)
            try check(\.double)
            try check(\.float)
            try check(\.work)
            try check(\.day)
            try check(\.date)
            try check(\.data)
            try check(\.bytes)
            try check(\.uuid)
            try check(\.url)
            try check(\.decimal)
            try check(\.shelf)
            try check(\.shapes)
            try check(\.place)
            try check(\.named)
            try check(\.places)
            try check(\.numbers)
            try check(\.gaps)
            try check(\.grid)
            try check(\.byName)
            try check(\.byNumber)
            try check(\.byShelf)
            try check(\.set)
            try check(\.amount)
            try check(\.absent)
            try check(\.present)
            try check(\.twice)
            // Of no coding key: the whole record is asked.
            try check(\.place.room)
            try check(\.place.shelf)
            try check(\.text.count)
            try check(\.present?.isEmpty)
            try check(\.id)
        }
    }

    private protocol Titled: Record {
        var name: String { get }
    }

    /// The path is another object at each call.
    private static func name<Value: Titled>(_ row: RecordRow<Value>) throws -> String { try row.name }

    @Test func `a row reads what a type makes of a field that is absent, and paths that are made again each time`()
        throws
    {
        struct Own: Titled {
            var id: ID<Own> = .unassigned
            var due: Int?
            var name = ""
            var sort = ""
            enum CodingKeys: Int, CodingKey { case id, due, name, sort }
            init() {}
            init(name: String) { self.name = name }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(ID.self, forKey: .id)
                due = try container.decodeIfPresent(Int.self, forKey: .due) ?? 7
                name = try container.decode(String.self, forKey: .name)
                sort = try container.decodeIfPresent(String.self, forKey: .sort) ?? name
            }
        }
        struct Named: Record {
            var id: ID<Named> = .unassigned
            var name = "by name"
            enum CodingKeys: Int, CodingKey { case id = 0, name = 2 }
        }
        let row = Self.row(try RecordKind<Named>.current.encode(Named()), ID<Own>(device: 1, counter: 1))
        #expect(try row.due == 7 && row.name == "by name" && row.sort == "by name")
        for _ in 0..<500 { #expect(try Self.name(row) == "by name") }
        #expect(try row.name == "by name")
    }

    private enum Shade: String, Codable { case light, dark }

    /// What an older version of the app wrote, and what a newer one did.
    private struct Lamp: Record {
        var id: ID<Lamp> = .unassigned
        var name = "lamp"
        var shade: Shade? = .dark
        var glow = Shade.dark
        var watts = 60
        enum CodingKeys: Int, CodingKey { case id, name, shade, glow, watts }
    }

    @Test func `what was never written, and a case that is not known here, reads as it does in the whole record`()
        throws
    {
        struct Bare: Record {
            var id: ID<Bare> = .unassigned
            enum CodingKeys: Int, CodingKey { case id }
        }
        struct Newer: Record {
            var id: ID<Newer> = .unassigned
            var name = "desk"
            var shade = "striped"
            var glow = "flickering"
            var extra = 7
            enum CodingKeys: Int, CodingKey { case id, name, shade, glow, extra = 9 }
        }
        for bytes in [try RecordKind<Bare>.current.encode(Bare()), try RecordKind<Newer>.current.encode(Newer())] {
            let row = Self.row(bytes, ID<Lamp>(device: 1, counter: 1))
            let lamp = try row.record
            #expect(try row.name == lamp.name && row.watts == lamp.watts && row.watts == 60)
            #expect(try row.shade == lamp.shade && row.shade == nil)
            #expect(try row.glow == lamp.glow && row.glow == .dark)
        }
    }

    @Test func `a record of an earlier version of a type with upgrades is upgraded before it is asked`() throws {
        struct Price: Record {
            var id: ID<Price> = .unassigned
            var cents = 5
            enum CodingKeys: Int, CodingKey { case id, cents }
        }
        struct UpgradedPrice: Record {
            var id: ID<UpgradedPrice> = .unassigned
            var cents = 0
            enum CodingKeys: Int, CodingKey { case id, cents }
            static let upgrades = [Upgrade<UpgradedPrice>(2) { $0.cents *= 100 }]
        }
        let row = Self.row(try RecordKind<Price>.current.encode(Price()), ID<UpgradedPrice>(device: 1, counter: 1))
        #expect(try row.cents == 500)
    }

    @Test func `a field without a value, or of another kind than its type, is an error that names the record`() throws {
        struct Bare: Record {
            var id: ID<Bare> = .unassigned
            var name = "x"
            enum CodingKeys: Int, CodingKey { case id, name }
        }
        struct Strict: Record {
            var id: ID<Strict> = .unassigned
            var name = 1
            var shade = Shade.dark
            enum CodingKeys: Int, CodingKey { case id, name, shade }
        }
        let row = Self.row(try RecordKind<Bare>.current.encode(Bare()), ID<Strict>(device: 1, counter: 1))
        for error in [
            #expect(throws: LibraryError.self) { try row.name }, #expect(throws: LibraryError.self) { try row.shade },
        ] {
            guard case .damaged(let sentence) = error else { throw try #require(error) }
            #expect(sentence.contains("Strict 000001-1"))
        }
    }

    @Test func `pages of lines and conditions give what whole records give, in snapshots and transactions`()
        async throws
    {
        let store = try RecordLibrary.inMemory()
        try await store.write(.memory) { library in
            var random = SeededGenerator(seed: 5)
            let account = try library.insert(LedgerAccount(name: "Savings"))
            for number in 0..<300 {
                try library.insert(
                    LedgerTransfer(
                        account: account, date: Day(daysSince1970: Int32.random(in: 0..<90, using: &random)),
                        amount: Money(Int.random(in: -50...50, using: &random)),
                        category: [nil, "Food", "Füße"].randomElement(using: &random)!, note: "note \(number)",
                        method: PaymentMethod.allCases.randomElement(using: &random)!,
                        isPending: Bool.random(using: &random)))
            }
            let all = library.records(LedgerTransfer.self)
            let large = try all.where { try $0.amount > 25 && $0.method != .card }
            #expect(try large.page() == all.all.page().filter { $0.amount > 25 && $0.method != .card })
            #expect(try large.page(limit: 3) { try $0.note } == large.page(limit: 3).map(\.note))
        }
        let snapshot = store.snapshot
        let all = try snapshot.list(LedgerTransfer.self, "all")
        let lines = try all.page(offset: 100, limit: 70) {
            try "\($0.date) \($0.amount) \($0.category ?? "–") \($0.note)"
        }
        #expect(lines == Array(all)[100..<170].map { "\($0.date) \($0.amount) \($0.category ?? "–") \($0.note)" })
        let pending = try all.filtered(by: \.isPending)
        #expect(try pending.page(limit: 5) { try $0.record } == Array(Array(pending).prefix(5)))
        let food = Array(all).filter { $0.category == "Food" }.map(\.id)
        #expect(try all.identifiers { try $0.category == "Food" } == food)
        #expect(try all.identifiers(limit: 3) { try $0.category == "Food" } == Array(food.prefix(3)))
        #expect(try all.identifiers(limit: 0) { _ in true } == [])
        let matches = try snapshot.records(LedgerTransfer.self).where { try $0.category == "Food" }
        #expect(Set(matches.map(\.id)) == Set(food) && matches.count == food.count)
        #expect(throws: LibraryError.self) { try all.page(offset: -1, limit: 1) { try $0.note } }
        #expect(throws: LibraryError.self) { try all.identifiers(offset: 0, limit: -1) }
        try await store.close()
    }

    @Test func `a record that cannot be read is named by a page, and left out by a condition`() async throws {
        let store = try RecordLibrary.inMemory()
        let ids = try await store.write(.memory) { library in
            var ids: [ID<LedgerTransfer>] = []
            for _ in 0..<3 { ids.append(try library.insert(LedgerTransfer(note: "x"))) }
            try library.put([0xFF], forKey: ids[1].rawValue, in: RecordKind<LedgerTransfer>.current.tree)
            return ids
        }
        let records = store.snapshot.records(LedgerTransfer.self)
        #expect(try records.where { try $0.note == "x" }.map(\.id) == [ids[0], ids[2]])
        let error = #expect(throws: LibraryError.self) { try records.all.page(limit: 3) { try $0.note } }
        #expect(error?.sentence.contains("\(ids[1])") ?? false)
        try await store.close()
    }
}
