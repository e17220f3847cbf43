import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore
@testable import Filing

/// Orders by fields of the elements of a list: the parts of a split payment, and the volumes of a set.
struct RecordPartTests {
    private struct Purchase: Record, Equatable {
        struct Part: RecordPart, Equatable {
            var category: String?
            var amount: Money = 0
            var volume = 0
            var memo = ""
            enum CodingKeys: Int, CodingKey { case category = 3, amount = 0, volume = 1, memo = 20 }
        }

        var id: ID<Purchase> = .unassigned
        var date = Day(daysSince1970: 0)
        var parts: [Part] = []
        var fee: Money = 0
        var currency = "EUR"
        enum CodingKeys: Int, CodingKey { case id, date, parts, fee, currency }
        static let schema = Schema {
            Order("by category", .each(\.parts, \.category), .descending(\.date))
                .sum(each: \.parts, \.amount, in: \.currency, findsRows: true).sum(\.fee)
            Order("by volume", .eachFolded(\.parts, \.memo), .each(\.parts, \.volume, descending: true))
            Order("by date", \.date).sum(\.fee)
            Facet("free", \.fee == 0)
        }
    }

    // MARK: Histories

    private static let categories = [nil, "food", "rent", ""]

    private static func random(_ random: inout SeededGenerator) -> Purchase {
        Purchase(
            date: Day(daysSince1970: .random(in: 0...9, using: &random)),
            parts: (0..<Int.random(in: 0...5, using: &random)).map { _ in
                Purchase.Part(
                    category: random.pick(categories)!, amount: Money(Int.random(in: -9...50, using: &random)),
                    volume: .random(in: -2...2, using: &random), memo: random.pick(["Café", "cafe", "b", ""])!)
            },
            fee: Money(Int.random(in: 0...3, using: &random)))
    }

    /// The records that have a part of a category, newest first, and what those parts come to.
    private static func expected(
        _ category: String?, _ purchases: [ID<Purchase>: Purchase]
    ) -> [(purchase: Purchase, amount: Money)] {
        purchases.values.filter { $0.parts.contains { $0.category == category } }
            .sorted { ($1.date, $0.id) < ($0.date, $1.id) }
            .map { purchase in
                (purchase, purchase.parts.filter { $0.category == category }.reduce(0) { $0 + $1.amount })
            }
    }

