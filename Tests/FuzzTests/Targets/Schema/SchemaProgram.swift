import StorageEngine

@testable import BookDB
@testable import RecordStore

/// One program of the `schema` target.
struct SchemaProgram {
    private typealias Move = FuzzSchema.Move
    private typealias Purse = FuzzSchema.Purse
    private typealias Label = FuzzSchema.Label

    private var reader: ByteReader
    private let store: BookStore
    private var purses: [ID<FuzzSchema.Purse>] = []
    private var labels: [ID<FuzzSchema.Label>] = []
    private var moves: [ID<FuzzSchema.Move>] = []
    /// Whether the library holds what no app puts there.
    private var isPlanted = false

    init(_ reader: ByteReader) async throws {
        self.reader = reader
        store = try BookStore.inMemory(device: 7)
        for name in ["a", "b"] { purses.append(try await store.insert(Purse(name: name))) }
        labels.append(try await store.insert(Label()))
        labels.append(try await store.insert(Label(parent: labels[0])))
        moves.append(try await store.insert(Move(from: purses[0], to: purses[1], sent: 5, received: 5)))
    }

    mutating func run() async throws {
        let mayPlant = reader.byte() & 1 == 1
        for _ in 0..<24 where !reader.isAtEnd {
            do {
                try await step(mayPlant)
            } catch let error as LibraryError {
                // A call that is refused changes nothing; the recount below says so.
                try claim(isPlanted || error.isOfData, "\(error) in a library where nothing was planted")
            }
        }
        do {
            try recount()
            try claim(
                isPlanted || LibraryVerifier.verify(store.snapshot).isSound, "verify finds fault with what calls did")
        } catch let error as LibraryError {
            try claim(isPlanted || error.isOfData, "\(error) when everything is counted again")
        }
        _ = LibraryVerifier.verify(store.snapshot)
        try? await store.close()
    }

    private mutating func step(_ mayPlant: Bool) async throws {
        switch reader.choice(14) {
        case 0, 1, 2: moves.append(try await store.insert(move()))
        case 3, 4:
            var changed = move()
            changed.id = moves[reader.choice(moves.count)]
            let record = changed
            try await store.write(.memory) { library in try library.update(record) }
        case 5:
            let id = moves[reader.choice(moves.count)]
            _ = try await store.write(.memory) { library in try library.delete(id) }
        case 6:
            let id = purses[reader.choice(purses.count)]
            _ = try await store.write(.memory) { library in try library.delete(id) }
        case 7:
            let id = labels[reader.choice(labels.count)]
            _ = try await store.write(.memory) { library in try library.delete(id) }
        case 8:
            purses.append(try await store.insert(Purse(name: text())))
            labels.append(try await store.insert(Label(parent: labels[reader.choice(labels.count)])))
        case 9: try await store.makeOrders(of: Move.self)
        case 10: try read()
        case 11:
            let (id, name) = (purses[reader.choice(purses.count)], text())
            try await store.update(id, .memory) { $0.name = name }
        case 12:
            let (id, name) = (labels[reader.choice(labels.count)], text())
            let parent = labels[reader.choice(labels.count)]
            try await store.update(id, .memory) { ($0.name, $0.parent) = (name, parent) }
        case 13 where reader.byte() & 3 == 0:
            try await store.setFiling(FilingTailoring.allCases[reader.choice(FilingTailoring.allCases.count)])
            // Made again piece by piece; lists throw until then.
            try await store.makeOrders(of: Move.self)
            try await store.makeOrders(of: Label.self)
        default:
            if mayPlant {
                isPlanted = true
                try await plant()
            } else if moves.count.isMultiple(of: 2) {
                _ = try await store.compact()
            } else {
                try await load()
            }
        }
    }

