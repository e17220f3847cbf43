/// What happens when the log could not be written, and nobody knows what it holds.
extension Writer {
    /// What the log holds is unknown from here on, and no second flush can tell. Nothing has been lost: every commit is in
    /// memory, so all of them go to new files, and are acknowledged then.
    func rescue(_ group: [SealedCommit], _ error: StorageError) {
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
            let fresh = WriteState(generation: state.generation.successor(file: try outcome.get()))
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
}
