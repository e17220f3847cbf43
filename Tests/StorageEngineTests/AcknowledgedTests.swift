import TestSupport
import Testing

@testable import StorageEngine

/// A commit that was acknowledged as flushed is there after reopening, whatever was refused before it.
@Suite struct AcknowledgedTests {
    private static func open(_ fileSystem: any FileSystem) throws -> Database {
        try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
    }

    /// Two laboratories found it, independently: a commit that the full disk had refused, and that readers had seen, was written
    /// again into the segment that a load had begun behind it. The flushed commit after that was gone.
    @Test(arguments: [60, 60_000])
    func `a load takes over commits that the full disk refused, and the next flushed commit stays`(
        loaded: Int
    ) async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Self.open(fileSystem)
        try await database.put(0..<1)
        try await database.put(1..<2)
        try await database.compact()
        fileSystem.fail { call, path in
            call == .reserve || (call == .write && path.contains("log-")) && !path.hasSuffix(".tmp")
                ? .diskFull(path: path) : nil
        }
        try await database.put(2..<3, .memory)
        await database.settle()
        #expect(database.status.unwrittenCommitCount == 1)
        fileSystem.fail(nil)
        // The disk stays full for the log alone until the load has the store.
        let isFull = Flag()
        isFull.set(true)
        fileSystem.fail { call, path in
            isFull.isSet && path.contains("log-") && !path.hasSuffix(".tmp") && (call == .reserve || call == .write)
                ? .diskFull(path: path) : nil
        }
        try await database.load { load in
            let collector = load.makeCollector()
            for number in 100..<100 + loaded {
                try collector.put(Array("value \(number)".utf8), forKey: .key(UInt64(number)), in: numbers)
            }
            // A small load is a commit of its own, and needs the log.
            if loaded < 1000 { isFull.set(false) }
        }
        isFull.set(false)
        #expect(database.status.unwrittenCommitCount == 0)
        try await database.put(3..<4)
        try await database.put(4..<5)
        let crashed = try Self.open(try fileSystem.copy())
        #expect(try crashed.version.count(in: numbers) == 5 + loaded)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        try await database.close()
        let reopened = try Self.open(fileSystem)
        #expect(try reopened.version.count(in: numbers) == 5 + loaded)
        try await reopened.close()
    }

    @Test func `the log refuses commits that do not follow its last one, and writes nothing of them`() throws {
        let fileSystem = MemoryFileSystem()
        fileSystem.createDirectory("A")
        let store = StoreIdentifier(bytes: Array("sixteen bytes id".utf8))
        let header = LogSegmentHeader(store: store, sequence: 1, baseCommit: 4, previousChecksum: 0)
        let log = try LogWriter(starting: header, olderByteCount: 0, names: StoreFiles(directory: "A"), fileSystem)
        for numbers: [UInt64] in [[4], [6], [5, 7], [5, 5]] {
            let commits = numbers.map { LogWriter.Commit(number: $0, payload: [1, 2, 3]) }
            let error = #expect(throws: LogFailure.self) { try log.append(commits) }
            guard case .outOfOrder(.poisoned(_, let reason))? = error else { throw try #require(error) }
            #expect(reason.contains("was to follow commit"))
        }
        #expect(log.byteCount == LogSegmentFormat.headerByteCount)
        try log.append([LogWriter.Commit(number: 5, payload: [1, 2, 3])])
    }

    @Test func `a write that the full disk cuts short is undone, and the next one goes to the same place`() async throws
    {
        let fileSystem = FaultyFileSystem()
        let database = try Self.open(fileSystem)
        try await database.put(0..<10)
        fileSystem.fail { call, path in call == .write ? .diskFull(path: path) : nil }
        await #expect(throws: StorageError.diskFull(path: "A/log-0000000000000001")) { try await database.put(10..<20) }
        fileSystem.fail(nil)
        try await database.put(20..<30)
        #expect(database.version.generation.number == 1, "nothing was flushed, so nothing is unknown")
        try await database.close()
        let reopened = try Self.open(fileSystem)
        #expect(try reopened.version.count(in: numbers) == 20)
        try await reopened.close()
    }

    @Test func `a disk with room for the commit but not for a step ahead takes it`() async throws {
        let fileSystem = FaultyFileSystem(room: 500 << 10)
        let database = try Self.open(fileSystem)
        try await database.put(0..<10)
        try await database.close()
        let reopened = try Self.open(fileSystem)
        #expect(try reopened.version.count(in: numbers) == 10)
        try await reopened.close()
    }

    @Test(arguments: [true, false])
    func `a directory whose flush failed once is not trusted by the next opening`(isLoad: Bool) async throws {
        let fileSystem = FaultyFileSystem()
        var database = try Self.open(fileSystem)
        try await database.put(0..<10)
        let hasSnapshot = Flag()
        fileSystem.fail { call, path in
            if call == .rename, path.contains("snapshot-") { hasSnapshot.set(true) }
            return call == .flushDirectory && hasSnapshot.isSet
                ? .inputOutput(operation: "fsync", path: path, code: 5) : nil
        }
        await #expect(throws: StorageError.self) {
            guard isLoad else { return _ = try await database.compact() }
            try await database.load { load in
                let collector = load.makeCollector()
                for number in 10..<20_000 {
                    try collector.put([1], forKey: .key(UInt64(number)), in: numbers)
                }
            }
        }
        try await database.close()
        fileSystem.fail(nil)
        database = try Self.open(fileSystem)
        #expect(database.opening.isNameInDoubt == isLoad)
        #expect(try fileSystem.files("snapshot", in: "A").count == 2, "the older generation stays")
        // What is written now is there although a power cut takes the doubtful name back.
        try await database.put(30_000..<30_001)
        let after = try fileSystem.copy()
        if !isLoad {
            after.remove("A/snapshot-0000000000000002")
            let version = try Self.open(after).version
            #expect(try version.count(in: numbers) == 11)
        } else {
            #expect(database.version.generation.number == 3)
            after.remove("A/snapshot-0000000000000002")
            #expect(try Self.open(after).version.contains(.key(30_000), in: numbers))
        }
        try await database.compact()
        #expect(try fileSystem.files("snapshot", in: "A").count == 1)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }
}
