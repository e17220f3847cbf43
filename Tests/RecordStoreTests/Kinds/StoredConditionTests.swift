import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// A record with a field of each type that can be compared, and some that cannot.
private struct Sample: Record {
    struct Part: RecordPart {
        var name = ""
        enum CodingKeys: Int, CodingKey { case name = 0 }
    }
    var id: ID<Sample> = .unassigned
    var flag = false
    var count = 0
    var natural: UInt = 0
    var real = 0.0
    var text = ""
    var bytes: [UInt8] = []
    var link: Reference<LedgerAccount>?
    var day = Day(daysSince1970: 0)
    var moment = Date(timeIntervalSinceReferenceDate: 0)
    var money: Money = 0
    var key: UUID?
    var address: URL?
    var tags: [String] = []
    var numbers: [Int] = []
    var parts: [Part] = []
    var names: [String: Int] = [:]
    enum CodingKeys: Int, CodingKey {
        case id = 0, flag = 1, count = 2, natural = 3, real = 4, text = 5, bytes = 6, link = 7, day = 8, moment = 9
        case money = 10, key = 11, address = 12, tags = 13, numbers = 14, parts = 15, names = 16
    }
    static let schema = Schema { Order("by day", \.day) }
}

/// Conditions on fields by their names, for who has not got the type.
@Suite struct StoredConditionTests {
    private static func library() async throws -> RecordLibrary {
        let library = try RecordLibrary.inMemory(device: 0xB00C)
        try await library.write { transaction in
            let account = try transaction.insert(LedgerAccount(name: "a"))
            try transaction.insert(
                Sample(
                    flag: true, count: -3, natural: 7, real: -1.5, text: "Rent", bytes: [0, 255], link: account,
                    day: Day("2026-11-24")!, moment: Date(timeIntervalSince1970: 1_795_000_000),
                    money: Money("-12.50")!, key: UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"),
                    address: URL(string: "https://example.org/a"), tags: ["red", "none"], numbers: [300, -2]))
            try transaction.insert(
                Sample(
                    count: 4, natural: 9, real: 2, text: "none", day: Day("2027-01-01")!,
                    moment: Date(timeIntervalSince1970: 1_800_000_000), money: 3))
        }
        return library
    }

    /// Which of the two samples a condition holds for.
    private static func found(
        _ field: String, _ comparison: StoredCondition.Comparison, _ value: String, in snapshot: Snapshot
    ) throws -> [Int] {
        let kind = try #require(try snapshot.kind(named: "Sample"))
        let condition = try kind.condition(field, comparison, value)
        return try snapshot.list(of: kind, where: [condition]).page().map { $0.id == "00b00c-2" ? 1 : 2 }
    }

    @Test func `a field of each type is compared by the words of its values`() async throws {
        let library = try await Self.library()
        let cases: [(String, StoredCondition.Comparison, String, [Int])] = [
            ("flag", .equal, "yes", [1]), ("flag", .equal, "false", [2]), ("flag", .unequal, "yes", [2]),
            ("count", .less, "0", [1]), ("count", .greaterOrEqual, "-3", [1, 2]), ("count", .equal, "4", [2]),
            ("natural", .greater, "7", [2]), ("real", .lessOrEqual, "-1.5", [1]), ("real", .greater, "1e0", [2]),
            ("text", .equal, "Rent", [1]), ("text", .less, "a", [1]), ("text", .equal, "\"none\"", [2]),
            ("bytes", .equal, "00FF", [1]), ("bytes", .equal, "", [2]), ("link", .equal, "00b00c-1", [1]),
            ("link", .equal, "none", [2]), ("link", .unequal, "none", [1]), ("link", .unequal, "00b00c-1", [2]),
            ("day", .greaterOrEqual, "2027-01-01", [2]), ("day", .equal, "2026-11-24", [1]),
            ("moment", .less, "2026-11-25", [1]), ("moment", .greater, "2026-11-25T10:00", [2]),
            ("moment", .equal, "2027-01-15T08:00:00Z", [2]), ("money", .less, "-12", [1]),
            ("money", .equal, "3.00", [2]), ("key", .equal, "6ba7b810-9dad-11d1-80b4-00c04fd430c8", [1]),
            ("key", .equal, "none", [2]), ("address", .equal, "https://example.org/a", [1]),
            ("address", .unequal, "https://example.org/a", [2]), ("tags", .equal, "red", [1]),
            ("tags", .unequal, "red", [2]), ("tags", .equal, "none", [2]), ("tags", .unequal, "none", [1]),
            ("tags", .equal, "\"none\"", [1]), ("numbers", .equal, "300", [1]), ("numbers", .equal, "-2", [1]),
            ("numbers", .equal, "2", []),
        ]
        for (field, comparison, value, expected) in cases {
            let found = try Self.found(field, comparison, value, in: library.snapshot)
            #expect(found == expected, "\(field) \(comparison.rawValue) \(value)")
        }
        try await library.close()
    }