    /// Records that come as a load, some of which name others of it; what is refused the load goes on without.
    private mutating func load() async throws {
        let (purse, label, parent) = (Purse(name: text()), text(), labels[reader.choice(labels.count)])
        let moves = [move(), move(), move()]
        let isFromLoad = reader.byte() & 1 == 1
        let loaded = try await store.load(Purse.self, Label.self, Move.self) { library in
            func inserted<Value: Record>(_ record: Value) throws -> ID<Value>? {
                do throws(LibraryError) {
                    return try library.insert(record)
                } catch {
                    guard error.isOfData else { throw error }
                    return nil
                }
            }
            let newPurse = try inserted(purse)
            let first = try inserted(Label(parent: parent, name: label))
            let second = try inserted(Label(parent: first, name: "second"))
            let newLabels = [first, second].compactMap { $0 }
            let newMoves = try moves.compactMap { move in
                var move = move
                if isFromLoad {
                    move.to = newPurse
                    move.labels = newLabels + move.labels
                }
                return try inserted(move)
            }
            return (newPurse, newLabels, newMoves)
        }
        purses += [loaded.0].compactMap { $0 }
        labels += loaded.1
        self.moves += loaded.2
    }

    // MARK: Values

    private mutating func text() -> String {
        ["", "a", "Food", "FÓOD", "!", "a\u{0}b", "ß", String(repeating: "x", count: 301), "b"][reader.choice(9)]
    }

    private mutating func amount() -> Money {
        Money(
            tenThousandths: reader.choice(8) == 0 ? reader.number(Int64.self) : Int64(reader.number(Int8.self)) * 10_000
        )
    }

    private mutating func move() -> FuzzSchema.Move {
        func pick<Value>(_ values: [Value], _ reader: inout ByteReader) -> Value? {
            let choice = reader.choice(values.count + 1)
            return choice < values.count ? values[choice] : nil
        }
        let units = ["EUR", "USD", "", "12345678"]
        return Move(
            from: pick(purses, &reader), to: pick(purses, &reader),
            date: pick([0, 1, 30, -40_000, .max].map(Day.init(daysSince1970:)), &reader),
            sent: reader.choice(3) == 0 ? nil : amount(), sentIn: units[reader.choice(8) / 5 * reader.choice(4)],
            received: amount(), receivedIn: units[reader.choice(8) / 5 * reader.choice(4)], note: text(),
            tags: (0..<reader.choice(4)).map { _ in text() },
            labels: (0..<reader.choice(4)).compactMap { _ in pick(labels, &reader) },
            parts: (0..<reader.choice(4)).map { _ in
                Move.Part(kind: reader.choice(3) == 0 ? nil : reader.choice(3), text: text(), share: amount())
            })
    }

    // MARK: What no app does

    /// Puts or removes an entry as if it were what the library put there.
    private mutating func plant() async throws {
        let version = store.snapshot.version
        let ordersAndKinds = version.declarations.map(\.number).filter { $0 >= LibraryTree.firstOrder }
        let trees =
            [LibraryTree.appOrders, LibraryTree.appLinks, LibraryTree.appFields] + ordersAndKinds
        let tree = trees[reader.choice(trees.count)]
        let keys = try version.keys(of: tree, prefix: [], after: nil, limit: 200)
        var key = keys.isEmpty ? [1] : keys[reader.choice(keys.count)]
        var value = try version.stored(key, in: tree) { $0.copyBytes(0..<$0.byteCount) } ?? []
        let kind = reader.choice(5)
        let patch = reader.bytes(1 + reader.choice(6))
        let place = reader.choice(256)
        switch kind {
        case 0: value.replaceSubrange(min(place, value.count)..<min(place + patch.count, value.count), with: patch)
        case 1: value = patch
        case 2: key.replaceSubrange(min(place, key.count)..<min(place + patch.count, key.count), with: patch)
        case 3: key = patch
        default: break
        }
        let (planted, content, isRemoved) = (key, value, kind == 4)
        try await store.transact(.memory) { (library) throws(LibraryError) in
            if isRemoved {
                try library.remove(planted, in: tree)
            } else {
                try library.put(content, forKey: planted, in: tree)
            }
        }
    }

    // MARK: Reading

