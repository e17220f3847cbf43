/// Appends commits to the newest segment.
final class LogWriter: @unchecked Sendable {
    // Safe to hand over because recovery makes it, and from then on one serial queue uses it: never two at a time.

    /// Space is reserved in steps, so that a flush has no size to write and a full disk is met before a commit is.
    static let reservationByteCount = 1 << 20

    struct Commit {
        let number: UInt64
        let payload: [UInt8]
    }

    private let fileSystem: any FileSystem
    private let names: StoreFiles
    private let store: StoreIdentifier
    private var file: any File
    private(set) var sequence: UInt64
    private var salt: UInt32
    private var end: Int
    private var reserved: Int
    private var lastChecksum: UInt32
    private(set) var lastCommit: UInt64
    /// The newest commit known to be on the medium.
    private(set) var watermark: UInt64
    /// Bytes of older segments that the newest snapshot does not contain yet.
    private(set) var olderByteCount: Int

    var byteCount: Int { olderByteCount + end }

    /// Continues a segment behind its last sound frame.
    init(
        continuing scan: LogScan, file: any File, olderByteCount: Int, names: StoreFiles, store: StoreIdentifier,
        watermark: UInt64, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        self.fileSystem = fileSystem
        self.names = names
        self.store = store
        self.file = file
        self.olderByteCount = olderByteCount
        self.watermark = watermark
        sequence = scan.header.sequence
        salt = scan.header.salt
        end = scan.end
        reserved = try file.byteCount()
        lastChecksum = scan.lastChecksum
        lastCommit = scan.lastCommit
    }

    /// Starts a new, empty segment. It is on the medium, and so is its name, when this returns.
    init(
        starting header: LogSegmentHeader, olderByteCount: Int, names: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        self.fileSystem = fileSystem
        self.names = names
        store = header.store
        self.olderByteCount = olderByteCount
        do throws(LogFailure) { file = try Self.create(header, names, fileSystem) } catch { throw error.error }
        sequence = header.sequence
        salt = header.salt
        end = LogSegmentFormat.headerByteCount
        reserved = end
        lastChecksum = header.previousChecksum
        lastCommit = header.baseCommit
        watermark = header.baseCommit
    }

    /// A segment gets its name only when its header is on the medium, so one with a bad header has rotted.
    ///
    /// Once it has its name, no commit may go to the segment before it any more, whatever fails then.
    private static func create(
        _ header: LogSegmentHeader, _ names: StoreFiles, _ fileSystem: any FileSystem
    ) throws(LogFailure) -> any File {
        let path = names.log(header.sequence)
        let temporary = path + StoreFiles.temporarySuffix
        do throws(StorageError) {
            let file = try fileSystem.openFile(temporary, .creating)
            try file.write(header.encoded(), at: 0)
            try file.flush(.durable)
            file.close()
        } catch { throw .nothingWritten(error) }
        do throws(StorageError) {
            try fileSystem.rename(temporary, to: path)
        } catch {
            guard (try? fileSystem.kind(of: path)) == .absent else { throw .unknownState(error) }
            throw .nothingWritten(error)
        }
        do throws(StorageError) {
            try fileSystem.flushDirectory(names.directory)
            return try fileSystem.openFile(path, .writing)
        } catch { throw .unknownState(error) }
    }

    /// Writes the commits behind one another, in one write. Not yet flushed.
    ///
    /// Throws `.diskFull` before anything was written when space cannot be reserved; after any other error what the file
    /// holds is unknown.
    func append(_ commits: [Commit]) throws(LogFailure) {
        var bytes: [UInt8] = []
        var checksum = lastChecksum
        let time = fileSystem.now()
        for commit in commits {
            checksum = LogFrame.append(
                payload: commit.payload, commit: commit.number, watermark: watermark, time: time, salt: salt,
                previousChecksum: checksum, to: &bytes)
        }
        try write(bytes)
        lastChecksum = checksum
        if let last = commits.last { lastCommit = last.number }
    }

    func flush() throws(LogFailure) {
        do throws(StorageError) { try file.flush(.durable) } catch { throw .unknownState(error) }
        watermark = lastCommit
    }

