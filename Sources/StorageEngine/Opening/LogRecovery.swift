/// Replays the log behind a snapshot, segment by segment, and decides what its end means.
struct LogRecovery {
    let files: StoreFiles
    let fileSystem: any FileSystem
    let isWriter: Bool
    /// One that this opening has made, and whose name is on the medium.
    let provedSegment: UInt64?
    /// Segments that were made for generations which never came to be: they hold nothing and may go.
    private(set) var abandonedSegments: [UInt64] = []
    /// Where a reader may follow those who write.
    private(set) var tail: SegmentTail?
    /// A page that cannot be read makes its tree unreadable, not the store.
    private var batch: ReplayBatch
    private let stages: StoreOpening.Stages
    private var segmentCount = 1

    init(
        files: StoreFiles, fileSystem: any FileSystem, isWriter: Bool, provedSegment: UInt64? = nil,
        _ stages: StoreOpening.Stages = StoreOpening.Stages()
    ) {
        self.files = files
        self.fileSystem = fileSystem
        self.isWriter = isWriter
        self.provedSegment = provedSegment
        self.stages = stages
        batch = ReplayBatch(keepsOtherTrees: true, witness: stages.witness)
    }

    private struct Segment {
        let sequence: UInt64
        let file: any File
        var reader: LogReader
        let scan: LogScan

        /// Nothing was ever written to it.
        var isUnproved: Bool { reader.byteCount == LogSegmentFormat.headerByteCount }
    }

    /// Gives the log to continue, when this is the writer.
    mutating func replay(
        _ contents: StoreOpening.Contents, into state: WriteState, _ report: inout OpeningReport
    ) throws(StorageError) -> LogWriter? {
        let superblock = state.generation.file.superblock
        var next = superblock.logSequence
        var last: Segment?
        var olderByteCount = 0
        segmentCount = max(1, contents.logs.count { $0 >= superblock.logSequence })
        for sequence in contents.logs where sequence >= superblock.logSequence {
            var segment = try read(sequence, watermark: superblock.commitNumber)
            if isAbandoned(segment, contents, superblock, expected: next) {
                abandonedSegments.append(sequence)
                continue
            }
            // Others may have died at the same, of which each left one. Nothing else follows.
            if let first = abandonedSegments.first {
                try stop(at: LogScan.hasFollowers(files.log(first)), &report)
                break
            }
            guard sequence == next else {
                try stop(at: missing(next, state.commitNumber), &report)
                break
            }
            if let previous = last { olderByteCount += previous.scan.end }
            // A segment that has a successor was flushed whole before the successor was made.
            guard try replay(&segment, last?.scan, into: state, &report) else { break }
            last = segment
            next += 1
        }
        try batch.apply(to: state)
        report.damagedTrees = state.damagedTrees
        report.logByteCount = olderByteCount + (last?.scan.end ?? 0)
        // The segment behind a snapshot is created before the snapshot is.
        if last == nil, report.damage == nil {
            try stop(at: missing(superblock.logSequence, state.commitNumber), &report)
        }
        if report.damage == nil, let last,
            let damage = StoreHistory.cut(of: last.scan, behind: superblock, files, fileSystem)
        {
            try stop(at: damage, &report)
        }
        if !isWriter, report.damage == nil, let last {
            tail = SegmentTail(
                continuing: last.scan, file: last.file, mark: [], watermark: superblock.commitNumber, isWriter: false)
        }
        guard isWriter, var segment = last else { return nil }
        let doubt = doubt(of: contents, superblock)
        report.isNameInDoubt = doubt != nil
        report.wasClosed = segment.scan.isClosed
        if !segment.scan.isClosed {
            try settleEnd(of: &segment, &report)
            try makeDurable(&segment)
        }
        if segment.isUnproved, segment.sequence != provedSegment {
            // The flush behind its name may have failed, and another one proves nothing. Nothing was written to it.
            segment.file.close()
            return try LogWriter(
                starting: segment.scan.header, olderByteCount: olderByteCount, doubt: doubt, names: files, fileSystem)
        }
        return try LogWriter(
            continuing: segment.scan, file: segment.file, olderByteCount: olderByteCount, mark: mark(of: &segment),
            doubt: doubt, names: files, store: superblock.store,
            watermark: state.commitNumber, fileSystem)
    }

