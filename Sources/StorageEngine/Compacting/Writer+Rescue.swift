/// What happens when the log could not be written, and nobody knows what it holds.
extension Writer {
    /// Where it is unknown whether a power cut leaves the newest snapshot its name, no segment can follow its log, and no backup can take it: everything
    /// goes to new files first. Where nothing is in doubt this waits for nobody.
    ///
    /// - Parameter looksAtOthers: whether what other processes have left is looked at first, for which they may have to be waited.
    /// - Throws: what keeps new files from being written, why writes are refused, or why the log cannot be had.
    func settleDoubt(lookingAtOthers looksAtOthers: Bool = false) async throws {
        guard (looksAtOthers && isShared) || isInDoubt else { return }
        try await enter(goesFirst: true)
        defer { leave() }
        while let doubt = await log.call({ $0.doubt }) {
            if let refusal { throw refusal }
            var isTried = false
            await withCheckedContinuation { continuation in
                drainWaiters.append((.max, continuation))
                perform(queue.giveUpLog(doubt))
                isTried = queue.rescueReason != nil
            }
            if isTried, isInDoubt, let error = queue.failure { throw error }
        }
    }

    /// Whether it is unknown that a power cut leaves the newest snapshot its name, as far as is known here.
    nonisolated var isInDoubt: Bool { log.isInDoubt }

    /// What the log holds is unknown from here on, and no second flush can tell. Nothing has been lost: every commit is in
    /// memory, so all of them go to new files, and are acknowledged then.
    func beginRescue(_ error: StorageError) {
        Task {
            // A compaction ends first, one way or the other: it may be about to publish a generation.
            compaction?.cancel()
            _ = await compactionEnd()
            runRescue(error)
        }
    }

    private func runRescue(_ error: StorageError) {
        assertHasLock()
        if let last = settleRun() { queue.withdraw(behind: last) }
        beginGathering([])
        endRun()
        let rescue = Rescue(version: state.version(), files: files, fileSystem: fileSystem, lock: lock)
        log.run { (log) throws(LogFailure) in
            try rescue.run(log)
        } then: { outcome in
            Task { await self.finishRescue(outcome, error) }
        }
    }

    private func finishRescue(_ outcome: Result<SnapshotFile, LogFailure>, _ error: StorageError) {
        defer { resumeRescueWaiters() }
        if case .failure(.nothingWritten(let failure)) = outcome, isInDoubt {
            // Nothing was ever written behind a name in doubt, nor is anything now: the next to write tries again.
            endGathering()
            tellRefused()
            return perform(queue.rescueGivenUp(failure))
        }
        do throws(StorageError) {
            let file: SnapshotFile
            do throws(LogFailure) { file = try outcome.get() } catch { throw error.error }
            let fresh = WriteState(generation: state.generation.successor(file: file))
            let commit = fresh.commitNumber
            try moveOver(to: fresh)
            logByteCount = LogSegmentFormat.headerByteCount
            tellRefused()
            perform(queue.rescued(through: commit))
            onNotice?(.rescued(generation: state.generation.number, after: error))
        } catch let second {
            // The log failed, and so did new files in its place.
            endGathering()
            let reason = "\(error) Writing everything to a new file failed too: \(second)"
            let poisoned = StorageError.poisoned(path: files.directory, reason: reason)
            tellRefused(poisoned)
            perform(queue.refuse(poisoned))
        }
    }
}
