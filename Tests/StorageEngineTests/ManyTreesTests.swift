import TestSupport
import Testing

@testable import StorageEngine

/// Stores of as many trees as an app of many kinds and orders has.
@Suite struct ManyTreesTests {
    private static let snapshot = "A/snapshot-0000000000000002"

    /// Numbers far apart, and not in order.
    private static func trees(_ count: Int) -> [TreeDeclaration] {
        (0..<count).map { index in
            TreeDeclaration(
                TreeNumber(UInt32(1 + (index * 7919_003) % 16_777_213)), "tree \(index)", facetCount: index % 3,
                columns: index % 2 == 0 ? [.fingerprint, .sum(amount: 0), .hashSum] : [])
        }
    }

    private static func value(_ number: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [7]
    }

    /// Three entries in each tree.
    private static func store(_ trees: [TreeDeclaration], _ fileSystem: MemoryFileSystem) async throws -> Database {
        let database = try Database.open(
            at: "A", trees: trees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.write { transaction in
            for (index, tree) in trees.enumerated() {
                for key in 0..<3 { try transaction.put(value(index + key), forKey: UInt64(key), in: tree.number) }
            }
        }
        return database
    }

    private static func check(_ version: Version, _ trees: [TreeDeclaration]) throws {
        #expect(version.declarations.count == trees.count)
        for (index, tree) in trees.enumerated() {
            #expect(try version.count(in: tree.number) == 3)
            guard !tree.columns.isEmpty else { continue }
            #expect(try version.sum(ofAmount: 0, in: tree.number) == Int128(3 * index + 3))
        }
        #expect(version.invariantFindings() == [])
    }

    @Test(arguments: [1, 32, 33, 1200]) func `as many trees come back from the log and from the snapshot`(
        count: Int
    ) async throws {
        let fileSystem = MemoryFileSystem()
        let trees = Self.trees(count)
        var database = try await Self.store(trees, fileSystem)
        try Self.check(database.version, trees)
        try await database.close()
        database = try Database.open(
            at: "A", trees: trees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try Self.check(database.version, trees)
        try await database.compact()
        try Self.check(database.version, trees)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        try Self.check(database.version, trees)
        #expect(database.version.touchedPageCount == count)
        try await database.close()
    }

    @Test func `a commit logs the same bytes whatever other trees there are`() async throws {
        var byteCounts: Set<Int> = []
        for count in [20, 1200] {
            let fileSystem = MemoryFileSystem()
            let trees = Self.trees(20) + Self.trees(1200).dropFirst(20).prefix(count - 20)
            let database = try await Self.store(trees, fileSystem)
            let before = try fileSystem.bytes(of: "A/log-0000000000000001").lastIndex { $0 != 0 } ?? 0
            let allocations = database.version.allocations
            try await database.write { try $0.put([1], forKey: 1, in: trees[7].number) }
            let after = try fileSystem.bytes(of: "A/log-0000000000000001").lastIndex { $0 != 0 } ?? 0
            byteCounts.insert((after - before) / 64)
            #expect(database.version.allocations.count == allocations.count + 1)
            try await database.close()
        }
        #expect(byteCounts.count == 1)
    }

    @Test func `each page of a catalogue in turn is damaged, and the other one serves`() async throws {
        let fileSystem = MemoryFileSystem()
        let trees = Self.trees(70)
        let database = try await Self.store(trees, fileSystem)
        try await database.compact()
        try await database.close()
        let sound = try fileSystem.bytes(of: Self.snapshot)
        let last = sound.count / 4096 - 1
        for page in [1, 2, 3, last - 3, last - 2, last - 1] {
            var bytes = sound
            bytes[page * 4096 + 77] ^= 4
            try fileSystem.replace(Self.snapshot, with: bytes)
            let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
            #expect(report.damage.count == 1 && report.treeFindings.isEmpty)
            #expect(report.damage.first?.finding.hasPrefix("the catalogue's checksum is ") == true)
            let reader = try Database.open(
                at: "A", trees: trees, options: Options(access: .readOnly), fileSystem: fileSystem)
            #expect(reader.opening.usedSpareSuperblock == (page <= 3))
            try Self.check(reader.version, trees)
        }
    }

    @Test func `without either catalogue each page says which tree it was of`() async throws {
        let fileSystem = MemoryFileSystem()
        let trees = Self.trees(70)
        let database = try await Self.store(trees, fileSystem)
        try await database.compact()
        try await database.close()
        var bytes = try fileSystem.bytes(of: Self.snapshot)
        for page in [1, bytes.count / 4096 - 2] { bytes[page * 4096 + 9] ^= 1 }
        try fileSystem.replace(Self.snapshot, with: bytes)
        #expect(throws: StorageError.self) { try Database.open(at: "A", trees: trees, fileSystem: fileSystem) }
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        let contents = try salvage.contents(trees.map(\.number))
        for tree in trees { #expect(contents.trees[tree.number]?.count == 3) }
    }

    @Test func `columns declared otherwise than the store has them are refused by name`() async throws {
        let fileSystem = MemoryFileSystem()
        let tree = TreeDeclaration(TreeNumber(5), "payments", columns: [.sum(amount: 0)])
        try await Database.open(at: "A", trees: [tree], fileSystem: fileSystem).close()
        let other = TreeDeclaration(TreeNumber(5), "payments", columns: [.sum(amount: 1)])
        let error = #expect(throws: StorageError.self) {
            try Database.open(at: "A", trees: [other], fileSystem: fileSystem)
        }
        #expect("\(error!)".contains("columns 10") && "\(error!)".contains("columns 11"))
    }

    @Test(arguments: [
        (
            TreeDeclaration(TreeNumber(1), "payments", columns: [.highest(amount: 0)]),
            "Tree payments has the running sums of amount 0, and not its sum, which they are made of."
        ),
        (
            TreeDeclaration(TreeNumber(1), "payments", columns: [.sum(amount: 0), .sum(amount: 0)]),
            "Tree payments has a column twice."
        ),
        (
            TreeDeclaration(TreeNumber(1), "payments", columns: [.sum(amount: 0)], placement: .cold),
            "Tree payments has amounts, which lie in its leaves: its values have to be hot."
        ),
        (TreeDeclaration(TreeNumber(1 << 24), "payments"), "Tree number 16777216 is not in 1...16777215."),
    ])
    func `a declaration that cannot be is refused by name`(tree: TreeDeclaration, words: String) {
        let error = #expect(throws: StorageError.self) {
            try Database.open(at: "A", trees: [tree], fileSystem: MemoryFileSystem())
        }
        #expect("\(error!)".contains(words))
    }

    @Test func `a value that is too long for a tree of amounts, and a column that is not there, are refused`()
        async throws
    {
        let tree = TreeDeclaration(TreeNumber(5), "payments", columns: [.sum(amount: 0)])
        let database = try Database.open(at: "A", trees: [tree], fileSystem: MemoryFileSystem())
        let long = [UInt8](repeating: 0, count: 1025)
        await #expect(throws: StorageError.self) {
            try await database.write { try $0.put(long, forKey: 1, in: tree.number) }
        }
        let error = #expect(throws: StorageError.self) { try database.version.sum(ofAmount: 1, in: tree.number) }
        #expect("\(error!)".contains("Tree 5 has no column sum of amount 1."))
        try await database.close()
    }

    /// Of 64 bits each, so that no tree has enough of them.
    @Test func `sums of the greatest amounts are exact`() async throws {
        let tree = TreeDeclaration(TreeNumber(5), "payments", columns: [.sum(amount: 0), .bounds(amount: 0)])
        let database = try Database.open(at: "A", trees: [tree], fileSystem: MemoryFileSystem())
        try await database.write { transaction in
            for key in 0..<1000 as Range<UInt64> { try transaction.put(Self.value(.max), forKey: key, in: tree.number) }
        }
        #expect(try database.version.sum(ofAmount: 0, in: tree.number) == 1000 * Int128(Int64.max))
        try await database.write { transaction in
            for key in 0..<1000 as Range<UInt64> {
                try transaction.put(Self.value(.min + 1), forKey: key, in: tree.number)
            }
        }
        #expect(try database.version.sum(ofAmount: 0, in: tree.number) == -1000 * Int128(Int64.max))
        #expect(try database.version.bounds(ofAmount: 0, in: tree.number) == (.min + 1)...(.min + 1))
        try await database.close()
    }
}
