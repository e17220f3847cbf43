/// What recovery has cut off logs, kept beside the store as evidence. Nothing reads it but people.
///
/// Always true: it holds at most 16 MiB. The oldest goes first.
struct SetAside {
    let files: StoreFiles
    let fileSystem: any FileSystem

    static let byteCountLimit = 16 << 20
    private static let pieceByteCount = 1 << 20

    /// Copies a range of a segment; of a range that is too long, its beginning. It is on the medium when this returns.
    func keep(_ file: any File, _ range: Range<Int>, of sequence: UInt64) throws(StorageError) {
        let kept = range.prefix(Self.byteCountLimit)
        try makeRoom(for: kept.count)
        let aside = try fileSystem.openFile(files.aside(sequence, range.lowerBound), .creating)
        defer { aside.close() }
        var position = kept.startIndex
        while position < kept.endIndex {
            let count = min(Self.pieceByteCount, kept.endIndex - position)
            try aside.write(try file.read(byteCount: count, at: position), at: position - kept.startIndex)
            position += count
        }
        try aside.flush(.durable)
        try fileSystem.flushDirectory(files.directory)
    }

    private func makeRoom(for byteCount: Int) throws(StorageError) {
        // Their names begin with the number of the segment, so they sort by age.
        var kept: [(name: String, byteCount: Int)] = []
        for name in try fileSystem.names(inDirectory: files.directory).sorted()
        where StoreFiles.kind(ofName: name) == .aside {
            let file = try fileSystem.openFile(files.directory + "/" + name, .reading)
            defer { file.close() }
            kept.append((name, try file.byteCount()))
        }
        var total = kept.reduce(byteCount) { $0 + $1.byteCount }
        for file in kept where total > Self.byteCountLimit {
            try fileSystem.remove(files.directory + "/" + file.name)
            total -= file.byteCount
        }
    }
}
