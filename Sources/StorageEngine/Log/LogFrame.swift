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
    /// The frame uses flags that this format does not have.
    let hasUnknownFlags: Bool
    /// Of the stored bytes, the last ones that are no payload, such as an authentication tag.
    let trailerByteCount: Int
    /// What a later version has added to what the payload is. The header, the chain and the checksum are what they always are.
    let features: FormatFeatures
    let start: Int

    /// The commit that proves the frame when it is known to be on the medium. A mark is proved by the commit behind it.
    var provedBy: UInt64 { isWatermarkOnly && commit < .max ? commit + 1 : commit }

    /// Behind the stored payload; zeros follow up to `end`.
    var bodyEnd: Int { bodyStart + storedByteCount }
    var bodyStart: Int { start + LogFrameFormat.headerByteCount }
    /// Where the next frame begins. May lie behind the end of a file that was cut within the padding.
    var end: Int { start + LogFrameFormat.paddedByteCount(stored: storedByteCount) }

    /// The frame whose header these bytes are, at `start` of a file of so many bytes; `nil` when they are no header of this
    /// segment. Its checksum is not looked at.
    init?(header bytes: RawSpan, at start: Int, salt: UInt32, fileByteCount: Int) {
        guard bytes.byteCount == LogFrameFormat.headerByteCount,
            bytes.has(LogFrameFormat.magic, in: LogFrameField.magic), bytes.load(LogFrameField.salt) == salt
        else { return nil }
        let flags = bytes.load(LogFrameField.flags)
        storedByteCount = Int(bytes.load(LogFrameField.storedCount))
        rawByteCount = Int(bytes.load(LogFrameField.rawCount))
        guard storedByteCount <= fileByteCount - start - LogFrameFormat.headerByteCount,
            max(storedByteCount, rawByteCount) <= Limits.transactionByteCount,
            rawByteCount <= max(1, storedByteCount) * 256
        else { return nil }
        commit = bytes.load(LogFrameField.commit)
        watermark = bytes.load(LogFrameField.watermark)
        guard max(commit, watermark) < Limits.numberLimit else { return nil }
        previousChecksum = bytes.load(LogFrameField.previousChecksum)
        time = bytes.load(LogFrameField.time)
        checksum = bytes.load(LogFrameField.checksum)
        isCompressed = flags & LogFrameFormat.compressed != 0
        isWatermarkOnly = flags & LogFrameFormat.watermarkOnly != 0
        hasUnknownFlags = flags & ~(LogFrameFormat.compressed | LogFrameFormat.watermarkOnly) != 0
        trailerByteCount = Int(bytes.load(LogFrameField.trailerCount))
        features = FormatFeatures(
            compatible: UInt32(bytes.load(LogFrameField.compatible)),
            incompatible: UInt32(bytes.load(LogFrameField.incompatible)))
        self.start = start
    }

    /// The operations of the commit; `nil` when the stored bytes do not decode to as many as the frame says.
    func decode(_ stored: RawSpan) -> [UInt8]? {
        guard stored.byteCount >= trailerByteCount else { return nil }
        let payload = stored.extracting(0..<stored.byteCount - trailerByteCount)
        guard isCompressed else { return rawByteCount == payload.byteCount ? payload.copyBytes() : nil }
        return LZ4Block.decompress(payload, byteCount: rawByteCount)
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
        bytes.append(zeros: LogFrameFormat.headerByteCount)
        bytes.store(LogFrameFormat.magic, in: LogFrameField.magic, at: start)
        bytes.store(UInt32(stored.count), in: LogFrameField.storedCount, at: start)
        bytes.store(UInt32(payload.count), in: LogFrameField.rawCount, at: start)
        bytes.store(flags, in: LogFrameField.flags, at: start)
        bytes.store(commit, in: LogFrameField.commit, at: start)
        bytes.store(watermark, in: LogFrameField.watermark, at: start)
        bytes.store(salt, in: LogFrameField.salt, at: start)
        bytes.store(previousChecksum, in: LogFrameField.previousChecksum, at: start)
        bytes.store(time, in: LogFrameField.time, at: start)
        let header = bytes.withBytes { CRC32C.checksum($0.extracting(start...), before: LogFrameField.checksum) }
        let checksum = CRC32C.checksum(stored, seed: header)
        bytes.store(checksum, in: LogFrameField.checksum, at: start)
        bytes.append(contentsOf: stored)
        let padded = LogFrameFormat.paddedByteCount(stored: stored.count)
        bytes.append(zeros: start + padded - bytes.count)
        return checksum
    }
}
