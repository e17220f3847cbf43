import Synchronization

/// The one writer of a store. Transactions run here one after the other; their log frames are written and flushed on a
/// queue of their own, all that have gathered during one flush together in the next. One alone does not wait for the queue.
///
///     write: body runs ─ sealed ─┐                        ┌─ published ─ acknowledged
///     write: body runs ─ sealed ─┼─ one write, one flush ─┼─ published ─ acknowledged
///     write: body runs ─ sealed ─┘                        └─ published ─ acknowledged
///
/// Always true: published <= written <= sealed, in commit order (but `.memory` commits may be published before they are
/// written). A commit that fails to be written is undone in memory with all that follow it; no reader has seen them.
///
/// Rescues, compactions and loads are extensions in files of their own; what is not private here is theirs, too.
actor Writer {
    let files: StoreFiles
    let fileSystem: any FileSystem
    nonisolated let work: any BackgroundWork
    private let publication: Publication
    let onPublish: @Sendable (PublishedCommit) -> Void
    let log: LogQueue
    let lock: any FileLock
    var state: WriteState
    private let declared: [TreeDeclaration]
    /// Trees that the first commit adds.
    var undeclared: [TreeDeclaration]
    var published: Version

    /// Commits that no group has taken yet, oldest first.
    var sealed: [SealedCommit] = []
    /// Where the newest run of commits began that only will be seen together: they change the same memory nodes.
    var runStart: RunStart?
    var inFlight: [SealedCommit] = []
    /// Bytes of both.
    var unwrittenByteCount = 0
    var isBusy = false
    /// Of the newest group that was written.
    private var lastGroupCount = 0
    private var lastGroupDuration = Duration.seconds(1)
    /// Writes that have been called and have not begun.
    private nonisolated let arriving = Atomic(0)
    /// Why everything is being moved to new files, while it is.
    var rescueReason: StorageError?
    /// Why writes are refused, once they are.
    var refusal: StorageError?
    /// Why commits that readers have seen may not outlive the process; told at closing.
    var unwritten: StorageError?

    var rotationRequest: CheckedContinuation<Rotation, any Error>?
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// Every commit behind the version that a running compaction writes out.
    var replayable: [LogWriter.Commit]?
    var compaction: Task<CompactionReport, any Error>?
    /// How many were begun.
    var compactionCount = 0
    /// A load has the store to itself: what comes meanwhile waits for its end.
    var isLoading = false
    var cancelLoad: (@Sendable () -> Void)?
    var loadWaiters: [CheckedContinuation<Void, Never>] = []
    let startsCompactions: Bool
    var startCompaction: (@Sendable () -> Void)?
    var logByteCount: Int
    var nextCompactionByteCount = 0

    /// `.memory` commits wait when this much is not written yet.
    private static let backlogByteCount = 64 << 20

    struct RunStart {
        let commitNumber: UInt64
        let trees: TreeTable
    }

    struct Rotation {
        let version: Version
        let logSequence: UInt64
        let logByteCount: Int
    }

    init(
        files: StoreFiles, fileSystem: any FileSystem, opened: StoreOpening.Opened, log: LogWriter, lock: any FileLock,
        publication: Publication, declared: [TreeDeclaration], options: Options,
        onPublish: @escaping @Sendable (PublishedCommit) -> Void
    ) {
        self.files = files
        self.fileSystem = fileSystem
        self.publication = publication
        self.onPublish = onPublish
        self.lock = lock
        work = options.work
        self.log = LogQueue(log, on: options.work)
        state = opened.state
        self.declared = declared
        undeclared = declared.filter { opened.state.trees.declaration(of: $0.number) == nil }
        published = publication.version
        startsCompactions = options.compaction == .automatic
        logByteCount = opened.report.logByteCount
    }

    // MARK: Writing

    nonisolated func write<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (inout Transaction) throws -> Result
    ) async throws -> Result {
        arriving.add(1, ordering: .relaxed)
        return try await arrive(durability, body)
    }

    private func arrive<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (inout Transaction) throws -> Result
    ) async throws -> Result {
        arriving.subtract(1, ordering: .relaxed)
        await waitForLoad()
        return try await commit(durability, body)
    }

    func commit<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (inout Transaction) throws -> Result
    ) async throws -> Result {
        if let refusal { throw refusal }
        beginCommit()
        var transaction = Transaction(state: state)
        let result: Result
        do {
            for tree in undeclared { try transaction.declare(tree) }
            result = try body(&transaction)
        } catch {
            if !transaction.operations.isEmpty { rollBackCommit() }
            throw error
        }
        guard !transaction.operations.isEmpty else { return result }
        state.seal()
        undeclared = []
        let commit = SealedCommit(
            commit: LogWriter.Commit(number: state.commitNumber, payload: transaction.operations.bytes),
            trees: state.trees, note: transaction.note, durability: durability)
        sealed.append(commit)
        unwrittenByteCount += commit.commit.payload.count
        replayable?.append(commit.commit)
        if durability == .memory, canPublishAtOnce {
            publish([commit])
            startGroup()
            return result
        }
        startGroup()
        try await commit.completion()
        return result
    }

    /// Commits that wait for the same group are seen together or not at all, so one changes in place what those before it made:
    /// many writers share the copies of a tree's upper levels as they share a flush.
    private func beginCommit() {
        if runStart != nil, let last = sealed.last, !last.isPublished { return }
        runStart = RunStart(commitNumber: state.commitNumber, trees: state.trees)
        state.begin()
    }

    /// Undoes the commit that is being made. Those of its run that are sealed are made again from their operations.
    private func rollBackCommit() {
        guard let runStart else { return }
        func rollBack() { state.rollBack(to: runStart.commitNumber, runStart.trees) }
        rollBack()
        state.begin()
        let first = sealed.firstIndex { $0.commit.number > runStart.commitNumber } ?? sealed.endIndex
        do throws(StorageError) {
            for commit in sealed[first...] {
                _ = try state.applyToRun(commit.commit.payload)
                commit.trees = state.trees
            }
        } catch {
            // Their pages could be read a moment ago. Nobody has been told of them.
            rollBack()
            forget(sealed[first...], behind: runStart.commitNumber, error)
            sealed.removeSubrange(first...)
        }
    }

    /// Tells those who wait that their commits, which the state no longer holds, have failed.
    private func forget(_ commits: some Sequence<SealedCommit>, behind commit: UInt64, _ error: StorageError) {
        runStart = nil
        undeclared = declared.filter { state.trees.declaration(of: $0.number) == nil }
        replayable?.removeAll { $0.number > commit }
        for commit in commits {
            unwrittenByteCount -= commit.commit.payload.count
            commit.complete(.failure(error))
        }
    }

    /// Commits are published in order, so only one without unpublished predecessors can go ahead of its group. While a
    /// compaction waits for a boundary, none does.
    private var canPublishAtOnce: Bool {
        rotationRequest == nil && rescueReason == nil && unwrittenByteCount < Self.backlogByteCount
            && inFlight.allSatisfy(\.isPublished) && sealed.dropLast().allSatisfy(\.isPublished)
    }

    func startGroup() {
        guard !isBusy else { return }
        if rotationRequest != nil, !sealed.contains(where: \.isPublished) { return rotate() }
        guard !sealed.isEmpty else {
            for waiter in idleWaiters { waiter.resume() }
            idleWaiters = []
            return
        }
        isBusy = true
        inFlight = sealed
        sealed = []
        let writing = GroupWriting(
            lock: lock, commits: inFlight.map(\.commit), durability: inFlight.map(\.durability).max() ?? .memory,
            clock: work)
        if isWrittenHere(writing) {
            finishGroup(log.runHere(writing.run))
        } else {
            log.run(writing.run) { outcome in
                Task { await self.finishGroup(outcome) }
            }
        }
    }

    /// A group of one that nobody waits behind is spared two threads that wake up, which take half as long as a good device's
    /// flush. Where flushes are slow they stay on the queue: what blocks for long has no place on the cooperative pool.
    private func isWrittenHere(_ writing: GroupWriting) -> Bool {
        let isAlone = writing.commits.count == 1 && lastGroupCount == 1 && arriving.load(ordering: .relaxed) == 0
        return isAlone && writing.durability != .memory && lastGroupDuration <= Self.shortDuration
    }

    private static let shortDuration = Duration.microseconds(300)

    private func finishGroup(_ outcome: Result<GroupWriting.Written, LogFailure>) {
        isBusy = false
        let group = inFlight
        inFlight = []
        lastGroupCount = group.count
        switch outcome {
        case .success(let written):
            logByteCount = written.logByteCount
            lastGroupDuration = written.duration
            unwrittenByteCount -= group.reduce(0) { $0 + $1.commit.payload.count }
            publish(group.filter { !$0.isPublished })
            considerCompaction()
            startGroup()
        case .failure(.nothingWritten(let error)):
            // What readers have seen stays and is tried again with the next write.
            let kept = group.filter(\.isPublished) + sealed.filter(\.isPublished)
            undo((group + sealed).filter { !$0.isPublished }, error)
            sealed = kept
            if !kept.isEmpty { unwritten = error }
            failWaiters(error)
        case .failure(.unknownState(let error)):
            rescue(group, error)
        }
    }

    func undo(_ commits: [SealedCommit], _ error: StorageError) {
        state.rollBack(to: published.commitNumber, published.trees)
        forget(commits, behind: published.commitNumber, error)
    }

    func failWaiters(_ error: StorageError) {
        rotationRequest?.resume(throwing: error)
        rotationRequest = nil
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }

    // MARK: Publishing

    func publish(_ commits: [SealedCommit]) {
        guard let last = commits.last else { return }
        publish(
            commits, as: Version(commitNumber: last.commit.number, generation: state.generation, trees: last.trees))
    }

    func publish(_ commits: [SealedCommit], as version: Version) {
        replacePublished(with: version)
        for commit in commits {
            commit.isPublished = true
            onPublish(PublishedCommit(commitNumber: commit.commit.number, version: version, note: commit.note))
            commit.complete(.success(()))
        }
    }

    func replacePublished(with version: Version) {
        publication.version = version
        published = version
        let (live, released) = state.generation.registry.drain()
        state.generation.heap.reclaim(live: live, released: released)
    }

    // MARK: Closing

    /// Returns when every sealed commit has been written, or has failed.
    func drain() async {
        guard isBusy || !sealed.isEmpty else { return }
        await withCheckedContinuation { continuation in
            idleWaiters.append(continuation)
            startGroup()
        }
    }

    /// Waits for everything sealed, makes it durable, and gives up the lock. Later writes are refused.
    func close() async throws(StorageError) {
        if case .closed = refusal { return }
        let wasRefusing = refusal
        refusal = .closed(path: files.directory)
        compaction?.cancel()
        _ = await compaction?.result
        cancelLoad?()
        await waitForLoad()
        await drain()
        startCompaction = nil
        let lost = sealed.isEmpty && wasRefusing == nil ? nil : unwritten
        let rescue = Rescue(version: published, files: files, fileSystem: fileSystem, lock: lock)
        let failure: StorageError? = await log.call { log in
            defer { log.close() }
            guard wasRefusing == nil else { return nil }
            do throws(StorageError) { try rescue.seal(log) } catch { return error }
            return nil
        }
        lock.unlock()
        if let failure = failure ?? lost { throw failure }
    }
}
