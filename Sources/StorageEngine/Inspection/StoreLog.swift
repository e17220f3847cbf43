/// The commits that the log of a store holds, read without opening the store: takes no lock and works beside a writer. Of a damaged
/// log it holds what precedes the damage.
///
/// The files stay open, so their commits can be read after a compaction has removed the names. `follow` reads what a writer adds, and keeps open what it
/// reads now and what came before that: of older segments, commits can be read as long as these have their names.
public struct StoreLog {
    /// What the head of a frame says of a commit.
    public struct Head: Sendable, Equatable {
        public let number: UInt64
        /// Milliseconds since 1970.
        public let time: UInt64
        /// Of the frame, as it lies in its file.
        public let byteCount: Int
        public let file: String
        public let byteOffset: Int
    }

    public enum End: Sendable, Equatable {
        case clean
        /// Behind the last commit lie bytes of a write that is not finished, or never was.
        case torn(file: String, byteOffset: Int, byteCount: Int)
        case damaged(Damage)
    }

    /// The store as the snapshot has it that the log continues; `nil` when no snapshot can be read.
    public let snapshot: Version?
    /// Where following has passed commits over, or a compaction has folded those before into a snapshot, in the order of the heads.
    public private(set) var gaps: [Gap] = []
    /// Milliseconds since 1970; 0 when no snapshot can be read.
    public let snapshotTime: UInt64
    /// The newest commit of the snapshot: older ones are in it, and no longer in the log.
    public let snapshotCommit: UInt64
    /// By number.
    public private(set) var heads: [Head] = []
    public private(set) var end = End.clean

    private let files: StoreFiles
    private let fileSystem: any FileSystem
    private let attachment: (any AnyObject & Sendable)?
    /// Of each head, where it can be read.
    private var places: [Place] = []
    private var tail: LogTail?
    private var lastReader: LogReader?

    /// Those before it are of segments that are not kept open.
    private var firstOpenPlace = 0

    /// Where the newest segment begins, among the heads.
    private var segmentStart = 0
    /// The newest snapshot, as the directory was last listed, and the newest that was looked at, whether it is the one before that segment.
    private var newestGeneration: UInt64 = 0
    private var seenGeneration: UInt64 = 0

    /// Commits that went into a snapshot: they are in no file of the log, or will not be for long.
    public struct Gap: Sendable {
        /// Whether there are such as were never read here.
        fileprivate let hidesCommits: Bool
        /// The index of the head that follows them.
        public let end: Int
        /// The store as they have left it: of the last gap only, and not where its snapshot had gone already.
        public fileprivate(set) var version: Version?

        public init(end: Int) { self.init(end: end, version: nil, hidesCommits: true) }

        fileprivate init(end: Int, version: Version?, hidesCommits: Bool) {
            (self.end, self.version, self.hidesCommits) = (end, version, hidesCommits)
        }
    }

    private struct Place {
        /// `nil` where it is opened when somebody asks.
        var file: (any File)?
        let frame: LogFrame
    }

    /// - Parameter attachment: that of the snapshot's version; see `Options.attachment`.
    public init(
        at path: String, attachment: (any AnyObject & Sendable)? = nil, fileSystem: any FileSystem = PosixFileSystem()
    ) throws(StorageError) {
        let files = StoreFiles(directory: path)
        guard try files.exist(in: fileSystem) else { throw .notFound(path: files.directory) }
        self = try files.lookingAgain(fileSystem) { (contents) throws(StorageError) in
            let log = try StoreLog(contents, files, attachment, fileSystem)
            var finding: Damage?
            if case .damaged(let damage) = log.end { finding = damage }
            return (log, finding)
        }
    }

    private init(
        _ contents: StoreOpening.Contents, _ files: StoreFiles, _ attachment: (any AnyObject & Sendable)?,
        _ fileSystem: any FileSystem
    ) throws(StorageError) {
        guard !contents.snapshots.isEmpty else { throw try contents.missingSnapshot(files, fileSystem) }
        self.files = files
        self.fileSystem = fileSystem
        self.attachment = attachment
        var found: SnapshotFile?
        for generation in contents.snapshots.reversed().prefix(2) where found == nil {
            do throws(StorageError) {
                found = try SnapshotFile(opening: files.snapshot(generation), generation: generation, fileSystem)
            } catch {
                guard case .damaged(let damage) = error else { throw error }
                if end == .clean { end = .damaged(damage) }
            }
        }
        // One before the newest serves an opening as well.
        if found != nil { end = .clean }
        snapshotTime = found?.superblock.created ?? 0
        snapshotCommit = found?.superblock.commitNumber ?? 0
        snapshot = found.map { Self.version(of: $0, attachment) }
        newestGeneration = contents.snapshots.last ?? 0
        seenGeneration = newestGeneration
        try readSegments(contents, found)
    }

