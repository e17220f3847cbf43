/// Lays sorted entries out as a run: in memory, or behind others in a file.
struct SortedRunWriter {
    private let file: (any File)?
    private let fileOffset: Int
    /// Of a run in a file what is not there yet.
    private var bytes: [UInt8] = []
    private var writtenByteCount = 0
    private var checksums: [UInt32] = []
    private var fences: [SortedRun.Fence] = []
    private var nextFence = 0
    private var entryCount = 0

    /// Gathered before it is written.
    private static let outputByteCount = 256 << 10

    /// - Parameter file: `nil` for a run in memory.
    init(to file: (any File)?, at fileOffset: Int) {
        self.file = file
        self.fileOffset = fileOffset
        if file != nil { bytes.reserveCapacity(2 * Self.outputByteCount) }
    }

    /// Of all entries so far.
    var byteCount: Int { writtenByteCount + bytes.count }

    /// Precondition: the key sorts behind that of the entry before.
    mutating func append(_ entry: RawSpan, key: RawSpan) throws(StorageError) {
        if byteCount >= nextFence {
            fences.append(SortedRun.Fence(key: key.copyBytes(), offset: byteCount))
            nextFence = byteCount + SortedRun.fenceByteCount
        }
        bytes.append(contentsOf: entry)
        entryCount += 1
        if file != nil, bytes.count >= Self.outputByteCount { try writeWholePieces() }
    }

    mutating func finish() throws(StorageError) -> SortedRun {
        guard let file else { return SortedRun(entryCount: entryCount, fences: fences, .memory(bytes)) }
        try writeWholePieces()
        try write(bytes.count)
        let range = fileOffset..<fileOffset + writtenByteCount
        return SortedRun(entryCount: entryCount, fences: fences, .file(file, range, checksums: checksums))
    }

    private mutating func writeWholePieces() throws(StorageError) {
        try write(bytes.count / SortedRun.pieceByteCount * SortedRun.pieceByteCount)
    }

    private mutating func write(_ count: Int) throws(StorageError) {
        guard let file, count > 0 else { return }
        let offset = fileOffset + writtenByteCount
        try bytes.withBytes { (bytes) throws(StorageError) in
            let output = bytes.extracting(0..<count)
            for start in stride(from: 0, to: count, by: SortedRun.pieceByteCount) {
                checksums.append(
                    CRC32C.checksum(output.extracting(start..<min(start + SortedRun.pieceByteCount, count))))
            }
            try file.write(output, at: offset)
        }
        writtenByteCount += count
        bytes.removeFirst(count)
    }
}
