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
        let path = files.aside(sequence, range.lowerBound)
        do throws(StorageError) {
            try copy(file, kept, to: path)
            try fileSystem.flushDirectory(files.directory)
        } catch {
            try? fileSystem.remove(path)
            throw error
        }
    }

    private func copy(_ file: any File, _ range: Range<Int>, to path: String) throws(StorageError) {
        let aside = try fileSystem.openFile(path, .creating)
        defer { aside.close() }
        var position = range.startIndex
        while position < range.endIndex {
            let count = min(Self.pieceByteCount, range.endIndex - position)
            try aside.write(try file.read(byteCount: count, at: position), at: position - range.startIndex)
            position += count
        }
        try aside.flush(.durable)
    }

    private func makeRoom(for byteCount: Int) throws(StorageError) {
        // Their names begin with the number of the segment, so they sort by age.
        var kept: [(name: String, byteCount: Int)] = []
        for name in try fileSystem.names(inDirectory: files.directory).sorted()
        where StoreFiles.kind(ofName: name) == .aside {
            // What cannot be opened is none of these.
            guard let file = try? fileSystem.openFile(files.directory + "/" + name, .reading) else { continue }
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
