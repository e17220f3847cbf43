import TestSupport
import Testing

@testable import StorageEngine

/// Snapshots whose pages are laid out by fewer rules than this version has, as those of earlier ones would be: they are read, written to and
/// laid out anew, and nobody who reads or writes sees it.
@Suite struct LayoutTests {
    private static let rows = TreeDeclaration(TreeNumber(1), "rows", facetCount: 2)
    private static let byName = TreeDeclaration(
        TreeNumber(2), "by name", facetCount: 1, home: TreeHome(rows.number, lead: .throughZero(andBytes: 0)))
    private static let records = TreeDeclaration(TreeNumber(3), "records", columns: [.hashSum])
    private static let amounts = TreeDeclaration(TreeNumber(4), "amounts", columns: [.sum(amount: 0)])
    private static let texts = TreeDeclaration(TreeNumber(5), "texts", placement: .cold)
    private static let trees = [rows, byName, records, amounts, texts]

    /// What versions of the format with fewer layouts would have had.
    static let earlier: [PageLayouts] = [
        [], .places, .packed, [.packed, .symbols], [.places, .packed, .symbols], [.places, .sharedEnds],
    ]

    private typealias Models = [TreeNumber: TreeModel]

    private struct Change: Sendable {
        let tree: TreeNumber
        let key: [UInt8]
        /// `nil` to remove what is there.
        var item: TreeModel.Item?

        init(_ tree: TreeDeclaration, _ key: [UInt8], value: [UInt8]?, facets: UInt16 = 0) {
            (self.tree, self.key) = (tree.number, key)
            item = value.map { TreeModel.Item(key: key, value: $0, facets: facets) }
        }
    }

    private static func text(_ number: Int) -> [UInt8] {
        Array("\(number) of the many that share an end, as https://covers.example.org/b/id/-M.jpg".utf8)
    }

    /// Everything that hangs on a number comes and goes with it.
    private static func changes(_ count: Int, using random: inout SeededGenerator) -> [Change] {
        (0..<count).flatMap { _ in
            let number = Int.random(in: 0..<1_500, using: &random)
            let key = Array("title \(number * 7919 % 1_500)".utf8)
            let lead = ["austen", "zola"][number % 2].utf8 + [0]
            let identifier = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
            let isGone = Int.random(in: 0..<4, using: &random) == 0
            let amount = withUnsafeBytes(of: Int64.random(in: -99...99, using: &random).littleEndian) { Array($0) }
            let value = text(Int.random(in: 0..<9_999, using: &random))
            return [
                Change(rows, key, value: isGone ? nil : value, facets: UInt16(number % 4)),
                Change(byName, lead + key, value: isGone ? nil : [], facets: UInt16(number % 2)),
                Change(records, identifier, value: isGone ? nil : value),
                Change(amounts, identifier, value: isGone ? nil : amount),
                Change(texts, identifier, value: isGone ? nil : value + value + value),
            ]
        }
    }

    private static func write(_ changes: [Change], to database: Database, _ models: inout Models) async throws {
        try await database.write(.memory) { transaction in
            for change in changes {
                if let item = change.item {
                    try transaction.put(
                        item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: change.tree)
                } else {
                    try transaction.remove(change.key, in: change.tree)
                }
            }
        }
        for change in changes {
            if let item = change.item {
                models[change.tree]?.put(item)
            } else {
                _ = models[change.tree]?.remove(change.key)
            }
        }
    }

    private static func check(_ version: Version, _ models: Models, using random: inout SeededGenerator) throws {
        for tree in trees { try models[tree.number]?.check(version, tree, using: &random) }
    }

    private static func open(_ layouts: PageLayouts, _ disk: MemoryFileSystem) throws -> Database {
        var options = Options(compaction: .manual)
        options.layouts = layouts
        return try Database.open(at: "A", trees: trees, options: options, fileSystem: disk)
    }

    /// Which kinds of pages hold entries of the tree, of those that are no patches.
    private static func kinds(_ version: Version, _ tree: TreeDeclaration) throws -> Set<UInt8> {
        Set(try version.leaves(of: tree).filter { !$0.isInMemory }.map(\.kind))
    }

    private static var models: Models { Dictionary(uniqueKeysWithValues: trees.map { ($0.number, TreeModel()) }) }

