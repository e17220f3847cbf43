import Foundation
import Testing

@testable import StorageEngine

/// What is over when the trouble is: a store does not stay shut, or read-only, for it.
@Suite struct PassingTroubleTests {
    private static let files = StoreFiles(directory: "A")

    /// A store of ten commits with the segments of a load that was killed, and of a restore behind it.
    private static func storeWithAbandonedSegments() async throws -> (disk: MemoryFileSystem, store: StoreIdentifier) {
        let (disk, _) = try await LogRecoveryTests.crashedStore()
        let store = try SnapshotFile(opening: files.snapshot(1), generation: 1, disk).superblock.store
        try leave(2, of: store, generation: 2, in: disk)
        try leave(65_538, of: .random(), generation: 9, in: disk)
        return (disk, store)
    }

    /// A segment without frames.
    private static func leave(
        _ sequence: UInt64, of store: StoreIdentifier, generation: UInt64, in disk: MemoryFileSystem
    ) throws {
        let header = LogSegmentHeader(
            store: store, sequence: sequence, baseCommit: 10, previousChecksum: 1, generation: generation)
        try disk.replace(files.log(sequence), with: header.encoded())
    }

    @Test func `each process that died as it moved the log may have left a segment`() async throws {
        let (fileSystem, _) = try await Self.storeWithAbandonedSegments()
        let reading = try Database.open(
            at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: fileSystem)
        #expect(reading.opening.damage == nil)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
        let log = try StoreLog(at: "A", fileSystem: fileSystem)
        #expect(log.end == .clean && log.heads.count == 10)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
        #expect(try database.version.count(in: numbers) == 10)
        #expect(try fileSystem.files("log-", in: "A") == [Self.files.log(1)])
        try await database.put(100_000..<100_001)
        try await database.close()
    }

    @Test func `a segment that goes on behind such ones is damage, told once of the first of them`() async throws {
        let (fileSystem, store) = try await Self.storeWithAbandonedSegments()
        try Self.leave(65_539, of: store, generation: 1, in: fileSystem)
        let damage = LogScan.hasFollowers(Self.files.log(2))
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).damage == [damage])
        #expect(try StoreLog(at: "A", fileSystem: fileSystem).end == .damaged(damage))
        await #expect(throws: StorageError.self) {
            _ = try await Database.backup(at: "A", to: "backup", fileSystem: fileSystem)
        }
    }

    @Test(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"))
    func `the reader in Python passes them by as well`() async throws {
        let (fileSystem, _) = try await Self.storeWithAbandonedSegments()
        try await withTemporaryDirectory { directory in
            try fileSystem.write(to: directory + "/A")
            let run = try PythonReader(["verify", directory + "/A"])
            #expect(run.output == "\(directory)/A is sound\n", "\(run.talk)")
        }
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
