import TestSupport
import Testing

@testable import StorageEngine

/// A page that rots under commits of the log takes its tree, and nothing else.
@Suite struct DamagedTreeTests {
    private static let snapshot = "A/snapshot-0000000000000002"
    private static let list = TreeNumber(2)
    private static let trees = [
        TreeDeclaration(numbers, "numbers", facetCount: 2), TreeDeclaration(list, "list"),
    ]

    private static func open(_ fileSystem: any FileSystem, _ access: Access = .exclusive) throws -> Database {
        var options = Options(compaction: .manual)
        options.access = access
        return try Database.open(at: "A", trees: trees, options: options, fileSystem: fileSystem)
    }

    /// A compacted store of two trees with commits behind it, and a page of the second spoiled.
    private static func store() async throws -> FaultyFileSystem {
        let fileSystem = FaultyFileSystem()
        let database = try open(fileSystem)
        try await database.write { transaction in
            for number in 0..<2000 {
                try transaction.put(Array("value \(number)".utf8), forKey: UInt64(number), in: numbers)
                try transaction.put(Array("row \(number)".utf8), forKey: UInt64(number), in: list)
            }
        }
        try await database.compact()
        try await database.write { transaction in
            try transaction.put([1], forKey: 3000, in: numbers)
            try transaction.put([1], forKey: 3000, in: list)
        }
        try await database.close()
        var bytes = try fileSystem.bytes(of: snapshot)
        // The last page of the second tree, which the commit behind the snapshot changes.
        let page = bytes.count / 4096 - 4
        bytes[page * 4096 + 200] ^= 1
        try fileSystem.replace(snapshot, with: bytes)
        return fileSystem
    }

    @Test func `a rotten page under a commit of the log leaves the store open, and every other tree readable`()
        async throws
    {
        let fileSystem = try await Self.store()
        for access in [Access.readOnly, .exclusive] {
            let database = try Self.open(fileSystem, access)
            #expect(database.opening.damagedTrees.map(\.declaration.number) == [Self.list])
            #expect(database.status.damagedTrees == database.opening.damagedTrees)
            #expect(try database.version.count(in: numbers) == 2001)
            #expect(throws: StorageError.self) { try database.version.count(in: Self.list) }
            try await database.close()
        }
    }

    @Test func `writes that touch the tree throw before anything is logged, others go on`() async throws {
        let fileSystem = try await Self.store()
        let database = try Self.open(fileSystem)
        let writes = fileSystem.counts.writes
        await #expect(throws: StorageError.self) {
            try await database.write { transaction in
                try transaction.put([2], forKey: 5, in: numbers)
                try transaction.put([2], forKey: 5, in: Self.list)
            }
        }
        await #expect(throws: StorageError.self) {
            try await database.write { _ = try $0.remove(UInt64(5), in: Self.list) }
        }
        #expect(fileSystem.counts.writes == writes)
        try await database.write { try $0.put([3], forKey: 5, in: numbers) }
        #expect(database.version.commitNumber == 3)
        try await database.close()
    }

    @Test func `everyone who waits for a compaction that fails at once is told, however soon it ends`() async throws {
        let database = try Self.open(try await Self.store())
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var failures = 0
                    for _ in 0..<25 {
                        do { try await database.compact() } catch { failures += 1 }
                    }
                    return failures
                }
            }
            for await failures in group { #expect(failures == 25) }
        }
        try await database.close()
    }

    @Test func `no compaction, load or closing takes away what the tree needs`() async throws {
        let fileSystem = try await Self.store()
        let database = try Self.open(fileSystem)
        await #expect(throws: StorageError.self) { try await database.compact() }
        #expect(database.status.failedCompactionCount == 1)
        #expect(database.status.compactionFailure != nil)
        await #expect(throws: StorageError.self) {
            try await database.load { load in
                let collector = load.makeCollector()
                for number in 5000..<50_000 { try collector.put([1], forKey: .key(UInt64(number)), in: numbers) }
            }
        }
        try await database.write { try $0.put([3], forKey: 5, in: numbers) }
        try await database.close()
        #expect(try fileSystem.files("snapshot", in: "A") == [Self.snapshot])
        let salvage = try Salvage(at: "A", fileSystem: fileSystem)
        #expect(salvage.report.logCommitCount == 2, "the commits behind the snapshot are all there")
    }

    @Test func `making the tree anew makes the store whole`() async throws {
        let fileSystem = try await Self.store()
        var database = try Self.open(fileSystem)
        try await database.write { transaction in
            try transaction.removeAll(in: Self.list)
            for number in 0..<2001 { try transaction.put([7], forKey: UInt64(number), in: Self.list) }
        }
        #expect(database.status.damagedTrees.isEmpty)
        try await database.close()
        database = try Self.open(fileSystem)
        #expect(database.opening.damagedTrees.isEmpty)
        #expect(try database.version.count(in: Self.list) == 2001)
        try await database.compact()
        #expect(database.status.compactionFailure == nil)
        #expect(database.version.invariantFindings().isEmpty)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }
}
