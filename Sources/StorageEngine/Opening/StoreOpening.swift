/// Opening a store: choosing the snapshot, replaying the log, and what else the directory needs.
struct StoreOpening {
    let files: StoreFiles
    let fileSystem: any FileSystem
    let options: Options
    let declared: [TreeDeclaration]
    /// What is open here, when this opens it again: a restore may have put another store in its place.
    var former: Generation?
    var stages = Stages()

    /// What an opening in the background tells on its way.
    struct Stages: Sendable {
        /// The snapshot is mapped, and the log not yet replayed: what readers may have meanwhile.
        var mapped: (@Sendable (Version) throws(StorageError) -> Void)?
        /// The log is longer than what is replayed in about a millisecond. Perhaps told several times.
        var foundLongLog: @Sendable () -> Void = {}
        /// The share of the log that was read. What it throws ends the opening.
        var progress: @Sendable (Double) throws(StorageError) -> Void = { _ in }
        var witness: (any ReplayWitness)?
    }

    struct Opened: Sendable {
        let state: WriteState
        /// `nil` when read-only.
        let log: LogWriter?
        /// Where the log ends, for a reader; `nil` where it cannot be followed.
        let tail: SegmentTail?
        let lock: WriteLock?
        var report: OpeningReport
    }

    func open() throws(StorageError) -> Opened {
        let start = ContinuousClock.now
        var opened = try openAsAsked()
        opened.report.openingNanoseconds = elapsed(since: start)
        opened.report.time = fileSystem.now()
        return opened
    }

    /// The same for a store that is open, by who holds its lock.
    func openAgain(_ lock: WriteLock) throws(StorageError) -> Opened {
        var contents = try Contents(files, fileSystem)
        if contents.isRestoring { contents.restsOnMark = try staged.leavesNameInDoubt() }
        return try open(contents, lock, createdStore: false)
    }

    private var staged: StagedRestore { StagedRestore(files: files, fileSystem: fileSystem, accept: accept) }

    private func openAsAsked() throws(StorageError) -> Opened {
        if try !files.exist(in: fileSystem) {
            guard options.access.writes else { throw .notFound(path: files.directory) }
            try fileSystem.createDirectory(files.directory, sharing: options.sharing)
        }
        guard options.access.writes else { return try openReadOnly() }
        var contents = try Contents(files, fileSystem)
        let isNew = contents.snapshots.isEmpty && contents.logs.isEmpty
        if isNew, let foreign = contents.foreign.first {
            throw .notAStore(path: files.directory, reason: "it holds other files, such as \(foreign)")
        }
        let lock = try takeLock()
        // Whoever waited for it may have waited for that of a directory that is elsewhere by now.
        try lock.requireStillOurs()
        if contents.isRestoring {
            contents = try Contents(files, fileSystem)
            try requireWritable(contents)
        }
        let restore = try staged.carryOut()
        // Another writer may have been at work until the lock was ours.
        contents = try Contents(files, fileSystem)
        let begins = contents.snapshots.isEmpty
        if begins {
            // A restore was to begin the store: an empty one is not what was asked for.
            if case .failed(let error) = restore { throw error }
            if let lost = try contents.lostSnapshot(files, fileSystem) { throw .damaged(lost) }
            // Once more when it exists: its own name may not be on the medium yet.
            try fileSystem.createDirectory(files.directory, sharing: options.sharing)
            try createStore()
            contents = try Contents(files, fileSystem)
        }
        if let creation = unprovedCreation(contents) {
            try createStore(creation.identifier, creation.trees)
            contents = try Contents(files, fileSystem)
        }
        return try open(contents, lock, createdStore: begins, restore)
    }

    /// A restore changes nothing in a store that another version may not write to.
    func requireWritable(_ contents: Contents) throws(StorageError) {
        var report = OpeningReport()
        let file: SnapshotFile
        do throws(StorageError) {
            file = try newestSnapshot(contents, &report)
        } catch {
            switch error {
            case .newerFormat, .unknownFeatures: throw error
            // What is damaged is what a restore is for.
            default: return
            }
        }
        try file.superblock.features.requireWritable(file.path)
    }

