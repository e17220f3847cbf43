import TestSupport
import Testing

@testable import StorageEngine

/// When a store compacts itself.
struct PausingTests {
    /// Tells of each compaction.
    private func store(
        pausingByteCount: Int, _ fileSystem: MemoryFileSystem = MemoryFileSystem()
    ) throws -> (Database, AsyncStream<Void>) {
        let (compactions, told) = AsyncStream.makeStream(of: Void.self)
        var options = Options()
        options.pausingByteCount = pausingByteCount
        options.onNotice = { if case .compacted = $0 { told.yield() } }
        return (try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: fileSystem), compactions)
    }

    /// A MiB that cannot be compressed, in pieces.
    private static let values: [[UInt8]] = {
        var random = SeededGenerator.forTest(fallback: 1)
        return (0..<64).map { _ in (0..<1 << 11).flatMap { _ in [UInt8].key(random.next()) } }
    }()

    /// Adds so many MiB to the log.
    private func write(_ count: Int, to database: Database) async throws {
        for _ in 0..<count {
            try await database.write(.memory) { transaction in
                for (number, value) in Self.values.enumerated() {
                    try transaction.put(value, forKey: UInt64(number), in: numbers)
                }
            }
        }
        await database.settle()
    }

    @Test(.timeLimit(.minutes(15))) func `a store whose log has become long compacts itself when commits pause`()
        async throws
    {
        let (database, compactions) = try store(pausingByteCount: .max)
        try await write(9, to: database)
        for await _ in compactions { break }
        #expect(database.version.generation.number == 2)
        try await database.close()
    }

    @Test(.timeLimit(.minutes(15)))
    func `while commits keep coming it waits, but not when the log is as long as it may be`() async throws {
        let (database, compactions) = try store(pausingByteCount: 0)
        try await write(31, to: database)
        #expect(database.version.generation.number == 1)
        try await write(2, to: database)
        for await _ in compactions { break }
        #expect(database.version.generation.number == 2)
        try await database.close()
    }

    @Test func `commits pause when the log gets fewer bytes in half a second, and nobody knows before`() {
        func mayBegin(_ before: Int?, _ now: Int) -> Bool {
            CompactionPolicy.mayBegin(logByteCount: now, before: before, pausingByteCount: 1000)
        }
        let due = 10 << 20
        #expect(!mayBegin(nil, due))
        #expect(mayBegin(due, due) && mayBegin(due, due + 999))
        #expect(!mayBegin(due, due + 1000))
        #expect(mayBegin(nil, 32 << 20) && mayBegin(due, 32 << 20))
        #expect(!mayBegin(due, 32 << 20 - 1))
    }

    @Test(.timeLimit(.minutes(15))) func `a compaction that somebody asks for is not followed by the one that waits`()
        async throws
    {
        let (database, _) = try store(pausingByteCount: .max)
        try await write(9, to: database)
        _ = try await database.compact()
        // Longer than it would have waited: nothing is due any more.
        let generation = database.version.generation.number
        try await Task.sleep(for: CompactionPolicy.pause * 3)
        #expect(database.version.generation.number == generation)
        try await database.close()
    }

    @Test(.timeLimit(.minutes(15))) func `closing does not wait for a compaction that waits`() async throws {
        let fileSystem = MemoryFileSystem()
        let (database, _) = try store(pausingByteCount: 0, fileSystem)
        try await write(9, to: database)
        try await database.close()
        #expect(database.version.generation.number == 1)
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try reopened.version.count(in: numbers) == 64)
        try await reopened.close()
    }
}
