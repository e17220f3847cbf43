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
    /// The beginning of the store's identifier: a restore puts another store in the place of one.
    let store: UInt64
}

/// A slot of the history file.
extension StoreEvent {
    static var slotByteCount: Int { StoreEventField.checksum.end }
    /// Events that are kept; event n lies in slot n modulo this.
    static let slotCount = 64
    private static let magic = Array("BDEV".utf8)

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.slotByteCount)
        bytes.store(Self.magic, in: StoreEventField.magic)
        bytes.store(kind.rawValue, in: StoreEventField.kind)
        bytes.store(number, in: StoreEventField.number)
        bytes.store(time, in: StoreEventField.time)
        bytes.store(commitNumber, in: StoreEventField.commit)
        bytes.store(generation, in: StoreEventField.generation)
        bytes.store(UInt64(byteCount), in: StoreEventField.byteCount)
        bytes.store(UInt32(bitPattern: processIdentifier), in: StoreEventField.processIdentifier)
        bytes.store(store, in: StoreEventField.store)
        let checksum = CRC32C.checksum(bytes, before: StoreEventField.checksum)
        bytes.store(checksum, in: StoreEventField.checksum)
        return bytes
    }

    /// `nil` for a slot that nothing was written to, or not all of it.
    init?(decoding slot: RawSpan) {
        guard slot.byteCount == Self.slotByteCount, slot.has(Self.magic, in: StoreEventField.magic),
            CRC32C.checksum(slot, before: StoreEventField.checksum) == slot.load(StoreEventField.checksum),
            let kind = Kind(rawValue: slot.load(StoreEventField.kind)),
            let byteCount = Int(exactly: slot.load(StoreEventField.byteCount))
        else { return nil }
        self.kind = kind
        self.byteCount = byteCount
        number = slot.load(StoreEventField.number)
        time = slot.load(StoreEventField.time)
        commitNumber = slot.load(StoreEventField.commit)
        generation = slot.load(StoreEventField.generation)
        processIdentifier = Int32(bitPattern: slot.load(StoreEventField.processIdentifier))
        store = slot.load(StoreEventField.store)
    }
}
