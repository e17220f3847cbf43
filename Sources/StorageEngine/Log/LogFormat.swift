/// A log segment: a header, then frames, each one commit, each starting at a multiple of eight bytes.
/// `Formats/LOG.md` draws both.
enum LogSegmentFormat {
    static let magic: [UInt8] = Array("BOOKDBLG".utf8)
    static let formatVersion: UInt32 = 1
    static var headerByteCount: Int { LogSegmentField.checksum.end }
}

/// A frame of a segment: a header, the stored payload, and up to seven zeros.
enum LogFrameFormat {
    static let magic: [UInt8] = Array("BDFR".utf8)
    static var headerByteCount: Int { LogFrameField.checksum.end }
    static let alignment = 8
    static let compressed: UInt32 = 1
    static let watermarkOnly: UInt32 = 2
    /// A closing mark has a page for itself and what follows it: a device that loses one page loses the mark or what the mark
    /// vouches for, not both.
    static let pageByteCount = 4096

    /// Where a closing mark goes behind frames that end at `end`: the next page.
    static func markOffset(behind end: Int) -> Int { (end + pageByteCount - 1) / pageByteCount * pageByteCount }

    static func paddedByteCount(stored: Int) -> Int {
        (headerByteCount + stored + alignment - 1) / alignment * alignment
    }
}

struct LogSegmentHeader: Equatable {
    let store: StoreIdentifier
    let sequence: UInt64
    let baseCommit: UInt64
    let previousChecksum: UInt32
    /// 0 where the segment continues the one before it. Otherwise it was begun because that one could no longer be trusted:
    /// what precedes it is in the snapshot of this generation, and it holds no frame until that snapshot has its name.
    let generation: UInt64

    var salt: UInt32 {
        var bytes = store.bytes
        bytes.append(littleEndian: sequence)
        return CRC32C.checksum(bytes)
    }

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: LogSegmentFormat.headerByteCount)
        bytes.store(LogSegmentFormat.magic, in: LogSegmentField.magic)
        bytes.store(LogSegmentFormat.formatVersion, in: LogSegmentField.formatVersion)
        bytes.store(salt, in: LogSegmentField.salt)
        bytes.store(store.bytes, in: LogSegmentField.store)
        bytes.store(sequence, in: LogSegmentField.sequence)
        bytes.store(baseCommit, in: LogSegmentField.baseCommit)
        bytes.store(previousChecksum, in: LogSegmentField.previousChecksum)
        bytes.store(generation, in: LogSegmentField.generation)
        let checksum = CRC32C.checksum(bytes, before: LogSegmentField.checksum)
        bytes.store(checksum, in: LogSegmentField.checksum)
        return bytes
    }

    init(
        store: StoreIdentifier, sequence: UInt64, baseCommit: UInt64, previousChecksum: UInt32, generation: UInt64 = 0
    ) {
        self.store = store
        self.sequence = sequence
        self.baseCommit = baseCommit
        self.previousChecksum = previousChecksum
        self.generation = generation
    }

    init(decoding bytes: RawSpan, path: String) throws(StorageError) {
        func damage(_ finding: String) -> StorageError {
            .damaged(Damage(file: path, byteOffset: 0, finding: finding))
        }
        guard bytes.byteCount >= LogSegmentFormat.headerByteCount else {
            throw damage(bytes.byteCount == 0 ? "the file is empty" : "the file ends within its header")
        }
        guard bytes.has(LogSegmentFormat.magic, in: LogSegmentField.magic) else {
            throw damage("this is no log segment")
        }
        let said = bytes.load(LogSegmentField.checksum)
        let computed = CRC32C.checksum(bytes, before: LogSegmentField.checksum)
        guard computed == said else {
            throw damage("the header's checksum is \(computed.hexadecimal), it says \(said.hexadecimal)")
        }
        // There is no spare header, so only the checksum tells a newer format from a version number that has rotted.
        let version = bytes.load(LogSegmentField.formatVersion)
        guard version <= LogSegmentFormat.formatVersion else {
            throw .newerFormat(path: path, found: version, supported: LogSegmentFormat.formatVersion)
        }
        guard version == LogSegmentFormat.formatVersion else { throw damage("format \(version) is unknown") }
        store = StoreIdentifier(bytes: bytes.load(LogSegmentField.store))
        sequence = bytes.load(LogSegmentField.sequence)
        baseCommit = bytes.load(LogSegmentField.baseCommit)
        previousChecksum = bytes.load(LogSegmentField.previousChecksum)
        generation = bytes.load(LogSegmentField.generation)
        guard max(sequence, baseCommit, generation) < Limits.numberLimit else {
            throw damage("its numbers are larger than a store gives out")
        }
    }
}
