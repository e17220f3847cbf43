import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Records by several conditions: what is found is what a look at every record finds, whichever list is gone through.
struct RecordSelectionTests {
    private typealias Condition = (asked: RecordCondition<LedgerTransfer>, holds: (LedgerTransfer) -> Bool)

    private static func random(_ random: inout SeededGenerator, _ accounts: [ID<LedgerAccount>]) -> Condition {
        let account = random.pick(accounts)!
        let day = Day(daysSince1970: .random(in: -2...32, using: &random))
        let amount = Money(Int.random(in: -50...50, using: &random))
        let text = random.pick(["", "Food", "food", "Rent", "zzz", String(repeating: "x", count: 400)])!
        let category = random.pick([nil, text])!
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: return (\.account == account, { $0.account == account })
        case 2: return (\.account != account, { $0.account != account })
        case 3: return (\.date == day, { $0.date == day })
        case 4: return (\.date < day, { $0.date < day })
        case 5: return (\.date <= day, { $0.date <= day })
        case 6: return (\.date > day, { $0.date > day })
        case 7: return (\.date >= day, { $0.date >= day })
        case 8: return (\.amount > 0, { $0.amount > 0 })
        case 9: return (\.amount < amount, { $0.amount < amount })
        case 10: return (\.category == category, { $0.category == category })
        case 11: return (\.category != category, { $0.category != category })
        case 12:
            return (
                \.category < text,
                { $0.category.map { $0.utf8.lexicographicallyPrecedes(text.utf8) } ?? false }
            )
        case 13: return (\.isPending == true, { $0.isPending })
        case 14:
            let method = random.pick(PaymentMethod.allCases)!
            return (\.method == method, { $0.method == method })
        default: return (\.note == "Café", { $0.note == "Café" })
        }
    }

    /// A type has no array of conditions to hand in: they are written where they are asked.
    private static func found(
        _ records: Records<LedgerTransfer>, _ conditions: [Condition], _ order: String?, _ limit: Int
    ) throws -> [ID<LedgerTransfer>] {
        let asked = try RecordSelection(conditions.map(\.asked), in: order, limit: limit)
        return try records.list(RecordQuery(asked)).page(limit: .max).map(\.id)
    }

    @Test func `what several conditions find is what a look at every record finds`() async throws {
        var random = SeededGenerator.forTest(fallback: 70)
        let store = try RecordLibrary.inMemory()
        var accounts: [ID<LedgerAccount>] = []
        for name in ["a", "b", "c"] { accounts.append(try await store.insert(LedgerAccount(name: name))) }
        var history = try await LedgerHistory(accounts, random).committed(900, to: store)
        let orders: [String: (LedgerTransfer, LedgerTransfer) -> Bool] = [
            "all": { ($1.date, $0.id) < ($0.date, $1.id) },
            "statement": { ($0.account, $1.date, $0.id) < ($1.account, $0.date, $1.id) },
        ]
        var foundCount = 0
        // In nodes of memory, then in pages of a file, then in pages that are amended.
        for round in 0..<600 {
            if round == 200 { try await store.compact() }
            if round == 400 { history = try await history.committed(60, to: store) }
            let records = store.snapshot.records(LedgerTransfer.self)
            let conditions = (0..<Int.random(in: 0...4, using: &random)).map { _ in Self.random(&random, accounts) }
            let order = random.pick([nil, "all", "statement"])!
            let limit = random.pick([.max, 1, 20, 0])!
            let all = history.transfers.filter { record in conditions.allSatisfy { $0.holds(record) } }
            let sorted = all.sorted(by: order.map { orders[$0]! } ?? { $0.id < $1.id })
            let words = "\(conditions.map(\.asked.words)) in \(order ?? "no order"), \(limit)"
            let found = try Self.found(records, conditions, order, limit)
            #expect(found == sorted.prefix(limit).map(\.id), "\(words)")
            foundCount += found.count
        }
        #expect(foundCount > 2000)
        try await store.close()
    }

    @Test func `the shortest list is gone through, and explain says which and why`() async throws {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        let savings = try await store.insert(LedgerAccount(name: "savings"))
        let other = try await store.insert(LedgerAccount(name: "other"))
        try await store.write(.memory) { library in
            for number in 0..<100 {
                try library.insert(
                    LedgerTransfer(
                        account: number < 10 ? savings : other, date: Day(daysSince1970: Int32(number)),
                        amount: number.isMultiple(of: 50) ? -5 : 5, isPending: number > 94))
            }
        }
        let records = store.snapshot.records(LedgerTransfer.self)
        // Of equal lists the one of the order that is asked for.
        #expect(
            try records.explain(\.isPending == true, \.amount > 0, in: "all").split(separator: "\n  ").prefix(3) == [
                "LedgerTransfer where isPending == true, amount > 0.00:",
                "goes through the order “all” where isPending == true: 5 records",
                "tests on each of them amount > 0.00",
            ])
        let explanation = try records.explain(
            \.account == savings, \.date >= Day(daysSince1970: 3), \.amount < 0, in: "by category")
        #expect(
            explanation
                == """
                LedgerTransfer where account == \(savings), date >= 1970-01-04, amount < 0.00:
                  goes through the order “statement” where account == \(savings), date >= 1970-01-04: 7 records
                  tests on each of them amount < 0.00
                  sorts what is found as the order “by category”
                  not through the order “all” where date >= 1970-01-04: 97 records
                """)
        // The facet is the shortest list, and in the order that is asked for.
        #expect(
            try records.explain(\.amount > 0, \.note == "", in: "all", limit: 2).split(separator: "\n  ")[1]
                == "goes through the order “all” where amount > 0.00: 98 records")
        // Nothing is left to be tested: the list is the stretch itself.
        let selection = try RecordSelection(
            [\.account == savings, \.date < Day(daysSince1970: 4)] as [RecordCondition<LedgerTransfer>],
            in: "statement", limit: 3)
        guard case .entries(_, nil, let positions) = try selection.matches(in: store.snapshot.version) else {
            Issue.record("the stretch is no list of its own")
            return
        }
        #expect(positions.count == 3)
        try await store.close()
    }

    private struct Errand: Record {
        var id: ID<Errand> = .unassigned
        var code: String?
        var due: Int?
        var room = 0
        enum CodingKeys: Int, CodingKey { case id = 0, code = 1, due = 2, room = 3 }
        static let uniqueKeys = [Unique(\.code)]
        static let schema = Schema { Order("due", .descending(\.room), .present(\.due)) }
    }

    @Test func `an order of those that have a value serves conditions that leave no others`() async throws {
        var random = SeededGenerator.forTest(fallback: 73)
        let store = try RecordLibrary.inMemory()
        let errands = (0..<300).map { number in
            Errand(
                code: number.isMultiple(of: 3) ? "code \(number)" : nil,
                due: Bool.random(using: &random) ? Int.random(in: -5...5, using: &random) : nil,
                room: Int.random(in: 0...2, using: &random))
        }
        try await store.write(.memory) { library in for errand in errands { try library.insert(errand) } }
        let records = store.snapshot.records(Errand.self)
        let all = try records.all
        #expect(
            try records.explain(\.code == "code 30").split(separator: "\n  ")[1]
                == "goes through the order “unique code” where code == code 30: 1 record")
        #expect(try !records.explain(\.code == nil).contains("goes through the order"))
        #expect(try !records.explain(\.due != 3).contains("goes through the order"))
        for number in [-6, -5, 0, 3, 6] {
            let room = Int.random(in: 0...2, using: &random)
            let asked: [(RecordCondition<Errand>, (Errand) -> Bool)] = [
                (\.due == number, { $0.due == number }), (\.due != number, { $0.due != number }),
                (\.due < number, { $0.due.map { $0 < number } ?? false }),
                (\.due <= number, { $0.due.map { $0 <= number } ?? false }),
                (\.due > number, { $0.due.map { $0 > number } ?? false }),
                (\.due >= number, { $0.due.map { $0 >= number } ?? false }), (\.due == nil, { $0.due == nil }),
                (\.due != nil, { $0.due != nil }),
            ]
            for (condition, holds) in asked {
                #expect(try records.where(condition).page(limit: .max).map(\.id) == all.filter(holds).map(\.id))
                #expect(
                    try records.where(condition, \.room == room).page(limit: .max).map(\.id)
                        == all.filter { holds($0) && $0.room == room }.map(\.id))
            }
        }
        try await store.close()
    }

    private struct Visit: Record {
        var id: ID<Visit> = .unassigned
        var place = 0
        var guide = ""
        enum CodingKeys: Int, CodingKey { case id = 0, place = 1, guide = 2 }
        static let indexes = [Index(\.place)]
        static let schema = Schema { Order("by place", .ascending(\.place), .ascending(\.guide)) }
    }

    @Test func `what an index alone answers is its own entries, and no record is looked up`() async throws {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        try await store.write(.memory) { library in
            for number in 0..<200 { try library.insert(Visit(place: number % 4, guide: "\(999 - number)")) }
        }
        let (records, trees) = (store.snapshot.records(Visit.self), store.snapshot.version)
        func matches(_ conditions: RecordCondition<Visit>..., limit: Int = .max) throws -> RecordMatches {
            try RecordSelection(conditions, in: nil, limit: limit).matches(in: trees)
        }
        let all = try records.all
        guard case .entries(_, nil, let positions) = try matches(\.place == 2) else {
            Issue.record("the index was gone through")
            return
        }
        #expect(positions.count == 50)
        #expect(try records.where(\.place == 2).page(limit: .max).map(\.id) == all.filter { $0.place == 2 }.map(\.id))
        guard case .entries(_, nil, let first) = try matches(\.place == 2, limit: 3) else {
            Issue.record("all records were gone through")
            return
        }
        #expect(first.count == 3)
        #expect(
            try records.explain(\.place == 2)
                == "Visit where place == 2:\n  goes through the order “place” where place == 2: 50 records\n"
                + "  not through the order “by place” where place == 2: 50 records")
        // In a range they stand by the value first.
        #expect(
            try records.where(\.place >= 2, \.place < 4, limit: 7).page(limit: .max).map(\.id)
                == all.filter { $0.place >= 2 }.map(\.id).prefix(7).map(\.self))
        try await store.close()
    }

    @Test func `conditions are asked within a transaction, over what it has written`() async throws {
        let store = try RecordLibrary.inMemory()
        try await store.write(.memory) { library in
            let account = try library.insert(LedgerAccount(name: "a"))
            let id = try library.insert(LedgerTransfer(account: account, amount: 5, isPending: true))
            #expect(
                try library.records(LedgerTransfer.self).where(\.account == account, \.isPending == true).page()
                    .map(\.id) == [id])
            try library.delete(id)
            #expect(try library.records(LedgerTransfer.self).where(\.account == account, \.isPending == true).isEmpty)
        }
        try await store.close()
    }

    private struct Plain: Record {
        var id: ID<Plain> = .unassigned
        var size = 0
        var name: String?
        var parts: [Int] = []
        enum CodingKeys: Int, CodingKey { case id, size, name, parts }
        static let blank = Plain(size: 7)
    }

    private struct Raised: Record {
        var id: ID<Raised> = .unassigned
        var size = 0
        enum CodingKeys: Int, CodingKey { case id, size }
        static let upgrades = [Upgrade<Raised>(2) { $0.size += 1 }]
    }

    @Test func `a type without orders answers by looking at every record, and blanks count`() async throws {
        let store = try RecordLibrary.inMemory()
        let ids = try await store.write(.memory) { library in
            try [Plain(size: 7), Plain(size: 1, name: "a"), Plain(size: 9)].map { try library.insert($0) }
        }
        let records = store.snapshot.records(Plain.self)
        #expect(try records.where(\.size >= 7).page(limit: 9).map(\.id) == [ids[0], ids[2]])
        #expect(try records.where(\.size >= 7, \.name != nil).isEmpty)
        #expect(try records.where(\.name == nil, limit: 1).page(limit: 9).map(\.id) == [ids[0]])
        #expect(
            try records.explain(\.size == 1)
                == "Plain where size == 1:\n  goes through all records: 3 records\n  tests on each of them size == 1")
        try await store.close()
    }

    @Test func `a record that cannot be read is not found, and of a field that is there twice the last counts`()
        async throws
    {
        let store = try RecordLibrary.inMemory()
        let ids = try await store.write(.memory) { library in
            try [Plain(size: 8), Plain(size: 8, name: "a")].map { try library.insert($0) }
        }
        let kind = RecordKind<Plain>.current
        let whole = try #require(try store.snapshot.version.recordBytes(ids[1].rawValue, in: kind.tree))
        var twice = RecordWriter()
        twice.write(4, number: 16)
        twice.write(4, number: 18)
        let again = twice.finish()
        try await store.transact(.memory) { (library) throws(LibraryError) in
            try library.put(Array(whole.dropLast()), forKey: ids[1].rawValue, in: kind.tree)
            try library.put(again, forKey: ids[0].rawValue, in: kind.tree)
        }
        let records = store.snapshot.records(Plain.self)
        #expect(try records.where(\.size == 8).isEmpty)
        #expect(try records.where(\.size == 9).page(limit: 9).map(\.size) == [9])
        #expect(try records.where { try $0.size == 9 }.count == 1)
        try await store.close()
    }

    private struct Named: Record {
        var id: ID<Named> = .unassigned
        var name = ""
        var alias: String?
        var key: UUID?
        enum CodingKeys: Int, CodingKey { case id, name, alias, key }
        static let indexes = [Index(\.name), Index(\.alias), Index(\.key)]
    }

    @Test func `a text, bytes or an identifier of its own is found by its index, as long as the key has all of it`()
        async throws
    {
        let store = try RecordLibrary.inMemory()
        let texts =
            ["", "a", "ab", "a\u{0}", "\u{0}"]
            + (294...304).flatMap { count -> [String] in
                let text = String(repeating: "n", count: count)
                return [text, text + "\u{0}", text + "é"]
            }
        let keys = (0..<5).map { _ in UUID() }
        try await store.write(.memory) { library in
            for (place, text) in texts.enumerated() {
                try library.insert(
                    Named(name: text, alias: place % 3 == 0 ? nil : text, key: place % 4 == 0 ? nil : keys[place % 5]))
            }
        }
        let records = store.snapshot.records(Named.self)
        func identifiers(_ list: RecordList<Named>) throws -> [ID<Named>] { try list.page(limit: 99).map(\.id) }
        for text in texts + ["b", "nn"] {
            #expect(
                try identifiers(records.where(\.name == text)) == identifiers(records.where { try $0.name == text }))
            #expect(
                try identifiers(records.where(\.alias == text)) == identifiers(records.where { try $0.alias == text }))
        }
        #expect(try identifiers(records.where(\.alias == nil)) == identifiers(records.where { try $0.alias == nil }))
        for key in keys + [UUID()] {
            #expect(try identifiers(records.where(\.key == key)) == identifiers(records.where { try $0.key == key }))
        }
        #expect(try records.explain(\.name == "ab").contains("where name == ab: 1 record"))
        #expect(try records.explain(\.key == keys[1]).contains("the order"))
        #expect(try records.explain(\.name == texts[20]).contains("all records"), "its key has the beginning alone")
        try await store.close()
    }

    @Test func `what cannot be asked is refused by name`() async throws {
        let store = try RecordLibrary.inMemory()
        try await store.insert(LedgerTransfer())
        try await store.insert(Plain())
        try await store.insert(Raised())
        func sentence(_ body: () throws(LibraryError) -> Void) -> String {
            do throws(LibraryError) {
                try body()
                return "answered"
            } catch {
                return error.sentence
            }
        }
        let snapshot = store.snapshot
        #expect(
            sentence { () throws(LibraryError) in _ = try snapshot.records(Plain.self).where(\.parts == [1]) }
                == "The condition “parts == [1]” on Plain is of parts of type Array<Int>, which cannot be compared.")
        #expect(
            sentence { () throws(LibraryError) in
                _ = try snapshot.records(LedgerTransfer.self).where(\.amount > 0, in: "newest")
            }
                == "LedgerTransfer has no order “newest”; its orders are “all”, “statement”, “by category”, “by method”, “uncategorised first”."
        )
        #expect(
            sentence { () throws(LibraryError) in _ = try snapshot.records(Raised.self).where(\.size == 0) }
                == "Raised has upgrades, which change records as they are read, and conditions are tested on what is stored. "
                + "Ask with a closure: where { … }.")
        #expect(
            sentence { () throws(LibraryError) in
                _ = try snapshot.records(LedgerTransfer.self).where(\.amount > 0, limit: -1)
            } == "A limit is zero or more, not -1.")
        try await store.close()
    }
}
