import CrashSimulation
import TestSupport
import Testing

@testable import StorageEngine

/// Blocks behind the log's end: small commits write zeros to them before they are needed, so that the flushes of those that follow have nothing else to
/// note.
struct LogRoomTests {
    private static func open(
        _ fileSystem: any FileSystem, at path: String, _ access: Access = .exclusive
    ) throws -> Database {
        try Database.open(
            at: path, trees: numberTrees, options: .patient(access), fileSystem: fileSystem)
    }

    /// What writes of the newest segment have come to.
    private struct Room {
        var frameByteCount = 0
        var zeroByteCount = 0
        /// Writes that ended behind all earlier ones.
        var extendingCount = 0
    }

    private static func room(of operations: some Sequence<DiskOperation>, behind end: Int) -> Room {
        var room = Room()
        var end = end
        for case .write(_, let byteOffset, let bytes) in operations {
            let frames = bytes.count - bytes.reversed().prefix { $0 == 0 }.count
            room.frameByteCount += frames
            room.zeroByteCount += bytes.count - frames
            if byteOffset + bytes.count > end { room.extendingCount += 1 }
            end = max(end, byteOffset + bytes.count)
        }
        return room
    }

    /// What is written while `count` commits are made.
    private static func room(
        of count: Int, _ durability: Durability = .flushed, valueByteCount: Int = 10, in database: Database,
        on disk: RecordingDisk
    ) async throws -> Room {
        let before = disk.operationCount
        var end = 0
        for case .write(_, let byteOffset, let bytes) in disk.operations { end = max(end, byteOffset + bytes.count) }
        for number in 0..<count {
            try await database.write(durability) { transaction in
                var generator = SeededGenerator(seed: UInt64(number))
                let noise = (0..<valueByteCount).map { _ in UInt8.random(in: 1...255, using: &generator) }
                try transaction.put(noise, forKey: UInt64(number), in: numbers)
            }
        }
        return room(of: disk.operations.dropFirst(before), behind: end)
    }

    private static func makeStore() async throws -> (Database, RecordingDisk) {
        let disk = RecordingDisk(directory: "A", files: [:])
        return (try open(disk, at: "A"), disk)
    }

    @Test func `small commits write over blocks that the log has already, all but a few`() async throws {
        let (database, disk) = try await Self.makeStore()
        let room = try await Self.room(of: 1_000, in: database, on: disk)
        #expect(room.extendingCount <= 10)
        #expect(room.zeroByteCount <= room.frameByteCount + 16 * LogFrameFormat.pageByteCount)
        let later = try await Self.room(of: 5_000, in: database, on: disk)
        #expect(later.extendingCount <= 2 + later.frameByteCount / LogWriter.zeroByteCount)
        #expect(later.zeroByteCount <= later.frameByteCount + LogWriter.zeroByteCount)
        try await database.close()
    }

    @Test func `long commits, and those that nobody flushes, write no zeros`() async throws {
        let (database, disk) = try await Self.makeStore()
        let unflushed = try await Self.room(of: 500, .memory, in: database, on: disk)
        #expect(unflushed.zeroByteCount < 500 * 8)
        let long = try await Self.room(of: 10, valueByteCount: 80_000, in: database, on: disk)
        #expect(long.frameByteCount > 10 * LogWriter.zeroByteCount / 4 && long.zeroByteCount < 10 * 8)
        try await database.close()
    }

    @Test func `who writes little after an opening writes few zeros`() async throws {
        let (database, disk) = try await Self.makeStore()
        _ = try await Self.room(of: 1_000, in: database, on: disk)
        try await database.close()
        let again = try Self.open(disk, at: "A")
        let room = try await Self.room(of: 1, in: again, on: disk)
        // With the closing mark, which is written once more.
        #expect(room.zeroByteCount <= 2 * LogFrameFormat.pageByteCount)
        try await again.close()
    }

    @Test func `processes that write in turn write no more zeros than frames, up to a page each`() async throws {
        let disk = RecordingDisk(directory: "A", files: [:])
        let parties = try (0..<2).map { _ in try Self.open(disk, at: "A", .shared) }
        for number in 0..<200 {
            let room = try await Self.room(of: 1, in: parties[number % 2], on: disk)
            #expect(room.zeroByteCount <= room.frameByteCount + LogFrameFormat.pageByteCount)
        }
        for party in parties { try await party.close() }
    }

    /// A write that stops among its zeros has written whole frames.
    @Test(arguments: [1, 2])
    func `a commit whose zeros fill the disk is taken without them, or does not come back`(failures: Int) async throws {
        let (database, disk) = try await Self.makeStore()
        disk.fail(DiskFault(.write, times: failures, .diskFull))
        let isTaken = (try? await database.put(0..<1)) != nil
        #expect(isTaken == (failures == 1))
        disk.fail(nil)
        let images = disk.medium().fewImages
        #expect(!images.isEmpty)
        for image in images {
            let crashed = try Self.open(RecordingDisk(directory: "A", image: image), at: "A")
            #expect(try crashed.version.count(in: numbers) == (isTaken ? 1 : 0))
        }
        try await database.close()
    }
}