    /// Opens what a restore has left. The store that it replaced goes when that was done.
    private func open(
        _ contents: Contents, _ lock: WriteLock?, createdStore: Bool, _ restore: StagedRestore.Outcome
    ) throws(StorageError) -> Opened {
        switch restore {
        case .none: return try open(contents, lock, createdStore: createdStore)
        case .failed(let error):
            var opened = try open(contents, lock, createdStore: createdStore)
            opened.report.restoreFailure = error
            return opened
        case .unknown(let error):
            var doubtful = contents
            doubtful.restsOnMark = true
            var opened = try open(doubtful, lock, createdStore: createdStore)
            opened.report.restoreFailure = error
            return opened
        case .carriedOut(let mark):
            var restored = contents
            // Its name was flushed here and by nobody before, so no older snapshot is needed to doubt it.
            restored.snapshots = [mark.generation]
            // So was that of its segment. To make that once more would take space, of which there may be none.
            var opened = try open(restored, lock, createdStore: false, provedSegment: mark.logSequence)
            staged.removeReplaced(by: mark)
            opened.report.restored = mark.restoration
            return opened
        }
    }

    private func attachment(for file: SnapshotFile) -> (any AnyObject & Sendable)? {
        former.map { $0.attachment(for: file.superblock.store) } ?? options.attachment
    }

    /// Throws why a snapshot, with an empty log, cannot be opened here for writing.
    func accept(_ file: SnapshotFile) throws(StorageError) {
        try file.superblock.features.requireWritable(file.path)
        let state = WriteState(generation: Generation(file: file, attachment: attachment(for: file)))
        try checkDeclarations(of: state)
        _ = try options.admit(state.version())
    }

    private func checkDeclarations(of state: WriteState) throws(StorageError) {
        var new: [TreeDeclaration] = []
        for declaration in declared {
            guard let known = state.trees.declaration(of: declaration.number) else {
                new.append(declaration)
                continue
            }
            if known != declaration { throw WriteState.contradiction(known, declaration) }
        }
        if options.access.writes { try Self.requirePossible(declared, new, besides: state.trees.declarations.count) }
    }

    /// - Parameters:
    ///   - new: those that a store has not yet.
    ///   - count: of the trees that it has.
    private static func requirePossible(
        _ declared: [TreeDeclaration], _ new: [TreeDeclaration], besides count: Int
    ) throws(StorageError) {
        guard Set(declared.map(\.number)).count == declared.count else {
            throw .schemaMismatch("Two trees are declared under one number. Give each its own.")
        }
        guard count + new.count <= Limits.treeCount else {
            throw .limitExceeded("A store has at most \(Limits.treeCount) trees; \(count + new.count) are declared.")
        }
        for declaration in new {
            if let objection = declaration.objection { throw .schemaMismatch(objection) }
        }
    }

    /// The identifier of a store whose creation may have failed at its last step, the flush of its names: nothing was ever written
    /// to its log but the header, which was flushed before. A flush now would prove nothing, so it is created once more.
    private func unprovedCreation(_ contents: Contents) -> (identifier: StoreIdentifier, trees: [TreeDeclaration])? {
        guard contents.snapshots == [1], contents.logs == [1],
            let log = try? fileSystem.openFile(files.log(1), .reading)
        else { return nil }
        defer { log.close() }
        guard (try? log.byteCount()) == LogSegmentFormat.headerByteCount,
            var reader = try? LogReader(log), let header = try? reader.header(),
            let superblock = try? SnapshotFile(opening: files.snapshot(1), generation: 1, fileSystem).superblock,
            // What a later version has created cannot be created here.
            superblock.features.isEmpty,
            header.misplacement(in: files.log(1), store: superblock.store, sequence: 1) == nil
        else { return nil }
        // Its own trees, not those of this opening: another process may have it open, and count on them.
        return (superblock.store, superblock.trees.map(\.declaration))
    }

    /// People know the store, not the small file the lock lies on.
    private func takeLock() throws(StorageError) -> WriteLock {
        do throws(StorageError) {
            return try WriteLock(
                files, fileSystem, isShared: options.access == .shared, waitingFor: options.lockLimit,
                options.lockActivities)
        } catch {
            switch error {
            case .inUse(_, let processIdentifier):
                throw .inUse(path: files.directory, processIdentifier: processIdentifier)
            case .readOnly: throw .readOnly(path: files.directory)
            case .notPermitted: throw .notPermitted(path: files.directory)
            case .diskFull: throw .diskFull(path: files.directory)
            default: throw error
            }
        }
    }

