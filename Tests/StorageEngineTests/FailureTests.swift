import StorageEngine
import Synchronization
import TestSupport
import Testing

/// What the engine does when the disk says no.
@Suite struct FailureTests {
    @Test func `a full disk refuses the commit and loses nothing`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        try await database.put(0..<10)
        fileSystem.fail { call, path in call == .reserve ? .diskFull(path: path) : nil }
        // Larger than the space that is reserved already.
        let large = Array("0123456789abcdef".utf8)
        await #expect(throws: StorageError.diskFull(path: "A/log-0000000000000001")) {
            try await database.write { transaction in
                var generator = SeededGenerator(seed: 1)
                for number in 0..<200_000 {
                    try transaction.put(
                        large + [UInt8.random(in: 0...255, using: &generator)],
                        forKey: generator.next() | UInt64(number),
                        in: numbers)
                }
            }
        }
        #expect(try database.version.count(in: numbers) == 10)
        fileSystem.fail(nil)
        try await database.put(10..<20)
        #expect(try database.version.count(in: numbers) == 20)
        #expect(database.version.invariantFindings() == [])
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try reopened.version.count(in: numbers) == 20)
        try await reopened.close()
    }

    /// A disk whose log cannot be flushed, and what it says.
    private func logFailure(_ call: FaultyFileSystem.Call, _ path: String) -> StorageError? {
        call == .flush && path.hasPrefix("A/log-") && !path.hasSuffix(".tmp")
            ? .inputOutput(operation: "fdatasync", path: path, code: 5) : nil
    }

    @Test func `after a failed flush the commit goes to new files and is acknowledged from there`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<10)
        let old = database.version
        let flushes = Mutex(0)
        fileSystem.fail { [self] call, path in
            if call == .flush, path == "A/log-0000000000000001" { flushes.withLock { $0 += 1 } }
            return path == "A/log-0000000000000001" ? logFailure(call, path) : nil
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 10..<20 { group.addTask { try await database.put(number..<number + 1) } }
            try await group.waitForAll()
        }
        #expect(flushes.withLock { $0 } == 1, "a log that failed is never flushed again")
        #expect(try fileSystem.files("snapshot", in: "A") == ["A/snapshot-0000000000000002"])
        #expect(try fileSystem.files("log", in: "A") == ["A/log-0000000000000002"])
        #expect(try old.count(in: numbers) == 10, "a reader keeps what it holds")
        try await database.put(20..<30)
        #expect(try database.version.count(in: numbers) == 30)
        #expect(database.version.invariantFindings() == [])
        try await database.compact()
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try reopened.version.count(in: numbers) == 30)
        #expect(reopened.version.commitNumber == 12)
        try await reopened.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `where new files fail too, writes are refused with the reason and reads go on`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        try await database.put(0..<10)
        try await database.write(.memory) { try $0.put([1], forKey: 1000, in: numbers) }
        await database.settle()
        fileSystem.fail { call, path in
            call == .flush ? .inputOutput(operation: "fdatasync", path: path, code: 5) : nil
        }
        await #expect(throws: StorageError.self) { try await database.put(10..<20) }
        fileSystem.fail(nil)
        do {
            try await database.put(20..<30)
            Issue.record("a poisoned store took a write")
        } catch StorageError.poisoned(_, let reason) {
            #expect(reason.contains("fdatasync failed on A/log-0000000000000001 "))
            #expect(reason.contains("a new file failed too"))
        }
        #expect(try database.version.count(in: numbers) == 11)
        #expect(database.version.invariantFindings() == [])
        #expect(database.status.refusal != nil)
        // The commit in memory was written and never flushed.
        let lost = await #expect(throws: StorageError.self) { try await database.close() }
        guard case .unsaved("A", 2...2, _)? = lost else { throw try #require(lost) }
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        let count = try reopened.version.count(in: numbers)
        #expect([11, 21].contains(count), "the refused commit is there whole or not at all")
        try await reopened.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `a compaction that runs when the log fails ends, and nothing of it is left`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<5000)
        // The new segment of the compaction fails while the snapshot is being written.
        fileSystem.fail { [self] call, path in path == "A/log-0000000000000002" ? logFailure(call, path) : nil }
        async let compaction = database.compact()
        for number in 5000..<5050 { try await database.put(number..<number + 1) }
        _ = try? await compaction
        #expect(try database.version.count(in: numbers) == 5050)
        #expect(database.version.invariantFindings() == [])
        fileSystem.fail(nil)
        try await database.compact()
        try await database.close()
        #expect(try fileSystem.files("snapshot", in: "A").count == 1)
        #expect(try fileSystem.files("log", in: "A").count == 1)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `a store that cannot seal its log at closing closes into new files`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.write(.memory) { try $0.put([1], forKey: 1, in: numbers) }
        await database.settle()
        fileSystem.fail { [self] call, path in path == "A/log-0000000000000001" ? logFailure(call, path) : nil }
        try await database.close()
        fileSystem.fail(nil)
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(reopened.opening.generation == 2)
        #expect(try reopened.version.count(in: numbers) == 1)
        try await reopened.close()
    }

    @Test func `a power cut before the rescue has its name leaves the store as the log has it`() async throws {
        let fileSystem = FaultyFileSystem()
        var database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<10)
        fileSystem.fail { [self] call, path in
            if path.hasPrefix("A/snapshot"), call == .rename { return .diskFull(path: path) }
            if call == .remove, !path.hasSuffix(".cold") { return .diskFull(path: path) }
            return path == "A/log-0000000000000001" ? logFailure(call, path) : nil
        }
        await #expect(throws: StorageError.self) { try await database.put(10..<20) }
        #expect(try fileSystem.files("log", in: "A").count == 2, "the segment of the generation that never came to be")
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        try await database.close()
        fileSystem.fail(nil)
        database = try Database.open(
            at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
        #expect(database.opening.damage == nil)
        database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try fileSystem.files("log", in: "A") == ["A/log-0000000000000001"])
        try await database.put(50..<60)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test func `a compaction that cannot be written leaves the store as it was`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<5000)
        for call in [FaultyFileSystem.Call.write, .flush, .rename] {
            fileSystem.fail { made, path in
                made == call && path.contains(".tmp") ? .diskFull(path: path) : nil
            }
            await #expect(throws: StorageError.self) { try await database.compact() }
            fileSystem.fail(nil)
            try await database.put(0..<10)
            #expect(try database.version.count(in: numbers) == 5000)
        }
        try await database.compact()
        try await database.close()
        #expect(try fileSystem.files("snapshot", in: "A").count == 1)
        #expect(try fileSystem.files("log", in: "A").count == 1)
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.isSound)
    }
}
