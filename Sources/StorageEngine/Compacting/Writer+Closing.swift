/// Closing: everything sealed is written, the log is sealed and flushed, and nothing more.
extension Writer {
    /// Makes everything durable and gives up the lock. Every call returns when that is done, with the same outcome.
    ///
    /// - Throws: `.unsaved` when commits that were acknowledged may not be on the medium; what sealing the log throws.
    func close() async throws(StorageError) {
        let closing = closing ?? Task { await closeOnce() }
        self.closing = closing
        if let error = await closing.value { throw error }
    }

    private func closeOnce() async -> StorageError? {
        await withCheckedContinuation { end in
            closingEnd = end
            restoration?.cancel()
            giveUpLoad()
            perform(queue.close())
        }
    }

    /// The log is at rest. A compaction may still be about to publish a generation: it ends first.
    func sealLog(isWritable: Bool) {
        Task {
            // One that was cancelled removes what it has written.
            _ = await restoration?.result
            beginsCompactions = false
            awaitedCompaction?.cancel()
            compaction?.cancel()
            _ = await compactionEnd()
            // Where another process does not let the log go, it stays without an end that proves itself.
            let isOurs = isWritable ? (try? await enter(goesFirst: true)) != nil : false
            let rescue = Rescue(version: published, files: files, fileSystem: fileSystem, lock: lock)
            let sealing: CommitQueue.Sealing = await log.call { log in
                defer { log.close() }
                guard isWritable else { return .sealed }
                do throws(StorageError) {
                    if isOurs { return try rescue.seal(log) }
                    try log.flushOnly()
                    return .sealed
                } catch { return .failed(error) }
            }
            if isOurs { sayHead() }
            watch?.cancel()
            watch = nil
            lock.unlock()
            head?.close()
            if isShared { dismissEntrants(.closed(path: files.directory)) }
            perform(queue.closed(sealing, isWritable: isWritable))
        }
    }

    func finishClosing(_ failure: CommitQueue.ClosingFailure?) {
        loadWaiters.resumeAll()
        gatheringWaiters.resumeAll()
        resumeDrainWaiters()
        let error: StorageError? =
            switch failure {
            case nil: nil
            case .unsaved(let commits, let reason):
                .unsaved(path: files.directory, commits: commits, reason: "\(reason)")
            case .unsealed(let error): error
            }
        onNotice?(.closed(error))
        closingEnd?.resume(returning: error)
        closingEnd = nil
    }
}
