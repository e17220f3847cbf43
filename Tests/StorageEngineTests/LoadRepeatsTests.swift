import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// What a load makes of a key that is put more than once, and of bytes that are not what it wrote.
@Suite struct LoadRepeatsTests {
    private static let tree = TreeDeclaration(
        TreeNumber(1), "counted", facetCount: 3,
        columns: [.sum(amount: 0), .fingerprint, .bounds(amount: 0), .hashSum])
    private static let other = TreeDeclaration(TreeNumber(2), "plain")

    private static func open(_ fileSystem: any FileSystem, nodeEntryLimit: Int = .max) throws -> Database {
        var options = Options(compaction: .manual)
        options.nodeEntryLimit = nodeEntryLimit
        return try Database.open(at: "A", trees: [tree, other], options: options, fileSystem: fileSystem)
    }

    private static func put(_ item: TreeModel.Item, _ collector: EntryCollector) throws {
        try collector.put(
            item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: tree.number)
    }

    /// Keys that share a beginning, keys of few bytes, values of all lengths.
    private static func item(using random: inout SeededGenerator) -> TreeModel.Item {
        let start = [UInt8](repeating: 7, count: Int.random(in: 0...12, using: &random))
        let end = (0..<Int.random(in: 1...3, using: &random)).map { _ in UInt8.random(in: 0...20, using: &random) }
        let value = [UInt8](repeating: .random(in: 0...9, using: &random), count: .random(in: 0...40, using: &random))
        return TreeModel.Item(key: start + end, value: value, facets: .random(in: 0..<8, using: &random))
    }

    /// Random entries, each key once, and a store that holds some of them with other values.
    private static func start(
        _ count: Int, stored: Int, using random: inout SeededGenerator
    ) async throws -> (Database, MemoryFileSystem, TreeModel, [TreeModel.Item]) {
        let fileSystem = MemoryFileSystem()
        let database = try open(fileSystem, nodeEntryLimit: random.oneIn(2) ? 4 : .max)
        var model = TreeModel()
        let items = (0..<stored + count).map { _ in item(using: &random) }
        for item in items.prefix(stored) { model.put(item) }
        let noise = (0..<1 << 18).map { _ in UInt8.random(in: 0...255, using: &random) }
        try await database.write { [items = model.items] transaction in
            for item in items {
                try transaction.put(
                    item.value, forKey: item.key, facets: FacetSet(rawValue: item.facets), in: tree.number)
            }
            // Beside noise, which does not compress, a load is small and becomes a transaction.
            if stored > 1000 { try transaction.put(noise, forKey: [1], in: other.number) }
        }
        try await database.compact()
        let added = Dictionary(items.dropFirst(stored).map { ($0.key, $0) }) { first, _ in first }
        return (database, fileSystem, model, added.values.sorted { $0.key.lexicographicallyPrecedes($1.key) })
    }

    @Test(arguments: [300, 5_000, 1 << 20], [100, 1_500])
    func `random entries put again and again, by any collector, are added once`(
        memoryByteCount: Int, stored: Int
    ) async throws {
        var random = SeededGenerator.forTest(fallback: 71)
        var (database, fileSystem, model, added) = try await Self.start(200, stored: stored, using: &random)
        for item in added { model.put(item) }
        let repeated = added.flatMap { item in (0..<Int.random(in: 1...4, using: &random)).map { _ in item } }
            .shuffled(using: &random)
        let places = repeated.map { _ in Int.random(in: 0..<3, using: &random) }
        try await database.load(memoryByteCount: memoryByteCount) { load in
            let collectors = (0..<3).map { _ in load.makeCollector() }
            for (item, place) in zip(repeated, places) { try Self.put(item, collectors[place]) }
        }
        #expect(database.version.generation.number == (stored > 1000 ? 2 : 3))
        try model.check(database.version, Self.tree, using: &random)
        try await database.close()
        database = try Self.open(fileSystem)
        try model.check(database.version, Self.tree, using: &random)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test(arguments: [300, 5_000, 1 << 20], [100, 1_500])
    func `random entries with two values or facets for one key add nothing, and the error names tree and key`(
        memoryByteCount: Int, stored: Int
    ) async throws {
        var random = SeededGenerator.forTest(fallback: 72)
        let (database, fileSystem, model, added) = try await Self.start(200, stored: stored, using: &random)
        let commit = database.version.commitNumber
        for _ in 0..<3 {
            var items = added
            var second = items[Int.random(in: 0..<items.count, using: &random)]
            switch Int.random(in: 0..<3, using: &random) {
            case 0: second.facets ^= 1 << UInt16.random(in: 0..<3, using: &random)
            case 1: second.value.append(1)
            default: second.value = second.value.isEmpty ? [0] : Array(second.value.dropLast())
            }
            items.insert(second, at: Int.random(in: 0...items.count, using: &random))
            let places = items.map { _ in Int.random(in: 0..<3, using: &random) }
            await #expect(throws: StorageError.duplicateKey(tree: "counted", key: second.key)) {
                try await database.load(memoryByteCount: memoryByteCount) { [items] load in
                    let collectors = (0..<3).map { _ in load.makeCollector() }
                    for (item, place) in zip(items, places) { try Self.put(item, collectors[place]) }
                }
            }
            #expect(database.version.commitNumber == commit)
            try model.check(database.version, Self.tree, using: &random)
            #expect(try fileSystem.names(inDirectory: "A").allSatisfy { !$0.contains("tmp") })
        }
        try await database.load { load in
            let collector = load.makeCollector()
            for item in added { try Self.put(item, collector) }
        }
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `a body that goes on after the error of a contradiction does not make the load succeed`() async throws {
        let database = try Self.open(MemoryFileSystem())
        await #expect(throws: StorageError.duplicateKey(tree: "plain", key: [5])) {
            try await database.load(memoryByteCount: 100) { load in
                let collector = load.makeCollector()
                for round in 0..<20 as Range<UInt8> {
                    try? collector.put([round / 19], forKey: [5], in: Self.other.number)
                }
            }
        }
        #expect(database.version.commitNumber == 0)
        #expect(try database.version.count(in: Self.other.number) == 0)
        try await database.close()
    }

