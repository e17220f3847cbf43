import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// What versions of generations that were superseded keep in memory, and that they read as they did.
@Suite struct HeldVersionsTests {
    private struct Held {
        let version: Version
        let models: [TreeNumber: TreeModel]

        func check(using random: inout SeededGenerator) throws {
            for tree in ModelTests.trees {
                try models[tree.number]!.check(version, tree, using: &random)
            }
        }
    }

    private static func change(
        _ database: Database, _ models: inout [TreeNumber: TreeModel], using random: inout SeededGenerator
    ) async throws {
        var changes: [ModelTests.Change] = []
        for _ in 0..<Int.random(in: 1...60, using: &random) {
            let tree = random.pick(ModelTests.trees)!
            let key = ModelTests.key(using: &random, variety: 300)
            if random.oneIn(4) {
                changes.append(.remove(tree.number, key, isForLater: random.oneIn(2)))
                _ = models[tree.number]!.remove(key)
            } else {
                let item = TreeModel.Item(
                    key: key, value: ModelTests.value(in: tree.number, using: &random),
                    facets: ModelTests.facets(in: tree.number, using: &random))
                changes.append(.put(tree.number, item, isForLater: random.oneIn(2)))
                models[tree.number]!.put(item)
            }
        }
        try await database.write(random.pick([.memory, .ordered, .flushed])!) { [changes] transaction in
            for case .put(let tree, let item, let isForLater) in changes {
                let facets = FacetSet(rawValue: item.facets)
                if isForLater {
                    try transaction.putLater(item.value, forKey: item.key, facets: facets, in: tree)
                } else {
                    try transaction.put(item.value, forKey: item.key, facets: facets, in: tree)
                }
            }
            for case .remove(let tree, let key, let isForLater) in changes {
                if isForLater {
                    try transaction.removeLater(key, in: tree)
                } else {
                    try transaction.remove(key, in: tree)
                }
            }
        }
        // The model did them one by one, the transaction first what it put.
        for case .remove(let tree, let key, _) in changes { _ = models[tree]!.remove(key) }
    }