    private func read() throws {
        let snapshot = store.snapshot
        for order in ["statement", "newest", "by note", "by tag", "by part", "by purse", "as written"] {
            let list = try snapshot.list(Move.self, order)
            _ = try list.page(limit: 20)
            _ = try list.page(offset: list.count / 2, limit: 5) { try "\($0.note) \($0.received) \($0.tags)" }
            _ = try list.groups().prefix(5).map { try $0.page(limit: 2).count }
            _ = try list.filtered(by: "large").page(limit: 9)
            _ = try? list.search("fod", in: \.note, limit: 3)
        }
        let byPurse = try snapshot.list(Move.self, "by purse")
        let sections = try byPurse.sections()
        try expect(sections.reduce(0) { $0 + $1.list.count } <= byPurse.count, "sections of \(sections.map(\.label))")
        _ = try byPurse.beginning(with: "the f").page(limit: 3)
        _ = try snapshot.list(Move.self, "as written").beginning(with: "a\u{0}").page(limit: 3)
        let statement = try snapshot.list(Move.self, "statement", of: purses[0])
        _ = try statement.groups(by: .month).map { try $0.list.sum(\.sent) }
        _ = try statement.amounts(\.sent, limit: 50)
        _ = try statement.bounds(\.sent)
        _ = try statement.row(whereSumOf: \.sent, isAtLeast: 3)
        let records = snapshot.records(Move.self)
        _ = try records.where(\.date >= Day(daysSince1970: 0), \.received > 10, in: "newest", limit: 3).page(limit: 9)
        _ = try records.explain(\.note == "a", \.sent == nil)
        _ = try records.where(\.note, equals: "Food").page(limit: 3)
        _ = try records.brokenLinks()
        _ = try snapshot.records(Purse.self).conflicts()
    }

    /// Everything that is kept beside the records, counted again from the records.
    private func recount() throws {
        let snapshot = store.snapshot
        let all = Array(try snapshot.records(Move.self).all)
        let newest = try snapshot.list(Move.self, "newest")
        try expect(newest.count == all.count, "\(newest.count) of \(all.count) moves in an order")
        try expect(try newest.filtered(by: "unsent").count == all.count { $0.sent == nil }, "a facet counts others")
        let byPurse = try snapshot.list(Move.self, "by purse")
        try expect(byPurse.count == all.count, "\(byPurse.count) of \(all.count) moves in an order by what they name")
        for (name, moves) in Dictionary(
            grouping: all,
            by: { move in
                try? move.to.flatMap { purse throws(LibraryError) in try snapshot.records(Purse.self)[purse]?.name }
            })
        {
            let list = try byPurse.of(name ?? nil)
            try expect(
                Set(moves.map(\.id)).isSubset(of: try list.identifiers(limit: .max)), "moves by the name of others")
        }
        for purse in try snapshot.records(Purse.self).all {
            let statement = try snapshot.list(Move.self, "statement", of: purse.id)
            let mine = all.filter { $0.from == purse.id || $0.to == purse.id }
            try expect(Set(try statement.identifiers(limit: .max)) == Set(mine.map(\.id)), "a statement of others")
            let amounts = mine.compactMap { move -> Int128? in
                let sent = move.from == purse.id ? move.sent.map { -Int128($0.tenThousandths) } : nil
                let received = move.to == purse.id ? Int128(move.received.tenThousandths) : nil
                return sent == nil && received == nil ? nil : (sent ?? 0) + (received ?? 0)
            }
            let found = try statement.amounts(\.sent, limit: .max).compactMap { $0.map { Int128($0.tenThousandths) } }
            try expect(found.sorted() == amounts.sorted(), "amounts \(found) where \(amounts) are")
        }
        for kind in [nil, 0, 1, 2] {
            let list = try snapshot.list(Move.self, "by part", of: kind)
            let parts = all.flatMap(\.parts).filter { $0.kind == kind }
            let found = try list.amounts(each: \.parts, \.share, limit: .max).compactMap { $0 }
            try expect(
                Set(try list.identifiers(limit: .max)).count == all.count { $0.parts.contains { $0.kind == kind } },
                "parts of others")
            try expect(
                found.reduce(0) { $0 + Int128($1.tenThousandths) }
                    == parts.reduce(0) { $0 + Int128($1.share.tenThousandths) },
                "shares \(found) where \(parts) are")
        }
        for label in try snapshot.records(Label.self).all {
            let list = try snapshot.list(Move.self, linkedBy: \.labels, to: label.id)
            try expect(list.count == all.count { $0.labels.contains(label.id) }, "a label on others")
        }
        try expect(try snapshot.records(Move.self).brokenLinks().isEmpty, "a link to what is gone")
    }

    /// What need not hold where something was planted.
    private func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
        try claim(holds || isPlanted, otherwise())
    }
}
