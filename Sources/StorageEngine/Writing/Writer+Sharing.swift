/// Where processes share a store, each takes the lock for a group of commits, and reads what others have written before it writes:
///
///     none ─ enter ─ lock ─ catch up ─ held ─ transactions, one write, one flush ─ at rest ─ head, unlock ─ none
///
/// So every transaction sees the newest commit of any process, none has to be run again, and nothing is held at rest.
extension Writer {
    /// While others wait, the lock is not held longer than this for what arrives meanwhile.
    private static let longestTenure = Duration.milliseconds(10)

    // MARK: Entering and leaving

    /// Returns when this process may write, and has the newest state. Each call that does not throw is followed by `leave`.
    ///
    /// - Parameters:
    ///   - goesFirst: for what others of this process wait for.
    ///   - isToRead: whether nothing is to be written, so that what is in the way keeps nothing from the log.
    /// - Throws: `.inUse` when another process does not let the store go in time; what reading its commits throws.
    func enter(goesFirst: Bool = false, isToRead: Bool = false) async throws {
        entrantCount += 1
        do {
            switch tenure {
            case .always:
                if changeOwnWork({ $0.usesLog = true }) { throw StorageError.closed(path: files.directory) }
                return
            case .held(let start): if goesFirst || !hasToGiveWay(since: start) { return }
            case .none: if try takesAtOnce() { return note(barrier: nil) }
            case .changing: break
            }
            try await withCheckedThrowingContinuation { entrants.append($0) }
        } catch {
            leave()
            if !isToRead { note(barrier: error as? StorageError) }
            throw error
        }
        note(barrier: nil)
    }

    private func note(followingFailure failure: StorageError?) {
        if let notice = status.note(followingFailure: failure) { onNotice?(notice) }
    }

    /// Who has to wait for others, or for the system, was not kept from the log by anything that is wrong.
    private func note(barrier error: StorageError?) {
        switch error {
        case .inUse, .suspended, .cancelled, .closed: return
        default: break
        }
        guard barrier != error else { return }
        barrier = error
        noteStatus()
    }

    func leave() {
        entrantCount -= 1
        restIfPossible()
    }

    private func hasToGiveWay(since start: ContinuousClock.Instant) -> Bool {
        if lock.time.isOver { return true }
        guard start.duration(to: work.now) > Self.longestTenure else { return false }
        if lock.isWanted() { return true }
        tenure = .held(since: work.now)
        return false
    }

    /// Gives the lock away when nobody of this process needs it.
    func restIfPossible() {
        guard entrantCount == entrants.count, queue.isAtRest else { return }
        switch tenure {
        case .always: changeOwnWork { $0.usesLog = false }
        case .held: rest()
        case .none, .changing: break
        }
    }

    /// While writes overlap nobody comes to rest, and readers hear of them all the same.
    private static let longestSilence = Duration.milliseconds(5)

    /// Tells others how far the log goes, where it was not told just now. What `written` holds is about to be acknowledged.
    func sayHead(_ written: GroupWriting.Written) {
        guard let head, !isAstray, headTime.map({ $0.duration(to: written.end) > Self.longestSilence }) ?? true
        else { return }
        headTime = written.end
        head.write(written.head)
    }

    /// Tells others how far the log goes.
    func sayHead() {
        // What was refused may be in the log, and is nobody's.
        guard let head, queue.refusal == nil, !isAstray else { return }
        let generation = state.generation.number
        head.write(log.runHere { $0.head(generation: generation) }.get())
    }

    private func rest() {
        sayHead()
        lock.letGo()
        tenure = .none
        if !entrants.isEmpty { beginWaiting() }
    }

    // MARK: Taking the lock

    /// Whether the lock was free, and nobody has written since.
    private func takesAtOnce() throws(StorageError) -> Bool {
        // To ask the system for time may block.
        guard lock.time.isUnlimited, try lock.take() else {
            beginWaiting()
            return false
        }
        do throws(StorageError) {
            if try isUpToDate() {
                tenure = .held(since: work.now)
                return true
            }
        } catch {
            // The lock says from now on that nobody else had it.
            isAstray = true
            lock.letGo()
            throw error
        }
        tenure = .changing
        Task { await settleIn() }
        return false
    }

    /// Precondition: the lock is held.
    private func isUpToDate() throws(StorageError) -> Bool {
        if isAstray { return false }
        if lock.isAsLeft { return true }
        if try isElsewhere() { isAstray = true }
        guard !isAstray, !hasNewerGeneration else { return false }
        return try !log.runHere { (log) throws(StorageError) in try log.hasNews() }.get()
    }