    // MARK: Reading commits

    /// The operations of a commit.
    ///
    /// - Throws: `StorageError.damaged` when its bytes are no operations; `.notFound` when its segment was let go, and has gone since.
    public mutating func operations(at index: Int) throws(StorageError) -> [LoggedOperation] {
        let place = places[index]
        let path = heads[index].file
        let file = if let file = place.file { file } else { try fileSystem.openFile(path, .reading) }
        var reader = try reader(of: file)
        defer { lastReader = reader }
        guard let operations = try reader.operations(of: place.frame), operations.isWhole else {
            throw .damaged(
                Damage(
                    file: path, byteOffset: place.frame.start,
                    finding: "commit \(place.frame.commit) holds what are no operations"))
        }
        return operations.found
    }

    /// The one used last, as a rule, whose window holds the commits that come next.
    private mutating func reader(of file: any File) throws(StorageError) -> LogReader {
        if let reader = lastReader.take(), reader.path == file.path { return reader }
        return try LogReader(file)
    }

    private mutating func take(_ frame: LogFrame, _ file: any File) {
        guard !frame.isWatermarkOnly, frame.commit > max(snapshotCommit, heads.last?.number ?? 0) else { return }
        heads.append(
            Head(
                number: frame.commit, time: frame.time, byteCount: frame.end - frame.start, file: file.path,
                byteOffset: frame.start))
        places.append(Place(file: file, frame: frame))
    }

    // MARK: Segments

    private mutating func readSegments(
        _ contents: StoreOpening.Contents, _ snapshot: SnapshotFile?
    ) throws(StorageError) {
        let newest = contents.snapshots.last ?? 0
        let first = snapshot?.superblock.logSequence ?? contents.logs.first ?? 0
        var expected = first
        var previous: (scan: LogScan, path: String)?
        // The first of those that were passed by.
        var abandoned: String?
        for sequence in contents.logs where sequence >= first {
            let path = files.log(sequence)
            let file = try fileSystem.openFile(path, .reading)
            var segment = try DumpedSegment(file, watermark: snapshotCommit)
            guard let scan = segment.scan else {
                return stop(at: Damage(file: path, byteOffset: 0, finding: segment.finding ?? "it cannot be read"))
            }
            if scan.isAbandoned(newest: newest) {
                abandoned = abandoned ?? path
                continue
            }
            if let abandoned { return stop(at: LogScan.hasFollowers(abandoned)) }
            if sequence != expected { return stop(at: missing(expected, previous?.scan.lastCommit ?? snapshotCommit)) }
            if let damage = objection(to: scan.header, sequence, path, snapshot, previous) { return stop(at: damage) }
            segmentStart = heads.count
            try segment.forEachFrame { (place, _) throws(StorageError) in take(place.frame, file) }
            tail = LogTail(scan, file)
            if case .rotten(let damage) = scan.ending { return stop(at: damage) }
            previous = (scan, path)
            expected = sequence + 1
        }
        guard let previous else { return stop(at: missing(first, snapshotCommit)) }
        if let snapshot,
            let damage = StoreHistory.cut(of: previous.scan, behind: snapshot.superblock, files, fileSystem)
        {
            return stop(at: damage)
        }
        let tornByteCount = previous.scan.cutByteCount
        if tornByteCount > 0, end == .clean {
            end = .torn(file: previous.path, byteOffset: previous.scan.end, byteCount: tornByteCount)
        }
    }

