import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore
@testable import Filing

/// Orders of an app's records, with their sums, against plain arrays.
@Suite struct RecordOrderTests {
    private static let categories: [String?] = [nil, "", "Food", "food", "Rent", "Zoë", "a\u{0}b", "a"]

    private static func random(_ accounts: [ID<LedgerAccount>], using random: inout SeededGenerator) -> LedgerTransfer {
        LedgerTransfer(
            account: random.pick(accounts)!, date: Day(daysSince1970: Int32.random(in: -40...400, using: &random)),
            amount: Money(tenThousandths: Int64.random(in: -50_000_000...50_000_000, using: &random)),
            category: random.pick(categories)!, note: random.pick(["", "Café", "cafe", "Ω", "!?", "one two"])!,
            fee: random.oneIn(3) ? Money(tenThousandths: Int64.random(in: 0...999, using: &random)) : nil,
            method: random.pick(PaymentMethod.allCases)!, isPending: random.oneIn(4))
    }

    // MARK: What the orders must be, said once more

    private typealias Transfer = LedgerTransfer

    private static func absentLast(_ left: String?, _ right: String?) -> Int {
        switch (left, right) {
        case (nil, nil): 0
        case (nil, _): 1
        case (_, nil): -1
        case (let left?, let right?): compare(Array(left.utf8), Array(right.utf8))
        }
    }

