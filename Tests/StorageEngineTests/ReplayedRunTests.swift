import TestSupport
import Testing

@testable import StorageEngine

/// A replay applies all changes of a tree in one walk: leaves and whole branches go, others come in their place.
@Suite struct ReplayedRunTests {
    private static let path = "A"
    private static let plain = TreeDeclaration(TreeNumber(1), "plain", facetCount: 2)
    private static let sums = TreeDeclaration(
        TreeNumber(2), "sums", facetCount: 1,
        columns: [
            .sum(amount: 0), .bounds(amount: 0), .highest(amount: 0), .lowest(amount: 0), .fingerprint, .hashSum,
        ])
    private static let trees = [plain, sums]

    private func open(_ fileSystem: any FileSystem, _ nodeEntryLimit: Int) throws -> Database {
        var options = Options(compaction: .manual)
        options.nodeEntryLimit = nodeEntryLimit
        return try Database.open(at: Self.path, trees: Self.trees, options: options, fileSystem: fileSystem)
    }

    private static func item(_ number: Int, _ value: Int) -> TreeModel.Item {
        let amount = (0..<8).map { UInt8(truncatingIfNeeded: (value - 500) >> (8 * $0)) }
        // Now and then a value that lies outside of its leaf, where the tree may have one.
        let rest = [UInt8](repeating: UInt8(truncatingIfNeeded: value), count: value % 97 == 0 ? 900 : value % 40)
        return TreeModel.Item(key: .key(UInt64(number)), value: amount + rest, facets: UInt16(value & 1))
    }

    @Test(arguments: [4, Int.max], [1, 2, 3] as [UInt64])
    func `stretches that go and come are in the tree as if each change had been made by itself`(
        nodeEntryLimit: Int, seed: UInt64
    ) async throws {
        var generator = SeededGenerator.forTest(fallback: seed)
        let fileSystem = MemoryFileSystem()
        var models = [Self.plain.number: TreeModel(), Self.sums.number: TreeModel()]
        var database = try open(fileSystem, nodeEntryLimit)
        let span = nodeEntryLimit == 4 ? 600 : 6000
        for round in 0..<12 {
            for tree in Self.trees.map(\.number) {
                var model = models[tree] ?? TreeModel()
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let start = Int.random(in: 0..<span, using: &generator)
                    let isLong = generator.oneIn(2)
                    let end = min(span, start + Int.random(in: 1...(isLong ? span : span / 20), using: &generator))
                    let step = generator.oneIn(3) ? 1 : Int.random(in: 1...9, using: &generator)
                    let removes = round > 0 && generator.oneIn(2)
                    let value = Int.random(in: 0..<1000, using: &generator)
                    let numbers = Array(stride(from: start, to: end, by: step))
                    try await database.write(.memory) { transaction in
                        for number in numbers {
                            let item = Self.item(number, value + number % 7)
                            if removes {
                                try transaction.remove(item.key, in: tree)
                            } else {
                                let facets = FacetSet(rawValue: item.facets)
                                try transaction.put(item.value, forKey: item.key, facets: facets, in: tree)
                            }
                        }
                    }
                    for number in numbers {
                        let item = Self.item(number, value + number % 7)
                        if removes { _ = model.remove(item.key) } else { model.put(item) }
                    }
                }
                models[tree] = model
            }
            if generator.oneIn(3) { try await database.compact() }
            try await database.close()
            database = try open(fileSystem, nodeEntryLimit)
            try #require(database.version.memoryFindings() == [])
            for tree in Self.trees {
                try #require(models[tree.number]).check(database.version, tree, using: &generator)
            }
        }
        try await database.close()
        let report = try Verifier.verify(at: Self.path, fileSystem: fileSystem)
        #expect(report.isSound, "\(report)")
    }

    @Test func `a log that removes all there is leaves empty trees, and one that adds fills them`() async throws {
        let fileSystem = MemoryFileSystem()
        var database = try open(fileSystem, .max)
        func change(_ body: @escaping @Sendable (inout Transaction, [UInt8], Int) throws -> Void) async throws {
            try await database.write { transaction in
                for number in 0..<3000 { try body(&transaction, .key(UInt64(number)), number) }
            }
        }
        try await change { try $0.put(Self.item($2, $2).value, forKey: $1, in: Self.sums.number) }
        try await database.compact()
        try await change { transaction, key, _ in try transaction.remove(key, in: Self.sums.number) }
        try await database.close()
        database = try open(fileSystem, .max)
        #expect(try database.version.count(in: Self.sums.number) == 0)
        #expect(try database.version.height(of: Self.sums.number) == 0)
        try await change { if $2 % 3 == 0 { try $0.put([], forKey: $1, in: Self.sums.number) } }
        try await database.close()
        database = try open(fileSystem, .max)
        #expect(try database.version.count(in: Self.sums.number) == 1000)
        #expect(database.version.memoryFindings() == [] && database.version.invariantFindings() == [])
        try await database.close()
    }

    @Test func `keys that are removed and never were change nothing`() async throws {
        let fileSystem = MemoryFileSystem()
        var database = try open(fileSystem, .max)
        try await database.write { transaction in
            for number in 0..<2000 { try transaction.put([1], forKey: .key(UInt64(number * 2)), in: Self.plain.number) }
        }
        try await database.compact()
        // Put and removed within the log, so that the replay has removals of keys that the snapshot never had.
        for isThere in [true, false] {
            try await database.write { transaction in
                for number in 0..<500 {
                    let key = [UInt8].key(UInt64(number * 6 + 1))
                    if isThere {
                        try transaction.put([2], forKey: key, in: Self.plain.number)
                    } else {
                        try transaction.remove(key, in: Self.plain.number)
                    }
                }
            }
        }
        try await database.close()
        database = try open(fileSystem, .max)
        #expect(try database.version.count(in: Self.plain.number) == 2000)
        #expect(database.version.memoryFindings() == [] && database.version.invariantFindings() == [])
        #expect(database.version.generation.heap.held.count == 0)
        try await database.close()
    }
}