    func order() throws(LogFailure) {
        do throws(StorageError) { try file.flush(.ordered) } catch { throw .unknownState(error) }
    }

    private func write(_ bytes: [UInt8]) throws(LogFailure) {
        if end + bytes.count > reserved {
            let step = Self.reservationByteCount
            let target = (end + bytes.count + step) / step * step
            do throws(StorageError) { try file.reserve(byteCount: target) } catch { throw .nothingWritten(error) }
            reserved = target
        }
        do throws(StorageError) { try file.write(bytes, at: end) } catch { throw .unknownState(error) }
        end += bytes.count
    }

    /// Closes this segment for good and starts the next one. Everything written so far is on the medium afterwards.
    func rotate() throws(LogFailure) {
        try seal()
        let header = LogSegmentHeader(
            store: store, sequence: sequence + 1, baseCommit: lastCommit, previousChecksum: lastChecksum)
        let old = file
        file = try Self.create(header, names, fileSystem)
        old.close()
        olderByteCount += end
        begin(header)
    }

    /// Leaves the segment as it is, for good, and starts one behind `commit`: everything up to there will be in the snapshot of
    /// `generation`. For when what the segment holds is no longer known. No flush touches the old file again.
    func startAfresh(behind commit: UInt64, generation: UInt64) throws(LogFailure) {
        move(to: try makeSuccessor(behind: commit, generation: generation))
    }

    /// A segment that follows this one once the snapshot of its generation has its name. Until then recovery passes it by, and
    /// this one may go on.
    struct Successor: Sendable {
        fileprivate let header: LogSegmentHeader
        fileprivate let file: any File

        var sequence: UInt64 { header.sequence }
    }

    func makeSuccessor(behind commit: UInt64, generation: UInt64) throws(LogFailure) -> Successor {
        let header = LogSegmentHeader(
            store: store, sequence: sequence + 1, baseCommit: commit, previousChecksum: 0, generation: generation)
        return Successor(header: header, file: try Self.create(header, names, fileSystem))
    }

    func move(to successor: Successor) {
        file.close()
        file = successor.file
        olderByteCount = 0
        begin(successor.header)
    }

    private func begin(_ header: LogSegmentHeader) {
        sequence = header.sequence
        salt = header.salt
        end = LogSegmentFormat.headerByteCount
        reserved = end
        lastChecksum = header.previousChecksum
        lastCommit = header.baseCommit
        watermark = header.baseCommit
    }

    /// The older segments have been folded into a snapshot and removed.
    func forgetOlderSegments() { olderByteCount = 0 }

    /// Leaves a segment whose end proves itself: the last frame says that all before it is durable, and no reserved
    /// space follows.
    func seal() throws(LogFailure) {
        guard end > LogSegmentFormat.headerByteCount else { return try flush() }
        try flush()
        var bytes: [UInt8] = []
        let checksum = LogFrame.append(
            payload: [], commit: lastCommit, watermark: watermark, time: fileSystem.now(), salt: salt,
            previousChecksum: lastChecksum, isWatermarkOnly: true, to: &bytes)
        try write(bytes)
        lastChecksum = checksum
        do throws(StorageError) {
            try file.truncate(byteCount: end)
            reserved = end
            try file.flush(.durable)
        } catch { throw .unknownState(error) }
    }

    func close() { file.close() }

    /// What decides how the log goes on, by name, with commits counted from `commit`.
    func summary(from commit: UInt64) -> [String: String] {
        [
            "log's last commit": "\(commit.distance(to: lastCommit))", "is vouched for": "\(watermark == lastCommit)",
            "room": "\(reserved == end ? "none" : reserved - end < 512 ? "little" : "some")",
            "older segments": "\(olderByteCount > 0)",
        ]
    }
}

/// How far a failed log operation got.
enum LogFailure: Error {
    /// The file is as it was.
    case nothingWritten(StorageError)
    /// Some of the bytes may be there, now or after a crash. The segment must not be written again.
    case unknownState(StorageError)

    var error: StorageError {
        switch self {
        case .nothingWritten(let error), .unknownState(let error): error
        }
    }
}
