import TestSupport
import Testing

@testable import StorageEngine

/// Random histories against a sorted array: the tree, the log, the snapshot and compaction at once.
@Suite struct ModelTests {
    static let hot = TreeNumber(1)
    static let cold = TreeNumber(2)
    static let amounts = TreeNumber(300)
    static let trees = [
        TreeDeclaration(hot, "hot", facetCount: 5, columns: [.hashSum]),
        TreeDeclaration(cold, "cold", columns: [.fingerprint, .hashSum], placement: .cold),
        TreeDeclaration(
            amounts, "amounts", facetCount: 1,
            columns: [
                .sum(amount: 0), .fingerprint, .bounds(amount: 0), .highest(amount: 0), .lowest(amount: 0),
                .bounds(amount: 1), .sum(amount: 1), .hashSum,
            ]),
    ]

    static func facets(in tree: TreeNumber, using generator: inout SeededGenerator) -> UInt16 {
        let count = trees.first { $0.number == tree }?.facetCount ?? 0
        return UInt16.random(in: 0..<1 << UInt16(count), using: &generator)
    }

    /// Keys that share long prefixes, keys of one byte, keys of the greatest length.
    static func key(using generator: inout SeededGenerator, variety: Int) -> [UInt8] {
        let number = Int.random(in: 0..<variety, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return [UInt8(truncatingIfNeeded: number)]
        case 1: return Array(repeating: UInt8(truncatingIfNeeded: number / 512), count: 1 + number % 512)
        case 2...4: return Array("a rather long prefix that all of these have in common \(number)".utf8)
        default: return Array("\(number * 7919 % variety)".utf8)
        }
    }

    /// In the tree of amounts: any that there are, near and far from zero, none, and values too short for them.
    static func value(in tree: TreeNumber, using generator: inout SeededGenerator) -> [UInt8] {
        guard tree == amounts else { return value(using: &generator) }
        let ranges: [ClosedRange<Int64>] = [-500...500, .min...Int64.max, .min...Int64.min, .max...Int64.max]
        let numbers = (0..<2).map { _ in Int64.random(in: ranges.randomElement(using: &generator)!, using: &generator) }
        let bytes = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        return Array(bytes.prefix(Int.random(in: 0...40, using: &generator)))
    }

