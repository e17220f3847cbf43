/// Collects cold values into LZ4 blocks of about 4 KiB, in a file of their own until the pages are all written.
struct ColdWriter {
    /// A block is closed when it holds this much; a longer value has a block of its own. Who reads one value decodes its block:
    /// blocks of 16 KiB are a sixth smaller, and take four times as long.
    private static let closingByteCount = 4 << 10

    private let file: any File
    private let path: String
    private let identity: ColdIdentity
    private let fileSystem: any FileSystem
    /// The block being filled.
    private var raw: [UInt8] = []
    private var output: [UInt8] = []
    private var writtenByteCount = 0

    init(path: String, identity: ColdIdentity, _ fileSystem: any FileSystem) throws(StorageError) {
        self.path = path
        self.identity = identity
        self.fileSystem = fileSystem
        file = try fileSystem.openFile(path, .creating)
    }

    private var blockStart: UInt64 { UInt64(writtenByteCount + output.count) }

    mutating func append(_ value: RawSpan) throws(StorageError) -> ColdReference {
        if !raw.isEmpty, raw.count + value.byteCount > Self.closingByteCount { try closeBlock() }
        let reference = ColdReference(
            block: blockStart, offset: UInt32(raw.count), count: UInt32(value.byteCount), hash: EntryHash.hash(value))
        raw.append(contentsOf: value)
        if raw.count >= Self.closingByteCount { try closeBlock() }
        return reference
    }

    private mutating func closeBlock() throws(StorageError) {
        guard !raw.isEmpty else { return }
        let start = blockStart
        let compressed = raw.withBytes { LZ4Block.compress($0, into: raw.count - raw.count / 16) }
        let stored = compressed ?? raw
        var header = [UInt8](repeating: 0, count: ColdBlock.headerByteCount)
        header.store(ColdBlock.magic, in: ColdBlockField.magic)
        header.store(UInt32(stored.count), in: ColdBlockField.storedCount)
        header.store(UInt32(raw.count), in: ColdBlockField.rawCount)
        let checksum = header.withBytes { header in
            stored.withBytes { ColdBlock.checksum(header: header, block: start, of: identity, stored: $0) }
        }
        header.store(checksum, in: ColdBlockField.checksum)
        output.append(contentsOf: header)
        output.append(contentsOf: stored)
        raw.removeAll(keepingCapacity: true)
        if output.count >= SnapshotWriter.bufferByteCount { try flush() }
    }

    private mutating func flush() throws(StorageError) {
        try file.write(output, at: writtenByteCount)
        writtenByteCount += output.count
        output.removeAll(keepingCapacity: true)
    }

    /// Gives the region piece by piece, removes the file and tells how many bytes there were.
    mutating func finish(_ body: ([UInt8]) throws(StorageError) -> Void) throws(StorageError) -> UInt64 {
        try closeBlock()
        var offset = 0
        while offset < writtenByteCount {
            let piece = try file.read(
                byteCount: min(SnapshotWriter.bufferByteCount, writtenByteCount - offset), at: offset)
            try body(piece)
            offset += piece.count
        }
        if !output.isEmpty { try body(output) }
        let total = UInt64(writtenByteCount + output.count)
        file.close()
        try fileSystem.remove(path)
        return total
    }

    func close() { file.close() }
}