    private static func check(_ snapshot: Snapshot, _ purchases: [ID<Purchase>: Purchase]) throws {
        for category in categories {
            let list = try snapshot.list(Purchase.self, "by category", of: category)
            let expected = expected(category, purchases)
            #expect(try list.identifiers(limit: .max) == expected.map(\.purchase.id))
            #expect(try list.amounts(each: \.parts, \.amount, limit: .max) == expected.map(\.amount))
            #expect(try list.sum(each: \.parts, \.amount) == expected.reduce(0) { $0 + $1.amount })
            // What the record has itself counts once at each place.
            #expect(try list.sum(\.fee) == expected.reduce(0) { $0 + $1.purchase.fee })
            for row in expected.indices {
                #expect(
                    try list.runningSum(each: \.parts, \.amount, at: row)
                        == expected[row...].reduce(0) { $0 + $1.amount })
            }
            var total: Money = 0
            let reaching = expected.firstIndex { (_, amount) in
                total += amount
                return total >= 60
            }
            #expect(try list.row(whereSumOfEach: \.parts, \.amount, isAtLeast: 60) == reaching)
            #expect(try list.bounds(each: \.parts, \.amount)?.least == expected.map(\.amount).min())
            #expect(try list.bounds(each: \.parts, \.amount)?.greatest == expected.map(\.amount).max())
            let free = expected.filter { $0.purchase.fee == 0 }.map(\.purchase.id)
            #expect(try list.filtered(by: "free").identifiers(limit: .max) == free)
        }
        for memo in ["CAFÉ", "b", ""] {
            let key = FoldedText.key(of: Array(memo.utf8))
            // Both components are of one part.
            let places = Set(
                purchases.values.flatMap { purchase in
                    purchase.parts.filter { FoldedText.key(of: Array($0.memo.utf8)) == key }
                        .map { [Int64($0.volume), Int64(bitPattern: purchase.id.rawValue)] }
                })
            let sorted = places.sorted { ($1[0], $0[1]) < ($0[0], $1[1]) }
            let list = try snapshot.list(Purchase.self, "by volume", of: memo)
            #expect(try list.identifiers(limit: .max).map { Int64(bitPattern: $0.rawValue) } == sorted.map { $0[1] })
        }
    }

    @Test func `each part is where an exact recount has it, after every commit`() async throws {
        var random = SeededGenerator.forTest(fallback: 81)
        let store = try RecordLibrary.inMemory()
        var purchases: [ID<Purchase>: Purchase] = [:]
        for round in 0..<60 {
            let known = (purchases, random)
            (purchases, random) = try await store.write(.memory) { library in
                var (purchases, random) = known
                for _ in 0..<5 {
                    let id = purchases.keys.sorted().randomElement(using: &random)
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0:
                        guard let id else { continue }
                        try library.delete(id)
                        purchases[id] = nil
                    case 1..<4:
                        guard let id, var purchase = purchases[id] else { continue }
                        if random.oneIn(3) { purchase.parts.reverse() } else { purchase = Self.random(&random) }
                        purchase.id = id
                        try library.update(purchase)
                        purchases[id] = purchase
                    default:
                        var purchase = Self.random(&random)
                        purchase.id = try library.insert(purchase)
                        purchases[purchase.id] = purchase
                    }
                }
                return (purchases, random)
            }
            try Self.check(store.snapshot, purchases)
            if round.isMultiple(of: 20) { _ = try await store.compact() }
        }
        #expect(purchases.count > 20)
        // A search finds each record once, whatever number of places it has.
        let search = try store.snapshot.list(Purchase.self, "by category").search("eur", in: \.currency, limit: 1000)
        let placed = purchases.values.filter { !$0.parts.isEmpty }.map(\.id)
        #expect(search.count == placed.count && Set(search.matches.map(\.id)) == Set(placed))
        expectSound(store.snapshot)
        try await store.close()
    }

    @MainActor @Test func `a live list of a category follows its parts`() async throws {
        var random = SeededGenerator.forTest(fallback: 82)
        let store = try RecordLibrary.inMemory()
        let list = try LiveRecords(store, Purchase.self, "by category", of: "food" as String?)
        var purchases: [ID<Purchase>: Purchase] = [:]
        for _ in 0..<40 {
            var purchase = Self.random(&random)
            if random.oneIn(2), let id = purchases.keys.sorted().randomElement(using: &random) {
                purchase.id = id
                let changed = purchase
                try await store.write(.memory) { library in try library.update(changed) }
            } else {
                purchase.id = try await store.insert(purchase, .memory)
            }
            purchases[purchase.id] = purchase
            await list.shows(store.snapshot.commitNumber)
            #expect(list.rows.compactMap(\.record) == Self.expected("food", purchases).map(\.purchase))
        }
        try await store.close()
    }

    // MARK: Limits

    @Test func `parts in two currencies are not added up`() async throws {
        let store = try RecordLibrary.inMemory()
        for currency in ["EUR", "CHF"] {
            let part = Purchase.Part(category: "food", amount: 3)
            try await store.insert(Purchase(parts: [part, part], currency: currency))
        }
        let list = try store.snapshot.list(Purchase.self, "by category", of: "food" as String?)
        let error = #expect(throws: LibraryError.self) { try list.sum(each: \.parts, \.amount) }
        #expect(error?.sentence.contains("CHF") ?? false)
        #expect(try list.amounts(each: \.parts, \.amount, limit: 9) == [6, 6])
        let other = #expect(throws: LibraryError.self) { try list.sum(each: \.parts, \.volume) }
        #expect(other?.sentence.contains(#"Declare it: .sum(each: \.parts, \.volume)."#) ?? false, "\(other!)")
        try await store.close()
    }

    @Test func `elements of another kind are refused by record, and of what was never written there are none`()
        async throws
    {
        struct Listed: Record {
            static let recordName = "Purchase"
            var id: ID<Listed> = .unassigned
            var parts: [Int] = []
            enum CodingKeys: Int, CodingKey { case id, parts = 2 }
        }
        struct Short: Record {
            struct Part: RecordPart {
                var amount: Money = 4
                enum CodingKeys: Int, CodingKey { case amount = 0 }
            }
            static let recordName = "Purchase"
            var id: ID<Short> = .unassigned
            var parts: [Part]? = [Part()]
            enum CodingKeys: Int, CodingKey { case id, parts = 2 }
        }
        let store = try RecordLibrary.inMemory()
        let short = try await store.insert(Short())
        try await store.insert(Short(parts: nil))
        // As where the fields of a kind were not kept yet: otherwise the second type would be refused.
        let forget = { try await store.write { try $0.remove(Array("Purchase".utf8), in: LibraryTree.appFields) } }
        try await forget()
        let listed = try await store.insert(Listed(parts: [7]))
        try await forget()
        let error = await libraryError { try await store.makeOrders(of: Purchase.self) }
        #expect(error?.sentence.contains("does not take Purchase \(listed)") ?? false, "\(error!)")
        try await store.write { library in _ = try library.delete(listed) }
        try await forget()
        try await store.makeOrders(of: Purchase.self)
        let list = try store.snapshot.list(Purchase.self, "by category", of: nil as String?)
        #expect(try list.identifiers(limit: 9).map(\.rawValue) == [short.rawValue])
        #expect(try list.sum(each: \.parts, \.amount) == 4)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `an element stands where it reads, also by a field that it lacks`() async throws {
        enum Kind: String, Codable, CaseIterable { case food, rent }
        enum Level: Int, Codable, CaseIterable { case low = 7, high = 8 }
        struct Old: Record {
            struct Part: RecordPart {
                var amount: Money = 0
                enum CodingKeys: Int, CodingKey { case amount = 0 }
            }
            static let recordName = "Typed"
            var id: ID<Old> = .unassigned
            var parts: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, parts }
        }
        struct Typed: Record {
            struct Part: RecordPart {
                var amount: Money = 0
                var kind = Kind.rent
                var level = Level.high
                enum CodingKeys: Int, CodingKey { case amount = 0, kind = 1, level = 2 }
            }
            var id: ID<Typed> = .unassigned
            var parts: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, parts }
            static let schema = Schema {
                Order("by kind", .each(\.parts, \.kind)).sum(each: \.parts, \.amount)
                Order("by level", .each(\.parts, \.level, descending: true)).sum(each: \.parts, \.amount)
            }
        }
        try await withLibrary { store in
            try await store.insert(Old(parts: [Old.Part(amount: 3), Old.Part(amount: 4)]))
            try await store.insert(
                Typed(parts: [Typed.Part(amount: 10, kind: .food, level: .low), Typed.Part(amount: 20)]))
            let snapshot = store.snapshot
            for part in try snapshot.records(Typed.self).all.page(limit: 1)[0].parts {
                #expect(part.kind == .food && part.level == .low)
            }
            #expect(try snapshot.list(Typed.self, "by kind", of: Kind.food).sum(each: \.parts, \.amount) == 17)
            #expect(try snapshot.list(Typed.self, "by level", of: Level.low).sum(each: \.parts, \.amount) == 17)
            #expect(
                try snapshot.list(Typed.self, "by level").groups().map { try $0.sum(each: \.parts, \.amount) } == [
                    20, 17,
                ])
            // As a later opening finds it.
            let stored = try snapshot.version.storedOrders(of: Array("Typed".utf8))
            #expect(stored.count == 2)
            for order in stored {
                #expect(RecordKind<Typed>.current.orders.contains { $0.declaration == order.declaration })
            }
        }
    }

    @Test func `a declaration of parts that cannot be is refused when the type is first used, by name`() async throws {
        struct Part: RecordPart {
            var size: Money = 0
            var name = ""
            var double: Money { size + size }
            enum CodingKeys: Int, CodingKey { case size, name }
        }
        struct Computed: Record {
            var id: ID<Computed> = .unassigned
            var parts: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, parts }
            static let schema = Schema { Order("by double", .each(\.parts, \.double)) }
        }
        struct TwoLists: Record {
            var id: ID<TwoLists> = .unassigned
            var parts: [Part] = []
            var others: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, parts, others }
            static let schema = Schema { Order("by both", .each(\.parts, \.size), .each(\.others, \.size)) }
        }
        struct Placeless: Record {
            var id: ID<Placeless> = .unassigned
            var parts: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, parts }
            static let schema = Schema { Order("by id", .ascending(\.parts.count)).sum(each: \.parts, \.size) }
        }
        struct Unplaced: Record {
            var id: ID<Unplaced> = .unassigned
            var day = 0
            var parts: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, day, parts }
            static let schema = Schema { Order("by day", \.day).sum(each: \.parts, \.size) }
        }
        struct Doubled: Record {
            var id: ID<Doubled> = .unassigned
            var parts: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, parts }
            static let schema = Schema {
                Order("by name", .each(\.parts, \.name)).sum(each: \.parts, \.size).sum(each: \.parts, \.size)
            }
        }
        let store = try RecordLibrary.inMemory()
        for (error, words) in [
            (
                await libraryError { try await store.insert(Computed()) },
                "names a computed property of an element"
            ),
            (await libraryError { try await store.insert(TwoLists()) }, "has places for the elements of two lists"),
            (await libraryError { try await store.insert(Placeless()) }, "names a computed property"),
            (
                await libraryError { try await store.insert(Unplaced()) },
                #"has sums of the elements of parts, and no place for each of them. Order by one of their fields: .each(\.parts, …)."#
            ),
            (await libraryError { try await store.insert(Doubled()) }, "has sums of size twice"),
        ] {
            #expect(error?.sentence.contains(words) ?? false, "\(error?.sentence ?? "taken")")
        }
        try await store.close()
    }
}

