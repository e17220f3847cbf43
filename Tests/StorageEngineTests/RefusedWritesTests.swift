import TestSupport
import Testing

@testable import StorageEngine

/// Writes that are refused leave nothing in memory, however often and for whatever reason.
@Suite struct RefusedWritesTests {
    private struct Whim: Error {}

    private let fileSystem = FaultyFileSystem()
    /// Noise, so that it fills a full log, too long to lie in a leaf.
    private let value: [UInt8] = {
        var random = SeededGenerator(seed: 1)
        return (0..<1 << 18).map { _ in UInt8.random(in: 0...255, using: &random) }
    }()

    private func open() throws -> Database {
        try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
    }

    /// Forty writes, each refused, and what they leave.
    private func checkThatNothingStays(
        in database: Database, _ body: @escaping @Sendable (inout Transaction, [UInt8]) throws -> Void
    ) async throws {
        let heap = database.version.generation.heap
        let before = heap.held
        for _ in 0..<40 {
            await #expect(throws: (any Error).self) {
                try await database.write { [value] transaction in try body(&transaction, value) }
            }
            #expect(heap.held == before)
        }
        #expect(database.version.memoryFindings() == [])
    }

    @Test func `a put into a damaged leaf leaves nothing of its value, whether its error is thrown or swallowed`()
        async throws
    {
        var database = try open()
        try await database.put(0..<400)
        try await database.compact()
        try await database.close()
        let path = try #require(try fileSystem.files("snapshot", in: "A").first)
        var bytes = try fileSystem.bytes(of: path)
        let page = try #require(
            (2..<bytes.count / NodeLayout.pageByteCount).first { page in
                bytes[page * NodeLayout.pageByteCount] == NodeLayout.packedLeaf
            })
        bytes[page * NodeLayout.pageByteCount + 2000] ^= 1
        try fileSystem.replace(path, with: bytes)
        database = try open()
        try await checkThatNothingStays(in: database) { transaction, value in
            try transaction.put(value, forKey: 0, in: numbers)
        }
        try await checkThatNothingStays(in: database) { transaction, value in
            try? transaction.put(value, forKey: 0, in: numbers)
            throw Whim()
        }
        let heap = database.version.generation.heap
        let before = heap.held
        for _ in 0..<40 {
            try await database.write { [value] in try? $0.put(value, forKey: 0, in: numbers) }
        }
        #expect(heap.held == before)
        // Beside a put that fails, one that does not.
        try await database.write { [value] transaction in
            try transaction.put([1], forKey: 399, in: numbers)
            try? transaction.put(value, forKey: 0, in: numbers)
        }
        #expect(heap.held.byteCount < before.byteCount + 20_000)
        #expect(database.version.memoryFindings() == [])
    }

    @Test func `a body that throws before, between and after its puts leaves nothing`() async throws {
        let database = try open()
        try await database.put(0..<400)
        for putCount in 0..<4 {
            try await checkThatNothingStays(in: database) { transaction, value in
                for key in 0..<putCount { try transaction.put(value, forKey: UInt64(key * 300), in: numbers) }
                throw Whim()
            }
        }
        try await database.close()
    }

    @Test func `an entry beyond the limits leaves nothing`() async throws {
        let database = try open()
        try await database.put(0..<400)
        try await checkThatNothingStays(in: database) { transaction, value in
            try transaction.put(value, forKey: 1, in: numbers)
            try transaction.put(value, forKey: [], in: numbers)
        }
        try await checkThatNothingStays(in: database) { transaction, value in
            try transaction.put(value, forKey: 1, facets: FacetSet(Facet(9)), in: numbers)
        }
        try await checkThatNothingStays(in: database) { transaction, value in
            try transaction.put(value, forKey: 1, in: TreeNumber(9))
        }
        try await database.close()
    }

    @Test func `a full disk leaves nothing`() async throws {
        let database = try open()
        try await database.put(0..<400)
        // More than was reserved.
        for key in 0..<4 as Range<UInt64> {
            try await database.write { [value] in try $0.put(value, forKey: key, in: numbers) }
        }
        fileSystem.fail { call, path in call == .reserve ? .diskFull(path: path) : nil }
        try await checkThatNothingStays(in: database) { transaction, value in
            for key in 5..<10 as Range<UInt64> { try transaction.put(value, forKey: key, in: numbers) }
        }
        fileSystem.fail(nil)
        try await database.close()
    }

    @Test func `a store that refuses writes keeps nothing of them`() async throws {
        let database = try open()
        try await database.put(0..<400)
        fileSystem.fail { call, path in
            call == .flush ? .inputOutput(operation: "flush", path: path, code: 5) : nil
        }
        try await checkThatNothingStays(in: database) { transaction, value in
            for key in 5..<10 as Range<UInt64> { try transaction.put(value, forKey: key, in: numbers) }
        }
        fileSystem.fail(nil)
    }
}
