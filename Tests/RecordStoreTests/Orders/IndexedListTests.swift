import LibrarySupport
import TestSupport
import Testing

@testable import RecordStore

/// Lists and conditions by indexes, also by values that code works out.
@Suite struct IndexedListTests {
    private struct Account: Record {
        var id: ID<Account> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
    }

    private struct Payment: Record {
        var id: ID<Payment> = .unassigned
        var account: Reference<Account> = .unassigned
        var due: Day?
        var amount: Money = 0
        var isPending = false
        enum CodingKeys: Int, CodingKey { case id = 0, account = 1, due = 2, amount = 3, isPending = 4 }
        static let indexes = [Index(\.due), Index(\.account)]
        static let schema = Schema {
            Link(\.account, onDelete: .cascade)
            Order("by amount", .descending(\.amount))
            Facet(\.isPending)
        }
    }

    @Test func `a facet filters orders and lists of links, and an index says that it counts none`() async throws {
        try await withLibrary { store in
            let account = try await store.insert(Account(name: "Savings"))
            for number in 0..<10 {
                try await store.insert(
                    Payment(account: account, amount: Money(number), isPending: number.isMultiple(of: 5)))
            }
            let snapshot = store.snapshot
            #expect(try snapshot.list(Payment.self, "by amount").filtered(by: \.isPending).count == 2)
            #expect(
                try snapshot.list(Payment.self, linkedBy: \.account, to: account).filtered(by: \.isPending).count == 2)
            let error = #expect(throws: LibraryError.self) {
                try snapshot.list(Payment.self, "due").filtered(by: \.isPending)
            }
            #expect(error?.sentence.contains("“due” of Payment is an index") == true)
            await #expect(throws: LibraryError.self) {
                try await MainActor.run { _ = try LiveRecords(store, Payment.self, "due", filter: .facet(\.isPending)) }
            }
        }
    }

    private struct Item: Record {
        var id: ID<Item> = .unassigned
        var delta = 0
        var text = ""
        var signed: Int { -1 - delta }
        var day: Day { Day(daysSince1970: 20_000 + Int32(delta)) }
        var half: Double? { delta.isMultiple(of: 3) ? nil : Double(delta) / 2 }
        var upper: String { text.uppercased() }
        enum CodingKeys: Int, CodingKey { case id = 0, delta = 1, text = 2 }
        static let indexes = [
            Index(\.delta), Index(\.signed, name: "signed", version: 1), Index(\.day, name: "day", version: 1),
            Index(\.half, name: "half", version: 1), Index(\.upper, name: "upper", version: 1),
        ]
    }

    /// Around the 300 bytes that a key has room for, a zero at the end of them among others.
    private static let texts =
        ["", "a", "b\u{0}", "b"]
        + [296, 297, 298, 299, 300, 301].flatMap { count in
            [String(repeating: "x", count: count), String(repeating: "x", count: count) + "\u{0}y"]
        }

    @Test func `a list by what code works out has groups, stretches and ranges of the values' own type`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                for delta in 0..<60 {
                    try library.insert(Item(delta: delta / 2, text: Self.texts[delta % Self.texts.count]))
                }
            }
            let snapshot = store.snapshot
            let items = Array(try snapshot.records(Item.self).all)
            func groups(_ name: String) throws -> [Int] { try snapshot.list(Item.self, name).groups().map(\.count) }
            #expect(try groups("signed") == Array(repeating: 2, count: 30))
            #expect(try groups("day") == Array(repeating: 2, count: 30))
            #expect(try groups("half") == Array(repeating: 2, count: 20) + [20])
            let months = try snapshot.list(Item.self, "day").groups(by: .month)
            #expect(months.map(\.list.count).reduce(0, +) == 60 && months.count == 2)
            #expect(try snapshot.list(Item.self, "signed", of: -4).map(\.delta) == [3, 3])
            #expect(try snapshot.list(Item.self, "half", of: 2.5).map(\.delta) == [5, 5])
            #expect(try snapshot.list(Item.self, "half", of: Double?.none).count == 20)
            #expect(try snapshot.list(Item.self, "signed")[from: -4, to: -3].map(\.delta) == [3, 3, 2, 2])
            #expect(
                try snapshot.list(Item.self, "day")[from: Day(daysSince1970: 20_028)].map(\.delta) == [
                    28, 28, 29, 29,
                ])
            // Texts that begin alike for as long as a key goes are one group.
            let uppers = try snapshot.list(Item.self, "upper").groups()
            #expect(uppers.map(\.count).reduce(0, +) == 60)
            for text in Self.texts where text.utf8.count < 290 {
                #expect(
                    try snapshot.list(Item.self, "upper", of: text.uppercased()).map(\.id)
                        == items.filter { $0.text == text }.map(\.id))
            }
            let live = try await MainActor.run {
                try LiveRecords(store, Item.self, "signed", of: -4).rows.compactMap { $0.record?.delta }
            }
            #expect(live == [3, 3])
        }
    }

    @Test func `conditions give out by an order that code makes, and lose nothing`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                for number in 0..<100 { try library.insert(Item(delta: number % 33, text: "\(99 - number)")) }
            }
            let records = store.snapshot.records(Item.self)
            let wanted = try Array(records.all).filter { $0.delta == 7 }
            #expect(wanted.count == 3)
            for limit in [1, 2, .max] {
                let found = try Array(records.where(\.delta == 7, in: "upper", limit: limit))
                let sorted = wanted.sorted { $0.text < $1.text }.prefix(limit)
                #expect(found.map(\.id) == sorted.map(\.id))
            }
        }
    }

    private struct OldSize: Record {
        var id: ID<OldSize> = .unassigned
        var size = 0
        enum CodingKeys: Int, CodingKey { case id = 0, size = 1 }
        static let recordName = "Sized"
    }

    private struct Sized: Record {
        var id: ID<Sized> = .unassigned
        var size = 0
        enum CodingKeys: Int, CodingKey { case id = 0, size = 1 }
        static let indexes = [Index(\.size)]
        static let upgrades = [Upgrade<Sized>(2) { $0.size += 1 }]
    }

    @Test func `conditions by name are of what is stored, whatever upgrades make of it`() async throws {
        try await withLibrary { store in
            for size in 0..<5 { try await store.insert(OldSize(size: size)) }
            try await store.makeOrders(of: Sized.self)
            let snapshot = store.snapshot
            let kind = try #require(try snapshot.kind(named: "Sized"))
            #expect(kind.orders.map(\.name) == ["size"])
            for size in 0..<6 {
                let list = try snapshot.list(of: kind, where: [try kind.condition("size", .equal, "\(size)")])
                #expect(list.count == (size < 5 ? 1 : 0), "\(size)")
                let ordered = try snapshot.list(
                    of: kind, where: [try kind.condition("size", .greaterOrEqual, "\(size)")], in: kind.orders[0])
                #expect(ordered.count == 5 - min(size, 5), "\(size)")
            }
        }
    }

    private struct Dated: Record {
        var id: ID<Dated> = .unassigned
        var day = Day(daysSince1970: 0)
        enum CodingKeys: Int, CodingKey { case id, day }
        static let schema = Schema {
            Order("by day", \.day)
            Order("newest", .descending(\.day))
        }
    }

    @Test func `the first and the last month that there are hold each of their days once`() async throws {
        try await withLibrary { store in
            for day in [Int32.min, .min + 1, 0, .max - 3, .max] {
                try await store.insert(Dated(day: Day(daysSince1970: day)))
            }
            for order in ["by day", "newest"] {
                for unit in [CalendarUnit.month, .year] {
                    let groups = try store.snapshot.list(Dated.self, order).groups(by: unit)
                    #expect(groups.map(\.list.count) == [2, 1, 2])
                }
            }
        }
    }
}
