/// Cold values in LZ4 blocks of about 4 KiB, wherever those will lie.
struct ColdBlocks: Sendable {
    /// A block is closed when it holds this much; a longer value has a block of its own. Who reads one value decodes its block:
    /// blocks of 16 KiB are a sixth smaller, and take four times as long.
    private static let closingByteCount = 4 << 10

    /// Those that are closed: their headers lack the checksum, which says where a block lies.
    private(set) var bytes: [UInt8] = []
    /// Where each begins.
    private(set) var starts: [Int] = []
    /// The block being filled.
    private var raw: [UInt8] = []

    /// Gives where the value lies, from the first block on.
    mutating func append(_ value: RawSpan) -> ColdReference {
        if !raw.isEmpty, raw.count + value.byteCount > Self.closingByteCount { close() }
        let reference = ColdReference(
            block: UInt64(bytes.count), offset: UInt32(raw.count), count: UInt32(value.byteCount),
            hash: EntryHash.hash(value))
        raw.append(contentsOf: value)
        if raw.count >= Self.closingByteCount { close() }
        return reference
    }

    /// Closes the last block.
    mutating func close() {
        guard !raw.isEmpty else { return }
        let compressed = raw.withBytes { LZ4Block.compress($0, into: raw.count - raw.count / 16) }
        let stored = compressed ?? raw
        starts.append(bytes.count)
        var header = [UInt8](repeating: 0, count: ColdBlock.headerByteCount)
        header.store(ColdBlock.magic, in: ColdBlockField.magic)
        header.store(UInt32(stored.count), in: ColdBlockField.storedCount)
        header.store(UInt32(raw.count), in: ColdBlockField.rawCount)
        bytes.append(contentsOf: header)
        bytes.append(contentsOf: stored)
        raw.removeAll(keepingCapacity: true)
    }
}
