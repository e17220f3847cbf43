import Synchronization

/// Appends commits to the newest segment.
final class LogWriter: @unchecked Sendable {
    // Safe to hand over because recovery makes it, and from then on one serial queue uses it: never two at a time.

    /// Space is reserved in steps, so that a flush has no size to write and a full disk is met before a commit is.
    static let reservationByteCount = 1 << 20

    /// A small commit writes zeros behind itself, to blocks that were only reserved. Those that follow write over them, so that their flush has nothing
    /// to note in the file system's own records, which on ext4 is another write, and a third of the time. At most so many, and up to a page no more
    /// than were written before, since the segment was opened or others wrote to it.
    static let zeroByteCount = 128 << 10

    struct Commit {
        let number: UInt64
        let payload: [UInt8]
    }

    private let fileSystem: any FileSystem
    private let names: StoreFiles
    private var store: StoreIdentifier
    private var tail: SegmentTail
    private var reserved: Int
    /// How far the file's blocks are known to be written, and not only reserved.
    private var written: Int
    /// Where the segment ended when others had written last.
    private var firstEnd: Int
    /// Bytes of older segments that the newest snapshot does not contain yet.
    private(set) var olderByteCount: Int
    /// Why nothing may be written to this segment: whether a power cut leaves the snapshot it continues its name is unknown.
    private(set) var doubt: StorageError? {
        didSet { hasDoubt.store(doubt != nil, ordering: .relaxed) }
    }
    private let hasDoubt: Atomic<Bool>
    /// The same on any thread, without waiting for whoever uses the log.
    var isInDoubt: Bool { hasDoubt.load(ordering: .relaxed) }
    /// What happened to the store, to be written with the first commit.
    var history: StoreHistory?

    var byteCount: Int { olderByteCount + tail.end }
    var sequence: UInt64 { tail.sequence }
    var lastCommit: UInt64 { tail.lastCommit }
    /// The newest commit that is known to be on the medium.
    var durableCommit: UInt64 { tail.watermark }
    /// Whether the segment ends with a closing mark, so that closing has nothing to write.
    var isMarked: Bool { tail.isMarked }

    /// Continues a segment behind its last sound frame.
    ///
    /// - Parameters:
    ///   - mark: the closing mark that is the last frame, or nothing.
    ///   - doubt: what an attempt to write is answered with.
    init(
        continuing scan: LogScan, file: any File, olderByteCount: Int, mark: [UInt8], doubt: StorageError?,
        names: StoreFiles, store: StoreIdentifier, watermark: UInt64, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        self.doubt = doubt
        hasDoubt = Atomic(doubt != nil)
        self.fileSystem = fileSystem
        self.names = names
        self.store = store
        self.olderByteCount = olderByteCount
        reserved = try file.byteCount()
        (written, firstEnd) = (scan.end, scan.end)
        tail = SegmentTail(continuing: scan, file: file, mark: mark, watermark: watermark)
    }

