/// What a restore takes from a backup: a snapshot, and the log behind it up to a commit.
public struct RestorePlan: Sendable {
    public let backup: Backup
    public let commitNumber: UInt64
    /// When the commit was made, milliseconds since 1970. Of a snapshot's own commit that is not known: when the snapshot was made.
    public let commitTime: UInt64
    let snapshot: BackupPart
    /// By segment. Verified, as the snapshot is.
    let segments: [[BackupPart]]

    /// Bytes that are read.
    public var byteCount: Int {
        segments.joined().reduce(Int(snapshot.byteCount)) { $0 + Int($1.byteCount) }
    }

    /// Finds the commit, and verifies every byte that it takes.
    ///
    /// - Throws: `.backupRefused` when the backup does not reach so far, and says how far it does; when it is damaged.
    public init(
        _ point: RestorePoint, from backup: Backup, progress: (Double) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        self.backup = backup
        let segments = backup.manifest.segments
        let lines = backup.manifest.snapshots.map { BackupLine($0, segments) }
        let found: (line: BackupLine, commit: UInt64, time: UInt64)?
        switch point {
        case .newest: found = try Self.newest(of: lines, backup, progress)
        case .commit(let commit): found = try Self.place(of: commit, in: lines, backup, progress)
        case .time(let time): found = try Self.place(ofTime: time, in: lines, backup, progress)
        }
        guard let found else { throw Self.unreached(point, backup) }
        snapshot = found.line.snapshot
        commitNumber = found.commit
        commitTime = found.time
        self.segments = Self.segments(of: found.line, to: found.commit)
    }