    private func beginWaiting() {
        tenure = .changing
        Task { await waitForLock() }
    }

    private func waitForLock() async {
        let end = ContinuousClock.now + options.lockLimit
        var pause = WriteLock.shortestPause
        do throws(StorageError) {
            try await beginTime()
            while try !lock.take() {
                try lock.time.requireTime()
                guard ContinuousClock.now < end else {
                    throw .inUse(path: files.directory, processIdentifier: lock.holder)
                }
                try? await Task.sleep(for: pause)
                pause = WriteLock.pause(after: pause)
            }
        } catch {
            lock.endTurn()
            return dismissEntrants(error)
        }
        await settleIn()
    }

    /// - Throws: `.suspended` when the process is about to be.
    private func beginTime() async throws(StorageError) {
        guard !lock.time.isUnlimited else { return }
        try await withCheckedContinuation { continuation in
            work.run(.userInitiated) { [lock] in
                continuation.resume(
                    returning: Result { () throws(StorageError) in
                        try lock.time.begin { Task { await self.giveUpLoad() } }
                    })
            }
        }.get()
    }

    func dismissEntrants(_ error: StorageError) {
        tenure = .none
        followIfMissed()
        let dismissed = entrants
        entrants = []
        for entrant in dismissed { entrant.resume(throwing: error) }
    }

    /// The lock is held: brings the state up to what others have written, and lets in who waits.
    private func settleIn() async {
        do throws(StorageError) {
            if !lock.isAsLeft || isAstray {
                // What is opened anew is opened by its name, and an opening changes what it finds.
                try requireStillOurs()
                if try isElsewhere() { isAstray = true }
                if !isAstray {
                    try await adopt(log.call { log in Result { () throws(StorageError) in try log.catchUp() } })
                }
                if isAstray || hasNewerGeneration { try await openAgain() }
            }
        } catch {
            isAstray = true
            lock.letGo()
            return dismissEntrants(error)
        }
        if lock.time.isOver {
            lock.letGo()
            return dismissEntrants(lock.time.suspended)
        }
        tenure = .held(since: work.now)
        hasMissedNews = false
        note(followingFailure: nil)
        let admitted = entrants
        entrants = []
        for entrant in admitted { entrant.resume() }
        restIfPossible()
    }

    /// Whether the log that is known is nobody's any more, though its names may say otherwise: a later snapshot holds its commits, or a
    /// restored store lies in this one's place. Who made either may have died before all that it replaces was removed, and said nothing.
    private func isElsewhere() throws(StorageError) -> Bool {
        let generation = state.generation
        if try fileSystem.kind(of: files.snapshot(generation.number)) == .absent { return true }
        return try RestoreMark.isCarriedOut(over: generation.file.superblock.store, files, fileSystem)
    }

    private var hasNewerGeneration: Bool {
        guard let said = head?.read() else { return false }
        return said.generation > state.generation.number
    }

    // MARK: What others have written

    func beginFollowing() async {
        guard let head, !queue.isClosing else { return }
        watch = fileSystem.watch(head.path) { [weak self, head] in
            // What this process has said itself is no reason to wake the writer.
            if head.hasNews() { Task { await self?.follow() } }
        }
        await follow()
    }

    /// Others say that they have written: readers see it, without this process having to write.
    func follow() async {
        guard queue.refusal == nil, !queue.isClosing else { return }
        switch tenure {
        case .none: break
        // Who has the lock knows all, and who is about to have it asks again.
        case .always, .held: return
        case .changing:
            hasMissedNews = true
            return
        }
        if !isAstray, let said = head?.readNews() {
            tenure = .changing
            do {
                try await adopt(log.call { log in Result { () throws(StorageError) in try log.follow(said) } })
            } catch {
                isAstray = true
            }
            tenure = .none
            if !entrants.isEmpty { beginWaiting() }
        }
        if case .none = tenure {
            if isAstray || hasNewerGeneration {
                await openForReaders()
            } else {
                note(followingFailure: nil)
                followIfMissed()
            }
        }
    }

    /// Reads the store anew, under the lock, as who wants to write does.
    private func openForReaders() async {
        do {
            try await enter(isToRead: true)
            leave()
        } catch {
            switch error as? StorageError {
            case nil, .cancelled, .closed: break
            case let failure?: note(followingFailure: failure)
            }
        }
    }

    /// The same, and returns when nothing more is under way, nor was missed.
    func followToTheEnd() async {
        await follow()
        while isChanging || hasMissedNews, !queue.isClosing { try? await Task.sleep(for: .microseconds(100)) }
        await follow()
    }

