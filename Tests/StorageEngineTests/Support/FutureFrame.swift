@testable import StorageEngine

/// A frame of a log as a later version may write it: with notes among its operations, a trailer and features.
struct FutureFrame {
    var payload: [UInt8]
    var trailer: [UInt8] = []
    var compatible: UInt8 = 0
    var incompatible: UInt16 = 0
    var isCompressed = false

    /// Puts numbers, as `Database.put` does, with a note before, between and behind the operations.
    static func noted(_ numbers: Range<Int>) -> FutureFrame {
        var payload = note(Operation.noteCodes.lowerBound, Array("what was there before".utf8))
        for number in numbers {
            var encoder = OperationEncoder()
            let value = Array("value \(number)".utf8)
            let key = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
            encoder.put(tree: StorageEngineTests.numbers, key: key.span.bytes, facets: 1, value: value.span.bytes)
            payload += encoder.bytes + note(100, [])
        }
        payload += note(Operation.noteCodes.upperBound, [UInt8](repeating: 1, count: 20))
        return FutureFrame(payload: payload)
    }

    static func note(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes = [code]
        bytes.append(littleEndian: UInt32(content.count))
        return bytes + content
    }

    /// Appends the frame and gives its checksum.
    func append(commit: UInt64, watermark: UInt64, salt: UInt32, previous: UInt32, to log: inout [UInt8]) -> UInt32 {
        let start = log.count
        let compressed = isCompressed ? payload.withBytes { LZ4Block.compress($0, into: payload.count) } : nil
        let stored = (compressed ?? payload) + trailer
        log.append(zeros: LogFrameFormat.headerByteCount)
        log.store(LogFrameFormat.magic, in: LogFrameField.magic, at: start)
        log.store(UInt32(stored.count), in: LogFrameField.storedCount, at: start)
        log.store(UInt32(payload.count), in: LogFrameField.rawCount, at: start)
        log.store(compressed == nil ? 0 : LogFrameFormat.compressed, in: LogFrameField.flags, at: start)
        log.store(commit, in: LogFrameField.commit, at: start)
        log.store(watermark, in: LogFrameField.watermark, at: start)
        log.store(salt, in: LogFrameField.salt, at: start)
        log.store(previous, in: LogFrameField.previousChecksum, at: start)
        log.store(UInt8(trailer.count), in: LogFrameField.trailerCount, at: start)
        log.store(compatible, in: LogFrameField.compatible, at: start)
        log.store(incompatible, in: LogFrameField.incompatible, at: start)
        let header = CRC32C.checksum(Array(log[start...]), before: LogFrameField.checksum)
        let checksum = CRC32C.checksum(stored, seed: header)
        log.store(checksum, in: LogFrameField.checksum, at: start)
        log += stored
        log.append(zeros: (8 - log.count % 8) % 8)
        return checksum
    }
}

extension MemoryFileSystem {
    /// A store of one commit of ten numbers, and these frames behind it, each of which vouches for the one before. It was not closed.
    static func store(with frames: [FutureFrame]) async throws -> (disk: MemoryFileSystem, starts: [Int]) {
        let live = MemoryFileSystem()
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: live)
        try await database.put(0..<10)
        let disk = try live.copy()
        try await database.close()
        var reader = LogReader(try disk.bytes(of: LogRecoveryTests.log), path: LogRecoveryTests.log)
        let scan = try LogScan(&reader, watermark: 0)
        var log = Array(try disk.bytes(of: LogRecoveryTests.log)[..<scan.end])
        var (commit, checksum, starts) = (scan.lastCommit, scan.lastChecksum, [Int]())
        for frame in frames {
            starts.append(log.count)
            commit += 1
            checksum = frame.append(
                commit: commit, watermark: commit - 1, salt: scan.header.salt, previous: checksum, to: &log)
        }
        try disk.replace(LogRecoveryTests.log, with: log)
        return (disk, starts)
    }

    /// Writes the store to a directory of the disk, which is made.
    func write(to path: String) throws {
        let disk = PosixFileSystem()
        try disk.createDirectory(path, sharing: .owner)
        for (name, bytes) in try contents() { try disk.replace(path + "/" + name, with: bytes) }
    }

    /// All files but the lock, and their bytes.
    func contents() throws -> [String: [UInt8]] {
        try names(inDirectory: "A").filter { $0 != "lock" }.reduce(into: [:]) { $0[$1] = try bytes(of: "A/" + $1) }
    }
}
