/// Writes the next generation beside a running store and moves the store onto it.
///
/// 1. The writer starts a new log segment behind version v.
/// 2. v is written out as a snapshot under a temporary name, flushed, and looked at again: read back whole where another version of BookDB
///    wrote the one before. Its companion is made from it.
/// 3. The rename publishes it: from here on a new opening uses it and replays the new segment.
/// 4. What was committed meanwhile is replayed onto it; the writer moves over.
/// 5. The old snapshot and its segments are unlinked. Readers that map them keep them.
///
/// Stopping before 3 leaves the store as it was, with one more log segment; a crash at any point does, too.
struct Compaction: Sendable {
    let writer: Writer
    let files: StoreFiles
    let fileSystem: any FileSystem
    var companion: Companion?
    let progress: (@Sendable (Double) -> Void)?

    /// When so little is left to be replayed, the writer replays it as it moves over, and others wait for a millisecond or two.
    private static let catchUpCount = 64
    private static let catchUpByteCount = 32 << 10
    /// Replaying is quicker than committing, so little is left after a few slices; whoever commits as quickly does not put it off for ever.
    private static let maximumSliceCount = 32

    /// Tries when other processes load or rescue the store meanwhile, each of which makes a generation of its own.
    private static let maximumTryCount = 3

    /// The store has moved on to another generation than the one that was to be replaced.
    private struct Overtaken: Error {}

    func run() async throws -> CompactionReport {
        let end = writer.options.onPhase?(.compaction)
        defer { end?() }
        guard writer.isShared else { return try await runTries() }
        let number = await writer.compactionCount
        // When it is over the compaction is given up, and the store is as it was.
        let time = try await writer.beginTime { [writer] in await writer.cancelCompaction(number) }
        defer { time.end() }
        do {
            // Not even that file may come to a directory that is another's by now.
            try writer.requireStillOurs()
            // One process at a time, and it holds nothing else while it writes.
            let turn = try await takeTurn()
            defer { turn.unlock() }
            return try await runTries()
        } catch {
            // It was cancelled for that.
            try time.requireTime()
            throw error
        }
    }

    private func runTries() async throws -> CompactionReport {
        for _ in 0..<Self.maximumTryCount {
            do { return try await runOnce() } catch is Overtaken {}
        }
        throw StorageError.inUse(path: files.directory, processIdentifier: writer.lock.holder)
    }

    /// Waits as long as a write would: an opening has it for a moment.
    private func takeTurn() async throws -> any FileLock {
        let end = ContinuousClock.now + writer.options.lockLimit
        while true {
            do throws(StorageError) {
                return try fileSystem.lock(files.compacting)
            } catch {
                guard case .inUse(_, let processIdentifier) = error else { throw error }
                guard ContinuousClock.now < end else {
                    throw StorageError.inUse(path: files.directory, processIdentifier: processIdentifier)
                }
            }
            do { try await Task.sleep(for: .milliseconds(2)) } catch { throw StorageError.cancelled }
        }
    }

    private func runOnce() async throws -> CompactionReport {
        let start = ContinuousClock.now
        try await Self.requireSpace(for: writer.published, in: files, fileSystem)
        let rotation = try await writer.beginCompaction()
        do {
            return try await write(rotation, start)
        } catch {
            await writer.abandonCompaction()
            throw error
        }
    }

    private func write(_ rotation: Writer.Rotation, _ start: ContinuousClock.Instant) async throws -> CompactionReport {
        let old = rotation.version.generation.file.superblock
        let generation = try files.nextGeneration(after: old.generation, fileSystem)
        let file = try await build(rotation, generation)
        do {
            if Task.isCancelled { throw StorageError.cancelled }
            try await writer.enter(goesFirst: true)
        } catch {
            files.removeUnnamed(generation, fileSystem)
            throw error
        }
        do {
            try await publish(file, rotation.version.generation)
        } catch {
            await writer.leave()
            throw error
        }
        await writer.leave()
        FreedMemory.giveBack(afterWorkOn: Int(file.superblock.fileByteCount))
        return CompactionReport(
            generation: generation, commitNumber: rotation.version.commitNumber,
            snapshotByteCountBefore: Int(old.fileByteCount), logByteCountBefore: rotation.logByteCount,
            snapshotByteCount: Int(file.superblock.fileByteCount), nanoseconds: elapsed(since: start))
    }

    /// Precondition: no other process writes.
    private func publish(_ file: SnapshotFile, _ old: Generation) async throws {
        let generation = file.superblock.generation
        guard await !writer.hasLeft(old), try fileSystem.kind(of: files.snapshot(generation)) == .absent else {
            files.removeUnnamed(generation, fileSystem)
            throw Overtaken()
        }
        try writer.requireStillOurs()
        do {
            try await removeAbandonedSegment()
            try files.name(generation, hasCompanion: companion != nil, fileSystem)
        } catch {
            if (try? fileSystem.kind(of: files.snapshot(generation))) == .absent {
                files.removeUnnamed(generation, fileSystem)
                // Which has its name before the snapshot has.
                try? fileSystem.remove(files.companion(generation))
            }
            throw error
        }
        try fileSystem.flushDirectory(files.directory)
        try await moveOver(from: old, to: file)
        files.removeSuperseded(by: file.superblock, fileSystem)
        await writer.forgetOlderSegments()
    }

    /// Who died as it loaded or rescued the store has left a segment for the generation that it was about to make. This one has the same
    /// number, and the segment is not of it.
    private func removeAbandonedSegment() async throws {
        let path = files.log(await writer.successorSequence())
        guard writer.isShared, try fileSystem.kind(of: path) != .absent else { return }
        try fileSystem.remove(path)
        // Before the snapshot has its name: a power cut must not leave both.
        try fileSystem.flushDirectory(files.directory)
    }

    private func build(_ rotation: Writer.Rotation, _ generation: UInt64) async throws -> SnapshotFile {
        try await CancellationFlag.onThread(.utility, of: writer.work) { isCancelled in
            try SnapshotBuild(
                version: rotation.version, generation: generation, logSequence: rotation.logSequence,
                logChecksum: rotation.logChecksum, files: files, fileSystem: fileSystem, threadCount: 1
            ) { (share) throws(StorageError) in
                if isCancelled.isSet { throw .cancelled }
                progress?(share)
            }.write(with: companion, proves: isConversion(of: rotation.version)) { isCancelled.isSet }
        }
    }

    /// Whether the snapshot that is there has features that the next will not have: it was written by another version of BookDB. What
    /// is laid out anew by other rules is read back before the old file goes.
    private func isConversion(of version: Version) -> Bool { !version.generation.file.superblock.features.isEmpty }

    private func moveOver(from old: Generation, to file: SnapshotFile) async throws {
        let state = WriteState(
            generation: old.successor(file: file, companion: CompanionPlace(files, file, fileSystem)))
        for _ in 0..<Self.maximumSliceCount {
            let commits = await writer.commits(after: state.commitNumber)
            var batch = ReplayBatch()
            for commit in commits {
                guard try batch.add(commit.payload, to: state) else {
                    throw StorageError.damaged(
                        Damage(file: file.path, byteOffset: 0, finding: "commit \(commit.number) cannot be replayed"))
                }
            }
            try batch.apply(to: state)
            let byteCount = commits.reduce(0) { $0 + $1.payload.count }
            if commits.count <= Self.catchUpCount, byteCount <= Self.catchUpByteCount { break }
        }
        try await writer.moveOver(to: state)
    }
}
