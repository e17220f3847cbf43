/// What a compaction asks of the writer: a boundary in the log, the commits behind it, and to move over.
extension Writer {
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

    func considerCompaction() {
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

    func rotate() {
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

    struct Replayed {
        /// As of the published commit, when the replay passed it.
        var publishedTrees: TreeTable?
        /// Commits that wait to be written, with their trees in the new generation.
        var waiting: [(commit: SealedCommit, trees: TreeTable)] = []
    }

    /// Brings a new generation's state up to the newest sealed commit. Changes nothing but that state.
    func replay(onto fresh: WriteState) throws(StorageError) -> Replayed {
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

    func move(to fresh: WriteState, _ replayed: Replayed) {
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
}
