/// A whole file of a store for people: bytes on the left, words on the right. Trusts no byte; what does not fit the
/// format is shown as such.
public enum FileDump {
    /// Every field of a snapshot file or log segment.
    ///
    /// - Throws: when the file cannot be read. Damage is shown, not thrown.
    public static func lines(
        of path: String, fileSystem: any FileSystem = PosixFileSystem()
    ) throws(StorageError) -> [String] {
        let file = try fileSystem.openFile(path, .reading)
        defer { file.close() }
        var lines: [String] = []
        var text = DumpText { lines.append($0) }
        try dump(file, path, &text)
        return lines
    }

    private static func dump(_ file: any File, _ path: String, _ text: inout DumpText) throws(StorageError) {
        let head = try DumpedBytes(file, at: 0, count: LogSegmentFormat.magic.count)
        if head.bytes == LogSegmentFormat.magic {
            try text.segment(file, watermark: 0)
        } else {
            try snapshot(file, path, &text)
        }
    }

    private static func snapshot(_ file: any File, _ path: String, _ text: inout DumpText) throws(StorageError) {
        let snapshot = try DumpedSnapshot(file, path: path)
        try text.superblock(snapshot.first, of: file, path: path)
        let wholePageCount = try snapshot.wholePageCount
        let pageCount = snapshot.superblock.map { Int($0.pageCount) } ?? wholePageCount
        let first = snapshot.superblock?.headPageCount ?? 1
        for number in first..<max(first, pageCount) { try text.page(number, snapshot.page(number), of: snapshot) }
        guard let superblock = snapshot.superblock else { return }
        try text.coldRegion(file, superblock)
        try text.superblock(snapshot.last, of: file, path: path)
    }
}
