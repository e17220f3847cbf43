import Foundation
import Testing

@testable import StorageEngine

/// What is over when the trouble is: a store does not stay shut, or read-only, for it.
@Suite struct PassingTroubleTests {
    @Test func `each process that died as it moved the log may have left a segment`() async throws {
        let (fileSystem, _) = try await LogRecoveryTests.crashedStore()
        let files = StoreFiles(directory: "A")
        let before = try Database.open(
            at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
        let (count, own) = (try before.version.count(in: numbers), before.version.generation.file.superblock.store)
        func leave(_ sequence: UInt64, of store: StoreIdentifier, generation: UInt64) throws {
            let header = LogSegmentHeader(
                store: store, sequence: sequence, baseCommit: before.version.commitNumber, previousChecksum: 1,
                generation: generation)
            try fileSystem.replace(files.log(sequence), with: header.encoded())
        }
        // A load that was killed, and a restore behind it.
        try leave(2, of: own, generation: 2)
        try leave(65_538, of: .random(), generation: 9)
        let reading = try Database.open(
            at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
        #expect(reading.opening.damage == nil)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try database.version.count(in: numbers) == count)
        #expect(try fileSystem.files("log-", in: "A") == [files.log(1)])
        try await database.put(100_000..<100_001)
        try await database.close()
    }

    @Test func `a process without room for another open file writes on when it has some`() async throws {
        let disk = FaultyFileSystem()
        let before = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        try await before.put(0..<3)
        try await before.close()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        let shortage = StorageError.inputOutput(operation: "open", path: "A", code: EMFILE)
        disk.fail { call, _ in call == .flushDirectory || call == .open || call == .names ? shortage : nil }
        await #expect(throws: shortage) { try await database.put(3..<4) }
        #expect(database.status.refusal == nil)
        disk.fail(nil)
        try await database.put(3..<4)
        #expect(database.version.generation.number == 1 && database.version.commitNumber == 2)
        try await database.close()
    }

    /// A store of ten durable commits that was not closed, as a power cut leaves it; and where its frames begin.
}
