/// How far the log goes, as the process says that wrote to it last: everything up to here is acknowledged, and readers may follow.
///
/// Whoever writes trusts the log alone. What a process that died has left of the file, or a power cut, harms nobody: readers learn of the
/// commits from the next who writes.
struct LogHead: Equatable {
    static let magic: [UInt8] = Array("BDHD".utf8)
    static let formatVersion: UInt32 = 1
    static var byteCount: Int { LogHeadField.checksum.end }

    /// Of the snapshot.
    let generation: UInt64
    /// Of the newest segment.
    let sequence: UInt64
    /// Behind its last frame.
    let end: Int
    /// The last.
    let commit: UInt64

    /// Whether a log that was read as far as `end` of a segment goes on up to here.
    func isBehind(_ sequence: UInt64, _ end: Int) -> Bool {
        self.sequence > sequence || (self.sequence == sequence && self.end > end)
    }

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        bytes.store(Self.magic, in: LogHeadField.magic)
        bytes.store(Self.formatVersion, in: LogHeadField.formatVersion)
        bytes.store(generation, in: LogHeadField.generation)
        bytes.store(sequence, in: LogHeadField.sequence)
        bytes.store(UInt64(end), in: LogHeadField.end)
        bytes.store(commit, in: LogHeadField.commit)
        let checksum = CRC32C.checksum(bytes, before: LogHeadField.checksum)
        bytes.store(checksum, in: LogHeadField.checksum)
        return bytes
    }

    init(generation: UInt64, sequence: UInt64, end: Int, commit: UInt64) {
        (self.generation, self.sequence, self.end, self.commit) = (generation, sequence, end, commit)
    }

    /// `nil` for bytes that are none, such as those of one that is being written.
    init?(decoding bytes: RawSpan) {
        guard bytes.byteCount == Self.byteCount, bytes.has(Self.magic, in: LogHeadField.magic),
            bytes.load(LogHeadField.formatVersion) == Self.formatVersion,
            CRC32C.checksum(bytes, before: LogHeadField.checksum) == bytes.load(LogHeadField.checksum)
        else { return nil }
        generation = bytes.load(LogHeadField.generation)
        sequence = bytes.load(LogHeadField.sequence)
        end = Int(clamping: bytes.load(LogHeadField.end))
        commit = bytes.load(LogHeadField.commit)
        guard max(generation, sequence, commit) < Limits.numberLimit else { return nil }
    }
}
