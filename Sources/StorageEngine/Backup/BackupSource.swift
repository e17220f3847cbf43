/// A commit that is on the medium with all before it, as whoever has a store open knows.
struct DurableCommit: Sendable {
    let store: StoreIdentifier
    let number: UInt64
    /// Of the snapshot that the store is in, or behind. Its name is on the medium.
    let generation: UInt64

    /// `nil` for another store than that of the commit.
    func number(in store: StoreIdentifier) -> UInt64? { store == self.store ? number : nil }
}

extension Writer {
    /// What the log is known to have on the medium: its frames say so of all but the last ones, which nothing was written behind. Of a snapshot
    /// whose name is in doubt nothing is known.
    func durableCommit() async -> DurableCommit? {
        let superblock = state.generation.file.superblock
        return await log.call { (log) -> DurableCommit? in
            guard log.doubt == nil else { return nil }
            return DurableCommit(
                store: superblock.store, number: log.durableCommit, generation: superblock.generation)
        }
    }

    /// All that readers see is on the medium when this returns, or on its way there.
    ///
    /// - Throws: `.backupRefused` where it is in doubt, and cannot be moved to new files.
    func settleDoubtForBackup() async throws {
        do { try await settleDoubt() } catch {
            switch error as? StorageError {
            case nil, .cancelled, .closed, .inUse, .suspended: throw error
            case let failure?:
                throw StorageError.backupRefused(
                    path: files.directory,
                    reason:
                        "Whether a power cut leaves all of it is unknown, and it cannot be moved to new files: \(failure)",
                    next: "Free some space on its disk, or close it and open it again, and back up then.")
            }
        }
    }
}

/// What a backup copies: the newest snapshot of a store and the frames behind it, at one moment.
///
/// Found as a reader finds them, without a lock and beside whoever writes. The files stay open: a snapshot never changes, a
/// segment only grows, and both outlive their names, so writes and compactions go on while they are copied.
struct BackupSource {
    let snapshot: SnapshotFile
    private(set) var segments: [Segment] = []

    struct Frame {
        /// Within its segment.
        let end: Int
        let commit: UInt64
        let chain: UInt32
        let time: UInt64
    }

    struct Segment {
        let file: any File
        let header: LogSegmentHeader
        let frames: [Frame]
        /// Behind the last frame that a crash cannot take back; 0 when there is none.
        let provedEnd: Int

        var end: Int { frames.last?.end ?? LogSegmentFormat.headerByteCount }

        /// What the log had come to at a place between two frames; `nil` for any other.
        func boundary(at place: Int) -> (index: Int, commit: UInt64, chain: UInt32)? {
            if place == LogSegmentFormat.headerByteCount { return (0, header.baseCommit, header.previousChecksum) }
            var range = 0..<frames.count
            while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
                let frame = frames[middle]
                if frame.end == place { return (middle + 1, frame.commit, frame.chain) }
                range = frame.end < place ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
            return nil
        }

        /// The stretches from a place on: what is proved, and what is not.
        func parts(from place: Int) -> [BackupPart] {
            var parts: [BackupPart] = []
            for (end, isProved) in [(provedEnd, true), (end, false)] {
                let start = parts.last.map { Int($0.end) } ?? place
                let frameStart = start == 0 ? LogSegmentFormat.headerByteCount : start
                guard end > start, let first = boundary(at: frameStart), let last = boundary(at: end) else { continue }
                let commits = frames[first.index..<last.index].filter { $0.time > 0 }
                parts.append(
                    BackupPart(
                        kind: .log, number: header.sequence, isProved: isProved, start: UInt64(start),
                        byteCount: UInt64(end - start), firstCommit: first.commit, lastCommit: last.commit,
                        firstTime: commits.first?.time ?? 0, lastTime: commits.last?.time ?? 0, firstChain: first.chain,
                        lastChain: last.chain))
            }
            return parts
        }
    }

    /// - Parameter durable: what is known of the store beyond what its files say.
    /// - Throws: `.backupRefused` for a damaged store: a backup that looked whole would outlive the store's own good parts.
    init(
        of files: StoreFiles, _ fileSystem: any FileSystem, knowing durable: DurableCommit? = nil
    ) throws(StorageError) {
        guard try files.exist(in: fileSystem) else { throw .notFound(path: files.directory) }
        do throws(StorageError) {
            self = try files.lookingAgain(fileSystem) { (contents) throws(StorageError) in
                (try BackupSource(contents, files, fileSystem, durable), finding: nil as Damage?)
            }
        } catch {
            throw Self.refusal(of: files, error)
        }
    }

    /// What a finding in the store means for its backup.
    static func refusal(of files: StoreFiles, _ error: StorageError) -> StorageError {
        guard case .damaged(let damage) = error else { return error }
        return .backupRefused(
            path: files.directory, reason: "The library is damaged, and no backup was made of it: \(damage)",
            next:
                "Run `bookdb verify` to see what is affected, and `bookdb repair` to save the rest; earlier backups are as "
                + "they were.")
    }