    /// A reader takes no lock, so a writer may move to another generation between the listing and the last look.
    private func openReadOnly() throws(StorageError) -> Opened {
        try files.lookingAgain(fileSystem) { (contents) throws(StorageError) in
            guard !contents.snapshots.isEmpty else { throw try contents.missingSnapshot(files, fileSystem) }
            let opened = try open(contents, nil, createdStore: false)
            let damage = [opened.report.damage].compactMap(\.self) + opened.report.damagedTrees.map(\.damage)
            return (opened, finding: damage.isEmpty ? nil : damage)
        }
    }

    /// The log is there before the snapshot is, as in every later generation: a segment that is missing then always means
    /// that commits are missing.
    private func createStore(
        _ identifier: StoreIdentifier? = nil, _ declared: [TreeDeclaration]? = nil
    ) throws(StorageError) {
        let declared = declared ?? self.declared
        try Self.requirePossible(declared, declared, besides: 0)
        let superblock = Superblock(
            store: identifier ?? options.storeIdentifier.map(StoreIdentifier.init) ?? .random(), generation: 1,
            commitNumber: 0,
            created: fileSystem.now(), logSequence: 1)
        var writer = try SnapshotWriter(
            path: files.temporarySnapshot(1), superblock: superblock, trees: declared, fileSystem)
        do throws(StorageError) {
            for declaration in declared {
                let layout = writer.layout(of: declaration, symbols: nil)
                try writer.endTree(try writer.beginTree(layout, keptCount: 0, addedCount: 0))
            }
            _ = try writer.finish()
        } catch {
            writer.abandon(fileSystem)
            throw error
        }
        let segment = LogSegmentHeader(store: superblock.store, sequence: 1, baseCommit: 0, previousChecksum: 0)
        try LogWriter(starting: segment, olderByteCount: 0, names: files, fileSystem).close()
        // Not flushed here: the opening that follows makes the segment once more and flushes the directory, this name with it.
        try fileSystem.rename(files.temporarySnapshot(1), to: files.snapshot(1))
    }

    // MARK: Opening what is there

    /// - Parameter provedSegment: one that was made here, and whose name is on the medium.
    private func open(
        _ contents: Contents, _ lock: WriteLock?, createdStore: Bool, provedSegment: UInt64? = nil
    ) throws(StorageError) -> Opened {
        var report = OpeningReport()
        report.createdStore = createdStore
        let start = ContinuousClock.now
        let file = try during(.map) { () throws(StorageError) in try newestSnapshot(contents, &report) }
        if lock != nil { try file.superblock.features.requireWritable(file.path) }
        report.generation = file.superblock.generation
        report.snapshotByteCount = Int(file.superblock.fileByteCount)
        report.usedSpareSuperblock = file.usedSpareSuperblock
        report.lastCommitTime = file.superblock.created
        report.mapNanoseconds = elapsed(since: start)
        let state = WriteState(
            generation: Generation(
                file: file, companion: CompanionPlace(files, file, fileSystem), nodeEntryLimit: options.nodeEntryLimit,
                layouts: options.layouts, attachment: attachment(for: file)))
        try during(.check) { () throws(StorageError) in
            try checkDeclarations(of: state)
            try stages.mapped?(state.version(isCatchingUp: true))
        }
        let replayStart = ContinuousClock.now
        var recovery = LogRecovery(
            files: files, fileSystem: fileSystem, isWriter: lock != nil, provedSegment: provedSegment, stages)
        let log = try during(.replay) { () throws(StorageError) in
            try recovery.replay(contents, into: state, &report)
        }
        report.replayNanoseconds = elapsed(since: replayStart)
        if options.keepsHistory { log?.history = history(of: file.superblock.store, report, state.commitNumber) }
        if lock != nil { try removeLeftovers(contents, keeping: file.superblock, recovery.abandonedSegments) }
        return Opened(state: state, log: log, tail: recovery.tail, lock: lock, report: report)
    }

    private func during<Value>(
        _ phase: StorePhase, _ body: () throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        let end = options.onPhase?(phase)
        defer { end?() }
        return try body()
    }

    private func history(of store: StoreIdentifier, _ report: OpeningReport, _ commit: UInt64) -> StoreHistory {
        let history = StoreHistory(of: store, files, fileSystem)
        history.add(.opened, commit: commit, generation: report.generation, byteCount: report.logByteCount)
        let cutByteCount = report.tornByteCount + report.setAsideByteCount
        if cutByteCount > 0 {
            history.add(.cut, commit: commit, generation: report.generation, byteCount: cutByteCount)
        }
        return history
    }

