/// A load has the store to itself while it lasts, and moves it to the snapshot that it wrote.
extension Writer {
    /// Runs `work` on the newest version while nothing else is written or compacted. Readers notice nothing.
    ///
    /// - Parameter replaces: whether nothing of the store is to stay. Then a compaction that runs is cancelled, and trees that the store
    ///   lacks are not declared before.
    func load<Result: Sendable>(
        replacing replaces: Bool = false, _ work: @escaping @Sendable (Version) async throws -> Result
    ) async throws -> Result {
        if let refusal { throw refusal }
        var hasEntered = false
        defer { if hasEntered { leave() } }
        while true {
            if replaces { compaction?.cancel() }
            if !hasEntered {
                // Before this process keeps others out: a compaction may take long.
                _ = try await endOfOtherCompaction()
                try await enter()
                hasEntered = true
            }
            if let refusal { throw refusal }
            if Task.isCancelled || isAboutToClose { throw StorageError.cancelled }
            if queue.hasLoad {
                await loadWaiters.wait()
            } else if compaction != nil {
                leave()
                hasEntered = false
            } else if !undeclared.isEmpty, !replaces {
                // A transaction of no operations declares what the store lacks.
                try await commit(.ordered) { _ in }
            } else {
                break
            }
        }
        loadCount += 1
        let number = loadCount
        currentLoad = number
        defer { endLoad(number) }
        try await withCheckedThrowingContinuation { continuation in
            loadStart = continuation
            perform(queue.load())
        }
        if queue.isClosing || isAboutToClose { throw StorageError.cancelled }
        // It may have come to an end while this load waited for another.
        try lock.time.requireTime()
        // Nothing may come to a directory that is another's by now.
        try requireStillOurs()
        // The log is at rest, and what it could not take is in this version.
        let task = Task { [published] in try await work(published) }
        cancelLoad = { task.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            // It was cancelled for that.
            if task.isCancelled, !queue.isClosing { try lock.time.requireTime() }
            throw error
        }
    }

    /// The store is about to close: a load and a compaction that run are cancelled, and those that wait do not begin any more.
    func prepareToClose() {
        isAboutToClose = true
        giveUpLoad()
        awaitedCompaction?.cancel()
        compaction?.cancel()
    }

    /// A load that runs is cancelled: its lock has to go.
    func giveUpLoad() {
        cancelLoad?()
        cancelLoad = nil
    }

    private func endLoad(_ number: Int) {
        letStoreGo(number)
        considerCompaction()
    }

    /// Another load may have begun since this one let the store go.
    private func letStoreGo(_ number: Int?) {
        guard number == currentLoad else { return }
        currentLoad = nil
        cancelLoad = nil
        perform(queue.loadEnded())
        // In the order in which they came, and before those that come from now on.
        loadWaiters.resumeAll()
    }

    /// Makes what a load gathered a commit like any other. The load lets the store go with it: while its commit is flushed others write, and load.
    func commitLoad(_ note: (any Sendable)?, _ body: @Sendable (inout Transaction) throws -> Void) async throws {
        letStoreGo(currentLoad)
        try await commit(.flushed) { transaction in
            try body(&transaction)
            transaction.note = note
        }
    }

    /// The number of the segment behind the commit that a load will be.
    func successorSequence() async -> UInt64 { await log.call { $0.sequence + 1 } }

    /// That segment, bound to the snapshot that the load wrote.
    func makeSuccessor(_ snapshot: SnapshotIdentity) async throws -> LogWriter.Successor {
        let commit = published.commitNumber + 1
        let outcome: Result<LogWriter.Successor, LogFailure> = await log.call { [lock] log in
            do throws(LogFailure) {
                try lock.requireStillOursForLog()
                return .success(
                    try log.makeSuccessor(behind: commit, generation: snapshot.generation, snapshot.checksum))
            } catch { return .failure(error) }
        }
        switch outcome {
        case .success(let successor): return successor
        // Whatever is there of it, recovery passes it by.
        case .failure(let failure): throw failure.error
        }
    }

    /// Moves the store to the snapshot that a load wrote, which is one commit ahead and has its name. It holds every published
    /// commit, also those that the log could not take.
    func adoptLoad(
        _ file: SnapshotFile, _ companion: CompanionPlace, _ successor: LogWriter.Successor, _ note: (any Sendable)?
    ) async throws {
        logByteCount = await log.call { log in
            log.move(to: successor)
            return log.byteCount
        }
        let fresh = WriteState(generation: state.generation.successor(file: file, companion: companion))
        try moveOver(to: fresh)
        perform(queue.loaded(fresh.commitNumber))
        commits = []
        announceLoad(note)
    }

    /// Whether a load's snapshot has its name on the medium is unknown, so nothing may be written any more.
    func refuseAfterLoad(_ error: StorageError) -> StorageError {
        let reason = StorageError.poisoned(path: files.directory, reason: "\(error)")
        perform(queue.refuse(reason))
        return reason
    }
}