    private func read(_ sequence: UInt64, watermark: UInt64) throws(StorageError) -> Segment {
        let file = try fileSystem.openFile(files.log(sequence), isWriter ? .writing : .reading)
        if try file.byteCount() > Self.shortFileByteCount { stages.foundLongLog() }
        let (reader, scan) = try LogReader.scan(file, watermark: watermark, mayGrow: !isWriter)
        return Segment(sequence: sequence, file: file, reader: reader, scan: scan)
    }

    /// A segment whose generation has no snapshot was made by a rescue, a load or a restore that did not get as far as its
    /// rename. A restore's is of another store.
    private func isAbandoned(
        _ segment: Segment, _ contents: StoreOpening.Contents, _ superblock: Superblock, expected: UInt64
    ) -> Bool {
        let newest = max(superblock.generation, contents.snapshots.last ?? 0)
        return segment.scan.isAbandoned(newest: newest, of: superblock.store, segment.sequence, expected: expected)
    }

    /// `false` when the replay has to stop within this segment (only a read-only opening does).
    private mutating func replay(
        _ segment: inout Segment, _ previous: LogScan?, into state: WriteState, _ report: inout OpeningReport
    ) throws(StorageError) -> Bool {
        let superblock = state.generation.file.superblock
        let path = files.log(segment.sequence)
        let (scan, header) = (segment.scan, segment.scan.header)
        if let damage = header.misplacement(in: path, store: superblock.store, sequence: segment.sequence) {
            throw .damaged(damage)
        }
        if let damage = header.lackOfSnapshot(files, newest: superblock.generation) {
            try stop(at: damage, &report)
            return false
        }
        if let damage = previous?.breach(before: header, path: files.log(segment.sequence - 1)) {
            try stop(at: damage, &report)
            return false
        }
        guard header.baseCommit <= state.commitNumber else {
            try stop(at: missing(segment.sequence, state.commitNumber), &report)
            return false
        }
        if previous == nil, let damage = state.generation.file.estrangement(of: header, in: path) {
            try stop(at: damage, &report)
            return false
        }
        let segmentIndex = Double(segment.sequence - superblock.logSequence)
        var toldEnd = 0
        try segment.reader.forEachFrame(of: scan) { (frame, reader) throws(StorageError) in
            if frame.end - toldEnd >= Self.toldByteCount {
                toldEnd = frame.end
                // What was read is applied later, in as much time.
                try stages.progress((segmentIndex + Double(frame.end) / Double(scan.end)) / Double(segmentCount) / 2)
            }
            guard !frame.isWatermarkOnly, frame.commit > state.commitNumber else { return }
            try replay(frame, &reader, into: state)
            if batch.byteCount > Self.shortByteCount { stages.foundLongLog() }
            report.replayedCommits += 1
        }
        if scan.lastTime > 0 { report.lastCommitTime = scan.lastTime }
        if case .rotten(let damage) = scan.ending {
            try stop(at: damage, &report)
            return false
        }
        return true
    }

    private static let toldByteCount = 1 << 20
    /// Payloads of so many bytes take about half a millisecond, in which some hundred pages are read.
    private static let shortByteCount = 16 << 10
    /// Reading so many bytes of frames takes as long.
    private static let shortFileByteCount = 2 << 20

    private mutating func replay(
        _ frame: LogFrame, _ reader: inout LogReader, into state: WriteState
    ) throws(StorageError) {
        do throws(StorageError) {
            guard let payload = try reader.payload(of: frame), try batch.add(payload, to: state) else {
                throw .damaged(
                    Damage(
                        file: reader.path, byteOffset: frame.start,
                        finding: "commit \(frame.commit) holds no operations"))
            }
        } catch {
            switch error {
            case .limitExceeded, .schemaMismatch:
                // What a caller would be told to do otherwise, nobody can do to a log.
                throw .damaged(
                    Damage(
                        file: reader.path, byteOffset: frame.start,
                        finding: "commit \(frame.commit) holds what no commit may: \(error)"))
            default: throw error
            }
        }
    }