    @Test func `an error names the field, its type and what could be written`() async throws {
        let library = try await Self.library()
        func sentence(_ field: String, _ comparison: StoredCondition.Comparison, _ value: String) -> String {
            do {
                _ = try Self.found(field, comparison, value, in: library.snapshot)
                return "no error"
            } catch {
                guard case .invalidArgument(let sentence)? = error as? LibraryError else { return "\(error)" }
                return sentence
            }
        }
        let unreadable = [
            ("flag", "maybe", "a flag", "yes or no"), ("count", "3.5", "a whole number", "-5"),
            ("natural", "-1", "a whole number without a sign", "12"), ("real", "ten", "a number", "1.5"),
            ("bytes", "0f0", "bytes", "00ff"), ("link", "12", "an identifier", "a3f09c-12"),
            ("day", "24.11.2026", "a day", "2026-11-24"), ("moment", "noon", "a moment", "2026-11-24T18:30:00Z"),
            ("money", "1 000", "money", "-12.50"), ("key", "6ba7", "a UUID", "6ba7b810-"),
            ("numbers", "red", "a list, each element a whole number", "-5"),
        ]
        for (field, value, type, example) in unreadable {
            let words = sentence(field, .equal, value)
            #expect(
                words.hasPrefix("“\(field)” of Sample is \(type), and '\(value)' cannot be read as one."), "\(words)")
            #expect(words.contains(example), "\(words)")
        }
        #expect(sentence("link", .equal, "x").hasSuffix(", or none for what is absent."))
        #expect(sentence("day", .equal, "none") == "“day” of Sample is a day, and every record has a value there.")
        #expect(
            sentence("link", .less, "none")
                == "“link” of Sample is an identifier, and what is absent is neither less nor greater. Use = or !=.")
        for field in ["flag", "bytes", "key", "address", "tags"] {
            #expect(sentence(field, .less, "1").contains("which has no order to compare by. Use = or !=."), "\(field)")
        }
        for field in ["parts", "names"] {
            #expect(sentence(field, .equal, "1").contains("which cannot be compared"), "\(field)")
        }
        #expect(
            sentence("colour", .equal, "red").hasPrefix("Sample has no field “colour”; its fields are flag, count,"))
        try await library.close()
    }

    @Test func `random conditions by name find what a look at every record finds, and go through the same list`()
        async throws
    {
        var random = SeededGenerator.forTest(fallback: 71)
        let store = try RecordLibrary.inMemory()
        var accounts: [ID<LedgerAccount>] = []
        for name in ["a", "b", "c"] { accounts.append(try await store.insert(LedgerAccount(name: name))) }
        let history = try await LedgerHistory(accounts, random).committed(600, to: store)
        let snapshot = store.snapshot
        let kind = try #require(try snapshot.kind(named: "LedgerTransfer"))
        var foundCount = 0
        for _ in 0..<300 {
            let account = random.pick(accounts)!
            let day = Day(daysSince1970: .random(in: -2...32, using: &random))
            let amount = Money(Int.random(in: -50...50, using: &random))
            let isPending = Bool.random(using: &random)
            let all: [(StoredCondition, RecordCondition<LedgerTransfer>, (LedgerTransfer) -> Bool)] = [
                (try kind.condition("account", .equal, "\(account)"), \.account == account, { $0.account == account }),
                (try kind.condition("date", .greaterOrEqual, "\(day)"), \.date >= day, { $0.date >= day }),
                (try kind.condition("amount", .less, "\(amount)"), \.amount < amount, { $0.amount < amount }),
                (
                    try kind.condition("isPending", .equal, isPending ? "yes" : "no"), \.isPending == isPending,
                    { $0.isPending == isPending }
                ),
                (try kind.condition("category", .equal, "none"), \.category == nil, { $0.category == nil }),
                (try kind.condition("note", .unequal, ""), \.note != "", { $0.note != "" }),
            ]
            let chosen = all.filter { _ in Bool.random(using: &random) }
            let order = random.pick([nil, "all", "statement"])!
            let stored = order.flatMap { name in kind.orders.first { $0.name == name } }
            let isReversed = Bool.random(using: &random)
            let list = try snapshot.list(of: kind, where: chosen.map(\.0), in: stored, isReversed: isReversed)
            let expected = history.transfers.filter { record in chosen.allSatisfy { $0.2(record) } }
            #expect(list.count == expected.count, "\(chosen.map(\.0.words))")
            foundCount += list.count
            var ids = try list.page(limit: .max).map(\.id)
            #expect(Set(ids) == Set(expected.map(\.id.description)))
            let typed = try RecordSelection(chosen.map(\.1), in: order, limit: .max)
            let plan = try snapshot.plan(of: kind, where: chosen.map(\.0), in: stored)
            #expect(try plan.walked.count == typed.explanation(in: snapshot.version).walked.count)
            #expect(try plan.walked.order == typed.explanation(in: snapshot.version).walked.order)
            // Each goes on behind the one before it.
            for (index, id) in ids.enumerated().prefix(40) { #expect(try list.offset(after: id) == index + 1) }
            if isReversed { ids.reverse() }
            let typedIDs = try snapshot.records(LedgerTransfer.self).list(RecordQuery(typed)).page(limit: .max).map(
                \.id)
            #expect(ids == typedIDs.map(\.description), "\(chosen.map(\.0.words)) in \(order ?? "no order")")
        }
        #expect(foundCount > 2000)
        try await store.close()
    }

    @Test func `what goes through a place that is gone goes on by identifier, and no further in an order`() async throws
    {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        for day in [5, 3, 4, 1] { try await store.insert(LedgerTransfer(date: Day(daysSince1970: Int32(day)))) }
        try await store.delete(ID<LedgerTransfer>("00b00c-2")!)
        let kind = try #require(try store.snapshot.kind(named: "LedgerTransfer"))
        let all = try store.snapshot.list(of: kind)
        #expect(try all.offset(after: "00b00c-2") == 1 && all.offset(after: "00b00c-3") == 2)
        let reversed = try store.snapshot.list(of: kind, isReversed: true)
        #expect(try reversed.offset(after: "00b00c-2") == 2 && reversed.page().map(\.id).first == "00b00c-4")
        let order = try #require(kind.orders.first { $0.name == "all" })
        let listed = try store.snapshot.list(of: kind, in: order)
        #expect(try listed.page().map(\.id) == ["00b00c-1", "00b00c-3", "00b00c-4"])
        #expect(try listed.offset(after: "00b00c-3") == 2 && listed.offset(after: "00b00c-2") == nil)
        try await store.close()
    }

    @Test func `a kind may be listed in another snapshot than the one that it is of`() async throws {
        try await withLibrary { store in
            for day in [5, 3] { try await store.insert(LedgerTransfer(date: Day(daysSince1970: Int32(day)))) }
            let older = store.snapshot
            let kind = try #require(try older.kind(named: "LedgerTransfer"))
            let order = try #require(kind.orders.first { $0.name == "all" })
            for day in [4, 1] { try await store.insert(LedgerTransfer(date: Day(daysSince1970: Int32(day)))) }
            let newer = store.snapshot
            let ids = ["00b00c-1", "00b00c-2", "00b00c-3", "00b00c-4"]
            #expect(try newer.list(of: kind).count == 4 && older.list(of: kind).count == 2)
            #expect(try newer.list(of: kind, isReversed: true).page().map(\.id) == ids.reversed())
            #expect(try newer.list(of: kind, in: order).page().map(\.id).sorted() == ids)
            // The other way round, and where there is no such kind or order.
            let later = try #require(try newer.kind(named: "LedgerTransfer"))
            #expect(try older.list(of: later, in: later.orders.first { $0.name == "all" }).count == 2)
            let empty = try RecordLibrary.inMemory().snapshot
            #expect(try empty.list(of: kind).page().isEmpty)
            #expect(throws: LibraryError.self) { try empty.list(of: kind, in: order) }
        }
    }

    @Test func `in an order where a record has several places each is tested`() async throws {
        struct Tagged: Record {
            var id: ID<Tagged> = .unassigned
            var tags: [String] = []
            var size = 0
            enum CodingKeys: Int, CodingKey { case id = 0, tags = 1, size = 2 }
            static let schema = Schema { Order("by tag", .each(\.tags)) }
        }
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        try await store.insert(Tagged(tags: ["b", "a"], size: 1))
        try await store.insert(Tagged(tags: ["a"], size: 2))
        let kind = try #require(try store.snapshot.kind(named: "Tagged"))
        let order = try #require(kind.orders.first)
        let small = try kind.condition("size", .less, "2")
        let list = try store.snapshot.list(of: kind, where: [small], in: order)
        #expect(try list.page().map(\.id) == ["00b00c-1", "00b00c-1"])
        #expect(throws: LibraryError.self) { try list.offset(after: "00b00c-1") }
        try await store.close()
    }
}
