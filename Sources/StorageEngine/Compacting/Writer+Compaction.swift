/// What a compaction asks of the writer: a boundary in the log, the commits behind it, and to move over.
extension Writer {
    /// A boundary in the log: what the next snapshot contains, and where the log goes on behind it.
    struct Rotation {
        let version: Version
        let logSequence: UInt64
        /// Of the last frame before the boundary.
        let logChecksum: UInt32
        let logByteCount: Int
    }

    // MARK: Running one

    /// Runs `work`, so that everything committed before the call is in the snapshot afterwards. One that is running already may
    /// have begun before some of that, so it ends first, and counts when its snapshot holds all of it; one that began since the
    /// call is joined.
    ///
    /// A caller who is cancelled leaves; the compaction ends with the last of them.
    func compact(
        _ work: @escaping @Sendable () async throws -> CompactionReport
    ) async throws -> CompactionReport {
        if isAboutToClose { throw StorageError.closed(path: files.directory) }
        let begunBefore = compactionCount
        let newest = published.commitNumber
        while true {
            if isAboutToClose { throw StorageError.cancelled }
            if queue.hasLoad || isTurnKept {
                await (queue.hasLoad ? loadWaiters : turnWaiters).wait()
                if Task.isCancelled { throw StorageError.cancelled }
            } else if compactionCount == begunBefore || compaction?.isCancelled ?? false,
                let outcome = try await endOfOtherCompaction()
            {
                // Nor is one joined that others have left.
                if let report = try? outcome.get(), report.commitNumber >= newest { return report }
            } else {
                break
            }
        }
        if let refusal { throw refusal }
        return try await join(compaction ?? begin(work))
    }

    /// Returns when the running compaction has ended, how; `nil` at once when none runs.
    func compactionEnd() async -> CompactionRun.Outcome? {
        guard let compaction else { return nil }
        return await withCheckedContinuation { compaction.watch($0) }
    }

    /// The same for a call that may be cancelled meanwhile, and has no part in that compaction.
    ///
    /// - Throws: `.cancelled`.
    func endOfOtherCompaction() async throws(StorageError) -> CompactionRun.Outcome? {
        guard let run = compaction else { return nil }
        await compactionWaiters.wait(unless: { run.outcome != nil })
        if let outcome = run.outcome { return outcome }
        throw .cancelled
    }

    private func begin(_ work: @escaping @Sendable () async throws -> CompactionReport) -> CompactionRun {
        compactionCount += 1
        let task = Task { try await work() }
        let run = CompactionRun(number: compactionCount, task)
        compaction = run
        if ownWork.withLock({ $0.isLetGo }) { run.cancel() }
        Task { end(run, await task.result) }
        return run
    }

    private func end(_ run: CompactionRun, _ outcome: CompactionRun.Outcome) {
        defer { compactionWaiters.resumeAll() }
        compaction = nil
        switch outcome {
        case .success(let report):
            status.change {
                $0.failedCompactionCount = 0
                $0.compactionFailure = nil
            }
            onNotice?(.compacted(report))
            // What was written meanwhile may be as much.
            considerCompaction()
        case .failure(let error):
            putOffCompaction()
            switch error as? StorageError {
            // Another process that compacts spares this one the work, and one that is suspended does it later. A store that was let go needs none.
            case .cancelled, .inUse, .suspended, .closed: return run.end(outcome)
            default: break
            }
            status.change {
                $0.failedCompactionCount += 1
                $0.compactionFailure = error as? StorageError
            }
            if let error = error as? StorageError {
                onNotice?(.compactionFailed(error, count: status.status.failedCompactionCount))
            }
        }
        run.end(outcome)
    }

    /// The next is tried when the log has grown by a quarter, at most by as much as a log may have.
    private func putOffCompaction() {
        nextCompactionByteCount = logByteCount + min(logByteCount / 4, CompactionPolicy.mostLogByteCount)
    }