    /// Starts a new, empty segment. It is on the medium, and so is its name, when this returns.
    init(
        starting header: LogSegmentHeader, olderByteCount: Int, doubt: StorageError? = nil, names: StoreFiles,
        _ fileSystem: any FileSystem
    ) throws(StorageError) {
        self.fileSystem = fileSystem
        self.names = names
        self.doubt = doubt
        hasDoubt = Atomic(doubt != nil)
        store = header.store
        self.olderByteCount = olderByteCount
        do throws(LogFailure) {
            tail = SegmentTail(starting: header, file: try Self.create(header, names, fileSystem))
        } catch { throw error.error }
        (reserved, written, firstEnd) = (tail.end, tail.end, tail.end)
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
        } catch {
            try? fileSystem.remove(temporary)
            throw .nothingWritten(error)
        }
        do throws(StorageError) {
            try fileSystem.rename(temporary, to: path)
        } catch {
            guard (try? fileSystem.kind(of: path)) == .absent else { throw .unknownState(error) }
            try? fileSystem.remove(temporary)
            throw .nothingWritten(error)
        }
        do throws(StorageError) {
            try fileSystem.flushDirectory(names.directory)
            return try fileSystem.openFile(path, .writing)
        } catch { throw .unknownState(error) }
    }

    /// Writes the commits behind one another, in one write. Not yet flushed.
    ///
    /// On a full disk nothing was written; after any other error what the file holds is unknown. Throws `.outOfOrder` when the
    /// commits do not follow the last one: written, they could not be found again.
    ///
    /// - Parameter willFlush: whether a flush follows, and others like these are likely to come, each with another.
    /// - Returns: where the segment ended before.
    @discardableResult
    func append(_ commits: [Commit], willFlush: Bool = false) throws(LogFailure) -> SegmentTail {
        try requireOrder(of: commits)
        if let doubt { throw .unknownState(doubt) }
        var bytes: [UInt8] = []
        var checksum = tail.lastChecksum
        let time = fileSystem.now()
        for commit in commits {
            checksum = LogFrame.append(
                payload: commit.payload, commit: commit.number, watermark: tail.watermark, time: time, salt: tail.salt,
                previousChecksum: checksum, to: &bytes)
        }
        let start = tail
        let last = commits.last?.number ?? lastCommit
        try write(bytes, ahead: willFlush, leavingUnprovedThrough: willFlush ? nil : last)
        tail.noteFrames(checksum: checksum, commit: last, isMarked: false)
        check()
        return start
    }

    /// Takes back what was appended last, and flushed. Nothing of it is there any more when this returns, nor comes back.
    ///
    /// - Precondition: `start` is where the segment ended before that, nothing was written since, and nobody has been told of it.
    func takeBack(to start: SegmentTail) throws(LogFailure) {
        do throws(StorageError) {
            try start.file.truncate(byteCount: start.end)
            try start.file.flush(.durable)
        } catch { throw .unknownState(error) }
        tail = start
        noteCut(to: start.end)
        check()
    }

    /// What is acknowledged has to be found again: by the segment's name, and behind the snapshot that it continues. Where others have removed or
    /// replaced the segment, or have removed the snapshot, the segment is of no more use: what both held is moved to new files.
    func requireNamed(behind generation: UInt64) throws(LogFailure) {
        try requireNamed()
        let snapshot = names.snapshot(generation)
        do throws(StorageError) {
            guard try fileSystem.kind(of: snapshot) == .absent else { return }
            // A compaction may have ended since the commits were sealed.
            guard try fileSystem.kind(of: names.snapshot(generation + 1)) == .absent else { return }
        } catch { throw .nothingWritten(error) }
        throw .unknownState(
            .damaged(Damage(file: snapshot, byteOffset: 0, finding: "its name leads to no file any more")))
    }

    private func requireNamed() throws(LogFailure) {
        do throws(StorageError) {
            guard try !tail.file.isNamed() else { return }
        } catch { throw .nothingWritten(error) }
        throw .unknownState(
            .damaged(
                Damage(file: names.log(sequence), byteOffset: 0, finding: "its name leads to another file, or to none"))
        )
    }

    /// What always holds. In builds with assertions, after every operation.
    private func check() {
        assert(
            tail.end <= reserved && tail.end % LogFrameFormat.alignment == 0, "frames lie in reserved space, aligned")
        assert(tail.watermark <= lastCommit, "what is on the medium is written")
        assert(!isMarked || tail.watermark == lastCommit, "a mark vouches for everything before it")
    }

    private func requireOrder(of commits: [Commit]) throws(LogFailure) {
        for (index, commit) in commits.enumerated() where commit.number != lastCommit + UInt64(index) + 1 {
            let reason = "commit \(commit.number) was to follow commit \(lastCommit + UInt64(index)) in the log."
            throw .outOfOrder(.poisoned(path: names.directory, reason: reason))
        }
    }

    /// What others have written and nobody vouches for is written once more before.
    func flush() throws(LogFailure) {
        if tail.hasUnproved { try write([]) }
        do throws(StorageError) { try tail.file.flush(.durable) } catch { throw .unknownState(error) }
        tail.noteFlushed()
        check()
    }

    /// The same for a group that asks for less. Where there is no room for what is written once more it is still owed, and the group is in the log
    /// as it was to be.
    ///
    /// - Returns: whether everything is on the medium.
    func flushOwed() throws(LogFailure) -> Bool {
        do throws(LogFailure) { try flush() } catch {
            guard case .nothingWritten = error else { throw error }
            return false
        }
        return true
    }

    /// What this process has written is on the medium when this returns, whoever writes meanwhile.
    func flushOnly() throws(StorageError) {
        if tail.watermark < lastCommit { try tail.file.flush(.durable) }
    }

    func order() throws(LogFailure) {
        do throws(StorageError) { try tail.file.flush(.ordered) } catch { throw .unknownState(error) }
    }

    /// Whether so much is to be written once more before a flush that one is due.
    var owesFlush: Bool { tail.unprovedByteCount > Self.owedByteCount }

    private static let owedByteCount = 1 << 20

    /// - Parameters:
    ///   - ahead: whether small writes with a flush each are likely to follow.
    ///   - last: the newest commit of the bytes, where no flush follows, and what nobody vouches for can be left as it is until one does.
    private func write(
        _ bytes: [UInt8], ahead: Bool = false, leavingUnprovedThrough last: UInt64? = nil
    ) throws(LogFailure) {
        try requireNames()
        let end = tail.end + bytes.count
        try reserve(end)
        let zeroCount = ahead ? zeroCount(behind: bytes.count) : 0
        let unproved = last == nil ? tail.unprovedBytes : []
        do throws(StorageError) {
            var bytes = unproved + bytes
            bytes.append(zeros: zeroCount)
            try tail.file.write(bytes, at: end + zeroCount - bytes.count)
        } catch {
            guard case .diskFull = error else { throw .unknownState(error) }
            // Whole frames may be there, and may have reached the medium. They must not come back with a power cut, nor anything behind a mark.
            do throws(StorageError) {
                try tail.file.truncate(byteCount: tail.end)
                try tail.file.flush(.durable)
            } catch { throw .unknownState(error) }
            noteCut(to: tail.end)
            guard zeroCount > 0 else { throw .nothingWritten(error) }
            // For the frames alone there may be room.
            return try write(bytes)
        }
        written = max(written, end + zeroCount)
        if let last, tail.hasUnproved {
            tail.noteWritten(bytes, behindUnprovedThrough: last)
        } else {
            tail.noteWritten(byteCount: bytes.count)
        }
    }

    /// How many zeros go behind as many bytes at the end.
    private func zeroCount(behind byteCount: Int) -> Int {
        let end = tail.end + byteCount
        guard byteCount <= Self.zeroByteCount / 4, end > written, tail.file.overwritesInPlace else { return 0 }
        let wanted = LogFrameFormat.markOffset(behind: end + min(Self.zeroByteCount, end - firstEnd))
        return min(wanted, reserved) - end
    }

    private func noteCut(to end: Int) { (reserved, written) = (end, min(written, end)) }

    /// Behind a closing mark that an opening has found nothing was flushed yet. The mark may be that of a segment which a killed
    /// process was about to leave for the next one: names that came and went since must not come back with a power cut.
    private func requireNames() throws(LogFailure) {
        guard isMarked, tail.hasUnproved else { return }
        do throws(StorageError) {
            try fileSystem.flushDirectory(names.directory)
        } catch {
            // After a failed flush nothing is believed, and it is not tried again. Where none could be asked for, all is as it was.
            throw error.isShortageOfFiles ? .nothingWritten(error) : .unknownState(error)
        }
    }

    /// Throws what the next commits would, so far as that can be told without writing any. The log is as it was.
    func findRoom() throws(LogFailure) {
        if let doubt { throw .unknownState(doubt) }
        try requireNamed()
        let end = reserved
        try reserve(end + 1)
        // What follows a closing mark would say that the store was not closed.
        guard isMarked else { return }
        do throws(StorageError) {
            try tail.file.truncate(byteCount: end)
            noteCut(to: end)
        } catch { throw .unknownState(error) }
    }

    /// Makes room up to `byteCount`: a step ahead, or on a disk that has not as much, just that.
    private func reserve(_ byteCount: Int) throws(LogFailure) {
        guard byteCount > reserved else { return }
        let step = Self.reservationByteCount
        let targets = [(byteCount + step) / step * step, byteCount]
        do throws(StorageError) {
            do throws(StorageError) {
                try tail.file.reserve(byteCount: targets[0])
                reserved = targets[0]
            } catch {
                guard case .diskFull = error else { throw error }
                try tail.file.reserve(byteCount: targets[1])
                reserved = targets[1]
            }
        } catch { throw .nothingWritten(error) }
    }

    /// Closes this segment for good and starts the next one. Everything written so far is on the medium afterwards.
    ///
    /// Not behind a snapshot whose name is in doubt: a power cut that takes the name would leave a segment that continues another which
    /// nothing leads to. One that nothing was written to begins behind the boundary already: compactions that fail leave no row of empty ones.
    func rotate() throws(LogFailure) -> Boundary {
        if let doubt { throw .unknownState(doubt) }
        // A snapshot that names no chain value would seem to have a log of its own.
        if tail.end == LogSegmentFormat.headerByteCount, tail.lastChecksum != 0 {
            try requireNamed()
            // What somebody has left under the next number, and what has been removed since, is gone for good before a snapshot leads there.
            do throws(StorageError) { try fileSystem.flushDirectory(names.directory) } catch {
                throw error.isShortageOfFiles ? .nothingWritten(error) : .unknownState(error)
            }
            return Boundary(sequence: sequence, checksum: tail.lastChecksum)
        }
        try seal()
        try proveMark()
        let header = LogSegmentHeader(
            store: store, sequence: sequence + 1, baseCommit: lastCommit, previousChecksum: tail.lastChecksum)
        let file = try Self.create(header, names, fileSystem)
        olderByteCount += tail.end
        begin(header, file)
        return Boundary(sequence: sequence, checksum: tail.lastChecksum)
    }

    /// Where a segment begins.
    struct Boundary {
        let sequence: UInt64
        /// Of the last frame before it.
        let checksum: UInt32
    }

    /// A segment that follows this one once the snapshot of its generation has its name. Until then recovery passes it by, and
    /// this one may go on.
    struct Successor: Sendable {
        fileprivate let header: LogSegmentHeader
        fileprivate let file: any File

        var sequence: UInt64 { header.sequence }
    }

    /// - Parameter identity: the checksum of the snapshot's superblock.
    func makeSuccessor(behind commit: UInt64, generation: UInt64, _ identity: UInt32) throws(LogFailure) -> Successor {
        let header = LogSegmentHeader(
            store: store, sequence: sequence + 1, baseCommit: commit, previousChecksum: identity,
            generation: generation)
        return Successor(header: header, file: try Self.create(header, names, fileSystem))
    }

    func move(to successor: Successor) {
        olderByteCount = 0
        begin(successor.header, successor.file)
    }

    private func begin(_ header: LogSegmentHeader, _ file: any File) {
        tail.file.close()
        tail = SegmentTail(starting: header, file: file)
        (reserved, written, firstEnd) = (tail.end, tail.end, tail.end)
        doubt = nil
        check()
    }

    /// The older segments have been folded into a snapshot and removed.
    func forgetOlderSegments() {
        olderByteCount = 0
        doubt = nil
    }

    /// Leaves a segment whose end proves itself: a closing mark, on a page of its own, says that all before it is on the medium,
    /// and no reserved space follows. Writes nothing when the segment ends so already.
    func seal() throws(LogFailure) {
        if let doubt { throw .unknownState(doubt) }
        guard !isMarked else { return }
        // Not with the mark: that vouches for them.
        if tail.hasUnproved || tail.watermark < lastCommit { try flush() }
        // Zeros fill up the page of the last frame, whatever a write that failed has left there.
        let start = LogFrameFormat.markOffset(behind: tail.end)
        var bytes = [UInt8](repeating: 0, count: start - tail.end)
        let checksum = LogFrame.append(
            payload: [], commit: lastCommit, watermark: tail.watermark, time: fileSystem.now(), salt: tail.salt,
            previousChecksum: tail.lastChecksum, isWatermarkOnly: true, to: &bytes)
        let pageEnd = start + LogFrameFormat.pageByteCount
        let rest = pageEnd - tail.end - bytes.count
        bytes.append(zeros: rest)
        try write(bytes)
        tail.noteWritten(byteCount: -rest)
        tail.noteFrames(checksum: checksum, commit: lastCommit, isMarked: true)
        do throws(StorageError) {
            try tail.file.truncate(byteCount: pageEnd)
            noteCut(to: pageEnd)
            try tail.file.flush(.durable)
        } catch { throw .unknownState(error) }
        check()
    }

    /// The closing mark that an opening has found is on the medium when this returns.
    private func proveMark() throws(LogFailure) {
        if isMarked, tail.hasUnproved { try flush() }
    }

    func close() { tail.file.close() }

    // MARK: Others

    /// Whether others have written since. Precondition: nobody else does now.
    func hasNews() throws(StorageError) -> Bool {
        if try tail.hasNews(names, fileSystem) { return true }
        try noteRoom()
        return false
    }

    /// Others may have cut the room behind the last frame.
    private func noteRoom() throws(StorageError) {
        reserved = try tail.file.byteCount()
        written = min(written, reserved)
    }

    /// Reads what others have appended. Precondition: nobody else does now.
    func catchUp() throws(StorageError) -> SegmentTail.News {
        try noteNews { (tail) throws(StorageError) in try tail.catchUp(names, fileSystem) }
    }

    /// Reads what others have appended, as far as they say that it counts, while they may go on.
    func follow(_ head: LogHead) throws(StorageError) -> SegmentTail.News {
        try noteNews { (tail) throws(StorageError) in try tail.follow(head, names, fileSystem, .writing) }
    }

    private func noteNews(
        _ read: (inout SegmentTail) throws(StorageError) -> SegmentTail.News
    ) throws(StorageError) -> SegmentTail.News {
        let (sequence, end) = (tail.sequence, tail.end)
        let news = try read(&tail)
        olderByteCount += news.passedByteCount
        if (tail.sequence, tail.end) != (sequence, end) { (written, firstEnd) = (tail.end, tail.end) }
        try noteRoom()
        return news
    }

    /// Goes on as another does, which has just been made: of the same store, or of one that has taken its place.
    func takeOver(_ other: LogWriter) {
        tail.file.close()
        store = other.store
        (tail, reserved, olderByteCount, doubt) = (other.tail, other.reserved, other.olderByteCount, other.doubt)
        (written, firstEnd) = (other.written, other.firstEnd)
        history?.moveOver(to: store)
        if let events = other.history { history?.takeOver(events) }
    }

    /// How far the log goes.
    func head(generation: UInt64) -> LogHead {
        LogHead(generation: generation, sequence: sequence, end: tail.end, commit: lastCommit)
    }

    /// What decides how the log goes on, by name, with commits counted from `commit`.
    func summary(from commit: UInt64) -> [String: String] {
        [
            "log's last commit": "\(commit.distance(to: lastCommit))",
            "is vouched for": "\(tail.watermark == lastCommit)",
            "room": "\(reserved == tail.end ? "none" : reserved - tail.end < 512 ? "little" : "some")",
            "older segments": "\(olderByteCount > 0)", "marked": "\(isMarked)", "mark": "\(tail.hasUnproved)",
            "doubt": "\(doubt != nil)",
        ]
    }
}

/// How far a failed log operation got.
enum LogFailure: Error {
    /// The file is as it was.
    case nothingWritten(StorageError)
    /// Some of the bytes may be there, now or after a crash. The segment must not be written again.
    case unknownState(StorageError)
    /// The commits do not follow what the file holds: the writer itself is wrong. The file is as it was.
    case outOfOrder(StorageError)

    var error: StorageError {
        switch self {
        case .nothingWritten(let error), .unknownState(let error), .outOfOrder(let error): error
        }
    }
}
