import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore
@testable import Filing

/// Records with several places in an order: the two sides of a transfer, the tags of a note, the currencies of a sum.
struct RecordStandTests {
    private struct Purse: Record, Equatable {
        var id: ID<Purse> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    private struct Label: Record, Equatable {
        var id: ID<Label> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    /// Money that went from one purse to another, came from outside, or left.
    private struct Remittance: Record, Equatable {
        var id: ID<Remittance> = .unassigned
        var from: Reference<Purse>?
        var to: Reference<Purse>?
        var date = Day(daysSince1970: 0)
        var sent: Money?
        var sentIn = "EUR"
        var received: Money = 0
        var receivedIn = "EUR"
        var tags: [String] = []
        var labels: [Reference<Label>] = []
        enum CodingKeys: Int, CodingKey {
            case id, from, to, date, sent, sentIn, received, receivedIn, tags, labels
        }
        static let schema = Schema {
            Link(\.from, onDelete: .cascade)
            Link(\.to, onDelete: .nullify)
            Link(\.labels, onDelete: .nullify)
            Order("statement") {
                Stand(.present(\.from), .descending(\.date)).sum(minus: \.sent, in: \.sentIn)
                Stand(.present(\.to), .descending(\.date)).sum(\.received, in: \.receivedIn)
            }
            Order("by tag", .eachFolded(\.tags), .ascending(\.date)).sum(\.received)
            Order("by label", .each(\.labels), .descending(\.date)).sum(\.received, findsRows: true)
            Facet("large", \.received > 10)
        }
    }

    // MARK: Histories

    /// What the library should hold.
    private struct Model {
        var purses: [ID<Purse>] = []
        var labels: [ID<Label>] = []
        var remittances: [ID<Remittance>: Remittance] = [:]

        func random(_ random: inout SeededGenerator) -> Remittance {
            Remittance(
                from: random.oneIn(3) ? nil : random.pick(purses), to: random.oneIn(3) ? nil : random.pick(purses),
                date: Day(daysSince1970: .random(in: 0...9, using: &random)),
                sent: random.oneIn(4) ? nil : Money(Int.random(in: -9...50, using: &random)),
                received: Money(Int.random(in: -9...50, using: &random)),
                tags: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    random.pick(["food", "Food", "FÓOD", "rent", "", "!"])!
                },
                labels: (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in random.pick(labels) })
        }

        /// What each record comes to in the statement of a purse, newest first.
        func statement(of purse: ID<Purse>) -> [(id: ID<Remittance>, amount: Money?)] {
            remittances.values.filter { $0.from == purse || $0.to == purse }
                .sorted { ($1.date, $0.id) < ($0.date, $1.id) }
                .map { ($0.id, amount(of: $0, in: purse)) }
        }

        private func amount(of record: Remittance, in purse: ID<Purse>) -> Money? {
            let sent = record.from == purse ? record.sent.map { -$0 } : nil
            guard record.to == purse else { return sent }
            return (sent ?? 0) + record.received
        }
    }

