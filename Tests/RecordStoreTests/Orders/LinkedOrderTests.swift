import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore
@testable import Filing

/// Orders by fields of the records that others name.
struct LinkedOrderTests {
    private struct Writer: Record, Equatable {
        var id: ID<Writer> = .unassigned
        var name = "Anonymous"
        var sortName: String?
        var rank = 7
        var mentor: Reference<Writer>?
        enum CodingKeys: Int, CodingKey { case id, name, sortName, rank = 12, mentor }
        static let schema = Schema {
            Link(\.mentor, onDelete: .nullify)
            Order("by mentor", .linked(\.mentor, .filed(\.name)), .filed(\.name, sortedAs: \.sortName))
        }
    }

    private struct Volume: Record, Equatable {
        var id: ID<Volume> = .unassigned
        var title = ""
        var language: String?
        var writer: Reference<Writer>?
        var writers: [Reference<Writer>] = []
        var tags: [String] = []
        enum CodingKeys: Int, CodingKey { case id, title, language, writer, writers, tags }
        static let schema = Schema {
            Link(\.writer, onDelete: .nullify)
            Link(\.writers, onDelete: .cascade)
            Order("by writer", .linked(\.writer, .filed(\.name, sortedAs: \.sortName)), .filed(\.title))
            Order("by first", .linked(first: \.writers, .folded(\.name, descending: true)))
            Order("by rank", .linked(\.writer, .descending(\.rank, absentFirst: true)), .first(\.tags))
            Order("by title", .filed(\.title, language: \.language, descending: true))
        }
    }

    // MARK: Histories

    private struct Model {
        var writers: [ID<Writer>: Writer] = [:]
        var volumes: [ID<Volume>: Volume] = [:]

        /// What records sort by: nothing is behind everything, or before it.
        private struct Key: Comparable {
            var parts: [[UInt8]] = []

            mutating func add(_ text: [UInt8]?, isDescending: Bool = false, isAbsentFirst: Bool = false) {
                guard let text else { return parts.append([isAbsentFirst ? 0 : 0xFF]) }
                parts.append([1] + (isDescending ? text.map { ~$0 } + [0xFF] : text + [0]))
            }

            static func < (left: Key, right: Key) -> Bool {
                left.parts.lexicographicallyPrecedes(right.parts) { $0.lexicographicallyPrecedes($1) }
            }
        }

        private static func filed(_ title: String, sorted: String? = nil, language: String? = nil) -> [UInt8] {
            TitleKey.make(title: title, sortTitle: sorted, language: language, filing: .swedish)
        }

        private static func sorted<Value: Record>(
            _ records: [ID<Value>: Value], _ key: (Value, inout Key) -> Void
        ) -> [ID<Value>] {
            records.values.map { record in
                var made = Key()
                key(record, &made)
                return (key: made, id: record.id)
            }
            .sorted { ($0.key, $0.id) < ($1.key, $1.id) }.map(\.id)
        }

        func check(_ list: (String) throws -> [ID<Volume>], _ mentored: [ID<Writer>]) throws {
            let writer = { (volume: Volume) in volume.writer.flatMap { writers[$0] } }
            let byWriter = Self.sorted(volumes) { volume, key in
                key.add(writer(volume).map { Self.filed($0.name, sorted: $0.sortName) })
                key.add(Self.filed(volume.title))
            }
            #expect(try list("by writer") == byWriter)
            let byFirst = Self.sorted(volumes) { volume, key in
                let first = volume.writers.first.flatMap { writers[$0] }
                key.add(first.map { FoldedText.key(of: Array($0.name.utf8)) }, isDescending: true)
            }
            #expect(try list("by first") == byFirst)
            let byRank = Self.sorted(volumes) { volume, key in
                key.add(writer(volume).map { [UInt8($0.rank + 128)] }, isDescending: true, isAbsentFirst: true)
                key.add(volume.tags.first.map { Array($0.utf8) })
            }
            #expect(try list("by rank") == byRank)
            let byTitle = Self.sorted(volumes) { volume, key in
                key.add(Self.filed(volume.title, language: volume.language), isDescending: true)
            }
            #expect(try list("by title") == byTitle)
            let byMentor = Self.sorted(writers) { writer, key in
                key.add(writer.mentor.flatMap { writers[$0] }.map { Self.filed($0.name) })
                key.add(Self.filed(writer.name, sorted: writer.sortName))
            }
            #expect(mentored == byMentor)
        }

