/// One frame of a log: what its header says.
struct LogFrame {
    let commit: UInt64
    let watermark: UInt64
    let time: UInt64
    let isWatermarkOnly: Bool
    let previousChecksum: UInt32
    let checksum: UInt32
    let rawByteCount: Int
    let storedByteCount: Int
    private let isCompressed: Bool
    /// The frame uses flags or reserved bytes that this format does not have.
    let hasUnknownFields: Bool
    let start: Int

    /// Behind the stored payload; zeros follow up to `end`.
    var bodyEnd: Int { bodyStart + storedByteCount }
    var bodyStart: Int { start + LogFrameFormat.headerByteCount }
    /// Where the next frame begins. May lie behind the end of a file that was cut within the padding.
    var end: Int { start + LogFrameFormat.paddedByteCount(stored: storedByteCount) }

    /// The frame whose header these bytes are, at `start` of a file of so many bytes; `nil` when they are no header of this
    /// segment. Its checksum is not looked at.
    init?(header bytes: RawSpan, at start: Int, salt: UInt32, fileByteCount: Int) {
        guard bytes.byteCount == LogFrameFormat.headerByteCount,
            bytes.loadLittleEndian(at: 0, as: UInt32.self) == LogFrameFormat.magic,
            bytes.loadLittleEndian(at: 32, as: UInt32.self) == salt
        else { return nil }
        let flags = bytes.loadLittleEndian(at: 12, as: UInt32.self)
        storedByteCount = Int(bytes.loadLittleEndian(at: 4, as: UInt32.self))
        rawByteCount = Int(bytes.loadLittleEndian(at: 8, as: UInt32.self))
        guard storedByteCount <= fileByteCount - start - LogFrameFormat.headerByteCount,
            max(storedByteCount, rawByteCount) <= Limits.transactionByteCount,
            rawByteCount <= max(1, storedByteCount) * 256
        else { return nil }
        commit = bytes.loadLittleEndian(at: 16, as: UInt64.self)
        watermark = bytes.loadLittleEndian(at: 24, as: UInt64.self)
        previousChecksum = bytes.loadLittleEndian(at: 36, as: UInt32.self)
        time = bytes.loadLittleEndian(at: 40, as: UInt64.self)
        checksum = bytes.loadLittleEndian(at: LogFrameFormat.checksumOffset, as: UInt32.self)
        isCompressed = flags & LogFrameFormat.compressed != 0
        isWatermarkOnly = flags & LogFrameFormat.watermarkOnly != 0
        hasUnknownFields =
            flags & ~(LogFrameFormat.compressed | LogFrameFormat.watermarkOnly) != 0
            || bytes.loadLittleEndian(at: 48, as: UInt32.self) != 0
        self.start = start
    }

    /// The operations of the commit; `nil` when the stored bytes do not decode to as many as the frame says.
    func decode(_ stored: RawSpan) -> [UInt8]? {
        guard isCompressed else { return rawByteCount == stored.byteCount ? stored.copyBytes() : nil }
        return LZ4Block.decompress(stored, byteCount: rawByteCount)
    }

    /// Whether the frame continues a log that ends with this commit and checksum.
    func follows(_ commit: UInt64, _ checksum: UInt32) -> Bool {
        previousChecksum == checksum && self.commit == (isWatermarkOnly ? commit : commit + 1)
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
