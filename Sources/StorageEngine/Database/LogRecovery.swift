/// Replays the log behind a snapshot, segment by segment, and decides what its end means.
struct LogRecovery {
    let files: StoreFiles
    let fileSystem: any FileSystem
    let isWriter: Bool
    /// A segment that was made for a generation which never came to be: it holds nothing and may go.
    private(set) var abandonedSegment: UInt64?
    private var batch = ReplayBatch()

    init(files: StoreFiles, fileSystem: any FileSystem, isWriter: Bool) {
        self.files = files
        self.fileSystem = fileSystem
        self.isWriter = isWriter
    }

    private struct Segment {
        let sequence: UInt64
        let file: any File
        let bytes: [UInt8]
    }

    /// Gives the log to continue, when this is the writer.
    mutating func replay(
        _ contents: StoreOpening.Contents, into state: WriteState, _ report: inout OpeningReport
    ) throws(StorageError) -> LogWriter? {
        let superblock = state.generation.file.superblock
        var next = superblock.logSequence
        var last: (segment: Segment, scan: LogScan)?
        var olderByteCount = 0
        for sequence in contents.logs where sequence >= superblock.logSequence {
            guard sequence == next else {
                try stop(at: missing(next, state.commitNumber), &report)
                break
            }
            let segment = try read(sequence, watermark: superblock.commitNumber)
            if try isAbandoned(segment, contents, superblock) {
                abandonedSegment = sequence
                if contents.logs.last != sequence {
                    try stop(at: LogScan.hasFollowers(files.log(sequence)), &report)
                }
                break
            }
            if let previous = last { olderByteCount += previous.scan.end }
            // A segment that has a successor was flushed whole before the successor was made.
            let known = try segment.bytes.withBytes { (bytes) throws(StorageError) in
                try replay(bytes, of: segment, last?.scan, into: state, &report)
            }
            guard let known else { break }
            last = (segment, known)
            next += 1
        }
        try batch.apply(to: state)
        report.logByteCount = olderByteCount + (last?.scan.end ?? 0)
        // The segment behind a snapshot is created before the snapshot is.
        if last == nil, report.damage == nil {
            try stop(at: missing(superblock.logSequence, state.commitNumber), &report)
        }
        guard isWriter, let (segment, scan) = last else { return nil }
        try settleEnd(of: segment, scan, &report)
        try makeDurable(segment, scan)
        return try LogWriter(
            continuing: scan, file: segment.file, olderByteCount: olderByteCount, names: files, store: superblock.store,
            watermark: state.commitNumber, fileSystem)
    }

    private func read(_ sequence: UInt64, watermark: UInt64) throws(StorageError) -> Segment {
        let file = try fileSystem.openFile(files.log(sequence), isWriter ? .writing : .reading)
        let bytes =
            isWriter
            ? try file.read(byteCount: try file.byteCount(), at: 0) : try file.readSegment(watermark: watermark)
        return Segment(sequence: sequence, file: file, bytes: bytes)
    }

    /// A segment whose generation has no snapshot was made by a rescue that did not get as far as its rename.
    private func isAbandoned(
        _ segment: Segment, _ contents: StoreOpening.Contents, _ superblock: Superblock
    ) throws(StorageError) -> Bool {
        let newest = max(superblock.generation, contents.snapshots.last ?? 0)
        let path = files.log(segment.sequence)
        return try segment.bytes.withBytes { (bytes) throws(StorageError) in
            // Nearly always the header says no.
            let header = try LogSegmentHeader(decoding: bytes, path: path)
            guard header.generation > newest,
                header.misplacement(in: path, store: superblock.store, sequence: segment.sequence) == nil
            else { return false }
            return try LogScan(bytes, path: path, watermark: superblock.commitNumber).isAbandoned(newest: newest)
        }
    }