    /// Moves the store to another generation: by a compaction, a load or a rescue.
    private static func supersede(
        _ database: Database, _ fileSystem: FaultyFileSystem, _ models: inout [TreeNumber: TreeModel],
        using random: inout SeededGenerator
    ) async throws {
        let before = database.version.generation.number
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try await database.compact()
        case 1:
            let items = (0..<60).map { number in
                TreeModel.Item(
                    key: [200, UInt8(number)], value: (0..<800).map { _ in .random(in: 0...255, using: &random) },
                    facets: 0)
            }
            for item in items { models[ModelTests.hot]!.put(item) }
            try await database.load { load in
                let collector = load.makeCollector()
                for item in items { try collector.put(item.value, forKey: item.key, in: ModelTests.hot) }
            }
            if database.version.generation.number == before { try await database.compact() }
        default:
            let hasFailed = Mutex(false)
            fileSystem.fail { call, path in
                guard call == .flush, path.contains("log-") else { return nil }
                return hasFailed.withLock { failed in
                    defer { failed = true }
                    return failed ? nil : StorageError.inputOutput(operation: "flush", path: path, code: 5)
                }
            }
            models[ModelTests.hot]!.put(TreeModel.Item(key: [7], value: [], facets: 0))
            try await database.write { try $0.put([], forKey: [7], in: ModelTests.hot) }
            fileSystem.fail(nil)
        }
        #expect(database.version.generation.number > before)
    }

    @Test(arguments: 1...3)
    func `random versions held over compactions, loads and rescues keep what they reach and no more`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator.forTest(fallback: seed)
        let fileSystem = FaultyFileSystem()
        var options = Options(compaction: .manual)
        // Deep trees, but for one seed.
        options.nodeEntryLimit = seed == 1 ? .max : 4
        let database = try Database.open(at: "A", trees: ModelTests.trees, options: options, fileSystem: fileSystem)
        var models = Dictionary(uniqueKeysWithValues: ModelTests.trees.map { ($0.number, TreeModel()) })
        var held: [Held] = []
        for _ in 0..<6 {
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                try await Self.change(database, &models, using: &random)
                if random.oneIn(2) { held.append(Held(version: database.version, models: models)) }
            }
            try await Self.supersede(database, fileSystem, &models, using: &random)
            try await Self.checkMemory(held, database)
            for _ in 0..<held.count / 3 {
                var gone: Held? = held.remove(at: Int.random(in: 0..<held.count, using: &random))
                if random.oneIn(2) {
                    gone = nil
                } else {
                    // On another thread.
                    await Task.detached { [version = gone!.version] in withExtendedLifetime(version) {} }.value
                    gone = nil
                }
            }
            try await Self.checkMemory(held, database)
            for held in held { try held.check(using: &random) }
        }
        try Held(version: database.version, models: models).check(using: &random)
        try await database.close()
        for held in held { try held.check(using: &random) }
    }

    private static func checkMemory(_ held: [Held], _ database: Database) async throws {
        let generations = Dictionary(grouping: held.map(\.version)) { ObjectIdentifier($0.generation) }
        for versions in generations.values where versions[0].generation !== database.version.generation {
            let numbers = versions.map(\.commitNumber)
            try await Self.wait(until: versions[0].generation, holds: numbers)
            #expect(versions[0].generation.memoryFindings(of: versions) == [])
        }
    }

    /// What wrote the next generation lets go of its version a moment after it is done.
    private static func wait(until generation: Generation, holds numbers: [UInt64]) async throws {
        await pause { generation.versionNumbers.live == numbers }
        #expect(generation.versionNumbers.live == numbers)
    }

    @Test func `six versions held over compactions hold little more than one, and nothing when they go`() async throws {
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: MemoryFileSystem())
        try await database.put(0..<3_000)
        try await database.compact()
        var held: [Version] = []
        var before = NodeAllocations()
        for round in 0..<6 {
            try await database.put(0..<10, value: "held \(round)")
            held.append(database.version)
            for start in stride(from: 0, to: 3_000, by: 300) {
                try await database.put(start..<start + 300, value: "round \(round), a longer value than before")
            }
            let heap = database.version.generation.heap
            before.count += heap.held.count
            before.byteCount += heap.held.byteCount
            try await database.compact()
        }
        for version in held { try await Self.wait(until: version.generation, holds: [version.commitNumber]) }
        let after = held.map(\.generation.heap.held)
        // What one version changed is a leaf and the branches above it; what came after it, a hundred leaves.
        #expect(after.reduce(0) { $0 + $1.count } * 10 < before.count)
        #expect(after.reduce(0) { $0 + $1.byteCount } * 5 < before.byteCount)
        for (round, version) in held.enumerated() {
            let value = try version.value(forKey: 3, in: numbers) { $0.string(at: 0, count: $0.byteCount) }
            #expect(value == "held \(round) 3")
            #expect(version.memoryFindings() == [])
        }
        let heap = held[2].generation.heap
        let generation = held[2].generation
        held = []
        #expect(heap.held == NodeAllocations())
        withExtendedLifetime(generation) {}
        try await database.close()
    }

    @Test func `versions are let go from many threads while the store is compacted, and each reads its own commit`()
        async throws
    {
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: MemoryFileSystem())
        try await database.put(0..<400, value: "round 0")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(reader))
                    var held: [Version] = []
                    while !Task.isCancelled {
                        held.append(database.version)
                        if held.count > 5 { held.remove(at: Int.random(in: 0..<held.count, using: &random)) }
                        guard let version = random.pick(held) else { continue }
                        var rounds: Set<String> = []
                        try version.scan(numbers) { _, value in
                            let text = value.string(at: 0, count: value.byteCount)
                            rounds.insert(text.split(separator: " ").prefix(2).joined(separator: " "))
                            return true
                        }
                        #expect(rounds.count == 1)
                        await Task.yield()
                    }
                }
            }
            for round in 1...12 {
                try await database.put(0..<400, .memory, value: "round \(round)")
                if round % 3 == 0 { try await database.compact() }
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(database.version.memoryFindings() == [])
        try await database.close()
    }
}