/// Links by a field of the elements of a list.
struct PartLinkTests {
    private struct Category: Record, Equatable {
        var id: ID<Category> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    private struct Shop: Record, Equatable {
        var id: ID<Shop> = .unassigned
        enum CodingKeys: Int, CodingKey { case id }
    }

    private struct Basket: Record, Equatable {
        struct Part: RecordPart, Equatable {
            var category: Reference<Category>?
            var shop: Reference<Shop> = .unassigned
            var amount: Money = 0
            enum CodingKeys: Int, CodingKey { case category = 1, shop = 2, amount = 3 }
        }
        var id: ID<Basket> = .unassigned
        var parts: [Part] = []
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, parts, note }
        static let schema = Schema {
            Link(each: \.parts, \.category, onDelete: .nullify)
            Link(each: \.parts, \.shop, onDelete: .cascade)
            Order("by category", .each(\.parts, \.category), .ascending(\.note)).sum(each: \.parts, \.amount)
        }
    }

    @Test func `elements name records that are there, after every commit and whatever is deleted`() async throws {
        var random = SeededGenerator.forTest(fallback: 84)
        let store = try RecordLibrary.inMemory()
        var categories: [ID<Category>] = []
        var shops: [ID<Shop>] = []
        var baskets: [ID<Basket>: Basket] = [:]
        for round in 0..<120 {
            let known = (categories, shops, baskets, random)
            (categories, shops, baskets, random) = try await store.write(.memory) { library in
                var (categories, shops, baskets, random) = known
                while categories.count < 3 { categories.append(try library.insert(Category(name: "c"))) }
                while shops.count < 3 { shops.append(try library.insert(Shop())) }
                func basket(_ random: inout SeededGenerator) -> Basket {
                    Basket(
                        parts: (0..<Int.random(in: 0...4, using: &random)).map { number in
                            Basket.Part(
                                category: random.oneIn(3) ? nil : random.pick(categories)!, shop: random.pick(shops)!,
                                amount: Money(number + 1))
                        }, note: "n\(round)")
                }
                switch Int.random(in: 0..<8, using: &random) {
                case 0:
                    let gone = categories.removeFirst()
                    #expect(try library.delete(gone))
                    for id in baskets.keys {
                        for index in baskets[id]!.parts.indices where baskets[id]!.parts[index].category == gone {
                            baskets[id]!.parts[index].category = nil
                        }
                    }
                case 1:
                    let gone = shops.removeLast()
                    #expect(try library.delete(gone))
                    baskets = baskets.filter { !$0.value.parts.contains { $0.shop == gone } }
                case 2, 3:
                    guard let id = baskets.keys.sorted().randomElement(using: &random) else { break }
                    var changed = basket(&random)
                    changed.id = id
                    try library.update(changed)
                    baskets[id] = changed
                default:
                    for _ in 0..<3 {
                        var new = basket(&random)
                        new.id = try library.insert(new)
                        baskets[new.id] = new
                    }
                }
                return (categories, shops, baskets, random)
            }
            let snapshot = store.snapshot
            let found = Dictionary(uniqueKeysWithValues: try snapshot.records(Basket.self).all.map { ($0.id, $0) })
            #expect(found == baskets, "round \(round)")
            for category in categories {
                let mine = baskets.values.filter { $0.parts.contains { $0.category == category } }
                let list = try snapshot.list(Basket.self, linkedByEach: \.parts, \.category, to: category)
                #expect(Set(try list.identifiers(limit: .max)) == Set(mine.map(\.id)))
                let amounts = mine.flatMap(\.parts).filter { $0.category == category }.map(\.amount)
                #expect(try list.sum(each: \.parts, \.amount) == amounts.reduce(0, +))
            }
            for shop in shops {
                let list = try snapshot.list(Basket.self, linkedByEach: \.parts, \.shop, to: shop)
                #expect(list.count == baskets.values.count { $0.parts.contains { $0.shop == shop } })
            }
            if round.isMultiple(of: 40) { _ = try await store.compact() }
        }
        #expect(try store.snapshot.records(Basket.self).brokenLinks().isEmpty)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `an element that names what is not there is refused, and versions without the type keep the link`()
        async throws
    {
        struct Denying: Record {
            struct Part: RecordPart {
                var category: Reference<Category> = .unassigned
                enum CodingKeys: Int, CodingKey { case category = 1 }
            }
            static let recordName = "Basket"
            var id: ID<Denying> = .unassigned
            var parts: [Part] = []
            enum CodingKeys: Int, CodingKey { case id, parts }
            static let schema = Schema { Link(each: \.parts, \.category, onDelete: .deny) }
        }
        struct Ended: Record {
            static let recordName = "Basket"
            var id: ID<Ended> = .unassigned
            var note = ""
            enum CodingKeys: Int, CodingKey { case id, note = 2 }
            static let schema = Schema { EndedLink(1, part: 1) }
        }
        let store = try RecordLibrary.inMemory()
        let category = try await store.insert(Category(name: "food"))
        let shop = try await store.insert(Shop())
        let lost = Reference<Category>(rawValue: category.rawValue + 99)
        for (part, words) in [
            (
                Basket.Part(category: lost, shop: shop),
                "The parts.category of this Basket have Category \(lost), which is not there"
            ),
            (Basket.Part(category: category), "The parts.shop of this Basket have an unassigned identifier"),
        ] {
            let error = await libraryError { try await store.insert(Basket(parts: [part])) }
            #expect(error?.sentence.contains(words) ?? false, "\(error?.sentence ?? "taken")")
        }
        try await store.insert(Basket(parts: [Basket.Part(category: category, shop: shop)]))
        // A version of the app that denies what the other makes nil.
        try await store.makeOrders(of: Denying.self)
        let denied = await libraryError { try await store.write { library in _ = try library.delete(category) } }
        #expect(
            denied?.sentence.contains("cannot be deleted while it is among the parts.category of Basket") ?? false,
            "\(denied!)")
        let wrong = #expect(throws: LibraryError.self) {
            try store.snapshot.list(Basket.self, linkedByEach: \.parts, \.amount, to: 3)
        }
        #expect(wrong?.sentence.contains(#"Declare it: Link(each: \.parts, \.amount, onDelete: .deny)."#) ?? false)
        // The link of the shops goes on.
        try await store.write { library in try library.insert(Ended(note: "x")) }
        try await store.write { library in _ = try library.delete(category) }
        try await store.write { library in _ = try library.delete(shop) }
        #expect(try store.snapshot.records(Basket.self).all.count == 1)
        expectSound(store.snapshot)
        try await store.close()
    }
}