    /// Why a segment does not go on where the one before it, or the snapshot, ends.
    private func objection(
        to header: LogSegmentHeader, _ sequence: UInt64, _ path: String, _ snapshot: SnapshotFile?,
        _ previous: (scan: LogScan, path: String)?
    ) -> Damage? {
        guard let snapshot else { return previous?.scan.breach(before: header, path: previous?.path ?? path) }
        let superblock = snapshot.superblock
        if let damage = header.misplacement(in: path, store: superblock.store, sequence: sequence)
            ?? header.lackOfSnapshot(files, newest: superblock.generation)
        {
            return damage
        }
        if let previous { return previous.scan.breach(before: header, path: previous.path) }
        if header.baseCommit > superblock.commitNumber { return missing(sequence, superblock.commitNumber) }
        return snapshot.estrangement(of: header, in: path)
    }

    private mutating func stop(at damage: Damage) {
        if case .damaged = end { return }
        end = .damaged(damage)
    }

    private func missing(_ sequence: UInt64, _ commit: UInt64) -> Damage {
        Damage(
            file: files.log(sequence), byteOffset: 0,
            finding: "the segment that follows commit \(commit) is missing")
    }
}

// MARK: - Following

extension StoreLog {
    /// What came to a log since it was read.
    public enum News: Sendable, Equatable {
        /// A commit: the head at this index.
        case commit(Int)
        /// Commits that went into a snapshot and are in no file of the log: a load, or what was compacted before it was read here.
        case passedOver(ClosedRange<UInt64>)
        /// Another store has taken the place of the one that was read, as a restore leaves it. `heads` are those of its log from here on, and
        /// later news follow them.
        case replaced
    }

    /// The commits that a writer has added since, through compactions and restores. None while nothing is new, or a write is not finished.
    ///
    /// - Throws: `StorageError.damaged` when a segment that follows cannot be read; what precedes it was returned before.
    public mutating func follow() throws(StorageError) -> [News] {
        guard let tail else { return [] }
        // Its window may be older than what the writer has put there.
        lastReader = nil
        var news: [News] = []
        do throws(StorageError) {
            if try goOn(from: tail, &news) { return news }
            // What precedes the other store's is given out first.
            guard news.isEmpty else { return news }
            self = try StoreLog(at: files.directory, attachment: attachment, fileSystem: fileSystem)
            return [.replaced]
        } catch {
            guard news.isEmpty else { return news }
            throw error
        }
    }

    /// - Returns: whether the log ends where it was read to; not so when it is another store's.
    private mutating func goOn(from tail: LogTail, _ news: inout [News]) throws(StorageError) -> Bool {
        var tail = tail
        defer { self.tail = tail }
        while true {
            try readOn(&tail, &news)
            guard let next = try successor(of: tail) else { return true }
            if next.store != tail.store { return false }
            // A segment is whole when it has a successor: what came between the two looks is read first.
            try readOn(&tail, &news)
            if next.commit > tail.commit {
                news.append(.passedOver(tail.commit + 1...next.commit))
                noteGap(before: heads.count, version(behind: next), hidesCommits: true)
            }
            tail = next
            segmentStart = heads.count
        }
    }

    /// The store as of the beginning of the newest segment, where a compaction has made its snapshot there since this was last called: what came before need not
    /// be known any more.
    ///
    /// - Returns: also the index of the head that follows.
    public mutating func takeSnapshot() -> (version: Version, end: Int)? {
        guard let tail, newestGeneration != seenGeneration, let file = newestSnapshot(of: tail.store),
            // One that is further on is looked at again when its segment was reached.
            file.superblock.logSequence <= tail.sequence
        else { return nil }
        seenGeneration = newestGeneration
        guard file.superblock.logSequence == tail.sequence else { return nil }
        let version = Self.version(of: file, attachment)
        noteGap(before: segmentStart, version, hidesCommits: false)
        return (version, segmentStart)
    }

    /// One that no head follows is part of the next. The earlier lose their snapshots, and of one that hides nothing nothing is left: who has read so
    /// far goes on.
    private mutating func noteGap(before end: Int, _ version: Version?, hidesCommits: Bool) {
        var hidesCommits = hidesCommits
        if let last = gaps.last, last.end == end {
            hidesCommits = hidesCommits || last.hidesCommits
            gaps.removeLast()
        }
        if let last = gaps.last {
            if last.hidesCommits { gaps[gaps.count - 1].version = nil } else { gaps.removeLast() }
        }
        gaps.append(Gap(end: end, version: version, hidesCommits: hidesCommits))
    }