    /// The same on a thread of its own, not on the cooperative pool: it reads the backup, however large.
    ///
    /// - Throws: as that, and `StorageError.cancelled` when the task is cancelled.
    package static func find(
        _ point: RestorePoint, at path: String, _ fileSystem: any FileSystem,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws -> RestorePlan {
        try await CancellationFlag.onThread(.utility, of: DispatchWork()) { isCancelled in
            try RestorePlan(point, from: Backup(at: path, fileSystem: fileSystem)) { (share) throws(StorageError) in
                if isCancelled.isSet { throw .cancelled }
                progress(share)
            }
        }
    }

    private typealias Progress = (Double) throws(StorageError) -> Void

    private static func newest(
        of lines: [BackupLine], _ backup: Backup, _ progress: Progress
    ) throws(StorageError) -> (BackupLine, UInt64, UInt64)? {
        guard let line = lines.max(by: { $0.reach.commits.upperBound <= $1.reach.commits.upperBound }) else {
            return nil
        }
        return try place(of: line.reach.commits.upperBound, in: [line], backup, progress)
    }

    /// From the newest snapshot that is not too new.
    private static func place(
        of commit: UInt64, in lines: [BackupLine], _ backup: Backup, _ progress: Progress
    ) throws(StorageError) -> (BackupLine, UInt64, UInt64)? {
        guard let line = lines.last(where: { $0.reach.commits.contains(commit) }) else { return nil }
        try verify(line, to: commit, backup, progress)
        var time = line.snapshot.lastTime
        try backup.forEachCommit(of: segments(of: line, to: commit), behind: line.snapshot) { (frame, _) in
            if frame.commit == commit { time = frame.time }
            return frame.commit < commit
        }
        return (line, commit, time)
    }

    private static func place(
        ofTime moment: UInt64, in lines: [BackupLine], _ backup: Backup, _ progress: Progress
    ) throws(StorageError) -> (BackupLine, UInt64, UInt64)? {
        guard let line = lines.last(where: { $0.snapshot.lastTime <= moment }) else { return nil }
        var found = (commit: line.snapshot.lastCommit, time: line.snapshot.lastTime)
        var isPassed = false
        do throws(StorageError) {
            // All of them: behind a commit that a clock dated ahead there may be others of that moment.
            try backup.forEachCommit(of: segments(of: line, to: .max), behind: line.snapshot) { (frame, _) in
                if frame.time <= moment { found = (frame.commit, frame.time) } else { isPassed = true }
                return true
            }
        } catch {
            // Of what is damaged behind the moment nothing is taken.
            guard isPassed, case .backupRefused = error else { throw error }
        }
        let isLast = found.commit == line.reach.commits.upperBound
        if isLast, found.time < moment,
            let next = lines.first(where: { $0.reach.commits.lowerBound > found.commit + 1 })
        {
            let lost = found.commit + 1...next.reach.commits.lowerBound - 1
            throw .backupRefused(
                path: backup.path,
                reason:
                    "Commits \(lost.lowerBound) to \(lost.upperBound) were never backed up, and some may have been made by that time.",
                next: "Restore to commit \(found.commit) or \(next.reach.commits.lowerBound) instead: --commit.")
        }
        try verify(line, to: found.commit, backup, progress)
        return (line, found.commit, found.time)
    }

    private static func verify(
        _ line: BackupLine, to commit: UInt64, _ backup: Backup, _ progress: Progress
    ) throws(StorageError) {
        try backup.verify([line.snapshot] + segments(of: line, to: commit).joined(), progress)
    }

    private static func segments(of line: BackupLine, to commit: UInt64) -> [[BackupPart]] {
        var segments: [[BackupPart]] = []
        for piece in line.pieces {
            // What comes after the commit, were it only a mark that others stand on, is left out, with all after it.
            if piece.firstCommit > commit || piece.firstCommit == commit && !segments.isEmpty { break }
            if piece.start == 0 { segments.append([]) }
            segments[segments.count - 1].append(piece)
        }
        return segments
    }

    private static func unreached(_ point: RestorePoint, _ backup: Backup) -> StorageError {
        let wanted =
            switch point {
            case .newest: "The backup holds no snapshot."
            case .commit(let commit): "Commit \(commit) is not in the backup."
            case .time: "The backup does not go back to that time."
            }
        let reach = backup.reaches.map { reach in
            reach.commits.count == 1
                ? "commit \(reach.commits.lowerBound)"
                : "commits \(reach.commits.lowerBound) to \(reach.commits.upperBound)"
        }.joined(separator: ", ")
        return .backupRefused(
            path: backup.path, reason: wanted,
            next: "It can restore \(reach); `bookdb restore --dry-run` says of which times.")
    }
}

extension Backup {
    /// Visits the commits of some segments in order, but those that the snapshot holds, until `body` gives `false`.
    ///
    /// - Throws: `.backupRefused` where a segment does not continue the one before it, or the snapshot.
    func forEachCommit(
        of segments: [[BackupPart]], behind snapshot: BackupPart,
        _ body: (LogFrame, inout LogReader) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var last: (commit: UInt64, chain: UInt32)?
        for pieces in segments {
            var reader = try reader(of: pieces)
            let header = try reader.header()
            guard let first = pieces.first, header.store == manifest.store, header.sequence == first.number,
                header.baseCommit == first.firstCommit, header.previousChecksum == first.firstChain,
                last == nil || (last?.commit == header.baseCommit && last?.chain == header.previousChecksum)
            else { throw broken(reader.path, 0) }
            var (end, commit, chain) = (
                LogSegmentFormat.headerByteCount, header.baseCommit, header.previousChecksum
            )
            while end < reader.byteCount {
                guard let frame = try reader.frame(behind: end, commit, chain, salt: header.salt) else {
                    throw broken(reader.path, end)
                }
                if !frame.isWatermarkOnly, frame.commit > snapshot.lastCommit, try !body(frame, &reader) { return }
                (end, commit, chain) = (frame.end, frame.commit, frame.checksum)
            }
            last = (commit, chain)
        }
    }

    private func broken(_ file: String, _ place: Int) -> StorageError {
        .damagedBackup(path, Damage(file: file, byteOffset: place, finding: "the commits do not follow on each other"))
    }
}
