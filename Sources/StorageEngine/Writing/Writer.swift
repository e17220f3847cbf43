import Synchronization

/// The one writer of a store. Transactions run here one after the other; their log frames are written and flushed on a
/// queue of their own, all that have gathered during one flush together in the next. One alone does not wait for the queue.
///
///     write: body runs ─ sealed ─┐                        ┌─ published ─ acknowledged
///     write: body runs ─ sealed ─┼─ one write, one flush ─┼─ published ─ acknowledged
///     write: body runs ─ sealed ─┘                        └─ published ─ acknowledged
///
/// `CommitQueue` decides what comes next; the writer holds what belongs to each commit and carries the decisions out.
/// Rescues, compactions, loads and closing are extensions in files of their own; what is not private here is theirs, too.
actor Writer {
    let files: StoreFiles
    let fileSystem: any FileSystem
    nonisolated let work: any BackgroundWork
    let publication: Publication
    let onPublish: @Sendable (PublishedCommit) -> Void
    let onNotice: (@Sendable (StoreNotice) -> Void)?
    let log: LogQueue
    let lock: WriteLock
    let status: StatusBoard
    nonisolated let options: Options
    let declared: [TreeDeclaration]

    var queue: CommitQueue
    /// The commits that the log does not have yet, oldest first: those behind `queue.written`.
    var commits: [SealedCommit] = []
    /// The head: the trees as the newest sealed commit left them.
    var state: WriteState
    /// What the nodes of the newest generation take of memory.
    var nodeByteCount: Int { state.generation.heap.memory.byteCount }
    private(set) var published: Version
    /// The newest commit that `onPublish` was called with.
    var announced: UInt64
    /// Trees that the first commit adds.
    var undeclared: [TreeDeclaration]
    /// Where the newest run of commits began that only will be seen together: they change the same memory nodes.
    private var runStart: RunStart?
    /// What is with the log.
    private var group: Group?
    /// Commits that cannot be made, of a group that the log is giving back and behind it. Who waits for them is told when the log has done so, or when a
    /// rescue in its place has ended.
    private var refused: (commits: [SealedCommit], error: StorageError)?
    /// Those who wait until the log has everything up to a commit, or, with `.max`, until nobody has it, or a rescue has ended. While one is under
    /// way all of them wait.
    var drainWaiters: [(last: UInt64, continuation: CheckedContinuation<Void, Never>)] = []

    /// How the newest group went.
    private var lastGroupCount = 0
    private var flushPace = FlushPace()
    /// Writes that have been called and have not begun.
    private nonisolated let arriving = Atomic(0)

    // Other processes
    /// How far the log goes; `nil` where the store is not shared.
    let head: LogHeadFile?
    /// When a group was last told there while others followed; `nil` before the first.
    var headTime: ContinuousClock.Instant?
    var tenure: Tenure
    var watch: (any FileWatch)?
    /// Calls that may use the log, or wait until they may.
    var entrantCount = 0
    /// Those that wait.
    var entrants: [CheckedContinuation<Void, any Error>] = []
    /// The log was read further than the state has come, so an opening finds out where both are.
    var isAstray = false
    /// Others said that they have written while nobody could look.
    var hasMissedNews = false
    /// What kept the last call that wanted to write from the log, other than that others have it.
    var barrier: StorageError?

    // Compactions
    var rotation: CheckedContinuation<Rotation, any Error>?
    var compaction: CompactionRun? {
        didSet { changeOwnWork { $0.compaction = compaction } }
    }
    nonisolated let ownWork: Lock<OwnWork>
    /// How many were begun.
    var compactionCount = 0
    /// Those who wait for the end of one that they have no part in.
    let compactionWaiters = WaitingCalls()
    /// Whether a restore of this process has the turn, or is about to take it.
    var isTurnKept = false
    let turnWaiters = WaitingCalls()
    /// Every commit since the version that a running compaction or rescue writes out.
    var gathered: [LogWriter.Commit]?
    var gatheredByteCount = 0
    let gatheringWaiters = WaitingCalls()
    /// Whether one begins by itself where the log has become long.
    var beginsCompactions: Bool
    /// One that is to begin when commits pause.
    var awaitedCompaction: Task<Void, Never>?
    var logByteCount: Int
    var nextCompactionByteCount = 0

    // Loads
    var loadStart: CheckedContinuation<Void, any Error>?
    var loadCount = 0
    /// The number of the load that has asked for the store, or has it; `nil` where none does. One that became a transaction has let it go, and waits for
    /// its flush.
    var currentLoad: Int?
    var cancelLoad: (@Sendable () -> Void)?
    /// Whether loads and compactions are given up.
    var isAboutToClose = false
    let loadWaiters = WaitingCalls()

    // Restores
    /// The one that runs.
    var restoration: Task<Restoration, any Error>? {
        didSet { changeOwnWork { $0.restoration = restoration } }
    }
    let restorationWaiters = WaitingCalls()
    /// Called when a restored store has taken the place of the one that was open.
    let onReplaced: @Sendable (OpeningReport) -> Void

    // Closing
    var closing: Task<StorageError?, Never>?
    var closingEnd: CheckedContinuation<StorageError?, Never>?

    /// What ends when the store is let go, whoever is at work here then.
    struct OwnWork {
        var isLetGo = false
        /// Whether a call may use the log, or something is on its way there. Of a shared store always: it holds nothing at rest that others wait for.
        var usesLog: Bool
        var compaction: CompactionRun?
        /// What it prepares beside the store is the store's.
        var restoration: Task<Restoration, any Error>?
        /// Nobody has the store any more, nor does anything that it does by itself. Whoever comes later finds it closed.
        fileprivate(set) var isOver = false
    }

    private struct RunStart {
        let commitNumber: UInt64
        let base: Base

        enum Base {
            case trees(TreeTable)
            /// Behind a group whose trees are changed while the log writes it.
            case end(of: Settling)
        }

        /// Precondition: all before the run has settled.
        var trees: TreeTable {
            switch base {
            case .trees(let trees): return trees
            case .end(let settling):
                guard case .success(let trees) = settling.outcome else { preconditionFailure("it has settled") }
                return trees
            }
        }
    }

    private struct Group {
        let writing: GroupWriting
        let end: GroupEnd
        /// The commit it ends with.
        let last: UInt64
        /// Of the run that its last commits are.
        let start: RunStart?
        /// What its commits have left for later; `nil` where its trees are as it leaves them.
        var settling: Settling?

        /// Whether nothing is left to be done for it but to say so.
        var isOver: Bool { end.outcome != nil && settling?.runs.isDone ?? true }
    }

    init(
        files: StoreFiles, fileSystem: any FileSystem, opened: StoreOpening.Opened, log: LogWriter, lock: WriteLock,
        publication: Publication, declared: [TreeDeclaration], options: Options, status: StatusBoard,
        onPublish: @escaping @Sendable (PublishedCommit) -> Void,
        onReplaced: @escaping @Sendable (OpeningReport) -> Void
    ) {
        self.files = files
        self.fileSystem = fileSystem
        self.publication = publication
        self.onPublish = onPublish
        self.onReplaced = onReplaced
        self.lock = lock
        ownWork = Lock(OwnWork(usesLog: lock.isShared))
        self.status = status
        onNotice = options.onNotice
        work = options.work
        self.log = LogQueue(log, on: options.work)
        state = opened.state
        queue = CommitQueue(commitNumber: opened.state.commitNumber, publishesAhead: !lock.isShared)
        head = lock.isShared ? LogHeadFile(files, fileSystem, writes: true) : nil
        tenure = lock.isShared ? .none : .always
        self.options = options
        self.declared = declared
        beginsCompactions = options.compaction == .automatic
        undeclared = declared.filter { opened.state.trees.declaration(of: $0.number) == nil }
        published = publication.version
        announced = published.commitNumber
        logByteCount = opened.report.logByteCount
        guard let head else { return }
        // Whoever opened the store has held it since.
        head.write(log.head(generation: published.generation.number))
        lock.letGo()
    }

    /// A store that is let go without closing saves nothing but what the log takes: who hears notices is told what it did not.
    deinit {
        let queue = queue
        guard !queue.isClosing, queue.published > queue.written else { return }
        let reason = queue.refusal ?? queue.stallReason
        onNotice?(
            .closed(
                .unsaved(
                    path: files.directory, commits: queue.written + 1...queue.published,
                    reason: reason.map { "\($0)" } ?? "The library was let go without closing.")))
    }

    nonisolated var isShared: Bool { lock.isShared }

    /// A store that was let go lets the next one write when nothing is under way here any more. The writer itself may live longer: a task that has
    /// asked for it holds it until there is a thread to tell it that nothing is to be done.
    ///
    /// - Returns: whether the store is over, and what the change was for cannot be.
    @discardableResult
    nonisolated func changeOwnWork(_ change: (inout OwnWork) -> Void) -> Bool {
        let isOver = ownWork.withLock { own in
            change(&own)
            if own.isLetGo, !own.usesLog, own.compaction == nil, own.restoration == nil { own.isOver = true }
            return own.isOver
        }
        if isOver { lock.unlock() }
        return isOver
    }

    /// In builds with assertions, before anything is written.
    nonisolated func assertHasLock() {
        assert(ownWork.withLock { $0.usesLog && !$0.isOver }, "who writes has the lock")
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
        while true {
            await waitForTurn()
            if Task.isCancelled { throw StorageError.cancelled }
            if let refusal { throw refusal }
            try await enter()
            // Of what has begun since, a load goes first, and who was cancelled does not come at all.
            if !hasToWait, !Task.isCancelled { break }
            leave()
        }
        let (result, commit) = try sealing(durability, body)
        try await commit?.completion()
        return result
    }

    private func sealing<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (inout Transaction) throws -> Result
    ) throws -> (Result, SealedCommit?) {
        defer {
            leave()
            if isHalfHere { goOn() }
        }
        return try seal(durability, body)
    }

    /// Whether at least half of the calls that have come are in the next group. Of many, one half runs while the trees of the other are changed and its
    /// commits are written.
    private var isHalfHere: Bool { queue.nextGroupCount >= arriving.load(ordering: .relaxed) }

    /// Gives the log the next group where nothing else is to be waited for.
    private func goOn() {
        if let group {
            if group.isOver { finishGroup(group.end) }
        } else if queue.phase == .filling {
            perform(queue.groupFilled())
        }
    }

    /// Behind loads, and behind a compaction that has fallen too far back. Either can begin while one waits for the other. A call whose task is
    /// cancelled does not wait.
    private func waitForTurn() async {
        while hasToWait, !Task.isCancelled {
            await (queue.hasLoad ? loadWaiters : gatheringWaiters).wait()
        }
    }

    private var hasToWait: Bool { queue.hasLoad || isGatheringTooMuch }

    /// Precondition: the caller has entered.
    func commit<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (inout Transaction) throws -> Result
    ) async throws -> Result {
        let (result, commit) = try seal(durability, body)
        try await commit?.completion()
        return result
    }

    private func seal<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (inout Transaction) throws -> Result
    ) throws -> (Result, SealedCommit?) {
        if let refusal { throw refusal }
        let end = options.onPhase?(.seal)
        defer { end?() }
        beginCommit()
        // What is written before it is seen settles with its group.
        let settlesNow = durability == .memory && !queue.holdsBack(durability)
        var transaction = Transaction(
            state: state,
            helper: .init(
                work: work, byteCount: options.byteCountAhead, leastEntryCount: options.leastEntryCountBeside))
        let result: Result
        do {
            // Here and not behind the commit: while that waits for its flush, the writer goes on to other transactions.
            defer { transaction.reader.close() }
            for tree in undeclared { try transaction.declare(tree) }
            result = try body(&transaction)
            try transaction.finish()
            if settlesNow { try state.settle() }
        } catch {
            if !transaction.operations.isEmpty || transaction.reader.failure != nil { rollBackCommit() }
            throw error
        }
        guard !transaction.operations.isEmpty else { return (result, nil) }
        state.seal(memo: transaction.memo)
        undeclared = []
        let commit = SealedCommit(
            commit: LogWriter.Commit(number: state.commitNumber, payload: transaction.operations.bytes),
            trees: settlesNow ? state.trees : nil, note: transaction.note)
        commits.append(commit)
        gather(commit.commit)
        perform(queue.seal(durability, byteCount: commit.commit.payload.count))
        return (result, commit)
    }

    /// Why writes are refused; `nil` while they are taken.
    var refusal: StorageError? { queue.isClosing ? .closed(path: files.directory) : queue.refusal }

    /// Commits that wait for the same group are seen together or not at all, so one changes in place what those before it made, and what
    /// they leave for later is put into the trees at once, when they are written: many writers share the copies of a tree's pages as they
    /// share a flush.
    private func beginCommit() {
        if queue.newestWaitsUnseen, let runStart, !endIfLong(runStart) { return }
        assert(!state.hasEntriesForLater, "what waits is of a run")
        runStart = RunStart(
            commitNumber: state.commitNumber, base: group?.settling.map { .end(of: $0) } ?? .trees(state.trees))
        state.begin()
    }

    /// Ends a run of many commits. Not while others still change the trees of those before it, whom it would wait for.
    private func endIfLong(_ run: RunStart) -> Bool {
        guard state.commitNumber - run.commitNumber >= options.mostCommitsOfRun else { return false }
        if let group, let settling = group.settling {
            guard settling.runs.isDone else { return false }
            guard hasSettled(group) else {
                _ = makeAgain(group)
                return true
            }
        }
        if let last = settleRun() { queue.withdraw(behind: last) }
        return true
    }

    /// The next commit changes nothing in place: somebody else reads the nodes of the head from here on.
    func endRun() {
        assert(state.isSettled, "what waits is of a run")
        runStart = nil
    }

    /// Undoes the commit that is being made. Those of its run that are sealed are made again.
    private func rollBackCommit() {
        guard let runStart else { preconditionFailure("what is made is of a run") }
        if let group, !hasSettled(group) {
            _ = makeAgain(group)
        } else if let (last, error) = makeAgain(from: runStart) {
            queue.withdraw(behind: last)
            forget(behind: last, error)
        }
    }

    /// Puts into the trees what the sealed commits have left for later, before readers or files get them.
    ///
    /// - Returns: the last commit that could be made, where not all could. Whoever waits for one behind it has been told.
    func settleRun() -> UInt64? {
        do throws(StorageError) {
            try state.settle()
            commits.last?.trees = state.trees
            return nil
        } catch {
            guard let runStart, let (last, error) = makeAgain(from: runStart) else { return nil }
            forget(behind: last, error)
            return last
        }
    }

    /// Undoes what was changed behind `start`, and makes the sealed commits again from their operations, one after the other.
    ///
    /// - Returns: the last that could be made, where one could not, and why. The state is that it left. Nobody has been told of the rest,
    ///   and what follows it may build on it.
    private func makeAgain(from start: RunStart) -> (last: UInt64, error: StorageError)? {
        var last = state.commitNumber
        var failure: StorageError?
        while true {
            state.rollBack(to: start.commitNumber, start.trees)
            runStart = start
            state.begin()
            do throws(StorageError) {
                for commit in commits where commit.commit.number > start.commitNumber && commit.commit.number <= last {
                    if let group, commit.commit.number == group.last + 1 {
                        // Readers see the group before they see the commits behind it.
                        runStart = RunStart(commitNumber: state.commitNumber, base: .trees(state.trees))
                        state.begin()
                    }
                    _ = try state.applyToRun(commit.commit.payload)
                    commit.trees = state.trees
                }
                return failure.map { (last, $0) }
            } catch {
                failure = failure ?? error
                last = state.commitNumber
            }
        }
    }

    /// The state no longer holds the commits behind `commit`: tells those who wait for them.
    private func forget(behind commit: UInt64, _ error: StorageError) { tell(forget(behind: commit), error) }

    /// The same without telling anybody.
    ///
    /// - Returns: the commits that are gone.
    private func forget(behind commit: UInt64) -> [SealedCommit] {
        runStart = nil
        undeclared = declared.filter { state.trees.declaration(of: $0.number) == nil }
        ungather(behind: commit)
        let count = commits.prefix { $0.commit.number <= commit }.count
        defer { commits.removeSubrange(count...) }
        return Array(commits[count...])
    }

    private func tell(_ commits: [SealedCommit], _ error: StorageError) {
        for commit in commits.reversed() { commit.complete(.failure(error)) }
    }

    // MARK: What the queue decides

    func perform(_ actions: [CommitQueue.Action]) {
        for action in actions {
            switch action {
            case .write(let numbers, let durability): writeGroup(numbers, durability)
            case .fillGroup: Task { perform(queue.groupFilled()) }
            case .publish(let last): publish(through: last)
            case .undo(let last, let error):
                state.rollBack(to: last, published.trees)
                forget(behind: last, error)
            case .rotate: rotate()
            case .failRotation(let error):
                rotation?.resume(throwing: error)
                rotation = nil
            case .rescue(let error): beginRescue(error)
            case .beginLoad:
                // What the log does not take goes into a file with the load, or waits for its end.
                resumeDrainWaiters()
                loadStart?.resume()
                loadStart = nil
            case .failLoad(let error):
                loadStart?.resume(throwing: error)
                loadStart = nil
            case .seal(let isWritable): sealLog(isWritable: isWritable)
            case .finishClosing(let loss): finishClosing(loss)
            case .rest: resumeDrainWaiters()
            }
        }
        dropWritten()
        check()
        noteStatus()
        if queue.rescueReason == nil { resumeDrainWaiters(through: queue.written) }
        restIfPossible()
    }

    func noteStatus() {
        let notice = status.note(
            queue, barrier: barrier, logByteCount: logByteCount, gatheredByteCount: gatheredByteCount)
        if let notice { onNotice?(notice) }
    }

    /// What always holds of what the writer keeps beside the queue. In builds with assertions, after every event.
    private func check() {
        assert(state.commitNumber == queue.sealed, "the head is the newest sealed commit")
        assert(published.commitNumber == queue.published, "readers see what the queue has published")
        // Not of a long queue, so that an event stays cheap.
        let count = Int(queue.sealed - queue.written)
        assert(
            count > 256 || commits.map(\.commit.number).elementsEqual(queue.written + 1..<queue.sealed + 1),
            "what the log does not have is held, in order")
        guard let gathered, gathered.count <= 256, let last = gathered.last else { return }
        assert(last.number == queue.sealed, "every commit is kept for the next generation")
        assert(zip(gathered, gathered.dropFirst()).allSatisfy { $0.number + 1 == $1.number }, "none is left out")
        assert(gatheredByteCount == gathered.reduce(0) { $0 + $1.payload.count }, "their bytes are counted")
    }

    func resumeDrainWaiters(through commit: UInt64 = .max) {
        guard !drainWaiters.isEmpty else { return }
        for waiter in drainWaiters where waiter.last <= commit { waiter.continuation.resume() }
        drainWaiters.removeAll { $0.last <= commit }
    }

    /// A rescue is over: who waits for that, and not for a commit, need not wait for those that come behind it.
    func resumeRescueWaiters() {
        for waiter in drainWaiters where waiter.last == .max { waiter.continuation.resume() }
        drainWaiters.removeAll { $0.last == .max }
    }

    private func writeGroup(_ numbers: ClosedRange<UInt64>, _ durability: Durability) {
        assertHasLock()
        dropWritten()
        assert(commits.first?.commit.number == numbers.lowerBound, "commits are held from the first that waits")
        let writing = GroupWriting(
            lock: lock, commits: commits.prefix(numbers.count).map(\.commit), durability: durability,
            generation: state.generation.number, clock: work, onPhase: options.onPhase)
        let isSettledBeside = durability != .memory && state.entryCountForLater >= options.leastEntryCountBeside
        if !isSettledBeside, let last = settleRun() { return perform(queue.shortenGroup(behind: last)) }
        let end = GroupEnd()
        group = Group(
            writing: writing, end: end, last: numbers.upperBound, start: runStart,
            settling: isSettledBeside ? state.settleBeside(work) : nil)
        if isWrittenHere(writing) {
            end.note(log.runHere(writing.run))
            finishGroup(end)
        } else {
            log.run(writing.run) { outcome in
                end.note(outcome)
                Task { await self.finishGroup(end) }
            }
        }
    }

    /// A group of one that nobody waits behind is spared two threads that wake up, which take half as long as a good device's
    /// flush. Where flushes are slow they stay on the queue: what blocks for long has no place on the cooperative pool.
    private func isWrittenHere(_ writing: GroupWriting) -> Bool {
        let isAlone = writing.commits.count == 1 && lastGroupCount == 1 && arriving.load(ordering: .relaxed) == 0
        // What is seen before it is written need not be waited for.
        let isWaitedFor = writing.durability != .memory || isShared
        return isAlone && isWaitedFor && flushPace.isQuick(for: writing.durability)
    }

    private func finishGroup(_ end: GroupEnd) {
        // One that the log has given back was dealt with.
        guard let group, group.end === end, let outcome = end.outcome else { return }
        guard hasSettled(group) || makeAgain(group) else { return }
        self.group = nil
        let writing = group.writing
        lastGroupCount = writing.commits.count
        switch outcome {
        case .success(let written):
            logByteCount = written.logByteCount
            flushPace.note(written.duration, of: writing.durability)
            sayHead(written)
            perform(queue.groupEnded(.written, writing.durability, othersArrive: !isHalfHere))
            considerCompaction()
        case .failure(let failure):
            perform(queue.groupEnded(.failed(failure), writing.durability))
        }
    }

    /// Waits for the trees of what is with the log.
    ///
    /// - Returns: whether all could be changed.
    private func hasSettled(_ group: Group) -> Bool {
        guard let settling = group.settling else { return true }
        state.finishSettling()
        guard case .success(let trees) = settling.outcome else { return false }
        commits.last { $0.commit.number == group.last }?.trees = trees
        self.group?.settling = nil
        return true
    }

    /// Makes a group's commits again, and those behind it, after its trees could not be changed. Where one of the group cannot be made, the log gives back
    /// all of it. Nobody has been told of the group yet.
    ///
    /// - Returns: whether the group stays with the log.
    private func makeAgain(_ group: Group) -> Bool {
        self.group?.settling = nil
        guard let start = group.start else { preconditionFailure("what was left for later is of a run") }
        guard let (last, error) = makeAgain(from: start) else { return true }
        guard last < group.last else {
            queue.withdraw(behind: last)
            forget(behind: last, error)
            return true
        }
        self.group = nil
        refused = (forget(behind: last), error)
        queue.takeGroupBack(behind: last)
        // Behind its write, on the same queue.
        log.run { [end = group.end] (log) throws(LogFailure) in
            guard let outcome = end.outcome else { preconditionFailure("the queue has written the group") }
            try log.takeBack(to: try outcome.get().start)
        } then: { outcome in
            Task { await self.finishTakingBack(outcome) }
        }
        return false
    }

    private func finishTakingBack(_ outcome: Result<Void, LogFailure>) {
        let actions = queue.groupTakenBack(outcome)
        // Until a rescue has ended nobody knows whether the log holds them.
        if queue.rescueReason == nil { tellRefused() }
        perform(actions)
    }

    /// - Parameter doubt: why the log may hold what was refused; `nil` when it does not.
    func tellRefused(_ doubt: StorageError? = nil) {
        guard let refused else { return }
        self.refused = nil
        tell(refused.commits, doubt ?? refused.error)
    }

    /// Lets go of commits that are in the log and that readers see.
    private func dropWritten() {
        let count = commits.prefix { $0.commit.number <= queue.written }.count
        if count > 0 { commits.removeFirst(count) }
    }

    // MARK: Publishing

    private func publish(through last: UInt64) {
        guard let first = commits.first?.commit.number, last > announced else { return }
        let seen = commits[Int(announced + 1 - first)...Int(last - first)]
        announced = last
        // A new generation has shown them already.
        if published.commitNumber < last {
            guard let trees = seen.last?.trees else { preconditionFailure("what is written has settled") }
            replacePublished(with: Version(commitNumber: last, generation: state.generation, trees: trees))
        }
        for commit in seen {
            onPublish(PublishedCommit(commitNumber: commit.commit.number, version: published, note: commit.note))
            commit.complete(.success(()))
        }
    }

    /// Tells of the commit that a load has become.
    func announceLoad(_ note: (any Sendable)?) {
        announced = published.commitNumber
        onPublish(PublishedCommit(commitNumber: announced, version: published, note: note))
    }

    /// Makes a version the newest that readers get.
    func replacePublished(with version: Version) {
        let old = published.generation
        publication.version = version
        published = version
        if old !== version.generation { old.supersede() }
        state.generation.reclaim()
    }

    // MARK: Moving to another generation

    /// Moves the head onto a generation that holds, or has replayed, every commit up to its own number: brings it up to the
    /// newest sealed commit, and gives readers the newest version they may see, on the new generation.
    ///
    /// Compaction, rescue and load end here. When it throws nothing has changed but `fresh`.
    func moveOver(to fresh: WriteState) throws(StorageError) {
        let base = fresh.commitNumber
        let baseTrees = fresh.trees
        var seen = (number: base, trees: baseTrees)
        var trees: [UInt64: TreeTable] = [:]
        for commit in gathered ?? [] where commit.number > base {
            guard try fresh.apply(commit.payload) else { throw cannotBeReplayed(commit.number) }
            trees[commit.number] = fresh.trees
            if commit.number == published.commitNumber { seen = (commit.number, fresh.trees) }
        }
        guard fresh.commitNumber == max(base, state.commitNumber), seen.number >= published.commitNumber else {
            throw cannotBeReplayed(fresh.commitNumber + 1)
        }
        // Whether the old trees could be changed matters no more.
        state.finishSettling()
        group?.settling = nil
        for commit in commits { commit.trees = trees[commit.commit.number] ?? baseTrees }
        let old = state.generation
        state = fresh
        runStart = nil
        endGathering()
        // Before its name goes, so that readers of the old generation keep it.
        old.holdCompanion()
        replacePublished(with: Version(commitNumber: seen.number, generation: fresh.generation, trees: seen.trees))
        publication.noteMove()
        nextCompactionByteCount = 0
    }

    func cannotBeReplayed(_ commit: UInt64) -> StorageError {
        .damaged(Damage(file: files.directory, byteOffset: 0, finding: "commit \(commit) cannot be replayed"))
    }

    /// Throws when the names of the store's files no longer lead to them.
    nonisolated func requireStillOurs() throws(StorageError) { try lock.requireStillOurs() }

    /// Gives the kernel back what was freed of the nodes.
    ///
    /// - Returns: how many bytes.
    func giveBackFreeNodes() -> Int { state.generation.giveBackFreeNodes() }

    // MARK: Coming to rest

    /// Returns when every commit that is sealed now has been written, or has failed, and no log is given up any more. What others write
    /// meanwhile is not waited for.
    func drain() async {
        await withCheckedContinuation { continuation in
            drainWaiters.append((queue.sealed, continuation))
            perform(queue.drain())
        }
    }

    /// Tries again what the log did not take last: what waits, or, where nothing does, whether there is room for more.
    func tryAgain() async {
        guard status.status.stall != nil, refusal == nil, (try? await enter()) != nil else { return }
        defer { leave() }
        if queue.stallReason != nil { return await drain() }
        if isInDoubt { return (try? await settleDoubt()) ?? () }
        let room: Result<Void, LogFailure> = await log.call { [lock] log in
            Result { () throws(LogFailure) in
                try lock.requireStillOursForLog()
                try log.findRoom()
            }
        }
        guard case .success = room else { return }
        queue.noteRoom()
        noteStatus()
    }
}
