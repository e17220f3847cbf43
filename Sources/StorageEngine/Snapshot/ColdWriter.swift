/// Collects cold blocks in a file of their own until the pages are all written.
struct ColdWriter {
    private let file: any File
    private let path: String
    private let identity: ColdIdentity
    private let fileSystem: any FileSystem
    private var output: [UInt8] = []
    private var writtenByteCount = 0

    init(path: String, identity: ColdIdentity, _ fileSystem: any FileSystem) throws(StorageError) {
        self.path = path
        self.identity = identity
        self.fileSystem = fileSystem
        file = try fileSystem.openFile(path, .creating)
    }

    /// Gives where the first of the blocks lies in the region.
    mutating func append(_ blocks: ColdBlocks) throws(StorageError) -> UInt64 {
        let base = writtenByteCount + output.count
        for (index, start) in blocks.starts.enumerated() {
            let end = index + 1 < blocks.starts.count ? blocks.starts[index + 1] : blocks.bytes.count
            append(blocks.bytes[start..<end], at: UInt64(base + start))
            if output.count >= SnapshotWriter.bufferByteCount { try flush() }
        }
        return UInt64(base)
    }

    /// A block, with the checksum that also says where it lies.
    private mutating func append(_ block: ArraySlice<UInt8>, at start: UInt64) {
        let header = output.count
        output.append(contentsOf: block)
        let checksum = output.withBytes { output in
            let block = output.extracting(header...)
            return ColdBlock.checksum(
                header: block.extracting(0..<ColdBlock.headerByteCount), block: start, of: identity,
                stored: block.extracting(ColdBlock.headerByteCount...))
        }
        output.store(checksum, in: ColdBlockField.checksum, at: header)
    }

    private mutating func flush() throws(StorageError) {
        try file.write(output, at: writtenByteCount)
        writtenByteCount += output.count
        output.removeAll(keepingCapacity: true)
    }

    /// Gives the region piece by piece, removes the file and tells how many bytes there were.
    mutating func finish(_ body: ([UInt8]) throws(StorageError) -> Void) throws(StorageError) -> UInt64 {
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
