import TestSupport
import Testing

@testable import StorageEngine

/// Trees whose keys end with those of another tree: their snapshots hold places instead, and nobody who reads or writes sees it.
@Suite struct PlacesTests {
    static let rows = TreeNumber(1)
    static let byName = TreeDeclaration(
        TreeNumber(2), "by name", facetCount: 3, home: TreeHome(rows, lead: .throughZero(andBytes: 0)))
    static let byNumber = TreeDeclaration(TreeNumber(3), "by number", home: TreeHome(rows, lead: .bytes(2)))
    static let bySeries = TreeDeclaration(
        TreeNumber(4), "by series", facetCount: 16, home: TreeHome(rows, lead: .throughZero(andBytes: 3)))
    static let trees = [TreeDeclaration(rows, "rows", facetCount: 2), byName, byNumber, bySeries]
    static let orders = [byName, byNumber, bySeries]

    /// The same with keys alone.
    static let withoutHomes = trees.map { TreeDeclaration($0.number, $0.name, facetCount: $0.facetCount) }

    private typealias Item = TreeModel.Item
    private typealias Models = [TreeNumber: TreeModel]

    /// Few leads, so that pages have long groups, and some of which one begins as another does.
    private static func lead(of tree: TreeDeclaration, using random: inout SeededGenerator) -> [UInt8] {
        let name = ["", "a", "austen", "austen, jane", "zola"].randomElement(using: &random)!
        let numbers = (0..<3).map { _ in [UInt8.zero, 0, 1, 255].randomElement(using: &random)! }
        switch tree.home!.lead {
        case .bytes(let count): return (0..<count).map { numbers[$0] }
        case .throughZero(let count): return Array(name.utf8) + [0] + numbers.prefix(count)
        }
    }

    private static func row(using random: inout SeededGenerator) -> [UInt8] {
        let number = Int.random(in: 0..<3_000, using: &random)
        let begin = number % 3 == 0 ? "the title that many of them begin with " : ""
        return Array("\(begin)\(number * 7919 % 3_000)".utf8)
    }

    private static func value(using random: inout SeededGenerator) -> [UInt8] {
        let count = [0, 0, 0, 0, 3, 3, 200, 255, 256, 1025].randomElement(using: &random)!
        return [UInt8](repeating: UInt8.random(in: 0...1, using: &random), count: count)
    }

    private static func facets(_ tree: TreeDeclaration, using random: inout SeededGenerator) -> UInt16 {
        UInt16(truncatingIfNeeded: UInt.random(in: 0..<1 << UInt(tree.facetCount), using: &random))
    }

    private enum Change: Sendable {
        case put(TreeNumber, TreeModel.Item, isForLater: Bool)
        case remove(TreeNumber, [UInt8])
    }

    /// A row comes with an entry in each order, and goes with them, as a rule: now and then an order has what its home has not.
    private static func changes(_ models: Models, isShrinking: Bool, using random: inout SeededGenerator) -> [Change] {
        var changes: [Change] = []
        let isForLater = Bool.random(using: &random)
        for _ in 0..<Int.random(in: 1...(Int.random(in: 0..<6, using: &random) == 0 ? 400 : 30), using: &random) {
            let isRemoval = Int.random(in: 0..<10, using: &random) < (isShrinking ? 7 : 2)
            if isRemoval, let old = models[rows]!.items.randomElement(using: &random) {
                if Int.random(in: 0..<20, using: &random) > 0 { changes.append(.remove(rows, old.key)) }
                for order in orders where Int.random(in: 0..<20, using: &random) > 0 {
                    for item in models[order.number]!.items where item.key.hasSuffix(old.key) {
                        changes.append(.remove(order.number, item.key))
                    }
                }
                continue
            }
            let key = row(using: &random)
            if Int.random(in: 0..<20, using: &random) > 0 {
                let row = Item(key: key, value: value(using: &random), facets: facets(trees[0], using: &random))
                changes.append(.put(rows, row, isForLater: isForLater))
            }
            for order in orders where Int.random(in: 0..<20, using: &random) > 0 {
                let item = Item(
                    key: lead(of: order, using: &random) + key, value: value(using: &random),
                    facets: facets(order, using: &random))
                changes.append(.put(order.number, item, isForLater: isForLater))
            }
            // Keys that end before a key of the home could begin.
            if Int.random(in: 0..<200, using: &random) == 0 {
                let item = Item(key: [UInt8.random(in: 0...99, using: &random)], value: [], facets: 0)
                changes.append(.put(orders.randomElement(using: &random)!.number, item, isForLater: isForLater))
            }
        }
        return changes
    }