    private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }

    private static func folded(_ text: String) -> [UInt8] {
        let folded = FoldedText(text).bytes
        return folded.isEmpty ? Array(text.utf8) : folded
    }

    private static func sorted(_ transfers: [Transfer], _ order: String) -> [Transfer] {
        transfers.sorted { left, right in
            let differences: [Int] =
                switch order {
                case "all": [compare(right.date, left.date)]
                case "statement": [compare(left.account, right.account), compare(right.date, left.date)]
                case "by category": [absentLast(left.category, right.category), compare(left.date, right.date)]
                case "by method":
                    [
                        compare(Array(left.method.rawValue.utf8), Array(right.method.rawValue.utf8)),
                        compare(folded(right.note), folded(left.note)),
                    ]
                default:
                    (left.category == nil) == (right.category == nil)
                        ? [absentLast(left.category, right.category)] : [left.category == nil ? -1 : 1]
                }
            return (differences.first { $0 != 0 } ?? compare(left.id, right.id)) < 0
        }
    }

    private static let facets: [(String, @Sendable (LedgerTransfer) -> Bool)] = [
        ("isPending", { $0.isPending }), ("method.cash", { $0.method == .cash }),
        ("method.card", { $0.method == .card }),
        ("income", { $0.amount > 0 }), ("without a category", { $0.category == nil }),
        ("not food", { $0.category != "Food" }), ("small fee", { $0.fee.map { $0 <= 500 } ?? false }),
        ("of the first hundred days", { $0.date < Day(daysSince1970: 100) }),
    ]

    private static let orders = ["all", "statement", "by category", "by method", "uncategorised first"]

    private static func check(
        _ snapshot: Snapshot, _ transfers: [Transfer], _ accounts: [ID<LedgerAccount>],
        using random: inout SeededGenerator
    ) throws {
        for order in orders {
            let expected = sorted(transfers, order)
            let list = try snapshot.list(Transfer.self, order)
            #expect(list.count == expected.count)
            #expect(Array(list) == expected, "\(order)")
            guard !expected.isEmpty else { continue }
            let row = Int.random(in: 0..<expected.count, using: &random)
            #expect(try list.record(at: row) == expected[row])
            #expect(try list.page(offset: row, limit: 3) == Array(expected[row...].prefix(3)))
            #expect(throws: LibraryError.self) { try list.record(at: expected.count) }
            for (facet, holds) in facets {
                let filtered = try list.filtered(by: facet)
                let found = expected.filter(holds)
                #expect(filtered.count == found.count && Array(filtered) == found, "\(facet) in \(order)")
                let stretch = row..<min(expected.count, row + 50)
                #expect(Array(try list.rows(stretch).filtered(by: facet)) == expected[stretch].filter(holds))
                guard !found.isEmpty else { continue }
                let place = Int.random(in: 0..<found.count, using: &random)
                #expect(try filtered.record(at: place) == found[place])
                #expect(Array(filtered.rows(place..<found.count)) == Array(found[place...]))
                #expect(try filtered.row(of: found[place].id) == place)
                #expect(try filtered.rows(0..<place).row(of: found[place].id) == nil)
                #expect(try filtered.row(of: expected[row].id) == found.firstIndex { $0.id == expected[row].id })
            }
        }
        for account in accounts {
            let expected = sorted(transfers.filter { $0.account == account }, "statement")
            let statement = try snapshot.list(Transfer.self, "statement", of: account)
            #expect(Array(statement) == expected)
            #expect(try statement.sum(\.amount) == expected.reduce(0) { $0 + $1.amount })
            for row in expected.indices {
                let balance = expected[row...].reduce(0) { $0 + $1.amount }
                #expect(try statement.runningSum(\.amount, at: row) == balance)
            }
            let first = Day(daysSince1970: Int32.random(in: -50...410, using: &random))
            let last = Day(daysSince1970: first.daysSince1970 + Int32.random(in: -5...100, using: &random))
            #expect(Array(try statement[from: first]) == expected.filter { $0.date >= first })
            #expect(Array(try statement[to: last]) == expected.filter { $0.date <= last })
            let between = try statement[from: first, to: last]
            #expect(Array(between) == expected.filter { $0.date >= first && $0.date <= last })
            for transfer in transfers.prefix(9) {
                #expect(try between.row(of: transfer.id) == Array(between).firstIndex { $0.id == transfer.id })
            }
            #expect(try between.row(of: ID(device: 1, counter: 1 << 30)) == nil)
            #expect(try between.sum(\.amount) == Array(between).reduce(0) { $0 + $1.amount })
            #expect(
                Array(try statement[from: first].filtered(by: \.isPending))
                    == expected.filter { $0.date >= first && $0.isPending })
            #expect(try statement.filtered(by: \.method, .card).count == expected.count { $0.method == .card })
            let bounds = try statement.bounds(\.amount)
            #expect(bounds?.least == expected.map(\.amount).min() && bounds?.greatest == expected.map(\.amount).max())
            var sum: Money = 0
            let sums = expected.map { transfer in
                sum += transfer.amount
                return sum
            }
            let limit = Money(tenThousandths: Int64.random(in: -90_000_000...90_000_000, using: &random))
            #expect(try statement.row(whereSumOf: \.amount, isAtLeast: limit) == sums.firstIndex { $0 >= limit })
            #expect(try statement.row(whereSumOf: \.amount, isAtMost: limit) == sums.firstIndex { $0 <= limit })
            let months = try statement.groups(by: .month)
            #expect(months.flatMap { Array($0.list) } == expected)
            for (first, list) in months {
                #expect(first.day == 1)
                #expect(list.allSatisfy { $0.date.month == first.month && $0.date.year == first.year })
            }
            #expect(Set(months.map(\.first)).count == months.count)
            #expect(try statement.groups(by: .year).flatMap { Array($0.list) } == expected)
        }
        let categories = try snapshot.list(Transfer.self, "by category").groups()
        #expect(categories.flatMap { Array($0) } == sorted(transfers, "by category"))
        #expect(categories.allSatisfy { group in Set(group.map { $0.category.map { Array($0.utf8) } }).count == 1 })
        for category in Self.categories {
            let expected = transfers.filter { $0.category.map { Array($0.utf8) } == category.map { Array($0.utf8) } }
            let list = try snapshot.list(Transfer.self, "by category", of: category)
            #expect(list.count == expected.count)
            #expect(try list.sum(\.amount) == expected.reduce(0) { $0 + $1.amount })
            #expect(try list.sum(\.fee) == expected.reduce(0) { $0 + ($1.fee ?? 0) })
            let fees = expected.compactMap(\.fee)
            #expect(try list.bounds(\.fee)?.least == fees.min())
        }
    }

    @Test(arguments: 1...4) func `random histories keep every order and every sum`(seed: UInt64) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        var accounts: [ID<LedgerAccount>] = []
        for name in ["Cash", "Savings", "Card"] { accounts.append(try await store.insert(LedgerAccount(name: name))) }
        var transfers: [LedgerTransfer] = []
        for _ in 0..<8 {
            let (before, ids, seed) = (transfers, accounts, random)
            let isAbandoned = random.oneIn(5)
            let outcome = try? await store.write(.memory) { library in
                var transfers = before
                var source = seed
                for _ in 0..<Int.random(in: 1...40, using: &source) {
                    if transfers.isEmpty || source.oneIn(2) {
                        var transfer = Self.random(ids, using: &source)
                        transfer.id = try library.insert(transfer)
                        transfers.append(transfer)
                    } else if source.oneIn(3) {
                        let index = Int.random(in: 0..<transfers.count, using: &source)
                        try library.delete(transfers.remove(at: index).id)
                    } else {
                        let index = Int.random(in: 0..<transfers.count, using: &source)
                        var transfer = source.oneIn(2) ? transfers[index] : Self.random(ids, using: &source)
                        transfer.id = transfers[index].id
                        if source.oneIn(2) { transfer.amount += 1 }
                        transfers[index] = transfer
                        try library.update(transfer)
                    }
                }
                if isAbandoned { throw Abandoned() }
                return (transfers, source)
            }
            if let outcome { (transfers, random) = outcome } else { _ = random.next() }
            if random.oneIn(3) { try await store.compact() }
            try Self.check(store.snapshot, transfers, accounts, using: &random)
            expectSound(store.snapshot)
        }
        try await store.close()
    }

    private struct Abandoned: Error {}

    @Test func `a transaction lists what it has written so far, and what was listed before is made again`() async throws
    {
        try await withLibrary { store in
            let account = try await store.insert(LedgerAccount(name: "Cash"))
            let kept = try await store.write { library in
                #expect(try library.list(LedgerTransfer.self, "statement").isEmpty)
                for amount in 1...3 {
                    try library.insert(LedgerTransfer(account: account, amount: Money(amount)))
                }
                let list = try library.list(LedgerTransfer.self, "statement", of: account)
                #expect(try list.sum(\.amount) == 6)
                let first = try list.record(at: 0)
                try library.update(LedgerTransfer(id: first.id, account: account, amount: 10))
                let stale = #expect(throws: LibraryError.self) { try list.sum(\.amount) }
                #expect(stale?.sentence.contains("Make the list again.") == true)
                return try library.list(LedgerTransfer.self, "statement", of: account).sum(\.amount)
            }
            #expect(kept == 15)
            #expect(try store.snapshot.list(LedgerTransfer.self, "statement", of: account).sum(\.amount) == 15)
        }
    }

    @Test func `an order whose page is damaged is named, and made anew from the records`() async throws {
        let library = DamageableLibrary(fileSystem: MemoryFileSystem())
        var store = try RecordLibrary(at: DamageableLibrary.path, fileSystem: library.fileSystem, device: 1)
        try await store.write { library in
            for number in 0..<300 { try library.insert(Sorted(title: "title \(number)", price: Money(number))) }
        }
        try await store.compact()
        try await store.close()
        let pageCount = try library.bytes(of: library.snapshotPath).count / 4096
        var found = 0
        for page in 2..<pageCount - 2 {
            try library.flip(page: page)
            let places = try library.verify().damage
            guard places.first?.part == "index.app-orders" else {
                try library.flip(page: page)
                continue
            }
            found += 1
            #expect(places.count == 1 && places[0].recordsLost == 0)
            #expect(places[0].fix == ["reindex", "--only", "app-orders"])
            #expect(places[0].inside?.hasPrefix("the orders of the app's own records") == true)
            guard found == 2 else {
                try library.flip(page: page)
                continue
            }
            store = try library.open()
            try await store.reindex(only: .appOrders)
            try await store.makeOrders(of: Sorted.self)
            #expect(try store.snapshot.list(Sorted.self, "by title").sum(\.price) == Money(300 * 299 / 2))
            expectSound(store.snapshot)
            try await store.close()
            #expect(try library.verify().damage.isEmpty)
            return
        }
        Issue.record("\(found) pages of orders")
    }

    // MARK: Declarations that change

    private struct Plain: Record {
        var id: ID<Plain> = .unassigned
        var title = ""
        var price: Money = 0
        enum CodingKeys: Int, CodingKey { case id, title, price }
        static let recordName = "Thing"
    }

    private struct Sorted: Record, Equatable {
        var id: ID<Sorted> = .unassigned
        var title = ""
        var price: Money = 0
        enum CodingKeys: Int, CodingKey { case id, title, price }
        static let recordName = "Thing"
        static let schema = Schema { Order("by title", \.title).sum(\.price) }
    }

    /// The same order of a later version, by another field, and a field that is called otherwise.
    private struct Resorted: Record, Equatable {
        var id: ID<Resorted> = .unassigned
        var name = ""
        var price: Money = 0
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, price = 2 }
        static let recordName = "Thing"
        static let schema = Schema {
            Order("by title", .descending(\.price))
            Order("by name", \.name).sum(\.price)
        }
    }

    @Test func `an order that comes later is made at the next write, or when asked for`() async throws {
        try await withLibrary { store in
            for title in ["b", "a", "c"] { try await store.insert(Plain(title: title, price: 2)) }
            let error = #expect(throws: LibraryError.self) { try store.snapshot.list(Sorted.self, "by title") }
            #expect(error == .incompleteOrder(kind: "Thing", order: "by title", madeCount: 0, recordCount: 3))
            #expect(error?.sentence.contains("is not made yet") == true)
            try await store.makeOrders(of: Sorted.self)
            let list = try store.snapshot.list(Sorted.self, "by title")
            #expect(list.map(\.title) == ["a", "b", "c"])
            #expect(try list.sum(\.price) == 6)
            // A version that does not know of it keeps it up.
            try await store.insert(Plain(title: "aa", price: 3))
            try await store.update(try #require(try store.snapshot.records(Plain.self).all.page(limit: 1).first).id) {
                $0.title = "z"
            }
            #expect(try store.snapshot.list(Sorted.self, "by title").map(\.title) == ["a", "aa", "c", "z"])
            #expect(try store.snapshot.list(Sorted.self, "by title").sum(\.price) == 9)
        }
    }

    @Test func `a changed order is another order, and a renamed field is the same field`() async throws {
        try await withLibrary { store in
            for (title, price) in [("b", 1), ("a", 3), ("c", 2)] as [(String, Money)] {
                try await store.insert(Sorted(title: title, price: price))
            }
            try await store.insert(Resorted(name: "d", price: 9))
            #expect(try store.snapshot.list(Resorted.self, "by title").map(\.name) == ["d", "a", "c", "b"])
            #expect(try store.snapshot.list(Resorted.self, "by name").map(\.name) == ["a", "b", "c", "d"])
            // The versions take turns, and each has an order of the name.
            #expect(try store.snapshot.list(Sorted.self, "by title").map(\.title) == ["a", "b", "c", "d"])
            try await store.insert(Sorted(title: "aa", price: 4))
            #expect(try store.snapshot.list(Sorted.self, "by title").map(\.title) == ["a", "aa", "b", "c", "d"])
            #expect(try store.snapshot.list(Resorted.self, "by name").sum(\.price) == 19)
        }
    }

    /// A field that came later, which no order uses.
    private struct SortedWithMore: Record, Equatable {
        var id: ID<SortedWithMore> = .unassigned
        var title = ""
        var price: Money = 0
        var memo = "none yet"
        enum CodingKeys: Int, CodingKey { case id, title, price, memo }
        static let recordName = "Thing"
        static let schema = Schema { Order("by title", \.title).sum(\.price) }
    }

    @Test func `a field that comes to a type makes no order anew, and orders that take turns use the same trees`()
        async throws
    {
        try await withLibrary { store in
            try await store.insert(Sorted(title: "a", price: 1))
            #expect(try store.snapshot.list(SortedWithMore.self, "by title").map(\.memo) == ["none yet"])
            for turn in 0..<5 {
                try await store.insert(Resorted(name: "r\(turn)", price: 1))
                try await store.insert(Sorted(title: "s\(turn)", price: 1))
                try await store.reindex(only: .appOrders)
            }
            try await store.makeOrders(of: Sorted.self)
            let trees = store.snapshot.version.declarations.filter { LibraryTree.isOrder($0.number) }
            #expect(trees.count <= 3, "\(trees.map(\.name))")
        }
    }

    @Test func `a record that a new order does not take can be mended or deleted, and is named until then`()
        async throws
    {
        try await withLibrary { store in
            let long = try await store.insert(Plain(title: String(repeating: "x", count: 301)))
            let other = try await store.insert(Plain(title: String(repeating: "y", count: 301)))
            try await store.insert(Plain(title: "b", price: 2))
            try await store.write { library in
                let error = #expect(throws: LibraryError.self) { try library.insert(Sorted(title: "a")) }
                #expect(error?.sentence.contains("does not take Thing \(long)") == true)
                // The transaction goes on.
                try library.insert(Plain(title: "c", price: 3))
            }
            try await store.update(ID<Plain>(rawValue: other.rawValue)) { $0.title = "mended" }
            try await store.write { library in try library.delete(ID<Sorted>(rawValue: long.rawValue)) }
            #expect(try store.snapshot.list(Sorted.self, "by title").map(\.title) == ["b", "c", "mended"])
            #expect(try store.snapshot.list(Sorted.self, "by title").sum(\.price) == 5)
        }
    }

    /// Each kept the other from being changed, and nothing but deleting one helped.
    @Test func `two records that a new order does not take are mended one after the other`() async throws {
        try await withLibrary { store in
            let one = try await store.insert(Plain(title: String(repeating: "x", count: 301)))
            let two = try await store.insert(Plain(title: String(repeating: "y", count: 301)))
            try await store.update(ID<Sorted>(rawValue: one.rawValue)) { $0.title = "one" }
            try await store.update(ID<Sorted>(rawValue: two.rawValue)) { $0.title = "two" }
            try await store.makeOrders(of: Sorted.self)
            try await store.insert(Sorted(title: "three"))
            #expect(try store.snapshot.list(Sorted.self, "by title").map(\.title) == ["one", "three", "two"])
        }
    }

    @Test func `a change that is refused leaves the record in the orders that were made for it`() async throws {
        try await withLibrary { store in
            let id = try await store.insert(Plain(title: "a", price: 1))
            try await store.insert(Plain(title: "b", price: 2))
            try await store.write { library in
                let long = Sorted(id: ID(rawValue: id.rawValue), title: String(repeating: "x", count: 301), price: 7)
                #expect(throws: LibraryError.self) { try library.update(long) }
                try library.insert(Sorted(title: "c", price: 3))
            }
            #expect(try store.snapshot.list(Sorted.self, "by title").map(\.title) == ["a", "b", "c"])
            #expect(try store.snapshot.list(Sorted.self, "by title").sum(\.price) == 6)
        }
    }

    @Test func `reindex makes the orders anew`() async throws {
        try await withLibrary { store in
            for title in ["b", "a"] { try await store.insert(Sorted(title: title, price: 1)) }
            try await store.reindex(only: .appOrders)
            expectSound(store.snapshot)
            #expect(try store.snapshot.list(Sorted.self, "by title").map(\.title) == ["a", "b"])
            try await store.insert(Sorted(title: "c", price: 1))
            #expect(try store.snapshot.list(Sorted.self, "by title").map(\.title) == ["a", "b", "c"])
        }
    }

    // MARK: What is refused

    private struct Unordered: Record {
        var id: ID<Unordered> = .unassigned
        var tags: [String] = []
        enum CodingKeys: Int, CodingKey { case id, tags }
        static let schema = Schema { Order("by tags", .ascending(\.tags)) }
    }

    private struct Computed: Record {
        var id: ID<Computed> = .unassigned
        var title = ""
        var length: Int { title.count }
        enum CodingKeys: Int, CodingKey { case id, title }
        static let schema = Schema { Order("by length", \.length) }
    }

    private struct Doubled: Record {
        var id: ID<Doubled> = .unassigned
        var title = ""
        enum CodingKeys: Int, CodingKey { case id, title }
        static let schema = Schema {
            Order("by title", \.title)
            Order("by title", .descending(\.title))
        }
    }

    private struct Overloaded: Record {
        var id: ID<Overloaded> = .unassigned
        var a: Money = 0
        var b: Money = 0
        enum CodingKeys: Int, CodingKey { case id, a, b }
        static let schema = Schema { Order("x", \.a).sum(\.a, findsRows: true).sum(\.b, findsRows: true) }
    }

    private struct Faceted: Record {
        var id: ID<Faceted> = .unassigned
        var size = 0
        var tags: [String] = []
        enum CodingKeys: Int, CodingKey { case id, size, tags }
        static let schema = Schema {
            Order("by size", \.size)
            Facet("untagged", \.tags == [])
        }
    }

    private struct Upgraded: Record {
        var id: ID<Upgraded> = .unassigned
        var cents = 0
        enum CodingKeys: Int, CodingKey { case id, cents, account }
        var account: ID<Upgraded>?
        static let upgrades = [Upgrade<Upgraded>(2) { $0.cents *= 100 }]
        static let schema = Schema { Link(\.account, onDelete: .deny) }
    }

    private enum Priority: String, Codable, CaseIterable, Comparable {
        case low, medium, high
        static func < (left: Priority, right: Priority) -> Bool { left.rawValue > right.rawValue }
    }

    private struct Urgent: Record {
        var id: ID<Urgent> = .unassigned
        var priority: Priority = .low
        enum CodingKeys: Int, CodingKey { case id, priority }
        static let schema = Schema {
            Order("by priority", \.priority)
            Facet("urgent", \.priority >= .medium)
        }
    }

    private enum Seventeen: Int, Codable, CaseIterable {
        case a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q
    }

    private struct Crowded: Record {
        var id: ID<Crowded> = .unassigned
        var kind: Seventeen = .a
        enum CodingKeys: Int, CodingKey { case id, kind }
        static let schema = Schema {
            Order("by kind", \.kind)
            Facet(\.kind)
        }
    }

    @Test func `a declaration that cannot be is refused when the type is first used, by name`() async throws {
        try await withLibrary { store in
            func sentence<Value: Record>(_ value: Value) async -> String {
                await libraryError { try await store.insert(value) }?.sentence ?? ""
            }
            #expect(
                await sentence(Unordered())
                    == "The order “by tags” of Unordered is by tags of type Array<String>, which has no order. Order by numbers, "
                    + "texts, flags, days, moments, identifiers or enumerations with raw values.")
            #expect(
                await sentence(Computed())
                    == "The order “by length” of Computed names a computed property. Name stored fields: they have coding keys."
            )
            #expect(
                await sentence(Doubled())
                    == "Two orders of Doubled are called “by title”. Give one of them another name.")
            #expect(
                await sentence(Overloaded())
                    == "The order “x” of Overloaded has more sums than fit: three, or two with units, or one that finds rows and one that does "
                    + "not. Put the others into another order.")
            #expect(
                await sentence(Faceted())
                    == "The facet “untagged” of Faceted is of tags of type Array<String>, which cannot be compared.")
            #expect(await sentence(Upgraded()).hasPrefix("Upgraded has links, and upgrades."))
            #expect(
                await sentence(Urgent())
                    == "The facet “urgent” of Urgent compares the cases of Priority by what is stored of them, which need not be "
                    + "their order. Compare with == or !=, or count each case.")
            #expect(
                await sentence(Crowded())
                    == "Crowded has 17 facets, a case of an enumeration being one; 16 are possible.")
            let unknown = #expect(throws: LibraryError.self) { try store.snapshot.list(Sorted.self, "by size") }
            #expect(unknown?.sentence == "Thing has no order “by size”; its orders are “by title”.")
        }
    }

    @Test func `a record that an order cannot take is refused, and the transaction goes on`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                let long = String(repeating: "x", count: 301)
                let error = #expect(throws: LibraryError.self) { try library.insert(Sorted(title: long)) }
                #expect(
                    error?.sentence
                        == "The order “by title” does not take this Thing: a text of 301 bytes is too long for an order, which takes "
                        + "up to 300.")
                let least = Money(tenThousandths: .min)
                let small = #expect(throws: LibraryError.self) { try library.insert(Sorted(title: "a", price: least)) }
                #expect(small?.sentence.contains("is too small for a sum") == true)
                try library.insert(Sorted(title: "b", price: 1))
            }
            #expect(try store.snapshot.list(Sorted.self, "by title").count == 1)
        }
    }

    @Test func `values of another type, too many values and sums that are not kept are refused by name`() async throws {
        try await withLibrary { store in
            let account = try await store.insert(LedgerAccount(name: "Cash"))
            try await store.insert(LedgerTransfer(account: account, amount: 5))
            let snapshot = store.snapshot
            func sentence(_ body: () throws(LibraryError) -> Void) -> String {
                do throws(LibraryError) { try body() } catch { return error.sentence }
                return ""
            }
            #expect(
                sentence { () throws(LibraryError) in
                    _ = try snapshot.list(LedgerTransfer.self, "statement", of: "Cash")
                }
                    == "The order “statement” of LedgerTransfer goes on with values of type ID<LedgerAccount>; one of type String was "
                    + "given.")
            #expect(
                sentence { () throws(LibraryError) in
                    _ = try snapshot.list(LedgerTransfer.self, "all", of: Day(daysSince1970: 0), 5)
                }
                    == "The order “all” of LedgerTransfer has 1 components, and all of them are given already.")
            let days = try snapshot.list(LedgerTransfer.self, "all")
            #expect(
                sentence { () throws(LibraryError) in _ = try days[from: 100] }.contains(
                    "of type Day; one of type Int was"))
            #expect(
                sentence { () throws(LibraryError) in _ = try days[to: nil as Day?] }.contains("has no absent value"))
            let list = try snapshot.list(LedgerTransfer.self, "by category")
            #expect(
                sentence { () throws(LibraryError) in _ = try list.row(whereSumOf: \.amount, isAtLeast: 1) }
                    == "The order “by category” of LedgerTransfer does not find rows by sums. Declare it: .sum(\\.amount, "
                    + "findsRows: true).")
            #expect(
                sentence { () throws(LibraryError) in _ = try list.filtered(by: "outgo") }
                    == "LedgerTransfer has no facet “outgo”; its facets are “isPending”, “method.cash”, “method.transfer”, "
                    + "“method.card”, “income”, “without a category”, “not food”, “small fee”, “of the first hundred days”."
            )
            #expect(
                sentence { () throws(LibraryError) in _ = try list.filtered(by: "income").sum(\.amount) }
                    == "A list that is filtered has no sums and no groups, and cannot be narrowed or summed up. Filter last."
            )
            let all = try snapshot.list(LedgerTransfer.self, "all")
            #expect(
                sentence { () throws(LibraryError) in _ = try all.sum(\.amount) }
                    == "The order “all” of LedgerTransfer keeps no sums of amount. Declare it: .sum(\\.amount).")
        }
    }

    @Test func `a type that writes names in place of its raw values orders by what it writes`() async throws {
        struct Shelved: Record, Equatable {
            var id: ID<Shelved> = .unassigned
            var status = Progress.wantToRead
            var wish: Progress?
            enum CodingKeys: Int, CodingKey { case id, status, wish }
            static let schema = Schema {
                Order("by status", \.status)
                Order("by wish", \.wish)
                Facet("done", \.status == .read)
            }
        }
        let store = try RecordLibrary.inMemory()
        try await store.write(.memory) { library in
            for status in Progress.allCases { try library.insert(Shelved(status: status, wish: status)) }
            try library.insert(Shelved())
        }
        let snapshot = store.snapshot
        for status in Progress.allCases where status != .wantToRead {
            #expect(try snapshot.list(Shelved.self, "by status", of: status).page(limit: 9).map(\.status) == [status])
            #expect(try snapshot.list(Shelved.self, "by wish", of: status).page(limit: 9).map(\.wish) == [status])
        }
        #expect(try snapshot.list(Shelved.self, "by wish", of: nil as Progress?).count == 1)
        #expect(
            try snapshot.list(Shelved.self, "by status").filtered(by: "done").page(limit: 9).map(\.status) == [.read])
        try await store.close()
    }

    @Test func `verify finds an entry that is missing, one too many, and one with another amount`() async throws {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        for (title, price) in [("a", 1), ("b", 2)] as [(String, Money)] {
            try await store.insert(Sorted(title: title, price: price))
        }
        let order = try #require(try store.snapshot.version.storedOrders(of: Array("Thing".utf8)).first)
        let keys = try store.snapshot.version.keys(of: order.tree, prefix: [], after: nil, limit: 9)
        func problems() -> [String] {
            LibraryVerifier.verify(store.snapshot).checks.filter { !$0.passed }.flatMap(\.items)
        }
        #expect(problems() == [])
        try await store.database.write(.memory) { trees in
            try trees.put([9, 0, 0, 0, 0, 0, 0, 0], forKey: keys[0], in: order.tree)
        }
        #expect(problems().count == 1 && problems()[0].contains("has other amounts of"))
        try await store.database.write(.memory) { trees in _ = try trees.remove(keys[0], in: order.tree) }
        #expect(problems().count == 2 && problems()[0].contains("where it belongs"))
        try await store.database.write(.memory) { trees in
            try trees.put([], forKey: [1, 2, 3], in: order.tree)
            try trees.put([], forKey: [1, 2, 4], in: order.tree)
        }
        #expect(problems().contains { $0 == "The order by title of Thing has 3 entries; its records come to 2." })
        try await store.close()
    }
}
