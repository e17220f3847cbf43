import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// What closing promises: everything acknowledged is on the medium afterwards, or the caller is told.
@Suite struct ClosingTests {
    private static let log = "A/log-0000000000000001"

    private static func open(_ fileSystem: any FileSystem) throws -> Database {
        try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
    }

    /// A disk on which nothing can be flushed, so that the store refuses writes.
    private static let broken: @Sendable (FaultyFileSystem.Call, String) -> StorageError? = { call, path in
        call == .flush ? .inputOutput(operation: "fdatasync", path: path, code: 5) : nil
    }

    @Test(arguments: [Durability.memory, .ordered])
    func `closing a store that refuses writes names the commits that were never flushed, every time it is asked`(
        durability: Durability
    ) async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Self.open(fileSystem)
        try await database.put(0..<1)
        try await database.put(1..<2, durability)
        try await database.put(2..<3, durability)
        await database.settle()
        fileSystem.fail(Self.broken)
        await #expect(throws: StorageError.self) { try await database.put(3..<4) }
        for _ in 0..<3 {
            let error = await #expect(throws: StorageError.self) { try await database.close() }
            guard case .unsaved("A", 2...3, let reason)? = error else { throw try #require(error) }
            #expect(reason.contains("fdatasync"))
        }
        fileSystem.fail(nil)
        try await Self.open(fileSystem).close()
    }

    @Test func `closing a store that refuses writes is silent when everything was flushed`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Self.open(fileSystem)
        try await database.put(0..<1)
        fileSystem.fail(Self.broken)
        await #expect(throws: StorageError.self) { try await database.put(3..<4) }
        try await database.close()
        try await database.close()
    }

    @Test func `closing while the disk is full names the commits in memory`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Self.open(fileSystem)
        try await database.put(0..<1)
        fileSystem.fail { call, path in
            (call == .reserve || call == .write) && path == Self.log ? .diskFull(path: path) : nil
        }
        for number in 1..<4 { try await database.put(number..<number + 1, .memory) }
        await database.settle()
        #expect(database.status.stall != nil)
        #expect(database.status.unwrittenCommitCount == 3)
        let error = await #expect(throws: StorageError.self) { try await database.close() }
        guard case .unsaved("A", 2...4, _)? = error else { throw try #require(error) }
    }

    @Test func `a second call during the first returns when the first is done, and the store can be opened`()
        async throws
    {
        let fileSystem = FaultyFileSystem()
        for _ in 0..<20 {
            let database = try Self.open(fileSystem)
            try await database.put(0..<100)
            let ends = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        do throws(StorageError) { try await database.close() } catch { return false }
                        // Whoever returns first finds the lock given up.
                        guard let next = try? Self.open(fileSystem) else { return true }
                        return (try? await next.close()) != nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ends.count == 4)
            try await Self.open(fileSystem).close()
        }
    }

    @Test func `an opening after a clean close flushes nothing and writes nothing`() async throws {
        let fileSystem = FaultyFileSystem()
        var database = try Self.open(fileSystem)
        try await database.put(0..<10)
        try await database.close()
        let bytes = try fileSystem.bytes(of: Self.log)
        let before = fileSystem.counts
        for _ in 0..<3 {
            database = try Self.open(fileSystem)
            #expect(database.opening.wasClosed)
            try await database.close()
        }
        #expect(fileSystem.counts == before)
        #expect(try fileSystem.bytes(of: Self.log) == bytes)
        // The first commit pays, as any other.
        database = try Self.open(fileSystem)
        try await database.put(10..<11)
        #expect(fileSystem.counts.durableFlushes == before.durableFlushes + 1)
        // One to the log, one to the history.
        #expect(fileSystem.counts.writes == before.writes + 2)
        let crashed = try Self.open(try fileSystem.copy())
        #expect(!crashed.opening.wasClosed)
        #expect(try crashed.version.count(in: numbers) == 11)
        try await database.close()
    }

    @Test func `a store that was never written is closed cleanly, too`() async throws {
        let fileSystem = FaultyFileSystem()
        try await Self.open(fileSystem).close()
        let before = fileSystem.counts
        try await Self.open(fileSystem).close()
        #expect(fileSystem.counts == before)
    }

    @Test func `closing writes no snapshot, however long the log is`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<9 {
            let value = (0..<(1 << 20)).map { _ in UInt8.random(in: 0...255, using: &random) }
            try await database.write(.memory) { try $0.put(value, forKey: 1, in: numbers) }
        }
        let names = Mutex<Set<String>>([])
        try await database.close()
        fileSystem.fail { _, path in
            names.withLock { _ = $0.insert(path) }
            return nil
        }
        try await database.close()
        #expect(names.withLock { $0 }.allSatisfy { !$0.contains("snapshot") })
    }

    @Test func `closing during a load cancels it, and the store is as it was`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Self.open(fileSystem)
        try await database.put(0..<10)
        let (isLoading, begin) = AsyncStream.makeStream(of: Void.self)
        let load = Task {
            try await database.load { load in
                begin.yield()
                let collector = load.makeCollector()
                for number in 0..<50_000 {
                    try collector.put(Array("value \(number)".utf8), forKey: .key(UInt64(number)), in: numbers)
                }
            }
        }
        for await _ in isLoading { break }
        try await database.close()
        await #expect(throws: (any Error).self) { try await load.value }
        let reopened = try Self.open(fileSystem)
        #expect(try reopened.version.count(in: numbers) == 10)
        #expect(reopened.opening.wasClosed)
        try await reopened.close()
    }

    /// Found by the torture: the flush of a closing failed, its zeros were lost with its mark, and the file then grew over the place.
    @Test func `the first commit behind a closing mark writes the zeros before it once more, too`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Self.open(fileSystem)
        try await database.put(0..<1)
        try await database.close()
        let reopened = try Self.open(fileSystem)
        // What the opening has read as zeros may be anything on the medium.
        let file = try fileSystem.openFile(Self.log, .writing)
        try file.write([UInt8](repeating: 0xA5, count: 1000), at: 2000)
        #expect(try !Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        try await reopened.put(1..<2)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        try await reopened.close()
    }
}
