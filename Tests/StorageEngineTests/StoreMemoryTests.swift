import TestSupport
import Testing

@testable import StorageEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a store says of its memory is what its commits have allocated.
@Suite struct StoreMemoryTests {
    private static let tree = TreeDeclaration(TreeNumber(1), "things")
    private static let path = "Memory.store"

    private static func open(_ disk: MemoryFileSystem = MemoryFileSystem()) throws -> Database {
        try Database.open(
            at: path, trees: [tree], options: Options(compaction: .manual), fileSystem: disk)
    }

    /// Noise, which takes in a snapshot what it takes in memory.
    private static func value(_ key: Int, byteCount: Int) -> [UInt8] {
        var noise = SeededGenerator(seed: UInt64(key))
        return (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &noise) }
    }

    private static func put(_ database: Database, _ keys: Range<Int>, byteCount: Int = 200) async throws {
        try await database.write(.memory) { transaction in
            for key in keys {
                try transaction.put(value(key, byteCount: byteCount), forKey: UInt64(key), in: tree.number)
            }
        }
        await database.settle()
    }

    /// What a version reaches of memory nodes, with their headers.
    private static func reached(_ versions: Version...) -> Int {
        var walk = MemoryWalk()
        for version in versions { walk.walk(below: version.trees.root(of: tree.number).reference) }
        return walk.allocations.byteCount + walk.allocations.count * NodeMemory.headerByteCount
    }

    @Test func `nodes are what the newest version reaches, and held nodes what older ones need besides`() async throws {
        let database = try Self.open()
        #expect(database.memory.nodes == 0)
        try await Self.put(database, 0..<2_000)
        #expect(database.memory.nodes == Self.reached(database.version) && database.memory.nodes > 400_000)
        var held: Version? = database.version
        for start in stride(from: 0, to: 2_000, by: 100) {
            try await Self.put(database, start..<start + 1, byteCount: 300)
        }
        #expect(database.memory.nodes == Self.reached(database.version))
        let both = Self.reached(held!, database.version)
        #expect(database.memory.nodes + database.memory.heldNodes == both)
        #expect(database.memory.heldNodes > 0)
        held = nil
        try await Self.put(database, 0..<1)
        #expect(database.memory.heldNodes == 0)
        // What was freed is kept, and counted by itself.
        #expect(database.memory.freeNodes > 0)
        try await database.close()
    }

    @Test func `a compaction takes nodes out of memory, and what is held of the generation before is told`()
        async throws
    {
        let database = try Self.open()
        try await Self.put(database, 0..<2_000)
        var held: Version? = database.version
        let before = Self.reached(held!)
        try await database.compact()
        #expect(database.memory.nodes == 0 && database.memory.heldNodes == before)
        let marks = database.memory.pageMarks
        #expect(marks > 0)
        held = nil
        // The thread that wrote the snapshot lets go of its version a moment after it is done.
        while database.memory.heldNodes != 0 { await pause() }
        #expect(database.memory.freeNodes == 0)
        #expect(database.memory.pageMarks < marks, "of two files before, of one now")
        #expect(database.memory.mappedSnapshots == 0, "files in memory are not mapped")
        #expect(database.memory.files >= database.opening.snapshotByteCount)
        withExtendedLifetime(held) {}
        try await database.close()
    }

    @Test func `a file that is mapped is no memory of the process`() async throws {
        try await withTemporaryDirectory { path in
            let database = try Database.open(at: path + "/A.store", trees: [Self.tree])
            try await Self.put(database, 0..<2_000)
            try await database.compact()
            let memory = database.memory
            #expect(memory.mappedSnapshots > 400_000 && memory.files == 0 && memory.nodes == 0)
            try await database.close()
        }
    }

    @Test func `commits that wait for the log are counted until it has them`() async throws {
        let (disk, mayWrite) = (FaultyFileSystem(), Flag())
        let database = try Database.open(
            at: Self.path, trees: [Self.tree], options: Options(compaction: .manual), fileSystem: disk)
        try await Self.put(database, 0..<1)
        #expect(database.memory.waitingCommits == 0)
        disk.fail { call, path in
            while call == .write, path.contains("/log-"), !mayWrite.isSet { usleep(1000) }
            return nil
        }
        try await database.write(.memory) { transaction in
            try transaction.put([UInt8](repeating: 7, count: 5_000), forKey: [9], in: Self.tree.number)
        }
        #expect((5_000..<6_000).contains(database.memory.waitingCommits))
        mayWrite.set(true)
        await database.settle()
        #expect(database.memory.waitingCommits == 0)
        try await database.close()
    }

    @Test func `what commits have freed is given back when it is asked for, and nothing that is read`() async throws {
        let database = try Self.open()
        try await Self.put(database, 0..<6_000, byteCount: 900)
        let whole = database.memory.nodes
        // Nothing of the upper three quarters is left.
        try await database.write(.memory) { transaction in
            for key in 1_500..<6_000 { try transaction.remove(UInt64(key), in: Self.tree.number) }
        }
        try await Self.put(database, 0..<1, byteCount: 900)
        let before = database.memory
        #expect(before.nodes < whole / 2 && before.freeNodes > whole / 2)
        let byteCount = await database.giveBackFreeMemory()
        #expect(byteCount > before.freeNodes * 9 / 10)
        #expect(database.memory.freeNodes == before.freeNodes - byteCount && database.memory.nodes == before.nodes)
        #expect(await database.giveBackFreeMemory() == 0)
        // It goes on with memory that is new.
        try await Self.put(database, 1_500..<3_000, byteCount: 900)
        let version = database.version
        #expect(try version.count(in: Self.tree.number) == 3_000)
        for key in 0..<3_000 {
            let value = try version.bytes(forKey: UInt64(key), in: Self.tree.number)
            #expect(value == Self.value(key, byteCount: 900))
        }
        #expect(version.invariantFindings().isEmpty && version.memoryFindings().isEmpty)
        try await database.close()
    }
}