    private var isChanging: Bool { if case .changing = tenure { true } else { false } }

    private func followIfMissed() {
        guard hasMissedNews else { return }
        hasMissedNews = false
        Task { await follow() }
    }

    private func adopt(_ news: Result<SegmentTail.News, StorageError>) throws(StorageError) {
        // A log that could be read in part was read further than the state is.
        isAstray = true
        let news = try news.get()
        for commit in news.commits { try adopt(commit) }
        isAstray = news.isElsewhere
        logByteCount = log.runHere { $0.byteCount }.get()
        noteStatus()
    }

    /// Makes a commit of another process one of this, and shows it.
    private func adopt(_ commit: LogWriter.Commit) throws(StorageError) {
        endRun()
        let trees = state.trees
        let witness = options.makeReplayWitness?()
        try state.adopt(commit, witness)
        let version = state.version()
        do throws(StorageError) {
            try options.requireSuitable(version, declared: declared)
        } catch {
            state.rollBack(to: published.commitNumber, trees)
            throw error
        }
        gather(commit)
        show(version, witness?.note(from: published, to: version))
    }

    /// Precondition: it is the newest, and others have written it.
    private func show(_ version: Version, _ note: (any Sendable)?) {
        let isNew = version.commitNumber > announced
        announced = version.commitNumber
        undeclared = declared.filter { version.declaration(of: $0.number) == nil }
        queue.follow(through: announced)
        replacePublished(with: version)
        guard isNew else { return publication.noteMove() }
        onPublish(
            PublishedCommit(
                commitNumber: announced, version: version, note: note, isOpening: note == nil,
                isOfOthers: true))
    }

    /// Reads the store anew, where the log alone does not lead on: another process has compacted, loaded, rescued or restored it.
    private func openAgain() async throws(StorageError) {
        var opening = StoreOpening(files: files, fileSystem: fileSystem, options: options, declared: declared)
        opening.former = state.generation
        let lock = lock
        let opened = try await log.call { [opening] _ in
            Result { () throws(StorageError) in try opening.openAgain(lock) }
        }.get()
        let (old, fresh) = (state.generation, opened.state.generation)
        guard let newLog = opened.log else { throw .displaced(path: files.directory) }
        let store = fresh.file.superblock.store
        let isReplaced = store != old.file.superblock.store
        let restored = isReplaced ? try RestoreMark.last(of: store, files, fileSystem) : nil
        // Only a restore leaves another store in the same place.
        if isReplaced, restored == nil { throw .displaced(path: files.directory) }
        guard isReplaced || opened.state.commitNumber >= published.commitNumber else {
            let finding =
                "commit \(published.commitNumber) was acknowledged, and the store ends with commit "
                + "\(opened.state.commitNumber)"
            throw .damaged(Damage(file: files.directory, byteOffset: 0, finding: finding))
        }
        let version = opened.state.version()
        try options.requireSuitable(version, declared: declared)
        await log.call { $0.takeOver(newLog) }
        if let restored {
            var report = opened.report
            report.restored = restored.restoration
            return moveOver(to: opened.state, report, byOthers: true)
        }
        logByteCount = opened.report.logByteCount
        nextCompactionByteCount = 0
        state = opened.state
        endRun()
        endGathering()
        // Before its name goes, so that readers of the old generation keep it.
        old.holdCompanion()
        isAstray = false
        show(version, nil)
        if opened.report.hasRecovered { onNotice?(.recovered(opened.report)) }
    }

    /// Moves over to a restored store, which has taken the place of the one that was open. Its commits begin where the backup's did.
    ///
    /// - Parameter isByOthers: whether another process has restored it.
    func moveOver(to restored: WriteState, _ report: OpeningReport, byOthers isByOthers: Bool) {
        logByteCount = report.logByteCount
        nextCompactionByteCount = 0
        let old = state.generation
        state = restored
        endRun()
        endGathering()
        commits = []
        undeclared = declared.filter { restored.trees.declaration(of: $0.number) == nil }
        announced = restored.commitNumber
        isAstray = false
        queue.replaced(through: announced)
        old.holdCompanion()
        replacePublished(with: restored.version())
        onPublish(
            PublishedCommit(
                commitNumber: announced, version: published, note: nil, isOpening: true, isOfOthers: isByOthers))
        noteStatus()
        onReplaced(report)
    }

    /// Whether the store has moved on to another generation than the one a compaction began with.
    func hasLeft(_ generation: Generation) -> Bool { state.generation !== generation }
}