    private static func value(using generator: inout SeededGenerator) -> [UInt8] {
        let count =
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: Int.random(in: 1000...1100, using: &generator)
            case 1: Int.random(in: 2000...40_000, using: &generator)
            default: Int.random(in: 0...90, using: &generator)
            }
        let value = (0..<count).map { _ in UInt8.random(in: 0x61...0x70, using: &generator) }
        // Some end alike, as pages of a snapshot hold once.
        let endByteCount = [0, 0, 0, 9, 40, 300].randomElement(using: &generator)!
        return value + [UInt8](repeating: 0x71, count: endByteCount)
    }

    enum Change: Sendable {
        case put(TreeNumber, TreeModel.Item, isForLater: Bool)
        /// Asks how many entries there are by then.
        case count(TreeNumber)
        case remove(TreeNumber, [UInt8], isForLater: Bool)
        case removeAll(TreeNumber)
    }

    /// Gives the levels of the highest tree there was.
    @discardableResult
    static func run(
        rounds: Int, variety: Int, path: String, nodeEntryLimit: Int = .max, _ fileSystem: any FileSystem,
        generator: inout SeededGenerator
    ) async throws -> Int {
        var options = Options()
        options.nodeEntryLimit = nodeEntryLimit
        var height = 0
        var models = [hot: TreeModel(), cold: TreeModel(), amounts: TreeModel()]
        var kept: [(Version, [TreeNumber: TreeModel])] = []
        var database = try Database.open(at: path, trees: trees, options: options, fileSystem: fileSystem)
        for round in 0..<rounds {
            var changes: [Change] = []
            let changeCount = Int.random(in: 0..<8, using: &generator) == 0 ? 900 : 120
            let laterShare = [0, 5, 10].randomElement(using: &generator)!
            for _ in 0..<Int.random(in: 1...changeCount, using: &generator) {
                let tree = [hot, cold, amounts].randomElement(using: &generator)!
                let key = key(using: &generator, variety: variety)
                // Phases that mostly grow and phases that mostly shrink.
                if Int.random(in: 0..<10, using: &generator) < (round / 15 % 3 == 2 ? 8 : 3) {
                    changes.append(.remove(tree, key, isForLater: Bool.random(using: &generator)))
                } else {
                    let item = TreeModel.Item(
                        key: key, value: value(in: tree, using: &generator),
                        facets: facets(in: tree, using: &generator))
                    let isForLater = Int.random(in: 0..<10, using: &generator) < laterShare
                    changes.append(.put(tree, item, isForLater: isForLater))
                }
                if Int.random(in: 0..<60, using: &generator) == 0 { changes.append(.count(tree)) }
            }
            if Int.random(in: 0..<25, using: &generator) == 0 {
                let tree = [hot, cold, amounts].randomElement(using: &generator)!
                changes.insert(.removeAll(tree), at: Int.random(in: 0...changes.count, using: &generator))
            }
            let isAbandoned = Int.random(in: 0..<8, using: &generator) == 0
            let durability = [Durability.memory, .ordered, .flushed].randomElement(using: &generator)!
            let batch = changes
            var counts: [Int] = []
            do {
                counts = try await database.write(durability) { transaction in
                    var counts: [Int] = []
                    for change in batch {
                        switch change {
                        case .put(let tree, let item, let isForLater):
                            let facets = FacetSet(rawValue: item.facets)
                            if isForLater {
                                try transaction.putLater(item.value, forKey: item.key, facets: facets, in: tree)
                            } else {
                                try transaction.put(item.value, forKey: item.key, facets: facets, in: tree)
                            }
                        case .count(let tree): counts.append(try transaction.count(in: tree))
                        case .remove(let tree, let key, true):
                            try transaction.removeLater(key, in: tree)
                        case .remove(let tree, let key, false):
                            try transaction.remove(key, in: tree)
                        case .removeAll(let tree):
                            try transaction.removeAll(in: tree)
                        }
                    }
                    if isAbandoned { throw Abandoned() }
                    return counts
                }
            } catch is Abandoned {}
            if !isAbandoned {
                for change in changes {
                    switch change {
                    case .put(let tree, let item, _): models[tree]!.put(item)
                    case .count(let tree): try #require(models[tree]!.items.count == counts.removeFirst())
                    case .remove(let tree, let key, _): _ = models[tree]!.remove(key)
                    case .removeAll(let tree): models[tree] = TreeModel()
                    }
                }
            }
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: try await database.compact()
            case 1:
                try await database.close()
                database = try Database.open(at: path, trees: trees, options: options, fileSystem: fileSystem)
            case 2: kept.append((database.version, models))
            case 3 where !kept.isEmpty: kept.removeFirst()
            default: break
            }
            if round % 5 == 0 || round == rounds - 1 {
                try #require(database.version.memoryFindings() == [])
                for tree in trees {
                    height = max(height, try database.version.height(of: tree.number))
                    try models[tree.number]!.check(database.version, tree, using: &generator)
                }
            }
            if round % 25 == 0 {
                for (version, models) in kept {
                    for tree in trees {
                        try models[tree.number]!.check(version, tree, using: &generator)
                    }
                }
            }
        }
        try await database.close()
        let report = try Verifier.verify(at: path, fileSystem: fileSystem)
        try #require(report.isSound, "\(report)")
        return height
    }

    struct Abandoned: Error {}

    @Test(arguments: 1...4) func `a random history agrees with a sorted array`(seed: UInt64) async throws {
        var generator = SeededGenerator.forTest(fallback: seed)
        try await Self.run(
            rounds: 75, variety: seed % 2 == 0 ? 400 : 20_000, path: "Model.bookdb", MemoryFileSystem(),
            generator: &generator)
    }

    @Test(arguments: 1...4)
    func `a random history in trees of four children, many levels high, agrees with a sorted array`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator.forTest(fallback: seed)
        let height = try await Self.run(
            rounds: 75, variety: 500, path: "Model.bookdb", nodeEntryLimit: 4, MemoryFileSystem(),
            generator: &generator)
        #expect(height >= 5)
    }

    @Test func `a random history on real files agrees with a sorted array`() async throws {
        var generator = SeededGenerator.forTest(fallback: 77)
        try await withTemporaryDirectory { directory in
            try await Self.run(
                rounds: 40, variety: 5000, path: directory + "/Model.bookdb", PosixFileSystem(), generator: &generator)
        }
    }
}

extension Version {
    /// Levels of a tree.
    func height(of tree: TreeNumber) throws -> Int {
        defer { withExtendedLifetime(self) {} }
        return try source(of: tree).reader.rootNode().map { $0.level + 1 } ?? 0
    }
}
