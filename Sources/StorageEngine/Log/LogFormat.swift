/// A log segment: a header, then frames, each one commit, each starting at a multiple of eight bytes.
/// `Formats/LOG.md` draws both.
///
/// Segment header, 64 bytes:
///
///     0  magic             "BOOKDBLG"
///     8  formatVersion     u32
///     12 salt              u32   checksum of the store identifier and the sequence number
///     16 store             16 bytes
///     32 sequence          u64
///     40 baseCommit        u64   the last commit before this segment
///     48 previousChecksum  u32   of the frame before it, 0 when there is none
///     52 generation        u64   not 0: everything before this segment is in the snapshot of that generation only
///     60 checksum          u32   over bytes 0..<60
enum LogSegmentFormat {
    static let magic: [UInt8] = Array("BOOKDBLG".utf8)
    static let formatVersion: UInt32 = 1
    static let headerByteCount = 64
}

/// Frame header, 56 bytes; the stored payload and up to seven zeros follow.
///
///     0  magic             "BDFR"
///     4  storedCount       u32   bytes of payload in the file
///     8  rawCount          u32   bytes of payload when decoded
///     12 flags             u32   1 compressed, 2 watermark only (no commit)
///     16 commit            u64
///     24 watermark         u64   newest commit known to be on the medium when this frame was made
///     32 salt              u32   as in the segment header
///     36 previousChecksum  u32   of the frame before: frames form a chain
///     40 time              u64   milliseconds since 1970
///     48 reserved          u32   0
///     52 checksum          u32   over bytes 0..<52 and the stored payload
enum LogFrameFormat {
    static let magic: UInt32 = 0x5246_4442
    static let magicBytes = Array("BDFR".utf8)
    static let headerByteCount = 56
    static let checksumOffset = 52
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
        var bytes = LogSegmentFormat.magic
        bytes.append(littleEndian: LogSegmentFormat.formatVersion)
        bytes.append(littleEndian: salt)
        bytes.append(contentsOf: store.bytes)
        bytes.append(littleEndian: sequence)
        bytes.append(littleEndian: baseCommit)
        bytes.append(littleEndian: previousChecksum)
        bytes.append(littleEndian: generation)
        bytes.append(littleEndian: CRC32C.checksum(bytes))
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
        guard bytes.starts(with: LogSegmentFormat.magic) else { throw damage("this is no log segment") }
        let computed = CRC32C.checksum(bytes.extracting(0..<60))
        guard computed == bytes.loadLittleEndian(at: 60, as: UInt32.self) else {
            throw damage(
                "the header's checksum is \(computed.hexadecimal), it says "
                    + bytes.loadLittleEndian(at: 60, as: UInt32.self).hexadecimal)
        }
        // There is no spare header, so only the checksum tells a newer format from a version number that has rotted.
        let version = bytes.loadLittleEndian(at: 8, as: UInt32.self)
        guard version <= LogSegmentFormat.formatVersion else {
            throw .newerFormat(path: path, found: version, supported: LogSegmentFormat.formatVersion)
        }
        guard version == LogSegmentFormat.formatVersion else { throw damage("format \(version) is unknown") }
        store = StoreIdentifier(bytes: bytes.copyBytes(16..<32))
        sequence = bytes.loadLittleEndian(at: 32, as: UInt64.self)
        baseCommit = bytes.loadLittleEndian(at: 40, as: UInt64.self)
        previousChecksum = bytes.loadLittleEndian(at: 48, as: UInt32.self)
        generation = bytes.loadLittleEndian(at: 52, as: UInt64.self)
        guard max(sequence, baseCommit, generation) < Limits.numberLimit else {
            throw damage("its numbers are larger than a store gives out")
        }
    }
}
