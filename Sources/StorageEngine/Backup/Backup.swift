/// A backup, opened to be looked at, verified or restored from.
public struct Backup: Sendable {
    public let path: String
    let manifest: BackupManifest
    let fileSystem: any FileSystem
    /// Whether it is a file, and not a directory.
    public let isFile: Bool

    /// Reads the manifest.
    ///
    /// - Throws: `.backupRefused` where nothing is, for what is no backup, and for a damaged one.
    public init(at path: String, fileSystem: any FileSystem = PosixFileSystem()) throws(StorageError) {
        self.path = StoreFiles(directory: path).directory
        self.fileSystem = fileSystem
        switch try fileSystem.kind(of: self.path) {
        case .absent:
            throw .backupRefused(path: path, reason: "There is nothing there.", next: "Check the path of the backup.")
        case .directory:
            isFile = false
            guard try fileSystem.kind(of: self.path + "/manifest") == .file else {
                throw .backupRefused(
                    path: path, reason: "There is no backup in it: none was begun, or the first was broken off.",
                    next: "Name the directory or file that a backup was made into.")
            }
            manifest = try BackupManifest.read(inDirectory: self.path, fileSystem)
        default:
            isFile = true
            let file = try fileSystem.openFile(self.path, .reading)
            defer { file.close() }
            manifest = try BackupManifest.read(inFile: file)
        }
    }

    /// Of the library that was backed up, 16 bytes.
    public var storeIdentifier: [UInt8] { manifest.store.bytes }
    /// The newest commit.
    public var commitNumber: UInt64 { manifest.commit }
    /// When it was begun, and last added to. Milliseconds since 1970.
    public var begun: UInt64 { manifest.begun }
    public var time: UInt64 { manifest.time }
    public var byteCount: Int { Int(manifest.byteCount) }
    /// Every commit of these can be restored, oldest first.
    public var reaches: [BackupReach] { manifest.reaches }

    /// Reads every byte and compares it with what was backed up.
    ///
    /// - Throws: `.backupRefused` that names the first damage.
    public func verify(progress: (Double) -> Void = { _ in }) throws(StorageError) {
        try verify(manifest.parts, progress)
    }

    func verify(_ parts: [BackupPart], _ progress: (Double) throws(StorageError) -> Void) throws(StorageError) {
        let byteCount = max(1, parts.reduce(0) { $0 + Int($1.byteCount) })
        var done = 0
        for part in parts {
            let file = try file(of: part)
            defer { file.close() }
            var checksum: UInt32 = 0
            var place = 0
            while place < Int(part.byteCount) {
                let count = min(1 << 20, Int(part.byteCount) - place)
                let bytes = try file.read(byteCount: count, at: Int(part.place) + place)
                guard bytes.count == count else {
                    throw .damagedBackup(
                        path,
                        Damage(
                            file: file.path, byteOffset: Int(part.place) + place + bytes.count,
                            finding: "the file is too short"))
                }
                checksum = CRC32C.checksum(bytes, seed: checksum)
                place += count
                done += count
                try progress(Double(done) / Double(byteCount))
            }
            guard checksum == part.checksum else {
                throw .damagedBackup(
                    path,
                    Damage(
                        file: file.path, byteOffset: Int(part.place),
                        finding:
                            "the checksum of \(part.byteCount) bytes is \(checksum.hexadecimal), the manifest says "
                            + part.checksum.hexadecimal))
            }
        }
    }

    func filePath(of part: BackupPart) -> String { isFile ? path : path + "/" + part.name }

    private func file(of part: BackupPart) throws(StorageError) -> any File {
        do throws(StorageError) {
            return try fileSystem.openFile(filePath(of: part), .reading)
        } catch {
            guard case .notFound(let missing) = error else { throw error }
            throw .damagedBackup(path, Damage(file: missing, byteOffset: 0, finding: "the file is missing"))
        }
    }

    func snapshot(_ part: BackupPart) throws(StorageError) -> SnapshotFile {
        let place = Int(part.place)..<Int(part.place + part.byteCount)
        return try SnapshotFile(opening: filePath(of: part), part: place, generation: part.number, fileSystem)
    }

    /// A segment, put together again from the stretches of it that were backed up. Each is open while it is read only: a segment that was
    /// backed up every hour has more of them than a process may have open.
    func reader(of pieces: [BackupPart]) throws(StorageError) -> LogReader {
        let end = Int(pieces.last?.end ?? 0)
        return LogReader(
            path: pieces.first.map(filePath(of:)) ?? path, byteCount: end,
            LogReader.Source(
                read: { (range) throws(StorageError) in
                    var bytes: [UInt8] = []
                    // Behind the last stretch that begins before the range.
                    let first = pieces.indices.partitionPoint { Int(pieces[$0].end) <= range.lowerBound }
                    for part in pieces[first...] {
                        let common = range.clamped(to: Int(part.start)..<Int(part.end))
                        guard !common.isEmpty else { break }
                        let file = try file(of: part)
                        defer { file.close() }
                        bytes += try file.read(
                            byteCount: common.count, at: common.lowerBound - Int(part.start) + Int(part.place))
                    }
                    return bytes
                },
                dataExtent: { $0 < end ? $0..<end : nil }))
    }
}
