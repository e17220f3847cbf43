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
actor Writer {
    private let files: StoreFiles
    private let fileSystem: any FileSystem
    private let publication: Publication
    private let onPublish: @Sendable (PublishedCommit) -> Void
    private let log: LogQueue
    private let lock: any FileLock
    private var state: WriteState
    private let declared: [TreeDeclaration]
    /// Trees that the first commit adds.
    private var undeclared: [TreeDeclaration]
    private var published: Version

    /// Commits that no group has taken yet, oldest first.
    private var sealed: [SealedCommit] = []
    /// Where the newest run of commits began that only will be seen together: they change the same memory nodes.
    private var runStart: RunStart?
    private var inFlight: [SealedCommit] = []
    /// Bytes of both.
    private var unwrittenByteCount = 0
    private var isBusy = false
    /// Of the newest group that was written.
    private var lastGroupCount = 0
    private var lastGroupDuration = Duration.seconds(1)
    /// Writes that have been called and have not begun.
    private nonisolated let arriving = Atomic(0)
    /// Why everything is being moved to new files, while it is.
    private var rescueReason: StorageError?
    /// Why writes are refused, once they are.
    private var refusal: StorageError?
    /// Why commits that readers have seen may not outlive the process; told at closing.
    private var unwritten: StorageError?

    private var rotationRequest: CheckedContinuation<Rotation, any Error>?
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// Every commit behind the version that a running compaction writes out.
    private var replayable: [LogWriter.Commit]?
    private(set) var compaction: Task<CompactionReport, any Error>?
    /// How many were begun.
    private var compactionCount = 0
    /// A load has the store to itself: what comes meanwhile waits for its end.
    private var isLoading = false
    private var cancelLoad: (@Sendable () -> Void)?
    private var loadWaiters: [CheckedContinuation<Void, Never>] = []
    private let startsCompactions: Bool
    private var startCompaction: (@Sendable () -> Void)?
    private var logByteCount: Int
    private var nextCompactionByteCount = 0

    /// `.memory` commits wait when this much is not written yet.
    private static let backlogByteCount = 64 << 20

    private struct RunStart {
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
        self.log = LogQueue(log)
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

    private func commit<Result: Sendable>(
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

    private func startGroup() {
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
            lock: lock, commits: inFlight.map(\.commit), durability: inFlight.map(\.durability).max() ?? .memory)
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

    /// The log failed, and so did new files in its place.
    private func poison(_ error: StorageError, _ second: StorageError, undoing commits: [SealedCommit]) {
        let reason = StorageError.poisoned(
            path: files.directory, reason: "\(error) Writing everything to a new file failed too: \(second)")
        refusal = reason
        if commits.contains(where: \.isPublished) { unwritten = reason }
        undo(commits.filter { !$0.isPublished }, reason)
        sealed = []
        unwrittenByteCount = 0
        failWaiters(reason)
    }

    // MARK: Rescue

    /// What the log holds is unknown from here on, and no second flush can tell. Nothing has been lost: every commit is in
    /// memory, so all of them go to new files, and are acknowledged then.
    private func rescue(_ group: [SealedCommit], _ error: StorageError) {
        isBusy = true
        rescueReason = error
        inFlight = group
        rotationRequest?.resume(throwing: error)
        rotationRequest = nil
        Task { [compaction] in
            // One that is running ends first, one way or the other: it may be about to publish a generation.
            compaction?.cancel()
            _ = await compaction?.result
            self.beginRescue(error)
        }
    }

    private func beginRescue(_ error: StorageError) {
        inFlight += sealed
        sealed = []
        replayable = []
        let version = Version(commitNumber: state.commitNumber, generation: state.generation, trees: state.trees)
        let rescue = Rescue(version: version, files: files, fileSystem: fileSystem, lock: lock)
        log.run { (log) throws(StorageError) in
            try rescue.run(log)
        } then: { outcome in
            Task { await self.finishRescue(outcome, error) }
        }
    }

    private func finishRescue(_ outcome: Result<SnapshotFile, StorageError>, _ error: StorageError) {
        isBusy = false
        rescueReason = nil
        let rescued = inFlight
        inFlight = []
        do throws(StorageError) {
            let fresh = WriteState(generation: Generation(file: try outcome.get()))
            let trees = fresh.trees
            let version = Version(commitNumber: fresh.commitNumber, generation: fresh.generation, trees: trees)
            move(to: fresh, try replay(onto: fresh))
            logByteCount = LogSegmentFormat.headerByteCount
            unwrittenByteCount -= rescued.reduce(0) { $0 + $1.commit.payload.count }
            unwritten = nil
            publish(rescued.filter { !$0.isPublished }, as: version)
            startGroup()
        } catch let second {
            replayable = nil
            poison(error, second, undoing: rescued + sealed)
        }
    }

    private func undo(_ commits: [SealedCommit], _ error: StorageError) {
        state.rollBack(to: published.commitNumber, published.trees)
        forget(commits, behind: published.commitNumber, error)
    }

    private func failWaiters(_ error: StorageError) {
        rotationRequest?.resume(throwing: error)
        rotationRequest = nil
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }

    // MARK: Publishing

    private func publish(_ commits: [SealedCommit]) {
        guard let last = commits.last else { return }
        publish(
            commits, as: Version(commitNumber: last.commit.number, generation: state.generation, trees: last.trees))
    }

    private func publish(_ commits: [SealedCommit], as version: Version) {
        replacePublished(with: version)
        for commit in commits {
            commit.isPublished = true
            onPublish(PublishedCommit(commitNumber: commit.commit.number, version: version, note: commit.note))
            commit.complete(.success(()))
        }
    }

    private func replacePublished(with version: Version) {
        publication.version = version
        published = version
        let (live, released) = state.generation.registry.drain()
        state.generation.heap.reclaim(live: live, released: released)
    }

    // MARK: Compaction

    /// Runs `work`, so that everything committed before the call is in the snapshot afterwards. One that is running already began
    /// before some of that, so it ends first, and counts when it left no log behind; one that began since the call is joined.
    func compact(
        _ work: @escaping @Sendable () async throws -> CompactionReport
    ) async throws -> CompactionReport {
        let begunBefore = compactionCount
        while true {
            await waitForLoad()
            guard let running = compaction, compactionCount == begunBefore else { break }
            let result = await running.result
            if logByteCount == LogSegmentFormat.headerByteCount, let report = try? result.get() { return report }
            if compaction == running { compaction = nil }
        }
        if let refusal { throw refusal }
        if compaction == nil { compactionCount += 1 }
        let task = compaction ?? Task { try await work() }
        compaction = task
        defer { if compaction == task { compaction = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func setCompactionStart(_ start: @escaping @Sendable () -> Void) {
        startCompaction = start
        considerCompaction()
    }

    private func considerCompaction() {
        let snapshotByteCount = Int(state.generation.file.superblock.fileByteCount)
        guard startsCompactions, compaction == nil, replayable == nil, refusal == nil, !isLoading,
            logByteCount >= nextCompactionByteCount,
            CompactionPolicy.isDue(logByteCount: logByteCount, snapshotByteCount: snapshotByteCount)
        else { return }
        // If this one fails, the next is tried when the log has doubled.
        nextCompactionByteCount = logByteCount * 2
        startCompaction?()
    }

    /// Whether closing should fold the log into the snapshot first.
    var isWorthCompactingAtClose: Bool {
        startsCompactions && refusal == nil && logByteCount >= CompactionPolicy.leastLogByteCount
    }

    /// Starts a new log segment and gives the version it begins behind: what the next snapshot contains.
    func beginCompaction() async throws -> Rotation {
        if let refusal = refusal ?? rescueReason { throw refusal }
        precondition(rotationRequest == nil && replayable == nil, "one compaction runs at a time")
        return try await withCheckedThrowingContinuation { continuation in
            rotationRequest = continuation
            startGroup()
        }
    }

    private func rotate() {
        isBusy = true
        let before = logByteCount
        log.run { [lock] (log) throws(LogFailure) in
            try lock.proveForLog()
            try log.rotate()
            return log.sequence
        } then: { outcome in
            Task { await self.finishRotation(outcome, before) }
        }
    }

    private func finishRotation(_ outcome: Result<UInt64, LogFailure>, _ logByteCountBefore: Int) {
        isBusy = false
        let request = rotationRequest
        rotationRequest = nil
        switch outcome {
        case .success(let sequence):
            replayable = sealed.map(\.commit)
            request?.resume(
                returning: Rotation(version: published, logSequence: sequence, logByteCount: logByteCountBefore))
        case .failure(.nothingWritten(let error)):
            request?.resume(throwing: error)
        case .failure(.unknownState(let error)):
            request?.resume(throwing: error)
            return rescue([], error)
        }
        startGroup()
    }

    func abandonCompaction() { replayable = nil }

    /// Throws when the names of the store's files no longer lead to them.
    nonisolated func prove() throws(StorageError) { try lock.prove() }

    /// Published commits behind `commit`, for the compaction to replay onto its snapshot while writing goes on.
    func commits(after commit: UInt64) -> [LogWriter.Commit] {
        (replayable ?? []).filter { $0.number > commit && $0.number <= published.commitNumber }
    }

    /// Moves the head onto a new generation whose state has replayed every commit up to its own number.
    func adopt(_ fresh: WriteState) throws(StorageError) {
        let replayed = try replay(onto: fresh)
        guard let trees = replayed.publishedTrees else {
            throw .damaged(
                Damage(
                    file: files.directory, byteOffset: 0, finding: "the commits since compaction began are not whole"))
        }
        move(to: fresh, replayed)
        replacePublished(
            with: Version(commitNumber: published.commitNumber, generation: fresh.generation, trees: trees))
    }

    private struct Replayed {
        /// As of the published commit, when the replay passed it.
        var publishedTrees: TreeTable?
        /// Commits that wait to be written, with their trees in the new generation.
        var waiting: [(commit: SealedCommit, trees: TreeTable)] = []
    }

    /// Brings a new generation's state up to the newest sealed commit. Changes nothing but that state.
    private func replay(onto fresh: WriteState) throws(StorageError) -> Replayed {
        var replayed = Replayed(publishedTrees: fresh.commitNumber == published.commitNumber ? fresh.trees : nil)
        for commit in replayable ?? [] where commit.number > fresh.commitNumber {
            guard try fresh.apply(commit.payload) else {
                throw .damaged(
                    Damage(
                        file: files.directory, byteOffset: 0, finding: "commit \(commit.number) cannot be replayed"))
            }
            if commit.number == published.commitNumber { replayed.publishedTrees = fresh.trees }
            for waiting in inFlight + sealed where waiting.commit.number == commit.number {
                replayed.waiting.append((waiting, fresh.trees))
            }
        }
        guard fresh.commitNumber == state.commitNumber else {
            throw .damaged(
                Damage(
                    file: files.directory, byteOffset: 0,
                    finding: "the commits since the new generation was begun are not whole"))
        }
        return replayed
    }

    private func move(to fresh: WriteState, _ replayed: Replayed) {
        for (commit, trees) in replayed.waiting { commit.trees = trees }
        state = fresh
        runStart = nil
        replayable = nil
    }

    /// The segments before the newest are gone.
    func forgetOlderSegments() async {
        let byteCount = await log.call { log in
            log.forgetOlderSegments()
            return log.byteCount
        }
        logByteCount = byteCount
        nextCompactionByteCount = 0
    }

    // MARK: Loads

    /// Runs `work` on the newest version while nothing else is written or compacted. Readers notice nothing.
    func load<Result: Sendable>(
        _ work: @escaping @Sendable (Version) async throws -> Result
    ) async throws -> Result {
        await waitForLoad()
        isLoading = true
        defer {
            isLoading = false
            cancelLoad = nil
            for waiter in loadWaiters { waiter.resume() }
            loadWaiters = []
            considerCompaction()
        }
        while let running = compaction {
            _ = await running.result
            if compaction == running { compaction = nil }
        }
        // A transaction of no operations declares what the store lacks.
        if !undeclared.isEmpty { try await commit(.ordered) { _ in } }
        await drain()
        if let refusal { throw refusal }
        let task = Task { [published] in try await work(published) }
        cancelLoad = { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func waitForLoad() async {
        while isLoading { await withCheckedContinuation { loadWaiters.append($0) } }
    }

    /// Makes what a load gathered a commit like any other.
    func commitLoad(_ note: (any Sendable)?, _ body: @Sendable (inout Transaction) throws -> Void) async throws {
        try await commit(.flushed) { transaction in
            try body(&transaction)
            transaction.note = note
        }
    }

    /// The log segment behind the commit that a load will be.
    func makeSuccessor(generation: UInt64) async throws -> LogWriter.Successor {
        let commit = published.commitNumber + 1
        let outcome: Result<LogWriter.Successor, LogFailure> = await log.call { [lock] log in
            do throws(LogFailure) {
                try lock.proveForLog()
                return .success(try log.makeSuccessor(behind: commit, generation: generation))
            } catch { return .failure(error) }
        }
        switch outcome {
        case .success(let successor): return successor
        // Whatever is there of it, recovery passes it by.
        case .failure(let failure): throw failure.error
        }
    }

    /// Moves the store to the snapshot that a load wrote, which is one commit ahead and has its name.
    func adoptLoad(
        _ file: SnapshotFile, _ companion: CompanionPlace, _ successor: LogWriter.Successor, _ note: (any Sendable)?
    )
        async
    {
        let old = state.generation
        let fresh = WriteState(generation: Generation(file: file, companion: companion))
        state = fresh
        logByteCount = await log.call { log in
            log.move(to: successor)
            return log.byteCount
        }
        nextCompactionByteCount = 0
        let version = Version(commitNumber: fresh.commitNumber, generation: fresh.generation, trees: fresh.trees)
        old.holdCompanion()
        replacePublished(with: version)
        onPublish(PublishedCommit(commitNumber: version.commitNumber, version: version, note: note))
    }

    /// Whether a load's snapshot has its name on the medium is unknown, so nothing may be written any more.
    func refuseAfterLoad(_ error: StorageError) {
        refusal = .poisoned(path: files.directory, reason: "\(error)")
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