    /// `nil` when the replay has to stop within this segment (only a read-only opening does).
    private mutating func replay(
        _ bytes: RawSpan, of segment: Segment, _ previous: LogScan?, into state: WriteState,
        _ report: inout OpeningReport
    ) throws(StorageError) -> LogScan? {
        let superblock = state.generation.file.superblock
        let path = files.log(segment.sequence)
        let scan = try LogScan(bytes, path: path, watermark: superblock.commitNumber)
        if let damage = scan.header.misplacement(in: path, store: superblock.store, sequence: segment.sequence) {
            throw .damaged(damage)
        }
        if let damage = scan.header.lackOfSnapshot(files, newest: superblock.generation) {
            try stop(at: damage, &report)
            return nil
        }
        if let damage = previous?.breach(before: scan.header, path: files.log(segment.sequence - 1)) {
            try stop(at: damage, &report)
            return nil
        }
        guard scan.header.baseCommit <= state.commitNumber else {
            try stop(at: missing(segment.sequence, state.commitNumber), &report)
            return nil
        }
        for start in scan.frames {
            guard let frame = LogFrame(in: bytes, at: start, salt: scan.header.salt), !frame.isWatermarkOnly,
                frame.commit > state.commitNumber
            else { continue }
            do throws(StorageError) {
                guard let payload = frame.payload(in: bytes), try batch.add(payload, to: state) else {
                    throw .damaged(
                        Damage(file: path, byteOffset: start, finding: "commit \(frame.commit) holds no operations"))
                }
            } catch {
                // What a caller would be told to do otherwise, nobody can do to a log.
                if case .damaged = error { throw error }
                throw .damaged(
                    Damage(
                        file: path, byteOffset: start,
                        finding: "commit \(frame.commit) holds what no commit may: \(error)"))
            }
            report.replayedCommits += 1
        }
        if scan.lastTime > 0 { report.lastCommitTime = scan.lastTime }
        if case .rotten(let damage) = scan.ending {
            try stop(at: damage, &report)
            return nil
        }
        return scan
    }

    /// What replay has accepted becomes durable before anything is built on it.
    ///
    /// Frames that no watermark vouches for are written again first. Their flush may have failed before the crash, and then
    /// the kernel calls pages clean that never reached the medium: another flush alone would prove nothing.
    private func makeDurable(_ segment: Segment, _ scan: LogScan) throws(StorageError) {
        var rewritten: [UInt8] = []
        segment.bytes.withBytes { bytes in
            var unproved: [LogFrame] = []
            for place in scan.frames.reversed() {
                // A watermark frame vouches for what precedes it, and nobody for the frame itself.
                guard let frame = LogFrame(in: bytes, at: place, salt: scan.header.salt),
                    frame.isWatermarkOnly || frame.commit > scan.watermark
                else { break }
                unproved.append(frame)
            }
            for frame in unproved.reversed() {
                rewritten += bytes.copyBytes(frame.start..<frame.bodyEnd)
                // Its padding is not read, so it may be torn, or behind the end of the file.
                rewritten.append(zeros: frame.end - frame.bodyEnd)
            }
        }
        if !rewritten.isEmpty { try segment.file.write(rewritten, at: scan.end - rewritten.count) }
        try segment.file.flush(.durable)
    }

    /// A writer must not build on a log with a hole; a reader shows what precedes it and says so.
    private func stop(at damage: Damage, _ report: inout OpeningReport) throws(StorageError) {
        guard !isWriter else { throw .damaged(damage) }
        if report.damage == nil { report.damage = damage }
    }

    private func missing(_ sequence: UInt64, _ commit: UInt64) -> Damage {
        Damage(
            file: files.log(sequence), byteOffset: 0,
            finding: "the segment that follows commit \(commit) is missing")
    }

    /// Cuts what an interrupted write left behind the last whole commit.
    private func settleEnd(of segment: Segment, _ scan: LogScan, _ report: inout OpeningReport) throws(StorageError) {
        switch scan.ending {
        case .clean, .rotten: return
        case .torn(let byteCount): report.tornByteCount = byteCount
        case .reordered(let byteCount):
            report.setAsideByteCount = byteCount
            let aside = try fileSystem.openFile(files.aside(segment.sequence, scan.end), .creating)
            try aside.write(Array(segment.bytes[scan.end..<scan.end + byteCount]), at: 0)
            try aside.flush(.durable)
            aside.close()
            try fileSystem.flushDirectory(files.directory)
        }
        try segment.file.truncate(byteCount: scan.end)
        try segment.file.flush(.durable)
    }
}
