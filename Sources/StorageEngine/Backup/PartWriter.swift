/// Copies parts into files of a backup, and reads back what it has written.
struct PartWriter {
    let source: BackupSource
    let files: StoreFiles
    let fileSystem: any FileSystem
    /// What is left to do and was done, in bytes written and read back.
    private(set) var doneByteCount = 0
    let byteCount: Int
    let progress: (Double) throws(StorageError) -> Void

    private static let windowByteCount = 1 << 20

    init(
        _ source: BackupSource, of files: StoreFiles, _ parts: [BackupPart], _ fileSystem: any FileSystem,
        _ progress: @escaping (Double) throws(StorageError) -> Void
    ) {
        self.source = source
        self.files = files
        self.fileSystem = fileSystem
        self.progress = progress
        byteCount = 2 * parts.reduce(0) { $0 + Int($1.byteCount) }
    }

    /// Writes a part where it is to be in a file, not flushed, and gives the checksum of its bytes.
    mutating func write(_ part: BackupPart, to file: any File) throws(StorageError) -> UInt32 {
        var checksum: UInt32 = 0
        var place = 0
        while place < Int(part.byteCount) {
            let range = place..<min(place + Self.windowByteCount, Int(part.byteCount))
            let bytes = try source.bytes(of: part, range)
            checksum = CRC32C.checksum(bytes, seed: checksum)
            try file.write(bytes, at: Int(part.place) + place)
            place = range.upperBound
            try note(range.count)
        }
        return checksum
    }

    /// Proves a part that was written and flushed: the bytes by their checksum, the snapshot's pages by what their parents hold,
    /// the frames by their chain.
    mutating func verify(_ part: BackupPart, in file: any File) throws(StorageError) {
        var checksum: UInt32 = 0
        var place = 0
        while place < Int(part.byteCount) {
            let count = min(Self.windowByteCount, Int(part.byteCount) - place)
            let bytes = try file.read(byteCount: count, at: Int(part.place) + place)
            checksum = CRC32C.checksum(bytes, seed: checksum)
            place += count
            try note(count)
        }
        guard checksum == part.checksum else {
            throw Self.untrue(file.path, at: Int(part.place))
        }
        // The bytes are the library's. What is wrong with them is wrong there.
        do throws(StorageError) {
            try prove(part, in: file)
        } catch {
            throw BackupSource.refusal(of: files, error)
        }
    }

    /// The medium of a backup is no good; the library is.
    static func untrue(_ path: String, at place: Int) -> StorageError {
        .backupRefused(
            path: path,
            reason: "What was written there reads back otherwise, from byte \(place) on: its disk cannot be trusted.",
            next: "Write the backup to another disk.")
    }

    private func prove(_ part: BackupPart, in file: any File) throws(StorageError) {
        switch part.kind {
        case .snapshot:
            let place = Int(part.place)..<Int(part.place + part.byteCount)
            try SnapshotFile(opening: file.path, part: place, generation: part.number, fileSystem).prove()
        case .log:
            let salt = LogSegmentHeader(
                store: source.store, sequence: part.number, baseCommit: 0, previousChecksum: 0
            ).salt
            var reader = LogReader(
                path: file.path, byteCount: Int(part.end),
                LogReader.Source(
                    read: { (range) throws(StorageError) in
                        let start = max(range.lowerBound, Int(part.start))
                        return try file.read(
                            byteCount: range.upperBound - start, at: start - Int(part.start) + Int(part.place))
                    },
                    dataExtent: { $0..<Int(part.end) }))
            var (end, commit, chain) = (
                part.start == 0 ? LogSegmentFormat.headerByteCount : Int(part.start), part.firstCommit, part.firstChain
            )
            while end < Int(part.end), let frame = try reader.frame(behind: end, commit, chain, salt: salt) {
                (end, commit, chain) = (frame.end, frame.commit, frame.checksum)
            }
            guard end == Int(part.end), commit == part.lastCommit, chain == part.lastChain else {
                throw .damaged(
                    Damage(file: files.log(part.number), byteOffset: end, finding: "its frames are no chain any more"))
            }
        }
    }

    private mutating func note(_ count: Int) throws(StorageError) {
        doneByteCount += count
        try progress(byteCount == 0 ? 1 : min(1, Double(doneByteCount) / Double(byteCount)))
    }
}