    /// Lets go of the segments before a head. Whoever follows for long goes through many, and what was removed takes room as long as it is open.
    public mutating func letFilesGo(before index: Int) {
        while firstOpenPlace < min(index, places.count), heads[firstOpenPlace].file != tail?.file.path {
            places[firstOpenPlace].file = nil
            firstOpenPlace += 1
        }
    }

    /// What the newest snapshot holds, where a segment begins just behind it.
    private func version(behind tail: LogTail) -> Version? {
        guard let file = newestSnapshot(of: tail.store), file.superblock.logSequence == tail.sequence,
            file.superblock.commitNumber == tail.commit
        else { return nil }
        return Self.version(of: file, attachment)
    }

    /// `nil` when it has gone since the directory was listed, cannot be read, or is another store's.
    private func newestSnapshot(of store: StoreIdentifier) -> SnapshotFile? {
        let file = try? SnapshotFile(
            opening: files.snapshot(newestGeneration), generation: newestGeneration, fileSystem)
        return file?.superblock.store == store ? file : nil
    }

    private static func version(of file: SnapshotFile, _ attachment: (any AnyObject & Sendable)?) -> Version {
        Version(
            commitNumber: file.superblock.commitNumber, generation: Generation(file: file, attachment: attachment),
            trees: TreeTable(file.superblock))
    }

    private mutating func readOn(_ tail: inout LogTail, _ news: inout [News]) throws(StorageError) {
        var reader = try LogReader(tail.file)
        while let frame = try tail.next(in: &reader) {
            let count = heads.count
            take(frame, tail.file)
            if heads.count > count { news.append(.commit(count)) }
        }
    }

    /// The segment that the writer has moved to; `nil` while it has not.
    private mutating func successor(of tail: LogTail) throws(StorageError) -> LogTail? {
        do throws(StorageError) {
            let contents = try StoreOpening.Contents(files, fileSystem)
            newestGeneration = contents.snapshots.last ?? 0
            var sequence = contents.logs.first { $0 > tail.sequence }
            // An opening makes a segment without frames once more, and another store in this one's place has segments of its own.
            if sequence == nil, try !tail.file.isNamed() { sequence = contents.logs.last }
            guard let sequence else { return nil }
            let file = try fileSystem.openFile(files.log(sequence), .reading)
            var reader = try LogReader(file)
            let header = try reader.header()
            // Until its snapshot has a name, nobody knows whether it will come to be.
            guard header.generation <= newestGeneration else { return nil }
            let next = LogTail(header, file)
            return next.store == tail.store && next.precedes(tail) ? nil : next
        } catch {
            // Gone between the two looks: the next one finds its successor. Not so where the whole store has gone.
            if case .notFound(let path) = error, path != files.directory { return nil }
            throw error
        }
    }
}

/// Where a log ends, as far as it was read.
private struct LogTail {
    let file: any File
    let store: StoreIdentifier
    let sequence: UInt64
    private let salt: UInt32
    private var end: Int
    private(set) var commit: UInt64
    private var checksum: UInt32

    init(_ scan: LogScan, _ file: any File) {
        self.file = file
        (store, sequence, salt) = (scan.header.store, scan.header.sequence, scan.header.salt)
        (end, commit, checksum) = (scan.end, scan.lastCommit, scan.lastChecksum)
    }

    /// The beginning of a segment.
    init(_ header: LogSegmentHeader, _ file: any File) {
        self.file = file
        (store, sequence, salt) = (header.store, header.sequence, header.salt)
        (end, commit, checksum) = (LogSegmentFormat.headerByteCount, header.baseCommit, header.previousChecksum)
    }

    /// Whether another, of the same store, has been read further than the beginning of this one.
    func precedes(_ other: LogTail) -> Bool {
        sequence < other.sequence || (sequence == other.sequence && end < other.end)
    }

    /// The next frame, when it is there as a whole.
    mutating func next(in reader: inout LogReader) throws(StorageError) -> LogFrame? {
        guard let frame = try reader.frame(behind: end, commit, checksum, salt: salt) else { return nil }
        (end, commit, checksum) = (frame.end, frame.commit, frame.checksum)
        return frame
    }
}
