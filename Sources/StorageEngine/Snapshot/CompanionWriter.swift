/// Writes a companion's body from front to back, and what checks it around.
package struct CompanionWriter {
    private let file: any File
    private let scratch: ScratchFile
    private var asideByteCount = 0
    private let isCancelled: () -> Bool
    private var buffer: [UInt8] = []
    /// Bytes of the body that are in the file: whole chunks, until the end.
    private var writtenByteCount = 0
    private var table: [UInt8] = []

    /// A megabyte at a time.
    private static let bufferByteCount = 16 * CompanionFile.chunkByteCount

    init(_ file: any File, _ scratch: ScratchFile, isCancelled: @escaping () -> Bool) {
        self.file = file
        self.scratch = scratch
        self.isCancelled = isCancelled
        buffer.reserveCapacity(Self.bufferByteCount)
    }

    /// Bytes of the body so far.
    package var byteCount: Int { writtenByteCount + buffer.count }

    package mutating func append(_ bytes: [UInt8]) throws(StorageError) {
        var start = 0
        while start < bytes.count {
            let end = min(start + Self.bufferByteCount - buffer.count, bytes.count)
            buffer.append(contentsOf: bytes[start..<end])
            start = end
            if buffer.count >= Self.bufferByteCount { try flush() }
        }
    }

    /// Keeps bytes in a file beside it until their turn comes, and not in memory.
    package mutating func setAside(_ bytes: [UInt8]) throws(StorageError) -> BytesAside {
        let aside = BytesAside(byteOffset: asideByteCount, byteCount: bytes.count, checksum: CRC32C.checksum(bytes))
        try scratch.opened().write(bytes, at: asideByteCount)
        asideByteCount += bytes.count
        return aside
    }

    /// - Throws: `.damaged` where they are not what was written.
    package func read(_ aside: BytesAside) throws(StorageError) -> [UInt8] {
        let file = try scratch.opened()
        let bytes = try file.read(byteCount: aside.byteCount, at: aside.byteOffset)
        guard bytes.count == aside.byteCount, CRC32C.checksum(bytes) == aside.checksum else {
            throw .damaged(
                Damage(
                    file: file.path, byteOffset: aside.byteOffset,
                    finding: "\(aside.byteCount) bytes that were set aside are not what was written"))
        }
        return bytes
    }

    /// Throws `.cancelled` when nobody waits for the file any more.
    package func checkCancellation() throws(StorageError) {
        if isCancelled() { throw .cancelled }
    }

    private mutating func flush(isLast: Bool = false) throws(StorageError) {
        try checkCancellation()
        let count = isLast ? buffer.count : buffer.count / CompanionFile.chunkByteCount * CompanionFile.chunkByteCount
        for start in stride(from: 0, to: count, by: CompanionFile.chunkByteCount) {
            let checksum = buffer.withBytes { bytes in
                CRC32C.checksum(bytes.extracting(start..<min(start + CompanionFile.chunkByteCount, count)))
            }
            table.append(littleEndian: checksum)
        }
        try buffer.withBytes { (bytes) throws(StorageError) in
            try file.write(bytes.extracting(0..<count), at: CompanionFile.headerByteCount + writtenByteCount)
        }
        writtenByteCount += count
        buffer.removeFirst(count)
    }

    mutating func finish(_ snapshot: SnapshotIdentity) throws(StorageError) {
        try flush(isLast: true)
        try file.write(table, at: CompanionFile.headerByteCount + writtenByteCount)
        var header = [UInt8](repeating: 0, count: CompanionFile.headerByteCount)
        header.store(CompanionFile.magic, in: CompanionField.magic)
        header.store(CompanionFile.formatVersion, in: CompanionField.version)
        header.store(UInt32(CompanionFile.chunkByteCount), in: CompanionField.chunkByteCount)
        header.store(snapshot.store.bytes, in: CompanionField.store)
        header.store(snapshot.generation, in: CompanionField.generation)
        header.store(snapshot.checksum, in: CompanionField.snapshotChecksum)
        header.store(CRC32C.checksum(table), in: CompanionField.tableChecksum)
        header.store(UInt64(writtenByteCount), in: CompanionField.bodyByteCount)
        let checksum = CRC32C.checksum(header, before: CompanionField.headerChecksum)
        header.store(checksum, in: CompanionField.headerChecksum)
        try file.write(header, at: 0)
    }
}