    private static func step(
        _ model: inout Model, _ library: inout LibraryTransaction, _ random: inout SeededGenerator
    ) throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<6:
            var record = model.random(&random)
            record.id = try library.insert(record)
            model.remittances[record.id] = record
        case 6..<9:
            guard let id = model.remittances.keys.sorted().randomElement(using: &random) else { return }
            var record = random.oneIn(3) ? model.random(&random) : model.remittances[id]!
            record.id = id
            if random.oneIn(2) { record.date = Day(daysSince1970: .random(in: 0...9, using: &random)) }
            if random.oneIn(3) { record.labels.reverse() }
            try library.update(record)
            model.remittances[id] = record
        case 9:
            guard let id = model.remittances.keys.sorted().randomElement(using: &random) else { return }
            try library.delete(id)
            model.remittances[id] = nil
        case 10:
            guard model.labels.count > 1, let label = random.pick(model.labels) else { return }
            try library.delete(label)
            model.labels.removeAll { $0 == label }
            for id in model.remittances.keys { model.remittances[id]?.labels.removeAll { $0 == label } }
            model.labels.append(try library.insert(Label()))
        default:
            guard model.purses.count > 1, let purse = random.pick(model.purses) else { return }
            try library.delete(purse)
            model.purses.removeAll { $0 == purse }
            model.remittances = model.remittances.filter { $0.value.from != purse }
            for id in model.remittances.keys where model.remittances[id]?.to == purse {
                model.remittances[id]?.to = nil
            }
            model.purses.append(try library.insert(Purse()))
        }
    }

    private static func check(_ snapshot: Snapshot, _ model: Model) throws {
        let records = Dictionary(
            uniqueKeysWithValues: try snapshot.records(Remittance.self).all.map { ($0.id, $0) })
        #expect(records == model.remittances)
        for purse in model.purses {
            let statement = try snapshot.list(Remittance.self, "statement", of: purse)
            let expected = model.statement(of: purse)
            #expect(try statement.identifiers(limit: .max) == expected.map(\.id))
            #expect(try statement.amounts(\.sent, limit: .max) == expected.map(\.amount))
            #expect(try statement.sum(\.sent) == expected.reduce(0) { $0 + ($1.amount ?? 0) })
            for row in expected.indices {
                #expect(
                    try statement.runningSum(\.sent, at: row)
                        == expected[row...].reduce(0) { $0 + ($1.amount ?? 0) })
            }
            let large = try statement.filtered(by: "large")
            #expect(try large.identifiers(limit: .max) == expected.map(\.id).filter { records[$0]!.received > 10 })
        }
        let all = model.remittances.values
        for label in model.labels {
            let list = try snapshot.list(Remittance.self, linkedBy: \.labels, to: label)
            let expected = all.filter { $0.labels.contains(label) }.sorted { ($1.date, $0.id) < ($0.date, $1.id) }
            #expect(try list.identifiers(limit: .max) == expected.map(\.id))
            #expect(try list.sum(\.received) == expected.reduce(0) { $0 + $1.received })
        }
        for tag in ["food", "rent", "", "!"] {
            let list = try snapshot.list(Remittance.self, "by tag", of: tag)
            let expected = all.filter {
                $0.tags.contains { FoldedText.key(of: Array($0.utf8)) == FoldedText.key(of: Array(tag.utf8)) }
            }
            #expect(
                try list.identifiers(limit: .max) == expected.sorted { ($0.date, $0.id) < ($1.date, $1.id) }.map(\.id))
        }
    }

    @Test func `both sides of a transfer are where an exact recount has them, after every commit`() async throws {
        var random = SeededGenerator.forTest(fallback: 60)
        let store = try RecordLibrary.inMemory()
        var model = Model()
        for _ in 0..<3 {
            model.purses.append(try await store.insert(Purse()))
            model.labels.append(try await store.insert(Label()))
        }
        for round in 0..<60 {
            let known = (model, random)
            (model, random) = try await store.write(.memory) { library in
                var (model, random) = known
                for _ in 0..<6 { try Self.step(&model, &library, &random) }
                return (model, random)
            }
            try Self.check(store.snapshot, model)
            if round.isMultiple(of: 20) { #expect(LibraryVerifier.verify(store.snapshot).isSound) }
        }
        #expect(LibraryVerifier.verify(store.snapshot).isSound)
        #expect(model.remittances.count > 20)
        try await store.close()
    }

    @MainActor @Test
    func `live statements follow both sides, also of a list in which a record stands twice`() async throws {
        var random = SeededGenerator.forTest(fallback: 61)
        let store = try RecordLibrary.inMemory()
        var model = Model()
        for _ in 0..<3 {
            model.purses.append(try await store.insert(Purse()))
            model.labels.append(try await store.insert(Label()))
        }
        let purse = model.purses[0]
        let lists = [
            try LiveRecords(store, Remittance.self, "statement", of: purse),
            try LiveRecords(store, Remittance.self, "statement"),
            try LiveRecords(store, Remittance.self, "by tag"),
            try LiveRecords(store, Remittance.self, "by label", filter: .facet("large")),
        ]
        let chosen = try LiveRecords(store, Remittance.self, "statement")
        chosen.predicate = { try $0.received > 0 }
        var rows = lists.map { $0.rows.compactMap(\.record) }
        var numbers = lists.map(\.changeNumber)
        for _ in 0..<60 {
            let known = (model, random)
            (model, random) = try await store.write(.memory) { library in
                var (model, random) = known
                for _ in 0..<3 { try Self.step(&model, &library, &random) }
                return (model, random)
            }
            let number = store.snapshot.commitNumber
            for list in lists + [chosen] { await list.shows(number) }
            for (index, list) in lists.enumerated() {
                let order = ["statement", "statement", "by tag", "by label"][index]
                let whole = try store.snapshot.list(Remittance.self, order)
                let expected =
                    switch index {
                    case 0: try store.snapshot.list(Remittance.self, order, of: purse).identifiers(limit: .max)
                    case 3: try whole.filtered(by: "large").identifiers(limit: .max)
                    default: try whole.identifiers(limit: .max)
                    }
                #expect(list.rows.map(\.id) == expected)
                let now = list.rows.compactMap(\.record)
                switch list.changeNumber - numbers[index] {
                case 0: #expect(now == rows[index])
                case 1 where !list.change.isReload: list.change.expect(rows[index], now, "\(order)")
                default: break
                }
                (rows[index], numbers[index]) = (now, list.changeNumber)
            }
            let all = try store.snapshot.list(Remittance.self, "statement")
            #expect(
                chosen.rows.map(\.id) == (try all.page(limit: .max).filter { $0.received > 0 }.map(\.id)))
            if let id = rows[0].randomElement(using: &random)?.id {
                #expect(lists[0].index(of: id) == rows[0].firstIndex { $0.id == id })
                #expect(lists[1].index(of: id) == rows[1].firstIndex { $0.id == id })
            }
        }
        try await store.close()
    }

    /// It was shown the first place of its record, among the records of another tag.
    @MainActor @Test func `a list in which records stand several times stays at its row when it is made anew`()
        async throws
    {
        let store = try RecordLibrary.inMemory()
        try await store.write { library in
            for _ in 0..<100 { try library.insert(Remittance(tags: ["a", "m"])) }
        }
        let list = try LiveRecords(store, Remittance.self, "by tag")
        list.window = 150..<160
        let first = list.rows[150].id
        try await store.write { library in
            for _ in 0..<600 { try library.insert(Remittance(tags: ["b"])) }
        }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.change.isReload && list.window == 750..<760 && list.rows[750].id == first)
        try await store.close()
    }

    // MARK: One place

    private func account(_ snapshot: Snapshot, _ purse: ID<Purse>) throws -> RecordOrderList<Remittance> {
        try snapshot.list(Remittance.self, "statement", of: purse)
    }

    @Test func `a transfer from a purse to itself stands there once, with what it comes to`() async throws {
        let store = try RecordLibrary.inMemory()
        let purse = try await store.insert(Purse())
        let id = try await store.insert(Remittance(from: purse, to: purse, sent: 30, received: 28))
        let statement = try account(store.snapshot, purse)
        #expect(try statement.identifiers(limit: 9) == [id])
        #expect(try statement.sum(\.sent) == -2)
        // One edit is both sides.
        let other = try await store.insert(Purse())
        try await store.update(id) { $0.to = other }
        #expect(try account(store.snapshot, purse).sum(\.sent) == -30)
        #expect(try account(store.snapshot, other).sum(\.sent) == 28)
        #expect(try statement.sum(\.sent) == -2)
        try await store.close()
    }

    @Test func `amounts that do not fit together at one place are refused, and nothing is changed`() async throws {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        let purse = try await store.insert(Purse())
        let greatest = Money(tenThousandths: .max)
        let error = await #expect(throws: LibraryError.self) {
            try await store.insert(
                Remittance(from: purse, to: purse, sent: Money(tenThousandths: -.max), received: greatest))
        }
        #expect(
            error?.sentence
                == "The order “statement” does not take this Remittance: the amounts 9223372036854775807 and "
                + "9223372036854775807 at one place of it add up to more than fits.")
        let mixed = await #expect(throws: LibraryError.self) {
            try await store.insert(
                Remittance(from: purse, to: purse, sent: 1, received: 1, receivedIn: "USD"))
        }
        #expect(
            mixed?.sentence
                == "The order “statement” does not take this Remittance: amounts in EUR and in USD would be added at one place of it."
        )
        let long = await #expect(throws: LibraryError.self) {
            try await store.insert(Remittance(to: purse, received: 1, receivedIn: "doubloons"))
        }
        #expect(
            long?.sentence
                == "The order “statement” does not take this Remittance: “doubloons” is no unit of sums, which has up to 7 bytes, "
                + "such as EUR.")
        #expect(try store.snapshot.records(Remittance.self).count == 0)
        try await store.close()
    }

    @Test func `sums in several currencies are refused, and those in one are not`() async throws {
        let store = try RecordLibrary.inMemory()
        let purses = [try await store.insert(Purse()), try await store.insert(Purse())]
        try await store.write { library in
            try library.insert(
                Remittance(from: purses[0], to: purses[1], sent: 100, received: 108, receivedIn: "USD"))
            try library.insert(Remittance(to: purses[0], received: 7))
            // Nothing was sent, in whatever currency.
            try library.insert(
                Remittance(
                    from: purses[0], date: Day(daysSince1970: 3), sent: nil, sentIn: "CHF", received: 0))
        }
        #expect(try account(store.snapshot, purses[0]).sum(\.sent) == -93)
        #expect(try account(store.snapshot, purses[1]).sum(\.sent) == 108)
        let all = try store.snapshot.list(Remittance.self, "statement")
        let error = #expect(throws: LibraryError.self) { try all.sum(\.sent) }
        #expect(
            error?.sentence
                == "These records of the order “statement” of Remittance have amounts in EUR and in USD, which do not add up."
        )
        #expect(throws: LibraryError.self) { try all.bounds(\.sent) }
        #expect(throws: LibraryError.self) { try all.runningSum(\.sent, at: 3) }
        #expect(try all.rows(0..<2).sum(\.sent) == -100)
        #expect(try all.groups().map { try $0.sum(\.sent) } == [-93, 108])
        #expect(try all.amounts(\.sent, offset: 1, limit: 9) == [-100, 7, 108])
        try await store.close()
    }

    @Test func `a list of links names what is there, and loses what is deleted`() async throws {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        let labels = [try await store.insert(Label()), try await store.insert(Label())]
        let id = try await store.insert(Remittance(labels: [labels[1], labels[0], labels[1]]))
        let gone = ID<Label>(device: 0xB00C, counter: 99)
        let error = await #expect(throws: LibraryError.self) {
            try await store.insert(Remittance(labels: [labels[0], gone]))
        }
        #expect(
            error?.sentence
                == "The labels of this Remittance have Label \(gone), which is not there. Insert that first.")
        await #expect(throws: LibraryError.self) { try await store.insert(Remittance(labels: [.unassigned])) }
        try await store.write { library in try library.delete(labels[1]) }
        #expect(try store.snapshot.records(Remittance.self)[id]?.labels == [labels[0]])
        #expect(try store.snapshot.list(Remittance.self, linkedBy: \.labels, to: labels[1]).isEmpty)
        #expect(try store.snapshot.list(Remittance.self, linkedBy: \.labels, to: labels[0]).count == 1)
        try await store.write { library in try library.delete(labels[0]) }
        #expect(try store.snapshot.records(Remittance.self)[id]?.labels == [])
        #expect(try store.snapshot.records(Remittance.self).brokenLinks().isEmpty)
        #expect(LibraryVerifier.verify(store.snapshot).isSound)
        try await store.close()
    }

    @Test func `orders with several places come with records that are there already, and after a restart`() async throws
    {
        /// Of the same name and fields as a record with orders, and without these.
        struct Plain: Record {
            static let recordName = "Remittance"
            var id: ID<Plain> = .unassigned
            var to: Reference<Purse>?
            var date = Day(daysSince1970: 0)
            var received: Money = 0
            var receivedIn = "EUR"
            var tags: [String] = []
            enum CodingKeys: Int, CodingKey { case id, to = 2, date, received = 6, receivedIn, tags }
        }
        let fileSystem = MemoryFileSystem()
        var store = try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem)
        let purse = try await store.insert(Purse())
        try await store.write { library in
            for number in 0..<3000 {
                try library.insert(
                    Plain(
                        to: purse, date: Day(daysSince1970: Int32(number % 50)), received: Money(number),
                        tags: number.isMultiple(of: 3) ? ["three", "Three", "all"] : ["all"]))
            }
        }
        try await store.makeOrders(of: Remittance.self)
        try await store.close()
        store = try RecordLibrary(at: "L.bookdb", fileSystem: fileSystem)
        let snapshot = store.snapshot
        #expect(try account(snapshot, purse).sum(\.sent) == Money(2999 * 3000 / 2))
        #expect(try snapshot.list(Remittance.self, "by tag", of: "THREE").count == 1000)
        #expect(try snapshot.list(Remittance.self, "by tag").count == 4000)
        #expect(LibraryVerifier.verify(snapshot).isSound)
        try await store.close()
    }

    /// A list with gaps, whose blank has an element, and stands of which one takes absent values.
    private struct Gapped: Record, Equatable {
        var id: ID<Gapped> = .unassigned
        var first: Int?
        var second: Int?
        var tags: [String?] = ["new"]
        var amount: Money = 0
        enum CodingKeys: Int, CodingKey { case id, first, second, tags, amount }
        static let schema = Schema {
            Order("by tag", .each(\.tags))
            Order("either") {
                Stand(.present(\.first)).sum(\.amount)
                Stand(.ascending(\.second)).sum(minus: \.amount)
            }
            Facet("costly", \.amount > 3)
        }
    }

    @Test func `absent elements have no place, absent values have one where a stand takes them`() async throws {
        struct Bare: Record {
            static let recordName = "Gapped"
            var id: ID<Bare> = .unassigned
            var second: Int?
            enum CodingKeys: Int, CodingKey { case id, second = 2 }
        }
        let store = try RecordLibrary.inMemory()
        let old = try await store.insert(Bare())
        let gaps = try await store.insert(Gapped(first: 1, second: 1, tags: [nil, "a", nil, "a"], amount: 5))
        let snapshot = store.snapshot
        // What was never written is what the blank has.
        #expect(
            try snapshot.list(Gapped.self, "by tag", of: "new").identifiers(limit: 9).map(\.rawValue) == [old.rawValue])
        #expect(try snapshot.list(Gapped.self, "by tag", of: "a").identifiers(limit: 9) == [gaps])
        #expect(try snapshot.list(Gapped.self, "by tag").count == 2)
        #expect(try snapshot.list(Gapped.self, "either", of: nil as Int?).count == 1)
        let one = try snapshot.list(Gapped.self, "either", of: 1)
        #expect(try one.amounts(\.amount, limit: 9) == [0])
        #expect(try one.filtered(by: "costly").amounts(\.amount, limit: 9) == [0])
        #expect(LibraryVerifier.verify(snapshot).isSound)
        try await store.close()
    }

    @Test func `a list loses what is deleted and keeps its gaps where they are`() throws {
        let field = LinkField(tag: 4, isList: true)
        struct Holder: Record {
            var id: ID<Holder> = .unassigned
            var links: [Int?] = []
            enum CodingKeys: Int, CodingKey { case id, links }
        }
        func bytes(_ links: [Int?]) throws -> [UInt8] { try RecordKind<Holder>.current.encode(Holder(links: links)) }
        // As a link would be stored: zigzag makes 1 of -1.
        for (links, left) in [
            ([nil, -1], [nil]), ([-1, nil], [nil]), ([-1, nil, -2, nil, -1], [nil, -2, nil]), ([-1, -1], []),
            ([-2], [-2]), ([], []),
        ] as [([Int?], [Int?])] {
            let rest = try field.removing([1], from: try bytes(links))
            #expect(try RecordKind<Holder>.current.decode(rest, id: ID(rawValue: 1)).links == left, "\(links)")
        }
    }

    // MARK: Declarations

    private struct Unlike: Record {
        var id: ID<Unlike> = .unassigned
        var from = 0
        var to = ""
        enum CodingKeys: Int, CodingKey { case id, from, to }
        static let schema = Schema {
            Order("both") {
                Stand(\.from)
                Stand(\.to)
            }
        }
    }

    private struct Reversed: Record {
        var id: ID<Reversed> = .unassigned
        var from = 0
        var to = 0
        enum CodingKeys: Int, CodingKey { case id, from, to }
        static let schema = Schema {
            Order("both") {
                Stand(\.from)
                Stand(.descending(\.to))
            }
        }
    }

    private struct Scaled: Record {
        var id: ID<Scaled> = .unassigned
        var a = 0
        var money: Money = 0
        var pieces = 0
        enum CodingKeys: Int, CodingKey { case id, a, money, pieces }
        static let schema = Schema {
            Order("both") {
                Stand(\.a).sum(\.money)
                Stand(\.a).sum(\.pieces)
            }
        }
    }

    private struct Squared: Record {
        var id: ID<Squared> = .unassigned
        var a: [Int] = []
        var b: [Int] = []
        enum CodingKeys: Int, CodingKey { case id, a, b }
        static let schema = Schema { Order("both", .each(\.a), .each(\.b)) }
    }

    private struct Weighed: Record {
        var id: ID<Weighed> = .unassigned
        var a = 0
        var weight = 1.5
        enum CodingKeys: Int, CodingKey { case id, a, weight }
        static let schema = Schema { Order("all", \.a).sum(\.a, in: \.weight) }
    }

    @Test func `stands that cannot be are refused when the type is first used, by name`() async throws {
        let store = try RecordLibrary.inMemory()
        func sentence(_ record: some Record) async -> String {
            do throws(LibraryError) {
                try await store.insert(record)
                return "taken"
            } catch {
                return error.sentence
            }
        }
        let unlike = [
            (await sentence(Unlike()), "Unlike"), (await sentence(Reversed()), "Reversed"),
            (await sentence(Scaled()), "Scaled"),
        ]
        for (sentence, name) in unlike {
            #expect(
                sentence
                    == "The order “both” of \(name) has stands that are not alike. Give all of them as many components and sums, of the "
                    + "same types in turn and in the same directions; what stands otherwise belongs into another order."
            )
        }
        #expect(
            await sentence(Squared())
                == "The order “both” of Squared has places for the elements of two lists, or twice for those of one. Order by one of them."
        )
        #expect(
            await sentence(Weighed())
                == "The order “all” of Weighed has sums in weight of type Double, which is no unit. Name a text such as “EUR”, a "
                + "whole number, an identifier, or an enumeration of such.")
        try await store.insert(Remittance())
        let error = #expect(throws: LibraryError.self) {
            _ = try store.snapshot.list(Remittance.self, "statement", of: nil as Reference<Purse>?)
        }
        #expect(
            error?.sentence
                == "The order “statement” of Remittance has no such value: a record without one is not in the order.")
        try await store.close()
    }

    @Test func `a list too long for an order is refused`() async throws {
        let store = try RecordLibrary.inMemory()
        let tags = (0..<4097).map { "\($0)" }
        let error = await #expect(throws: LibraryError.self) { try await store.insert(Remittance(tags: tags)) }
        #expect(
            error?.sentence.contains("a list of 4097 elements is too long for an order, which takes up to 4096")
                ?? false)
        try await store.insert(Remittance(tags: Array(tags.dropLast())))
        #expect(try store.snapshot.list(Remittance.self, "by tag").count == 4096)
        try await store.close()
    }
}