    @Test(arguments: earlier)
    func `a store of fewer layouts is read and written to, and a compaction lays it out by all of them`(
        _ layouts: PageLayouts
    ) async throws {
        var random = SeededGenerator.forTest(fallback: UInt64(layouts.rawValue))
        let disk = MemoryFileSystem()
        var models = Self.models
        var database = try Self.open(layouts, disk)
        for _ in 0..<3 {
            try await Self.write(Self.changes(900, using: &random), to: database, &models)
            try await database.compact()
        }
        try Self.check(database.version, models, using: &random)
        let hasPlaces = layouts.contains(.places)
        #expect(
            try Self.kinds(database.version, Self.byName)
                == [hasPlaces ? NodeLayout.permutationLeaf : NodeLayout.leaf])
        #expect(
            try Self.kinds(database.version, Self.records)
                == [layouts.contains(.packed) ? NodeLayout.packedLeaf : NodeLayout.leaf])
        let hasSymbols = database.version.generation.file.superblock.symbols(of: Self.records.number) != nil
        #expect(hasSymbols == layouts.contains(.symbols))
        try await Self.write(Self.changes(20, using: &random), to: database, &models)
        try await database.close()

        database = try Self.open(.all, disk)
        try Self.check(database.version, models, using: &random)
        try await Self.write(Self.changes(20, using: &random), to: database, &models)
        try Self.check(database.version, models, using: &random)
        let held = (database.version, models)
        try await database.compact()
        try Self.check(database.version, models, using: &random)
        // What most of the entries have moved is laid out anew.
        try await Self.write(Self.changes(900, using: &random), to: database, &models)
        try await database.compact()
        try Self.check(database.version, models, using: &random)
        try Self.check(held.0, held.1, using: &random)
        #expect(try Self.kinds(database.version, Self.byName) == [NodeLayout.permutationLeaf])
        #expect(try Self.kinds(database.version, Self.records) == [NodeLayout.packedLeaf])
        #expect(database.version.generation.file.superblock.symbols(of: Self.records.number) != nil)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
        #expect(try Salvage(at: "A", fileSystem: disk).report.isWhole)
    }

    @Test(arguments: 1...3)
    func `versions with other layouts write to a store in turn, and it holds what they wrote`(seed: UInt64) async throws
    {
        var random = SeededGenerator.forTest(fallback: seed)
        let disk = MemoryFileSystem()
        var models = Self.models
        for _ in 0..<6 {
            let layouts = PageLayouts(rawValue: .random(in: 0...PageLayouts.all.rawValue, using: &random))
            let database = try Self.open(layouts, disk)
            try Self.check(database.version, models, using: &random)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let count = [3, 30, 150].randomElement(using: &random) ?? 0
                try await Self.write(Self.changes(count, using: &random), to: database, &models)
                if Bool.random(using: &random) { try await database.compact() }
            }
            try Self.check(database.version, models, using: &random)
            try await database.close()
            #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound, "\(layouts)")
        }
    }

    @Test func `the same history in fewer layouts gives the same scans, places and counts`() async throws {
        var random = SeededGenerator.forTest(fallback: 7)
        let disks = [MemoryFileSystem(), MemoryFileSystem()]
        var models = [Self.models, Self.models]
        let databases = [try Self.open([], disks[0]), try Self.open(.all, disks[1])]
        for _ in 0..<4 {
            let changes = Self.changes(250, using: &random)
            for index in 0...1 {
                try await Self.write(changes, to: databases[index], &models[index])
                try await databases[index].compact()
            }
            for tree in Self.trees {
                let hashes = try databases.map { try Self.hash(of: tree, $0.version) }
                #expect(hashes[0] == hashes[1], "\(tree.name)")
            }
        }
        for index in 0...1 { try await databases[index].close() }
    }

    /// Of all that a scan gives, with the place of each entry and the counts of each facet before it.
    private static func hash(of tree: TreeDeclaration, _ version: Version) throws -> Int {
        var hasher = Hasher()
        let count = try version.count(in: tree.number)
        var position = 0
        try version.forEachEntry(in: tree.number, positions: 0..<count) { (entry) throws(StorageError) in
            let key = try entry.withKey { $0.copyBytes(0..<$0.byteCount) }
            hasher.combine(key)
            try entry.withValue { hasher.combine($0.copyBytes(0..<$0.byteCount)) }
            hasher.combine(entry.facets.rawValue)
            if position % 37 == 0 {
                hasher.combine(try version.lowerBound(of: key, in: tree.number))
                for facet in 0..<tree.facetCount {
                    hasher.combine(try version.lowerBound(of: key, in: tree.number, facet: Facet(facet)))
                }
            }
            position += 1
            return true
        }
        return hasher.finalize()
    }
}
