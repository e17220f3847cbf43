/// Something that happened to a store, for people who ask later.
public struct StoreEvent: Sendable, Equatable {
    public enum Kind: UInt8, Sendable {
        /// A process opened the store and wrote to it; `byteCount` is the log it replayed.
        case opened = 1
        /// A process closed it, cleanly.
        case closed = 2
        /// The log could not be written, and everything went to new files.
        case rescued = 3
        /// An opening cut `byteCount` bytes off the log that no commit needed.
        case cut = 4
    }

    public let kind: Kind
    /// Ascends with every event of the store.
    public let number: UInt64
    /// Milliseconds since 1970.
    public let time: UInt64
    /// The newest commit then.
    public let commitNumber: UInt64
    public let generation: UInt64
    public let byteCount: Int
    public let processIdentifier: Int32
}

/// A slot of the history file, 64 bytes:
///
///     0  magic              "BDEV"
///     4  kind               u8, three zeros behind it
///     8  number             u64
///     16 time               u64
///     24 commit             u64
///     32 generation         u64
///     40 byteCount          u64
///     48 processIdentifier  u32
///     52 reserved           8 zeros
///     60 checksum           u32   over bytes 0..<60
extension StoreEvent {
    static let slotByteCount = 64
    /// Events that are kept; event n lies in slot n modulo this.
    static let slotCount = 64
    private static let magic = Array("BDEV".utf8)
    private static let checksumOffset = 60

    func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: UInt32(kind.rawValue))
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: time)
        bytes.append(littleEndian: commitNumber)
        bytes.append(littleEndian: generation)
        bytes.append(littleEndian: UInt64(byteCount))
        bytes.append(littleEndian: UInt32(bitPattern: processIdentifier))
        bytes.append(littleEndian: UInt64(0))
        bytes.append(littleEndian: CRC32C.checksum(bytes))
        return bytes
    }

    /// `nil` for a slot that nothing was written to, or not all of it.
    init?(decoding slot: RawSpan) {
        guard slot.byteCount == Self.slotByteCount, slot.starts(with: Self.magic),
            CRC32C.checksum(slot.extracting(0..<Self.checksumOffset))
                == slot.loadLittleEndian(at: Self.checksumOffset, as: UInt32.self),
            let kind = Kind(rawValue: slot.byte(at: 4)),
            let byteCount = Int(exactly: slot.loadLittleEndian(at: 40, as: UInt64.self))
        else { return nil }
        self.kind = kind
        self.byteCount = byteCount
        number = slot.loadLittleEndian(at: 8, as: UInt64.self)
        time = slot.loadLittleEndian(at: 16, as: UInt64.self)
        commitNumber = slot.loadLittleEndian(at: 24, as: UInt64.self)
        generation = slot.loadLittleEndian(at: 32, as: UInt64.self)
        processIdentifier = Int32(bitPattern: slot.loadLittleEndian(at: 48, as: UInt32.self))
    }
}