    private static func run(
        rounds: Int, nodeEntryLimit: Int, path: String, _ fileSystem: any FileSystem,
        using random: inout SeededGenerator
    ) async throws {
        var options = Options()
        options.compaction = .manual
        options.nodeEntryLimit = nodeEntryLimit
        var models: Models = Dictionary(uniqueKeysWithValues: trees.map { ($0.number, TreeModel()) })
        var kept: [(Version, Models)] = []
        var kinds: [UInt8: Int] = [:]
        var database = try Database.open(at: path, trees: trees, options: options, fileSystem: fileSystem)
        func check(_ version: Version, _ models: Models) throws {
            for tree in trees { try models[tree.number]!.check(version, tree, using: &random) }
            for order in orders { try checkRows(of: order, version, models) }
        }
        for round in 0..<rounds {
            let changes = changes(models, isShrinking: round / 10 % 3 == 2, using: &random)
            let isAbandoned = Int.random(in: 0..<8, using: &random) == 0
            do {
                try await database.write(.memory) { transaction in
                    for change in changes {
                        switch change {
                        case .put(let tree, let item, true):
                            try transaction.putLater(
                                item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: tree)
                        case .put(let tree, let item, false):
                            try transaction.put(
                                item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: tree)
                        case .remove(let tree, let key) where key.count % 2 == 0:
                            try transaction.removeLater(key, in: tree)
                        case .remove(let tree, let key): try transaction.remove(key, in: tree)
                        }
                    }
                    if isAbandoned { throw ModelTests.Abandoned() }
                }
                for change in changes {
                    switch change {
                    case .put(let tree, let item, _): models[tree]!.put(item)
                    case .remove(let tree, let key): _ = models[tree]!.remove(key)
                    }
                }
            } catch is ModelTests.Abandoned {}
            switch Int.random(in: 0..<8, using: &random) {
            case 0...1: try await database.compact()
            case 2:
                try await database.close()
                database = try Database.open(at: path, trees: trees, options: options, fileSystem: fileSystem)
            case 3: kept.append((database.version, models))
            case 4 where !kept.isEmpty: kept.removeFirst()
            default: break
            }
            for order in orders {
                for leaf in try database.version.leaves(of: order) { kinds[leaf.kind, default: 0] += 1 }
            }
            if round % 4 == 0 || round == rounds - 1 {
                try #require(database.version.memoryFindings() == [])
                try check(database.version, models)
                for (version, models) in kept { try check(version, models) }
            }
        }
        kept = []
        // Leaves with keys, pages with places, and leaves that amend one.
        try #require(
            kinds.keys.sorted() == [
                NodeLayout.leaf, NodeLayout.patchLeaf, NodeLayout.permutationLeaf, NodeLayout.permutationPatch,
            ], "\(kinds)")
        try await database.compact()
        try check(database.version, models)
        for order in orders { try #require(try database.version.leaves(of: order).contains(where: \.isPermuted)) }
        try await database.close()
        let report = try Verifier.verify(at: path, fileSystem: fileSystem)
        try #require(report.isSound, "\(report)")
    }

