import StorageEngine
import TestSupport
import Testing

/// `Transaction.removeAll(in:)`: what makes an index that is damaged anew possible.
@Suite struct EmptyingTests {
    private static let path = "A/snapshot-0000000000000002"

    @Test func `a tree whose every page is damaged can be emptied and filled again`() async throws {
        let fileSystem = try await DamageTests.store()
        var bytes = try fileSystem.bytes(of: Self.path)
        for page in 1..<bytes.count / 4096 - 1 where bytes[page * 4096 + 1] == 2 { bytes[page * 4096 + 100] ^= 0xFF }
        try fileSystem.replace(Self.path, with: bytes)
        var database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        #expect(throws: StorageError.self) { try database.version.value(forKey: 1, in: numbers) { _ in } }
        try await database.write { transaction in
            try transaction.removeAll(in: numbers)
            #expect(try transaction.count(in: numbers) == 0)
            try transaction.put([1], forKey: 7, in: numbers)
        }
        try await database.close()
        // The log replays it, and a compaction leaves the damaged pages behind.
        database = try Database.open(at: "A", trees: [], fileSystem: fileSystem)
        #expect(try database.version.count(in: numbers) == 1)
        try await database.compact()
        #expect(try database.version.value(forKey: 7, in: numbers) { $0.byteCount } == 1)
        #expect(try database.version.count(in: TreeNumber(2)) == 40)
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.isSound)
    }

    @Test func `a version taken before keeps the entries, and a throw brings them back`() async throws {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        try await database.put(0..<3000)
        let large = [UInt8](repeating: 7, count: 5000)
        try await database.write { try $0.put(large, forKey: 9000, in: numbers) }
        struct Abandoned: Error {}
        await #expect(throws: Abandoned.self) {
            try await database.write { transaction in
                try transaction.put(large, forKey: 9001, in: numbers)
                try transaction.removeAll(in: numbers)
                throw Abandoned()
            }
        }
        #expect(try database.version.count(in: numbers) == 3001)
        let before = database.version
        try await database.write { try $0.removeAll(in: numbers) }
        try await database.put(5..<6)
        #expect(try database.version.count(in: numbers) == 1)
        #expect(try before.value(forKey: 9000, in: numbers) { $0.byteCount } == 5000)
        #expect(before.invariantFindings() == [])
        try await database.close()
    }

    @Test func `emptying an empty tree makes no commit`() async throws {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        try await database.put(0..<1)
        try await database.write { try $0.removeAll(in: numbers) }
        let commit = database.version.commitNumber
        try await database.write { try $0.removeAll(in: numbers) }
        #expect(database.version.commitNumber == commit)
        try await database.close()
    }

    @Test func `emptying while a compaction runs counts`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.put(0..<20_000, .memory)
        async let compaction = database.compact()
        try await database.write { try $0.removeAll(in: numbers) }
        try await database.put(3..<5)
        _ = try await compaction
        #expect(try database.version.count(in: numbers) == 2)
        #expect(database.version.invariantFindings() == [])
        try await database.close()
    }

    @Test(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"))
    func `the other reader empties the tree, too`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/A.bookdb"
            let database = try Database.open(at: path, trees: numberTrees)
            try await database.put(0..<5)
            try await database.write { transaction in
                try transaction.removeAll(in: numbers)
                try transaction.put([9], forKey: 77, in: numbers)
            }
            try await database.close()
            #expect(try PythonReader(["list", path]).output == "1\t000000000000004d\t0\t09\n")
            let log = path + "/log-0000000000000001"
            let dump = try FileDump.lines(of: log)
            #expect(dump.contains("  clear tree 1"))
            #expect(try PythonReader(["dump", log]).output == dump.joined(separator: "\n") + "\n")
        }
    }
}