    private init(
        _ contents: StoreOpening.Contents, _ files: StoreFiles, _ fileSystem: any FileSystem, _ durable: DurableCommit?
    ) throws(StorageError) {
        snapshot = try Self.provedSnapshot(contents, files, fileSystem, durable)
        let superblock = snapshot.superblock
        let generation = superblock.generation
        let known = durable?.number(in: superblock.store) ?? 0
        var previous: (scan: LogScan, path: String)?
        var abandoned: String?
        let sequences = contents.logs.filter { $0 >= superblock.logSequence }
        for sequence in sequences {
            let path = files.log(sequence)
            let file = try fileSystem.openFile(path, .reading)
            var (reader, scan) = try LogReader.scan(file, watermark: superblock.commitNumber, mayGrow: true)
            let expected = superblock.logSequence + UInt64(segments.count)
            if scan.isAbandoned(newest: generation, of: superblock.store, sequence, expected: expected) {
                abandoned = abandoned ?? path
                continue
            }
            if let abandoned { throw .damaged(LogScan.hasFollowers(abandoned)) }
            if let damage = objection(to: scan.header, sequence, path, previous, files) { throw .damaged(damage) }
            if case .rotten(let damage) = scan.ending { throw .damaged(damage) }
            var frames: [Frame] = []
            var provedEnd = 0
            try reader.forEachFrame(of: scan) { (frame, _) throws(StorageError) in
                let isKnown = !frame.isWatermarkOnly && frame.commit <= known
                if frame.start < scan.unprovedStart || isKnown { provedEnd = frame.end }
                frames.append(
                    Frame(
                        end: frame.end, commit: frame.commit, chain: frame.checksum,
                        time: frame.isWatermarkOnly ? 0 : frame.time))
            }
            segments.append(Segment(file: file, header: scan.header, frames: frames, provedEnd: provedEnd))
            previous = (scan, path)
        }
        guard let previous else {
            throw .damaged(
                Damage(
                    file: files.log(superblock.logSequence), byteOffset: 0,
                    finding: "the segment that follows commit \(superblock.commitNumber) is missing"))
        }
        if let damage = StoreHistory.cut(of: previous.scan, behind: superblock, files, fileSystem) {
            throw .damaged(damage)
        }
        // A segment that has a successor was flushed whole before the successor was made.
        for index in segments.indices.dropLast() {
            let segment = segments[index]
            segments[index] = Segment(
                file: segment.file, header: segment.header, frames: segment.frames, provedEnd: segment.end)
        }
    }

    /// The newest snapshot whose name no power cut takes: one that is in doubt may go, and the store would go on without its commits. Whoever
    /// writes behind it has made it durable before.
    private static func provedSnapshot(
        _ contents: StoreOpening.Contents, _ files: StoreFiles, _ fileSystem: any FileSystem, _ durable: DurableCommit?
    ) throws(StorageError) -> SnapshotFile {
        for generation in contents.snapshots.reversed() {
            let file = try SnapshotFile(opening: files.snapshot(generation), generation: generation, fileSystem)
            let superblock = file.superblock
            let isKnown = durable.map { $0.store == superblock.store && $0.generation >= generation } ?? false
            if isKnown || !contents.isNameInDoubt(superblock) { return file }
            if try !files.isUnwritten(superblock.logSequence, fileSystem) { return file }
        }
        throw try contents.missingSnapshot(files, fileSystem)
    }

    /// Why a segment does not go on where the one before it, or the snapshot, ends.
    private func objection(
        to header: LogSegmentHeader, _ sequence: UInt64, _ path: String, _ previous: (scan: LogScan, path: String)?,
        _ files: StoreFiles
    ) -> Damage? {
        let superblock = snapshot.superblock
        let expected = superblock.logSequence + UInt64(segments.count)
        if sequence != expected {
            return Damage(file: files.log(expected), byteOffset: 0, finding: "the segment is missing")
        }
        if let damage = header.misplacement(in: path, store: superblock.store, sequence: sequence)
            ?? header.lackOfSnapshot(files, newest: superblock.generation)
        {
            return damage
        }
        if let previous { return previous.scan.breach(before: header, path: previous.path) }
        if header.baseCommit > superblock.commitNumber {
            return Damage(
                file: path, byteOffset: LogSegmentField.baseCommit.offset,
                finding: "the segment goes on behind commit \(header.baseCommit), the snapshot ends with "
                    + "\(superblock.commitNumber)")
        }
        return snapshot.estrangement(of: header, in: path)
    }

    var store: StoreIdentifier { snapshot.superblock.store }

    /// The newest commit.
    var commit: UInt64 {
        let logged = segments.last.map { $0.frames.last?.commit ?? $0.header.baseCommit }
        return max(snapshot.superblock.commitNumber, logged ?? 0)
    }

    var snapshotPart: BackupPart {
        let superblock = snapshot.superblock
        let checksum = snapshot.identity.checksum
        return BackupPart(
            kind: .snapshot, number: superblock.generation, byteCount: superblock.fileByteCount,
            firstCommit: superblock.commitNumber, lastCommit: superblock.commitNumber, firstTime: superblock.created,
            lastTime: superblock.created, logSequence: superblock.logSequence, firstChain: checksum, lastChain: checksum
        )
    }

    /// Bytes of a part, from a place in it on. The padding of the last frame may lie behind the end of its file.
    func bytes(of part: BackupPart, _ range: Range<Int>) throws(StorageError) -> [UInt8] {
        switch part.kind {
        case .snapshot: return snapshot.withBytes { $0.copyBytes(range) }
        case .log:
            guard let segment = segments.first(where: { $0.header.sequence == part.number }) else {
                preconditionFailure("a part of the log is of a segment that was found")
            }
            var bytes = try segment.file.read(byteCount: range.count, at: Int(part.start) + range.lowerBound)
            bytes.append(zeros: range.count - bytes.count)
            return bytes
        }
    }
}