        mutating func delete(_ id: ID<Writer>) {
            writers[id] = nil
            for key in writers.keys where writers[key]?.mentor == id { writers[key]?.mentor = nil }
            for key in volumes.keys where volumes[key]?.writer == id { volumes[key]?.writer = nil }
            volumes = volumes.filter { !$0.value.writers.contains(id) }
        }
    }

    private static let names = ["Ångström", "The Beatles", "de la Cruz", "Émile 9", "Emile 10", "zoe", "", "Ö"]
    private static let titles = ["Die Zeit", "The Time", "7 Tage", "21 Days", "Ära", "ara", "L’Étranger", "!?"]

    private static func change(
        _ library: inout LibraryTransaction, _ model: inout Model, _ random: inout SeededGenerator
    ) throws(LibraryError) {
        let (writers, volumes) = (model.writers.keys.sorted(), model.volumes.keys.sorted())
        let writer = random.pick(writers)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            var new = Writer(name: random.pick(names)!, mentor: random.oneIn(2) ? writer : nil)
            if random.oneIn(3) { new.sortName = random.pick(names)! }
            new.id = try library.insert(new)
            model.writers[new.id] = new
        case 2, 3, 4:
            var new = Volume(title: random.pick(titles)!, language: random.pick([nil, "de", "fr"])!, writer: writer)
            new.writers = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in random.pick(writers) }
            new.tags = (0..<Int.random(in: 0...2, using: &random)).map { _ in random.pick(titles)! }
            new.id = try library.insert(new)
            model.volumes[new.id] = new
        case 5, 6, 7:
            guard let writer, var changed = model.writers[writer] else { return }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: changed.name = random.pick(names)!
            case 1: changed.sortName = random.oneIn(2) ? nil : random.pick(names)!
            case 2: changed.rank = .random(in: -3...9, using: &random)
            // Also itself.
            default: changed.mentor = random.oneIn(2) ? writer : random.pick(writers)
            }
            try library.update(changed)
            model.writers[writer] = changed
        case 8:
            guard let id = random.pick(volumes), var changed = model.volumes[id] else { return }
            changed.writer = random.oneIn(3) ? nil : writer
            changed.writers.reverse()
            changed.title = random.pick(titles)!
            try library.update(changed)
            model.volumes[id] = changed
        default:
            guard let writer, random.oneIn(2) else { return }
            // Also those that name each other, in rings.
            let several = writers.shuffled(using: &random).prefix(.random(in: 0...2, using: &random)) + [writer]
            try library.delete(several)
            for writer in several { model.delete(writer) }
        }
    }

    @Test func `records stand by what those have that they name, whatever becomes of these`() async throws {
        var random = SeededGenerator.forTest(fallback: 140)
        try await withLibrary { store in
            try await store.setFiling(.swedish)
            var model = Model()
            for round in 0..<60 {
                let (before, seed) = (model, random.next())
                model = try await store.write(.memory) { library throws(LibraryError) in
                    var (model, random) = (before, SeededGenerator(seed: seed))
                    for _ in 0..<Int.random(in: 1...6, using: &random) {
                        try Self.change(&library, &model, &random)
                    }
                    if random.oneIn(4) {
                        // As it is within the transaction.
                        let mentored = try library.list(Writer.self, "by mentor").identifiers(limit: .max)
                        do {
                            let reader = library.trees.reader
                            try model.check(
                                {
                                    try OrderedRecords<Volume, TransactionReader>($0, in: reader).identifiers(
                                        limit: .max)
                                }, mentored)
                        } catch {
                            Issue.record(error)
                        }
                    }
                    return model
                }
                let snapshot = store.snapshot
                try model.check(
                    { try snapshot.list(Volume.self, $0).identifiers(limit: .max) },
                    snapshot.list(Writer.self, "by mentor").identifiers(limit: .max))
                if round.isMultiple(of: 12) { expectSound(snapshot) }
                if round == 30 { try await store.compact() }
            }
        }
    }

    @Test func `a field that the other record never had is there as its default`() async throws {
        try await withLibrary { store in
            // Written by a version that had no rank.
            let old = try await store.insert(Writer(name: "B"))
            let kind = RecordKind<Writer>.current
            try await store.write { library in
                let stored = try library.trees.recordBytes(old.rawValue, in: kind.tree) ?? []
                let bytes = try LinkField(tag: FieldNumber.tag(12), isList: false).removing([7], from: stored)
                #expect(bytes.count < stored.count)
                try library.put(bytes, forKey: old.rawValue, in: kind.tree)
            }
            let (low, high) = try await (store.insert(Writer(rank: 6)), store.insert(Writer(rank: 8)))
            var expected: [ID<Volume>] = []
            for writer in [high, old, low] { expected.append(try await store.insert(Volume(writer: writer))) }
            #expect(try store.snapshot.list(Volume.self, "by rank").identifiers(limit: 9) == expected)
            #expect(try store.snapshot.list(Volume.self, "by rank", of: 7).count == 1)
            #expect(try store.snapshot.list(Volume.self, "by rank", of: nil as Int?).isEmpty)
        }
    }

    private struct Company: Record, Equatable {
        var id: ID<Company> = .unassigned
        enum CodingKeys: Int, CodingKey { case id }
    }

    @Test func `a record that gives way to one of another kind is none for those that name it`() async throws {
        try await withLibrary { store in
            let (one, other) = try await (store.insert(Writer(name: "B")), store.insert(Writer(name: "C")))
            var volumes: [ID<Volume>] = []
            for writer in [one, other] { volumes.append(try await store.insert(Volume(writer: writer))) }
            try await store.write { library in try library.replace(one, with: Company()) }
            #expect(try store.snapshot.list(Volume.self, "by writer").identifiers(limit: 9) == volumes.reversed())
            #expect(try store.snapshot.list(Volume.self, "by writer", of: "B").isEmpty)
        }
    }

    private struct OldEntry: Record, Equatable {
        static var recordName: String { "LaterEntry" }
        var id: ID<OldEntry> = .unassigned
        var writer: Reference<Writer>?
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, writer, name }
        static let uniqueKeys = [Unique(\.name)]
    }

    private struct NewEntry: Record, Equatable {
        static var recordName: String { "LaterEntry" }
        var id: ID<NewEntry> = .unassigned
        var writer: Reference<Writer>?
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, writer, name }
        static let uniqueKeys = [Unique(\.name)]
        static let schema = Schema {
            Link(\.writer, onDelete: .deny)
            Order("by writer", .linked(\.writer, .filed(\.name)))
        }
    }

    @Test func `an order that an upsert makes follows what records name, though it changes nothing`() async throws {
        try await withLibrary { store in
            let writer = try await store.insert(Writer(name: "B"))
            try await store.insert(OldEntry(writer: writer, name: "x"))
            try await store.write { library in
                _ = try library.upsert(NewEntry(writer: writer, name: "x"), replacing: \.writer)
            }
            try await store.makeOrders(of: Writer.self)
            try await store.update(writer) { $0.name = "C" }
            #expect(try store.snapshot.list(NewEntry.self, "by writer", of: "C").count == 1)
            #expect(try store.snapshot.list(NewEntry.self, "by writer", of: "B").isEmpty)
            expectSound(store.snapshot)
        }
    }

    // MARK: Many

    @Test func `too many records to be moved at once are moved piece by piece, and their list says how far it is`()
        async throws
    {
        try await withLibrary { store in
            let (one, other) = try await (store.insert(Writer(name: "One")), store.insert(Writer(name: "Other")))
            for part in 0..<10 {
                try await store.write(.memory) { library in
                    for number in 0..<500 {
                        try library.insert(Volume(title: "\(part) \(number)", writer: number % 10 == 0 ? other : one))
                    }
                }
            }
            try await store.update(other) { $0.name = "Zoe" }
            #expect(try store.snapshot.list(Volume.self, "by writer", of: "Zoe").count == 500)
            try await store.write { library in
                var changed = try #require(try library.record(one))
                changed.name = "Anna"
                try library.update(changed)
                // Other writes go on, before and behind the place.
                let list = #expect(throws: LibraryError.self) { try library.list(Volume.self, "by writer") }
                guard case .incompleteOrder(_, "by writer", 0, 5000) = list else {
                    Issue.record("\(String(describing: list))")
                    return
                }
                // By what did not change.
                #expect(try library.list(Volume.self, "by rank", of: 7).count == 5000)
            }
            try await store.write(.memory) { library in
                var changed = try #require(try library.record(other))
                changed.name = "Aaron"
                try library.update(changed)
            }
            try await store.makeOrders(of: Volume.self)
            let list = try store.snapshot.list(Volume.self, "by writer")
            #expect(try list.of("Anna").count == 4500)
            #expect(try list.identifiers(limit: 500) == list.of("Aaron").identifiers(limit: 500))
        }
    }

    @Test func `a record goes with all that name it, or leaves them, and no order is made anew for that`() async throws
    {
        try await withLibrary { store in
            let (one, other) = try await (store.insert(Writer(name: "One")), store.insert(Writer(name: "Other")))
            for part in 0..<10 {
                try await store.write(.memory) { library in
                    for number in 0..<500 {
                        try library.insert(
                            Volume(
                                title: "\(part) \(number)", writer: one,
                                writers: number % 10 == 0 ? [other] : [other, one]))
                    }
                }
            }
            try await store.write { library in
                _ = try library.delete(one)
                #expect(try library.list(Volume.self, "by writer", of: nil as String?).count == 500)
                #expect(try library.list(Volume.self, "by writer").count == 500)
            }
            // Those that have it second stand by the first.
            try await store.update(other) { $0.name = "Another" }
            #expect(try store.snapshot.list(Volume.self, "by first", of: "another").count == 500)
        }
    }

    private struct Booking: Record, Equatable {
        var id: ID<Booking> = .unassigned
        var from: Reference<Writer>?
        var to: Reference<Writer>?
        enum CodingKeys: Int, CodingKey { case id, from, to }
        static let schema = Schema {
            Link(\.from, onDelete: .nullify)
            Link(\.to, onDelete: .nullify)
            Order("by sender", .linked(\.from, .folded(\.name)))
        }
    }

    @Test func `records that name another by a field which no order goes by are not moved with it`() async throws {
        try await withLibrary { store in
            let (one, other) = try await (store.insert(Writer(name: "One")), store.insert(Writer(name: "Other")))
            try await store.write(.memory) { library in
                for _ in 0..<5000 { try library.insert(Booking(from: one, to: other)) }
            }
            try await store.makeOrders(of: Booking.self)
            try await store.update(other) { $0.name = "Third" }
            #expect(try store.snapshot.list(Booking.self, "by sender", of: "one").count == 5000)
        }
    }

    // MARK: Lists

    @MainActor @Test func `a live list follows the records that it is sorted by`() async throws {
        let store = try RecordLibrary.inMemory()
        let (anna, zoe) = try await (store.insert(Writer(name: "Anna")), store.insert(Writer(name: "Zoe")))
        let first = try await store.insert(Volume(title: "1", writer: anna))
        let second = try await store.insert(Volume(title: "2", writer: zoe))
        let live = try LiveRecords(store, Volume.self, "by writer")
        let chosen = try LiveRecords(store, Volume.self, "by writer")
        chosen.predicate = { try $0.title > "" }
        let fixed = try LiveRecords(store, Volume.self, "by writer", of: "zora")
        func show(_ expected: [ID<Volume>]) async {
            await store.listHub.showing(store.snapshot.commitNumber)
            while chosen.isSearching { await pause() }
            #expect(live.rows.map(\.id) == expected)
            #expect(chosen.rows.map(\.id) == expected)
        }
        await show([first, second])
        try await store.update(anna) { $0.name = "Zora" }
        await show([second, first])
        #expect(fixed.rows.map(\.id) == [first])
        try await store.update(first) { $0.writer = nil }
        try await store.update(first) { $0.writer = zoe }
        await show([first, second])
        #expect(fixed.rows.isEmpty)
        try await store.write { library in _ = try library.delete(zoe) }
        await show([first, second])
        // Records that no row shows a field of move nothing.
        // A list of one name finds it where the library files it by then.
        let named = try LiveRecords(store, Volume.self, "by writer", of: "Åsa")
        try await store.update(first) { $0.writer = anna }
        try await store.update(anna) { $0.name = "Åsa" }
        try await store.setFiling(.danish)
        try await store.makeOrders(of: Volume.self)
        await show([first, second])
        #expect(named.rows.map(\.id) == [first])
        try await store.update(first) { $0.writer = nil }
        let number = live.changeNumber
        try await store.update(anna) { $0.name = "A" }
        await show([first, second])
        #expect(live.changeNumber >= number)
        try await store.close()
    }

    // MARK: Refusals

    @Test func `what would make an order unable to take a record is refused with the name of both`() async throws {
        struct Shelf: Record {
            var id: ID<Shelf> = .unassigned
            var name = ""
            enum CodingKeys: Int, CodingKey { case id, name }
        }
        struct Copy: Record {
            var id: ID<Copy> = .unassigned
            var shelf: Reference<Shelf>?
            enum CodingKeys: Int, CodingKey { case id, shelf }
            static let schema = Schema {
                Link(\.shelf, onDelete: .deny)
                Order("by shelf", .linked(\.shelf, .ascending(\.name)))
            }
        }
        try await withLibrary { store in
            let shelf = try await store.insert(Shelf(name: "Top"))
            let copy = try await store.insert(Copy(shelf: shelf))
            let name = String(repeating: "x", count: 301)
            try await store.write { library in
                let error = #expect(throws: LibraryError.self) { try library.update(Shelf(id: shelf, name: name)) }
                #expect(
                    error?.sentence
                        == "With this Shelf \(shelf) the order “by shelf” would not take Copy \(copy), which names it: of the Shelf that it names, a "
                        + "text of 301 bytes is too long for an order, which takes up to 300.")
                // The transaction goes on.
                try library.update(Shelf(id: shelf, name: "Bottom"))
                let long = try library.insert(Shelf(name: name))
                let refused = #expect(throws: LibraryError.self) { try library.insert(Copy(shelf: long)) }
                #expect(
                    refused?.sentence.contains(
                        "“by shelf” does not take this Copy: of the Shelf that it names, a text of") == true)
            }
            #expect(try store.snapshot.list(Copy.self, "by shelf", of: "Bottom").count == 1)
        }
    }

    private struct Shop: Record {
        var id: ID<Shop> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    private struct Purchase: Record {
        var id: ID<Purchase> = .unassigned
        var shops: [Reference<Shop>] = []
        var from: Reference<Shop>?
        var to: Reference<Shop>?
        enum CodingKeys: Int, CodingKey { case id, shops, from, to }
        static let schema = Schema {
            Link(\.shops, onDelete: .nullify)
            Link(\.from, onDelete: .nullify)
            Link(\.to, onDelete: .nullify)
            Order("by first", .linked(first: \.shops, .ascending(\.name)))
        }
    }

    @Test func `a record is not deleted when one that only loses it would be none that an order takes`() async throws {
        try await withLibrary { store in
            let short = try await store.insert(Shop(name: "A"))
            let long = try await store.insert(Shop(name: String(repeating: "x", count: 301)))
            let purchase = try await store.insert(Purchase(shops: [short, long]))
            try await store.write { library in
                let error = #expect(throws: LibraryError.self) { try library.delete(short) }
                #expect(
                    error?.sentence.hasPrefix(
                        "Purchase \(purchase) would stay without the record that is deleted, and the order “by first” would not take it then: of the "
                            + "Shop that it names, a text of 301 bytes is too long") == true)
                // The transaction goes on.
                _ = try library.delete(long)
                _ = try library.delete(short)
            }
            #expect(try store.snapshot.list(Purchase.self, "by first", of: nil as String?).count == 1)
        }
    }

    private struct Employee: Record {
        var id: ID<Employee> = .unassigned
        var name = ""
        var manager: Reference<Employee>?
        enum CodingKeys: Int, CodingKey { case id, name, manager }
        static let recordName = "Employee"
        static let schema = Schema { Link(\.manager, onDelete: .nullify) }
    }

    private struct SortedEmployee: Record {
        var id: ID<SortedEmployee> = .unassigned
        var name = ""
        var manager: Reference<SortedEmployee>?
        enum CodingKeys: Int, CodingKey { case id, name, manager }
        static let recordName = "Employee"
        static let schema = Schema {
            Link(\.manager, onDelete: .nullify)
            Order("by manager", .linked(\.manager, .ascending(\.name)))
        }
    }

    @Test func `a record that an order of a later version does not take can be mended by that version`() async throws {
        try await withLibrary { store in
            let name = String(repeating: "x", count: 301)
            let boss = try await store.insert(Employee(name: name))
            for _ in 0..<2 { try await store.insert(Employee(name: "report", manager: boss)) }
            let sorted = ID<SortedEmployee>(rawValue: boss.rawValue)
            await #expect(throws: LibraryError.self) { try await store.insert(SortedEmployee(name: "new")) }
            try await store.update(sorted) { ($0.name, $0.manager) = ("short", sorted) }
            #expect(try store.snapshot.list(SortedEmployee.self, "by manager", of: "short").count == 3)
            try await store.insert(SortedEmployee(name: "new"))
            try await store.update(sorted) { $0.name = "longer" }
            #expect(try store.snapshot.list(SortedEmployee.self, "by manager", of: "longer").count == 3)
        }
    }

    /// It was taken, and the order was never whole.
    @Test func `a change that makes others refused is refused, with the order new`() async throws {
        try await withLibrary { store in
            let boss = try await store.insert(Employee(name: "boss"))
            try await store.insert(Employee(name: "report", manager: boss))
            let sorted = ID<SortedEmployee>(rawValue: boss.rawValue)
            await #expect(throws: LibraryError.self) {
                try await store.update(sorted) { $0.name = String(repeating: "x", count: 301) }
            }
            try await store.update(sorted) { $0.name = "short" }
            #expect(try store.snapshot.list(SortedEmployee.self, "by manager", of: "short").count == 1)
        }
    }

    private struct Unlinked: Record {
        var id: ID<Unlinked> = .unassigned
        var writer: Reference<Writer>?
        enum CodingKeys: Int, CodingKey { case id, writer }
        static let schema = Schema { Order("by writer", .linked(\.writer, .ascending(\.name))) }
    }

    private struct Twice: Record {
        var id: ID<Twice> = .unassigned
        var volume: Reference<Volume>?
        enum CodingKeys: Int, CodingKey { case id, volume }
        static let schema = Schema {
            Link(\.volume, onDelete: .nullify)
            Order("by writer", .linked(\.volume, .linked(\.writer, .ascending(\.name))))
        }
    }

    @Test func `declarations that cannot be kept up are refused by name, with what to write instead`() async throws {
        try await withLibrary { store in
            for (type, words) in [
                (Unlinked.self, "Declare it: Link(\\.writer, onDelete: .deny)"),
                (Twice.self, "is of another record again"),
            ] as [(any Record.Type, String)] {
                func refusal<Value: Record>(_ type: Value.Type) async throws -> String {
                    let error = await #expect(throws: LibraryError.self) { try await store.insert(Value()) }
                    return try #require(error).sentence
                }
                let sentence = try await refusal(type)
                #expect(sentence.contains(words), "\(sentence)")
                #expect(sentence.contains("“by writer”"))
            }
        }
    }
}