    /// What replay has accepted becomes durable before anything is built on it.
    ///
    /// Frames that no watermark vouches for are written again first. Their flush may have failed before the crash, and then
    /// the kernel calls pages clean that never reached the medium: another flush alone would prove nothing.
    private func makeDurable(_ segment: inout Segment) throws(StorageError) {
        let scan = segment.scan
        var frames: [(start: Int, frame: LogFrame)] = []
        var end = LogSegmentFormat.headerByteCount
        try segment.reader.forEachFrame(of: scan) { (frame, _) throws(StorageError) in
            // The zeros before a closing mark were written with it.
            if frame.start >= scan.unprovedStart { frames.append((frame.isWatermarkOnly ? end : frame.start, frame)) }
            end = frame.end
        }
        for (start, frame) in frames {
            var bytes = try segment.file.read(byteCount: frame.bodyEnd - start, at: start)
            // Its padding is not read, so it may be torn, or behind the end of the file.
            bytes.append(zeros: frame.end - frame.bodyEnd)
            try segment.file.write(bytes, at: start)
        }
        try segment.file.flush(.durable)
    }

    /// The closing mark that the first write behind it writes once more: nobody knows whether it is on the medium.
    private func mark(of segment: inout Segment) throws(StorageError) -> [UInt8] {
        guard let start = segment.scan.markStart, segment.scan.isClosed else { return [] }
        return try segment.file.read(byteCount: segment.scan.end - start, at: start)
    }

    private func doubt(of contents: StoreOpening.Contents, _ superblock: Superblock) -> StorageError? {
        guard contents.isNameInDoubt(superblock) else { return nil }
        return .poisoned(
            path: files.directory,
            reason: "whether a power cut leaves generation \(superblock.generation) its name is unknown.")
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

    /// Cuts what an interrupted write left behind the last whole commit, and keeps it aside: should the cut be a mistake, the
    /// bytes are still there.
    private func settleEnd(of segment: inout Segment, _ report: inout OpeningReport) throws(StorageError) {
        let (scan, byteCount) = (segment.scan, segment.scan.cutByteCount)
        guard byteCount > 0 else { return }
        if case .reordered = scan.ending {
            report.setAsideByteCount = byteCount
        } else {
            report.tornByteCount = byteCount
        }
        do throws(StorageError) {
            try SetAside(files: files, fileSystem: fileSystem).keep(
                segment.file, scan.end..<scan.end + byteCount, of: segment.sequence)
        } catch {
            // Nothing reads it but people: for want of room for it nobody is kept from their library, whose log has room.
            guard case .diskFull = error else { throw error }
            (report.setAsideByteCount, report.tornByteCount) = (0, byteCount)
        }
        try segment.file.truncate(byteCount: scan.end)
        try segment.file.flush(.durable)
    }
}

extension LogScan {
    /// Bytes behind the last whole commit that belong to no commit.
    var cutByteCount: Int {
        switch ending {
        case .clean, .rotten: 0
        case .torn(let byteCount), .reordered(let byteCount): byteCount
        }
    }
}

extension LogReader {
    /// A segment and what it holds.
    ///
    /// - Parameter mayGrow: a writer may be appending to it meanwhile. One look is not one moment: it may meet a frame half
    ///   written and the next one whole, whose watermark then makes rot of the first. Rot is believed when another look finds
    ///   the same.
    static func scan(
        _ file: any File, watermark: UInt64, mayGrow: Bool
    ) throws(StorageError) -> (reader: LogReader, scan: LogScan) {
        var reader = try LogReader(file)
        var scan = try LogScan(&reader, watermark: watermark)
        for _ in 0..<3 {
            guard mayGrow, case .rotten = scan.ending else { break }
            var again = try LogReader(file)
            let second = try LogScan(&again, watermark: watermark)
            let isSame = second.end == scan.end && second.ending == scan.ending
            (reader, scan) = (again, second)
            if isSame { break }
        }
        return (reader, scan)
    }
}

extension SnapshotFile {
    /// Why a log segment, the first behind this snapshot, continues another one.
    func estrangement(of header: LogSegmentHeader, in path: String) -> Damage? {
        header.estrangement(
            in: path, generation: superblock.generation, identity: identity.checksum,
            logChecksum: superblock.logChecksum)
    }
}
