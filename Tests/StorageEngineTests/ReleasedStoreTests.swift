import TestSupport
import Testing

@testable import StorageEngine

/// A store that nobody has any more lets the next one write, though what has asked for its writer may hold that for long.
@Suite struct ReleasedStoreTests {
    private static func open(_ disk: FaultyFileSystem, _ access: Access = .exclusive) throws -> Database {
        var options = Options.patient(access)
        options.work = HelpfulWork(.someTime, isSlow: true)
        return try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: disk)
    }

    /// Whether another store could be opened for writing.
    private static func isFree(_ disk: FaultyFileSystem) throws -> Bool {
        do throws(StorageError) {
            try disk.lock(StoreFiles(directory: "A").lock).unlock()
            return true
        } catch {
            guard case .inUse = error else { throw error }
            return false
        }
    }

    private static func expectFree(_ disk: FaultyFileSystem) async throws {
        try await pause { try isFree(disk) }
        #expect(try isFree(disk))
    }

    @Test
    func
        `a store that was let go lets the next one write, whatever holds its writer, and what comes to that finds it closed`()
        async throws
    {
        let disk = FaultyFileSystem()
        var writer: Writer?
        do {
            let database = try Self.open(disk)
            try await database.put(0..<3)
            writer = database.writer
            #expect(try !withExtendedLifetime(database) { try Self.isFree(disk) })
        }
        #expect(try Self.isFree(disk))
        let next = try Self.open(disk)
        let closed = StorageError.closed(path: "A")
        await #expect(throws: closed) {
            try await writer?.write(.flushed) { try $0.put([1], forKey: .key(7), in: numbers) }
        }
        await #expect(throws: closed) { try await writer?.load { _ in } }
        await #expect(throws: closed) { try await writer?.compact(progress: nil) }
        try await next.put(3..<5)
        await writer?.tryAgain()
        await writer?.drain()
        writer = nil
        #expect(try !Self.isFree(disk))
        #expect(try next.version.count(in: numbers) == 5)
        try await next.close()
    }

    @Test func `a store that has never been written to lets the next one write as well`() async throws {
        let disk = FaultyFileSystem()
        var database: Database? = try Self.open(disk)
        let writer = database?.writer
        database = nil
        #expect(try withExtendedLifetime(writer) { try Self.isFree(disk) })
    }

    @Test func `what was let go keeps the store until its log has every commit that was acknowledged`() async throws {
        let disk = FaultyFileSystem()
        let gate: Gate
        do {
            let database = try Self.open(disk)
            try await database.put(0..<3)
            gate = disk.gate(.write, "log-")
            // Seen at once, and on its way to the log.
            try await database.write(.memory) { try $0.put([1], forKey: .key(7), in: numbers) }
            await gate.reached()
        }
        #expect(try !Self.isFree(disk))
        gate.open()
        try await Self.expectFree(disk)
        #expect(try Self.open(disk).version.count(in: numbers) == 4)
    }

    @Test(arguments: [Access.exclusive, .shared])
    func `what was let go keeps the store until the commit that is being flushed is acknowledged`(
        access: Access
    )
        async throws
    {
        let disk = FaultyFileSystem()
        let gate: Gate
        let commit: Task<Void, any Error>
        do {
            let database = try Self.open(disk, access)
            try await database.write(.memory) { try $0.put([1], forKey: .key(6), in: numbers) }
            await database.settle()
            gate = disk.gate(.flush, "log-")
            let writer = try #require(database.writer)
            commit = Task {
                try await writer.write(.flushed) { try $0.put([1], forKey: .key(7), in: numbers) }
            }
            await gate.reached()
            withExtendedLifetime(database) {}
        }
        #expect(try !Self.isFree(disk))
        gate.open()
        try await commit.value
        try await Self.expectFree(disk)
        #expect(try Self.open(disk, access).version.count(in: numbers) == 2)
    }

    @Test func `what was let go keeps the store until its compaction has removed what it wrote`() async throws {
        let disk = FaultyFileSystem()
        let gate: Gate
        let compaction: Task<CompactionReport, any Error>
        do {
            let database = try Self.open(disk)
            try await database.put(0..<300)
            gate = disk.gate(.write, "snapshot-")
            let writer = try #require(database.writer)
            compaction = Task { try await writer.compact(progress: nil) }
            await gate.reached()
            withExtendedLifetime(database) {}
        }
        #expect(try !Self.isFree(disk))
        gate.open()
        await #expect(throws: StorageError.cancelled) { try await compaction.value }
        try await Self.expectFree(disk)
        #expect(try !disk.names(inDirectory: "A").contains { $0.hasSuffix(StoreFiles.temporarySuffix) })
        #expect(try Self.open(disk).version.generation.number == 1)
    }

    @Test func `what was let go keeps the store until its restore has ended, which is given up`() async throws {
        let disk = FaultyFileSystem()
        let (hasBegun, mayEnd) = (Flag(), Flag())
        let restore: Task<Restoration, any Error>
        do {
            let database = try Self.open(disk)
            try await database.put(0..<3)
            let writer = try #require(database.writer)
            restore = Task {
                try await writer.restore {
                    hasBegun.set()
                    while !mayEnd.isSet { await pause() }
                    throw Task.isCancelled ? StorageError.cancelled : .readOnly(path: "A")
                }
            }
            while !hasBegun.isSet { await pause() }
            withExtendedLifetime(database) {}
        }
        #expect(try !Self.isFree(disk))
        mayEnd.set()
        await #expect(throws: StorageError.cancelled) { try await restore.value }
        try await Self.expectFree(disk)
    }
}
