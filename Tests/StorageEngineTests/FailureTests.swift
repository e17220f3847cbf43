import StorageEngine
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

    @Test func `after a failed flush writes are refused and reads go on`() async throws {
        let fileSystem = FaultyFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        try await database.put(0..<10)
        fileSystem.fail { call, path in
            call == .flush ? .inputOutput(operation: "fdatasync", path: path, code: 5) : nil
        }
        await #expect(throws: StorageError.self) { try await database.put(10..<20) }
        fileSystem.fail(nil)
        do {
            try await database.put(20..<30)
            Issue.record("a poisoned store took a write")
        } catch StorageError.poisoned(_, let reason) {
            #expect(reason.contains("fdatasync"))
        }
        #expect(try database.version.count(in: numbers) == 10)
        #expect(database.version.invariantFindings() == [])
        try await database.close()
        let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        let count = try reopened.version.count(in: numbers)
        #expect(count == 10 || count == 20, "the refused commit is there whole or not at all")
        try await reopened.close()
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
