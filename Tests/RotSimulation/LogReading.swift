/// What `Formats/LOG.md` says of the bytes of a segment, read by other means than the engine's.
struct LogReading {
    struct Frame {
        let start: Int
        let commit: Int
        let watermark: Int
        let isWatermarkOnly: Bool
        let checksum: UInt32
        let bodyEnd: Int
        /// Where the next frame begins.
        let end: Int
    }

    static let headerByteCount = 64
    private static let magic = Array("BDFR".utf8)

    let store: ArraySlice<UInt8>
    let sequence: UInt64
    let baseCommit: Int
    let previousChecksum: UInt32
    /// The snapshot that holds what precedes the segment; 0 when the segment before does.
    let generation: Int
    /// The sound frames that follow one another.
    private(set) var frames: [Frame] = []
    /// Sound frames behind a gap.
    private(set) var stranded: [Frame] = []
    /// The offset of the last byte behind `end` that is not zero.
    private(set) var lastStray: Int?

    var end: Int { frames.last?.end ?? Self.headerByteCount }
    var lastCommit: Int { frames.last?.commit ?? baseCommit }
    var lastChecksum: UInt32 { frames.last?.checksum ?? previousChecksum }
    /// The newest commit that any sound frame, or the header, calls durable.
    var watermark: Int { max(baseCommit, (frames + stranded).map(\.watermark).max() ?? 0) }

    /// `nil` when the header is not sound.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerByteCount, bytes.starts(with: Array("BOOKDBLG".utf8)),
            Checksum.crc32c(bytes[..<60]) == UInt32(bytes.number(at: 60, 4))
        else { return nil }
        store = bytes[16..<32]
        sequence = UInt64(bytes.number(at: 32, 8))
        baseCommit = bytes.number(at: 40, 8)
        previousChecksum = UInt32(bytes.number(at: 48, 4))
        generation = bytes.number(at: 52, 8)
        let salt = bytes[12..<16]
        while let frame = next(bytes, at: end, salt) ?? mark(bytes, salt) { frames.append(frame) }
        var position = end
        while position + 56 <= bytes.count {
            let frame = Self.frame(bytes, at: position, salt)
            if let frame { stranded.append(frame) }
            position = frame?.bodyEnd ?? position + 1
        }
        lastStray = bytes.indices.dropFirst(end).last { bytes[$0] != 0 }
    }

    /// The frame there, when it follows the last one.
    private func next(_ bytes: [UInt8], at start: Int, _ salt: ArraySlice<UInt8>) -> Frame? {
        guard let frame = Self.frame(bytes, at: start, salt),
            bytes.number(at: frame.start + 36, 4) == Int(lastChecksum),
            frame.commit == lastCommit + (frame.isWatermarkOnly ? 0 : 1)
        else { return nil }
        return frame
    }

    /// A closing mark has a page of its own: the next one.
    private func mark(_ bytes: [UInt8], _ salt: ArraySlice<UInt8>) -> Frame? {
        next(bytes, at: (end + 4095) / 4096 * 4096, salt).flatMap { $0.isWatermarkOnly ? $0 : nil }
    }

    private static func frame(_ bytes: [UInt8], at start: Int, _ salt: ArraySlice<UInt8>) -> Frame? {
        guard start + 56 <= bytes.count, bytes[start..<start + 4].elementsEqual(magic),
            bytes[start + 32..<start + 36].elementsEqual(salt)
        else { return nil }
        let bodyEnd = start + 56 + bytes.number(at: start + 4, 4)
        guard bodyEnd <= bytes.count else { return nil }
        let checksum = UInt32(bytes.number(at: start + 52, 4))
        guard Checksum.crc32c(bytes[start..<start + 52], bytes[start + 56..<bodyEnd]) == checksum else { return nil }
        return Frame(
            start: start, commit: bytes.number(at: start + 16, 8), watermark: bytes.number(at: start + 24, 8),
            isWatermarkOnly: bytes.number(at: start + 12, 4) & 2 != 0, checksum: checksum, bodyEnd: bodyEnd,
            end: (bodyEnd + 7) / 8 * 8)
    }
}
