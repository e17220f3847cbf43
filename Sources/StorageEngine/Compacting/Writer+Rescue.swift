/// What happens when the log could not be written, and nobody knows what it holds.
extension Writer {
    /// Where it is unknown whether a power cut leaves the newest snapshot its name, no segment can follow its log, and no backup can take it: everything
    /// goes to new files first. Where nothing is in doubt this waits for nobody.
    ///
    /// - Throws: why writes are refused, or the log cannot be had.
    func settleDoubt() async throws {
        guard await log.call({ $0.doubt }) != nil else { return }
        try await enter(goesFirst: true)
        defer { leave() }
        while let doubt = await log.call({ $0.doubt }) {
            if let refusal { throw refusal }
            await withCheckedContinuation { continuation in
                drainWaiters.append((.max, continuation))
                perform(queue.giveUpLog(doubt))
            }
        }
    }

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
        log.run { (log) throws(StorageError) in
            try rescue.run(log)
        } then: { outcome in
            Task { await self.finishRescue(outcome, error) }
        }
    }

    private func finishRescue(_ outcome: Result<SnapshotFile, StorageError>, _ error: StorageError) {
        do throws(StorageError) {
            let fresh = WriteState(generation: state.generation.successor(file: try outcome.get()))
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
