import TestSupport
import Testing

@testable import StorageEngine

/// A long log is replayed on all cores, a tree on each at a time.
@Suite struct ReplayTests {
    private static let path = "A"
    private static let trees = (1...5).map {
        TreeDeclaration(TreeNumber(UInt32($0)), "tree \($0)", facetCount: $0, placement: $0 == 5 ? .cold : .hot)
    }

    private func open(_ fileSystem: any FileSystem) throws -> Database {
        try Database.open(
            at: Self.path, trees: Self.trees, options: Options(compaction: .manual), fileSystem: fileSystem)
    }

    /// Puts and removes in all trees: more than is replayed one tree after the other.
    private func change(_ database: Database, commits: Int, using generator: inout SeededGenerator) async throws {
        for _ in 0..<commits {
            let changes = (0..<60).map { _ in
                (
                    tree: TreeNumber(UInt32.random(in: 1...5, using: &generator)),
                    key: UInt64.random(in: 0..<3000, using: &generator),
                    value: generator.oneIn(4)
                        ? nil
                        : [UInt8](
                            repeating: 3, count: generator.oneIn(50) ? 6000 : Int.random(in: 0...80, using: &generator)),
                    facets: FacetSet(rawValue: UInt16.random(in: 0...1, using: &generator))
                )
            }
            try await database.write(.memory) { transaction in
                for change in changes {
                    if let value = change.value {
                        try transaction.put(value, forKey: change.key, facets: change.facets, in: change.tree)
                    } else {
                        try transaction.remove(change.key, in: change.tree)
                    }
                }
            }
        }
    }

    private func contents(_ version: Version) throws -> [[UInt64: [UInt8]]] {
        try Self.trees.map { tree in
            var contents: [UInt64: [UInt8]] = [:]
            try version.scan(tree.number) { key, value in
                contents[key.loadBigEndian(at: 0)] = value.copyBytes(0..<value.byteCount)
                return true
            }
            return contents
        }
    }

    @Test(arguments: 1...3) func `what was committed is there again, and can be changed on`(seed: UInt64) async throws {
        var generator = SeededGenerator.forTest(fallback: seed)
        let fileSystem = MemoryFileSystem()
        var database = try open(fileSystem)
        for round in 0..<4 {
            try await change(database, commits: 400, using: &generator)
            let expected = try contents(database.version)
            try await database.close()
            database = try open(fileSystem)
            #expect(try contents(database.version) == expected)
            #expect(database.version.invariantFindings().isEmpty)
            // What a throw undoes are nodes of the replay's heap, beside those it made itself.
            let held = database.version
            await #expect(throws: Abandoned.self) {
                try await database.write { transaction in
                    for tree in Self.trees {
                        for key in stride(from: UInt64(0), to: 3000, by: 5) {
                            try transaction.remove(key, in: tree.number)
                        }
                    }
                    throw Abandoned()
                }
            }
            try await change(database, commits: 20, using: &generator)
            #expect(try contents(held) == expected)
            if round == 1 { try await database.compact() }
        }
        try await database.close()
    }

    @Test func `a page that cannot be read takes its tree, and no other, whichever core meets it`() async throws {
        var generator = SeededGenerator.forTest(fallback: 7)
        let fileSystem = MemoryFileSystem()
        var database = try open(fileSystem)
        try await change(database, commits: 300, using: &generator)
        try await database.compact()
        try await change(database, commits: 300, using: &generator)
        try await database.close()
        let path = try #require(fileSystem.files("snapshot-", in: Self.path).first)
        let sound = try fileSystem.bytes(of: path)
        // Of the pages before the cold region, those that begin as leaves do.
        let pageCount = Int(sound[56]) | Int(sound[57]) << 8
        let leaves = (2..<pageCount).filter { [1, 6].contains(sound[$0 * 4096]) }
        for page in [leaves[1], leaves[leaves.count / 3], leaves[leaves.count / 2]] {
            var bytes = sound
            bytes[page * 4096 + 100] ^= 1
            try fileSystem.replace(path, with: bytes)
            database = try open(fileSystem)
            let damaged = database.opening.damagedTrees
            #expect(damaged.map(\.damage.page) == [page])
            for tree in database.version.declarations where tree != damaged.first?.declaration {
                _ = try database.version.count(in: tree.number)
            }
            await #expect(throws: StorageError.self) { try await database.compact() }
            try await database.close()
        }
        try fileSystem.replace(path, with: sound)
        database = try open(fileSystem)
        #expect(database.version.invariantFindings().isEmpty)
        try await database.close()
    }

    private struct Abandoned: Error {}
}