    /// The newest snapshot that can be read, or the one before it while that is still there.
    private func newestSnapshot(
        _ contents: Contents, _ report: inout OpeningReport
    ) throws(StorageError) -> SnapshotFile {
        var firstError: StorageError?
        for generation in contents.snapshots.reversed().prefix(2) {
            do throws(StorageError) {
                let file = try SnapshotFile(
                    opening: files.snapshot(generation), generation: generation, fileSystem)
                report.fellBack = firstError != nil
                return file
            } catch {
                switch error {
                case .newerFormat, .unknownFeatures, .notPermitted: throw error
                // What is wrong is not the snapshot.
                case _ where error.isShortageOfFiles: throw error
                default: break
                }
                if firstError == nil { firstError = error }
            }
        }
        throw firstError ?? .notAStore(path: files.directory, reason: "it holds no snapshot")
    }

    /// An older generation stays, with its log, until the next one is published: the flush behind the name of the newest may have
    /// failed, and a flush that succeeds now proves nothing.
    private func removeLeftovers(
        _ contents: Contents, keeping superblock: Superblock, _ abandonedSegments: [UInt64]
    ) throws(StorageError) {
        for sequence in abandonedSegments { try fileSystem.remove(files.log(sequence)) }
        // What another process is writing meanwhile, with another lock than this, is no leftover.
        if !contents.temporaries.isEmpty, let turn = WritingTurn(tidying: files, fileSystem) {
            defer { turn.end() }
            for name in contents.temporaries {
                let path = files.directory + "/" + name
                // Not what somebody keeps in a directory of such a name.
                if try fileSystem.kind(of: path) != .directory { try fileSystem.remove(path) }
            }
        }
        guard contents.snapshots == [superblock.generation] else { return }
        for generation in contents.companions where generation != superblock.generation {
            try fileSystem.remove(files.companion(generation))
        }
        for sequence in contents.logs where sequence < superblock.logSequence {
            try fileSystem.remove(files.log(sequence))
        }
    }

    /// The names in the directory, by kind, ascending.
    struct Contents {
        var snapshots: [UInt64] = []
        var companions: [UInt64] = []
        var logs: [UInt64] = []
        var temporaries: [String] = []
        var foreign: [String] = []
        /// Whether a restore was staged here, or was interrupted.
        var isRestoring = false
        /// Whether the name of the only snapshot may not be on the medium, which no older one shows.
        var restsOnMark = false

        init(_ files: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) {
            for name in try fileSystem.names(inDirectory: files.directory) {
                switch StoreFiles.kind(ofName: name) {
                case .snapshot(let generation): snapshots.append(generation)
                case .companion(let generation): companions.append(generation)
                case .log(let sequence): logs.append(sequence)
                case .temporary: temporaries.append(name)
                // Hidden files are the system's own, such as .DS_Store.
                case .foreign: if !name.hasPrefix(".") { foreign.append(name) }
                case .staged, .restore: isRestoring = true
                case .lock, .head, .history, .cache, .launches, .aside, .restored: break
                }
            }
            snapshots.sort()
            logs.sort()
        }

        /// Whether a load, rescue or restore gave a snapshot its name, and an older one is still there: the flush of the directory may have
        /// failed, and another one proves nothing. Should a power cut take the name back, what was written behind it would be lost.
        func isNameInDoubt(_ superblock: Superblock) -> Bool {
            superblock.hasLogOfItsOwn && (restsOnMark || snapshots.contains { $0 < superblock.generation })
        }

        /// What it means that there is no snapshot. What a beginning has left that was interrupted is no store yet.
        func missingSnapshot(_ files: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) -> StorageError {
            if let lost = try lostSnapshot(files, fileSystem) { return .damaged(lost) }
            guard let foreign = foreign.first else { return .notFound(path: files.directory) }
            return .notAStore(path: files.directory, reason: "it holds no snapshot but other files, such as \(foreign)")
        }

        /// What is wrong when there is no snapshot but a log; `nil` when nothing was lost by that, because the one segment is
        /// what a creation that did not finish left: a header without a commit.
        func lostSnapshot(_ files: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) -> Damage? {
            guard snapshots.isEmpty, !logs.isEmpty else { return nil }
            if logs == [1] {
                let file = try fileSystem.openFile(files.log(1), .reading)
                defer { file.close() }
                if try file.byteCount() <= LogSegmentFormat.headerByteCount { return nil }
            }
            let segments = logs.count == 1 ? "there is a log segment" : "there are \(logs.count) log segments"
            return Damage(
                file: files.directory, byteOffset: 0, finding: "\(segments) but no snapshot to go with")
        }
    }
}