    /// Entries that are there and such that are added, of which some take the place of others; the rows of some are in no order.
    @Test(arguments: 11...13) func `a load gives what putting the same gives`(seed: UInt64) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: Self.trees, options: Options(compaction: .manual), fileSystem: fileSystem)
        var models: Models = Dictionary(uniqueKeysWithValues: Self.trees.map { ($0.number, TreeModel()) })
        for round in 0..<4 {
            let changes = (0..<20).flatMap { _ in Self.changes(models, isShrinking: false, using: &random) }
            var added: [TreeNumber: [[UInt8]: Item]] = [:]
            for case .put(let tree, let item, _) in changes { added[tree, default: [:]][item.key] = item }
            let entries = added.mapValues { Array($0.values) }
            for (tree, items) in entries { for item in items { models[tree]!.put(item) } }
            if round == 2 { try await database.compact() }
            try await database.load { load in
                let collector = load.makeCollector()
                for (tree, items) in entries {
                    for item in items {
                        try collector.put(
                            item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: tree)
                    }
                }
            }
            for tree in Self.trees { try models[tree.number]!.check(database.version, tree, using: &random) }
            for order in Self.orders {
                try Self.checkRows(of: order, database.version, models)
                try #require(try database.version.leaves(of: order).contains(where: \.isPermuted))
            }
            // Some go, so that the next load meets leaves that amend pages.
            let gone = models[Self.rows]!.items.filter { _ in Int.random(in: 0..<5, using: &random) == 0 }.map(\.key)
            try await database.write { transaction in
                for key in gone { try transaction.remove(key, in: Self.rows) }
            }
            for key in gone { _ = models[Self.rows]!.remove(key) }
        }
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        try #require(report.isSound, "\(report)")
    }

    /// Rows that come before all others move these to other pages, at last so many that a place takes more bits.
    @Test func `pages of an order that nobody changed lead to where their rows are now`() async throws {
        var random = SeededGenerator.forTest(fallback: 3)
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: Self.trees, options: Options(compaction: .manual), fileSystem: fileSystem)
        var models: Models = Dictionary(uniqueKeysWithValues: Self.trees.map { ($0.number, TreeModel()) })
        func put(_ numbers: some Sequence<Int>, inOrders: Bool) async throws {
            var items: [(TreeNumber, Item)] = []
            for number in numbers {
                let row = [UInt8].key(UInt64(number))
                items.append((Self.rows, Item(key: row, value: [1], facets: 1)))
                for order in Self.orders where inOrders {
                    let item = Item(
                        key: Self.lead(of: order, using: &random) + row, value: [],
                        facets: Self.facets(order, using: &random))
                    items.append((order.number, item))
                }
            }
            try await database.write { [items] transaction in
                for (tree, item) in items {
                    try transaction.put(item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: tree)
                }
            }
            for (tree, item) in items { models[tree]!.put(item) }
        }
        try await put(100_000..<106_000, inOrders: true)
        try await database.compact()
        var bitCounts: Set<Int> = []
        for (start, end) in [(0, 0), (99_000, 99_300), (98_000, 98_001), (10_000, 19_000)] {
            try await put(start..<end, inOrders: false)
            try await database.compact()
            for tree in Self.trees { try models[tree.number]!.check(database.version, tree, using: &random) }
            for order in Self.orders {
                try Self.checkRows(of: order, database.version, models)
                let leaves = try database.version.leaves(of: order)
                #expect(leaves.count > 4)
                #expect(leaves.allSatisfy { $0.isPermuted && !$0.isInMemory })
                bitCounts.formUnion(leaves.map(\.permutation.arrays.placeBitCount))
            }
        }
        #expect(bitCounts.count > 1)
        // A row that went leaves entries that have none.
        try await database.write { try $0.remove([UInt8].key(103_000), in: Self.rows) }
        _ = models[Self.rows]!.remove([UInt8].key(103_000))
        try await database.compact()
        for tree in Self.trees { try models[tree.number]!.check(database.version, tree, using: &random) }
        for order in Self.orders { try Self.checkRows(of: order, database.version, models) }
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.isSound, "\(report)")
    }

    /// Places lead to leaves with keys, which a tree with a home does not have.
    @Test func `an order of an order holds keys, and both are read and changed`() async throws {
        var random = SeededGenerator.forTest(fallback: 5)
        let rows = TreeDeclaration(Self.rows, "rows")
        let order = TreeDeclaration(TreeNumber(2), "order", home: TreeHome(Self.rows, lead: .bytes(1)))
        let second = TreeDeclaration(TreeNumber(3), "second", home: TreeHome(TreeNumber(2), lead: .bytes(1)))
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: [rows, order, second], options: Options(compaction: .manual), fileSystem: fileSystem)
        var models = [TreeModel(), TreeModel(), TreeModel()]
        for round in 0..<3 {
            let numbers = (0..<300).map { UInt64($0 * 3 + round) }
            try await database.write { transaction in
                for number in numbers {
                    let key = [UInt8].key(number)
                    try transaction.put([1], forKey: key, in: rows.number)
                    try transaction.put([], forKey: [UInt8(number % 5)] + key, in: order.number)
                    try transaction.put([], forKey: [UInt8(number % 7), UInt8(number % 5)] + key, in: second.number)
                }
            }
            for number in numbers {
                let key = [UInt8].key(number)
                models[0].put(Item(key: key, value: [1], facets: 0))
                models[1].put(Item(key: [UInt8(number % 5)] + key, value: [], facets: 0))
                models[2].put(Item(key: [UInt8(number % 7), UInt8(number % 5)] + key, value: [], facets: 0))
            }
            try await database.compact()
            for (model, tree) in zip(models, [rows, order, second]) {
                try model.check(database.version, tree, using: &random)
            }
            #expect(try database.version.leaves(of: order).contains { $0.isPermuted })
            #expect(try !database.version.leaves(of: second).contains { $0.isPermuted })
        }
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.isSound, "\(report)")
    }

    /// The row that an entry leads to is the one under what its key ends with.
    private static func checkRows(of order: TreeDeclaration, _ version: Version, _ models: Models) throws {
        let lead = order.home!.lead
        let rows = Dictionary(uniqueKeysWithValues: models[rows]!.items.map { ($0.key, $0) })
        let items = models[order.number]!.items
        var position = 0
        try version.forEachEntry(in: order.number, positions: 0..<items.count) { (entry) throws(StorageError) in
            let key = items[position].key
            position += 1
            let count = key.withBytes { lead.byteCount(in: $0) }
            let found = try entry.homeEntry(behind: lead, in: Self.rows)
            let row = try found.map { (found) throws(StorageError) in
                Item(
                    key: try found.withKey { $0.copyBytes(0..<$0.byteCount) },
                    value: try found.withValue { $0.copyBytes(0..<$0.byteCount) }, facets: found.facets.rawValue)
            }
            let expected = count.flatMap { rows[Array(key.dropFirst($0))] }
            guard row == expected else {
                Issue.record("\(key) leads to \(String(describing: row)), not to \(String(describing: expected))")
                return false
            }
            return true
        }
    }

    @Test(arguments: 1...4) func `a random history agrees with sorted arrays`(seed: UInt64) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        try await Self.run(
            rounds: 60, nodeEntryLimit: seed == 4 ? 4 : .max, path: "Places.bookdb",
            // Of one that has nothing cached, pages are asked for first.
            FaultyFileSystem(isCached: seed % 2 == 0), using: &random)
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool {
        count >= suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
    }
}
