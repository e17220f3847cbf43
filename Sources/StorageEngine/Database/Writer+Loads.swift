/// A load has the store to itself while it lasts, and moves it to the snapshot that it wrote.
extension Writer {
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

    func waitForLoad() async {
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
        let fresh = WriteState(generation: old.successor(file: file, companion: companion))
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
}