    @Test func `the error shows a key as digits, and as text where it is some`() {
        let binary = StorageError.duplicateKey(tree: "rows", key: [0, 255])
        #expect("\(binary)".hasPrefix("Tree rows was given two different entries for the key 00ff;"))
        #expect("\(StorageError.duplicateKey(tree: "rows", key: Array("Emma".utf8)))".contains("456d6d61 (\"Emma\")"))
    }

    @Test func `a snapshot takes no key that does not ascend`() throws {
        var writer = StretchWriter(Self.layout)
        func append(_ key: [UInt8]) throws -> Bool {
            try writer.append(key: key.span.bytes, value: key.span.bytes, facets: 0)
        }
        #expect(try append([5]))
        for key in [[5], [4], [4, 9]] as [[UInt8]] { #expect(try !append(key)) }
        // Enough for a leaf to be finished: its last key counts.
        for key in 0..<400 as Range<UInt16> { #expect(try append([6, UInt8(key >> 8), UInt8(key & 255)])) }
        #expect(try !append([6, 1, 0x8F]))
    }

    @Test func `a snapshot takes no stretch that does not begin behind the one before`() throws {
        let superblock = Superblock(
            store: .random(), generation: 1, commitNumber: 1, created: 0, logSequence: 1)
        var writer = try SnapshotWriter(path: "s", superblock: superblock, trees: [], MemoryFileSystem())
        var tree = try writer.beginTree(Self.layout, keptCount: 3, addedCount: 0)
        func append(_ keys: [UInt8]...) throws -> Bool {
            var stretch = StretchWriter(Self.layout)
            for key in keys { _ = try stretch.append(key: key.span.bytes, value: key.span.bytes, facets: 0) }
            return try writer.append(stretch.finish(), to: &tree)
        }
        #expect(try append([5], [7]))
        #expect(try !append([6], [8]))
        #expect(try !append([7]))
        #expect(try append())
        #expect(try append([7, 0], [9]))
        #expect(tree.record.entryCount == 4)
    }

    @Test func `a snapshot takes no page that nobody could read, and says which`() throws {
        let superblock = Superblock(
            store: .random(), generation: 1, commitNumber: 1, created: 0, logSequence: 1)
        var writer = try SnapshotWriter(path: "s", superblock: superblock, trees: [], MemoryFileSystem())
        var tree = try writer.beginTree(Self.layout, keptCount: 3, addedCount: 0)
        var sound = StretchWriter(Self.layout)
        _ = try sound.append(key: [5].span.bytes, value: [5].span.bytes, facets: 0)
        var forged = LeafStretch()
        forged.append(try sound.finish().leaves[0], PageWriter())
        let error = #expect(throws: StorageError.self) { _ = try writer.append(forged, to: &tree) }
        #expect(error?.damage?.page == 1)
        #expect(error?.damage?.finding == "it was not written, since it could not be read: kind 0 is no page")
    }

    private static var layout: TreeLayout {
        TreeLayout(
            declaration: other, entryLimit: .max, packs: false, sharesEnds: true, symbols: nil, home: nil,
            ownPlaces: nil)
    }

    @Test func `entries that are sorted in a file are read back as they were written, or the load ends`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Self.open(fileSystem)
        let error = await #expect(throws: StorageError.self) {
            try await database.load(memoryByteCount: 1_000) { load in
                let collector = load.makeCollector()
                for key in 0..<200 as Range<UInt8> {
                    try collector.put([1, 2, 3], forKey: [key], in: Self.other.number)
                }
                let file = try fileSystem.openFile("A/load-0.tmp", .writing)
                // The length of a key: two bytes more than there are.
                try file.write([3], at: 0)
            }
        }
        #expect(error?.damage?.finding.contains("are not what was written") == true)
        #expect(database.version.commitNumber == 0)
        #expect(try fileSystem.names(inDirectory: "A").allSatisfy { !$0.contains("tmp") })
        try await database.close()
    }

    @Test func `a snapshot of a load that reads back wrong does not get its name`() async throws {
        let base = MemoryFileSystem()
        let fileSystem = FaultyFileSystem(base)
        let database = try Self.open(fileSystem)
        try await database.write { try $0.put([1], forKey: [1], in: Self.other.number) }
        for page in [2, 4] {
            fileSystem.fail { call, path in
                guard call == .map, path.contains("snapshot-"), path.hasSuffix(".tmp") else { return nil }
                try? base.openFile(path, .writing).write([0xA5], at: page * NodeLayout.pageByteCount + 900)
                return nil
            }
            let error = await #expect(throws: StorageError.self) {
                try await database.load { load in
                    let collector = load.makeCollector()
                    for key in 0..<200 as Range<UInt8> {
                        // Of several lengths, so that they fill several pages.
                        let value = [UInt8](repeating: 1, count: 50 + Int(key) % 2)
                        try collector.put(value, forKey: [key], in: Self.other.number)
                    }
                }
            }
            #expect(error?.damage != nil)
            fileSystem.fail(nil)
            #expect(try database.version.count(in: Self.other.number) == 1)
            #expect(try base.names(inDirectory: "A").filter { $0.hasPrefix("snapshot-") }.count == 1)
        }
        try await database.write { try $0.put([1], forKey: [2], in: Self.other.number) }
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: base).isSound)
    }
}