    private func join(_ run: CompactionRun) async throws -> CompactionReport {
        let ticket = run.makeTicket()
        let number = run.number
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                run.add(caller, ticket)
                if Task.isCancelled { run.leave(ticket) }
            }
        } onCancel: {
            Task { await self.leaveCompaction(number, ticket) }
        }
    }

    private func leaveCompaction(_ number: Int, _ ticket: Int) {
        if let compaction, compaction.number == number { compaction.leave(ticket) }
    }

    func cancelCompaction(_ number: Int) {
        if let compaction, compaction.number == number { compaction.cancel() }
    }

    /// Waits for a pause in the commits when the log has become long: beside a writer in full swing a compaction takes half of the processor,
    /// and the next would follow soon.
    func considerCompaction() {
        guard isCompactionWanted, awaitedCompaction == nil else { return }
        awaitedCompaction = Task(priority: .utility) { [weak self] in
            var seen: Int?
            while let byteCount = await self?.waitForPause(seen) {
                seen = byteCount
                do { try await Task.sleep(for: CompactionPolicy.pause) } catch { return }
            }
        }
    }

    /// Begins the compaction when it is time.
    ///
    /// - Parameter seen: the bytes of the log when the last pause began; `nil` for the first.
    /// - Returns: those of now, when it is to wait on; `nil` when it has begun, or is not wanted any more.
    private func waitForPause(_ seen: Int?) -> Int? {
        if isCompactionWanted {
            let mayBegin = CompactionPolicy.mayBegin(
                logByteCount: logByteCount, before: seen, pausingByteCount: options.pausingByteCount)
            guard mayBegin else { return logByteCount }
            // Until it has begun, and ended, no other is wanted.
            nextCompactionByteCount = .max
            startCompaction()
        }
        awaitedCompaction = nil
        return nil
    }

    /// A failure leaves the store as it was, and is told by `status`.
    private func startCompaction() {
        Task(priority: .utility) { [weak self] in _ = try? await self?.compact(progress: nil) }
    }

    func compact(progress: (@Sendable (Double) -> Void)?) async throws -> CompactionReport {
        let compaction = Compaction(
            writer: self, files: files, fileSystem: fileSystem, companion: options.companion, progress: progress)
        if refusal == nil {
            do { try await settleDoubt(lookingAtOthers: true) } catch {
                putOffCompaction()
                throw error
            }
        }
        return try await compact { try await compaction.run() }
    }

    /// Nobody has the store any more: a compaction or a restore that runs is given up, and none begins by itself.
    nonisolated func letGo() {
        changeOwnWork { $0.isLetGo = true }
        let (compaction, restoration) = ownWork.withLock { ($0.compaction, $0.restoration) }
        compaction?.cancel()
        restoration?.cancel()
    }

    private var isCompactionWanted: Bool {
        beginsCompactions && compaction == nil && refusal == nil && queue.rescueReason == nil
            && !queue.hasLoad && logByteCount >= nextCompactionByteCount
            && CompactionPolicy.isDue(
                logByteCount: logByteCount, snapshotByteCount: Int(state.generation.file.superblock.fileByteCount))
    }

    // MARK: The turn to write files beside a shared store

    /// Keeps compactions of this process from taking the turn: one that runs is cancelled, and the next waits. Returns when it has ended.
    func keepTurn() async {
        isTurnKept = true
        compaction?.cancel()
        _ = await compactionEnd()
    }

    func letTurnGo() {
        isTurnKept = false
        turnWaiters.resumeAll()
    }

    /// Asks the system for time to hold the turn in.
    ///
    /// - Parameter giveUp: called when the process is about to be suspended.
    /// - Throws: `.suspended` when it is already.
    nonisolated func beginTime(_ giveUp: @escaping @Sendable () async -> Void) async throws -> LockTime {
        let time = LockTime(options.lockActivities, files.directory)
        guard !time.isUnlimited else { return time }
        try await CancellationFlag.onThread(.utility, of: work) { _ in try time.begin { Task { await giveUp() } } }
        return time
    }

    // MARK: A boundary

    /// Starts a new log segment and gives the version it begins behind: what the next snapshot contains.
    func beginCompaction() async throws -> Rotation {
        if let refusal = refusal ?? queue.rescueReason { throw refusal }
        precondition(rotation == nil && gathered == nil, "one compaction runs at a time")
        // Closing and loads wait for its end.
        try await enter(goesFirst: true)
        defer { leave() }
        if let refusal = refusal ?? queue.rescueReason { throw refusal }
        return try await withCheckedThrowingContinuation { continuation in
            rotation = continuation
            perform(queue.rotate())
        }
    }

    func rotate() {
        assertHasLock()
        let before = logByteCount
        log.run { [lock] (log) throws(LogFailure) in
            try lock.requireStillOursForLog()
            return try log.rotate()
        } then: { outcome in
            Task { await self.finishRotation(outcome, before) }
        }
    }

    private func finishRotation(_ outcome: Result<LogWriter.Boundary, LogFailure>, _ logByteCountBefore: Int) {
        let request = rotation
        rotation = nil
        switch outcome {
        case .success(let boundary):
            beginGathering(commits.map(\.commit))
            request?.resume(
                returning: Rotation(
                    version: published, logSequence: boundary.sequence, logChecksum: boundary.checksum,
                    logByteCount: logByteCountBefore))
            perform(queue.rotationEnded(.written))
        case .failure(let failure):
            request?.resume(throwing: failure.error)
            perform(queue.rotationEnded(.failed(failure)))
        }
    }

    // MARK: The commits behind it

    /// From here on commits are kept, to be replayed onto the next generation.
    func beginGathering(_ commits: [LogWriter.Commit]) {
        gathered = commits
        gatheredByteCount = commits.reduce(0) { $0 + $1.payload.count }
    }

    func gather(_ commit: LogWriter.Commit) {
        guard gathered != nil else { return }
        gathered?.append(commit)
        gatheredByteCount += commit.payload.count
    }

    /// Those behind `number` were undone.
    func ungather(behind number: UInt64) {
        while let last = gathered?.last, last.number > number {
            gathered?.removeLast()
            gatheredByteCount -= last.payload.count
        }
    }

    func endGathering() {
        gathered = nil
        gatheredByteCount = 0
        gatheringWaiters.resumeAll()
    }

    /// Writers that outrun a compaction wait for it, or all they write would be in memory twice.
    var isGatheringTooMuch: Bool { gatheredByteCount >= CompactionPolicy.gatheredByteCount }

    func abandonCompaction() { endGathering() }

    /// Published commits behind `commit`, for the compaction to replay onto its snapshot while writing goes on.
    func commits(after commit: UInt64) -> [LogWriter.Commit] {
        guard let gathered, let first = gathered.first?.number else { return [] }
        let start = min(gathered.count, Int(max(first, commit + 1) - first))
        return gathered[start...].filter { $0.number <= published.commitNumber }
    }

    /// The segments before the newest are gone.
    func forgetOlderSegments() async {
        logByteCount = await log.call { log in
            log.forgetOlderSegments()
            return log.byteCount
        }
        noteStatus()
    }
}
