/// One frame of a log, read from bytes that hold it whole.
struct LogFrame {
    let commit: UInt64
    let watermark: UInt64
    let time: UInt64
    let isWatermarkOnly: Bool
    let previousChecksum: UInt32
    let checksum: UInt32
    let rawByteCount: Int
    private let isCompressed: Bool
    private let stored: Range<Int>
    let start: Int
    /// Where the next frame begins.
    let end: Int

    /// The frame at `start`, or `nil` when there is no whole and sound frame of this segment.
    init?(in bytes: RawSpan, at start: Int, salt: UInt32) {
        guard start >= 0, bytes.byteCount - start >= LogFrameFormat.headerByteCount,
            bytes.loadLittleEndian(at: start, as: UInt32.self) == LogFrameFormat.magic,
            bytes.loadLittleEndian(at: start + 32, as: UInt32.self) == salt
        else { return nil }
        let storedCount = Int(bytes.loadLittleEndian(at: start + 4, as: UInt32.self))
        let flags = bytes.loadLittleEndian(at: start + 12, as: UInt32.self)
        rawByteCount = Int(bytes.loadLittleEndian(at: start + 8, as: UInt32.self))
        let body = start + LogFrameFormat.headerByteCount
        guard storedCount <= bytes.byteCount - body, rawByteCount <= Limits.transactionByteCount,
            rawByteCount <= max(1, storedCount) * 256
        else { return nil }
        var computed = CRC32C.checksum(bytes.extracting(start..<start + LogFrameFormat.checksumOffset))
        computed = CRC32C.checksum(bytes.extracting(body..<body + storedCount), seed: computed)
        checksum = bytes.loadLittleEndian(at: start + LogFrameFormat.checksumOffset, as: UInt32.self)
        guard computed == checksum else { return nil }
        commit = bytes.loadLittleEndian(at: start + 16, as: UInt64.self)
        watermark = bytes.loadLittleEndian(at: start + 24, as: UInt64.self)
        previousChecksum = bytes.loadLittleEndian(at: start + 36, as: UInt32.self)
        time = bytes.loadLittleEndian(at: start + 40, as: UInt64.self)
        isCompressed = flags & LogFrameFormat.compressed != 0
        isWatermarkOnly = flags & LogFrameFormat.watermarkOnly != 0
        stored = body..<body + storedCount
        self.start = start
        // May lie behind the end of a file that was cut within the padding; the next frame belongs there all the same.
        end = start + LogFrameFormat.paddedByteCount(stored: storedCount)
    }

    /// Behind the stored payload; zeros follow up to `end`.
    var bodyEnd: Int { stored.upperBound }

    /// Whether the frame uses flags or reserved bytes that this format does not have.
    func hasUnknownFields(in bytes: RawSpan) -> Bool {
        let flags = bytes.loadLittleEndian(at: start + 12, as: UInt32.self)
        return flags & ~(LogFrameFormat.compressed | LogFrameFormat.watermarkOnly) != 0
            || bytes.loadLittleEndian(at: start + 48, as: UInt32.self) != 0
    }

    /// The operations of the commit, decoded; `nil` when they do not decode to as many bytes as the frame says.
    func payload(in bytes: RawSpan) -> [UInt8]? {
        guard isCompressed else { return rawByteCount == stored.count ? bytes.copyBytes(stored) : nil }
        return LZ4Block.decompress(bytes.extracting(stored), byteCount: rawByteCount)
    }

    /// Appends a frame to `bytes` and gives its checksum, which the next frame names.
    static func append(
        payload: [UInt8], commit: UInt64, watermark: UInt64, time: UInt64, salt: UInt32, previousChecksum: UInt32,
        isWatermarkOnly: Bool = false, to bytes: inout [UInt8]
    ) -> UInt32 {
        // LZ4 pays when it saves an eighth; tiny payloads never do.
        let compressed =
            payload.count < 128
            ? nil : payload.withBytes { LZ4Block.compress($0, into: payload.count - payload.count / 8) }
        let stored = compressed ?? payload
        let start = bytes.count
        var flags: UInt32 = 0
        if compressed != nil { flags |= LogFrameFormat.compressed }
        if isWatermarkOnly { flags |= LogFrameFormat.watermarkOnly }
        bytes.append(littleEndian: LogFrameFormat.magic)
        bytes.append(littleEndian: UInt32(stored.count))
        bytes.append(littleEndian: UInt32(payload.count))
        bytes.append(littleEndian: flags)
        bytes.append(littleEndian: commit)
        bytes.append(littleEndian: watermark)
        bytes.append(littleEndian: salt)
        bytes.append(littleEndian: previousChecksum)
        bytes.append(littleEndian: time)
        bytes.append(littleEndian: UInt32(0))
        let header = bytes.withBytes { CRC32C.checksum($0.extracting(start...)) }
        let checksum = CRC32C.checksum(stored, seed: header)
        bytes.append(littleEndian: checksum)
        bytes.append(contentsOf: stored)
        let padded = LogFrameFormat.paddedByteCount(stored: stored.count)
        bytes.append(zeros: start + padded - bytes.count)
        return checksum
    }
}
