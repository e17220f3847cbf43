/// A restore has the store to itself as a load has, and moves it to another store.
extension Writer {
    /// Runs `work`, one at a time. Closing cancels it and waits for its end.
    func restore(_ work: @escaping @Sendable () async throws -> Restoration) async throws -> Restoration {
        while restoration != nil {
            await restorationWaiters.wait()
            if Task.isCancelled { throw StorageError.cancelled }
        }
        if let refusal { throw refusal }
        // It prepares files before it asks for the log.
        if ownWork.withLock({ $0.isOver }) { throw StorageError.closed(path: files.directory) }
        let task = Task {
            // Before it has ended for those who wait for that.
            defer {
                restoration = nil
                restorationWaiters.resumeAll()
            }
            return try await work()
        }
        restoration = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func cancelRestoration() { restoration?.cancel() }

    /// Puts a restored store in the place of this one, and moves over to it. Nothing stops it half-way.
    ///
    /// Precondition: a load has the store.
    func replace(_ change: RestoreSwitch, with file: SnapshotFile) async throws(StorageError) {
        if queue.isClosing { throw .closed(path: files.directory) }
        let outcome = await log.call { [lock] _ in
            Result { () throws(RestoreSwitch.Failure) in
                do throws(StorageError) { try lock.requireStillOurs() } catch { throw .leftAsItWas(error) }
                return try change.carryOut()
            }
        }
        let newLog: LogWriter
        switch outcome {
        case .success(let made): newLog = made
        case .failure(.leftAsItWas(let error)): throw error
        case .failure(.unknown(let error)): throw refuseAfterLoad(error)
        }
        await log.call { $0.takeOver(newLog) }
        let fresh = state.generation.replacement(file: file, companion: CompanionPlace(files, file, fileSystem))
        moveOver(
            to: WriteState(generation: fresh), OpeningReport(of: file, change.mark),
            byOthers: false)
    }
}

extension OpeningReport {
    /// A restored store whose snapshot was opened before it took the place of another.
    fileprivate init(of file: SnapshotFile, _ mark: RestoreMark) {
        self.init()
        generation = file.superblock.generation
        snapshotByteCount = Int(file.superblock.fileByteCount)
        logByteCount = LogSegmentFormat.headerByteCount
        usedSpareSuperblock = file.usedSpareSuperblock
        lastCommitTime = mark.restoration.commitTime
        restored = mark.restoration
        time = mark.restoration.time
    }
}
