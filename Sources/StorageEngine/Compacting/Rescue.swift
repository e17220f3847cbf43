/// Makes a version durable when the log no longer can: as the next generation, in new files.
///
/// After a failed flush the kernel may have dropped the pages and call them clean, so flushing again proves nothing (Rebello
/// et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020). Everything the log holds is in memory too.
///
/// 1. The version is written out as the next generation's snapshot, flushed, and read back from the medium.
/// 2. A new log segment is made that names the generation and the snapshot. It holds no frame: until 3, recovery passes it by.
/// 3. The rename publishes the snapshot. From here on everything in the version is durable.
/// 4. The old snapshots and their segments are unlinked.
struct Rescue: Sendable {
    let version: Version
    let files: StoreFiles
    let fileSystem: any FileSystem
    let lock: WriteLock

    /// Runs on the log's queue. When it throws `.nothingWritten`, the store's files recover to what the log holds, as after a crash; the log
    /// must not be written again.
    func run(_ log: LogWriter) throws(LogFailure) -> SnapshotFile {
        let generation: UInt64
        do throws(StorageError) {
            try lock.requireStillOurs()
            // A compaction may have failed behind its rename: what its generation holds is another version than this one.
            generation = try files.nextGeneration(after: version.generation.number, fileSystem)
        } catch { throw .nothingWritten(error) }
        let sequence = log.sequence + 1
        let path = files.snapshot(generation)
        let successor: LogWriter.Successor
        do throws(StorageError) {
            let snapshot = try write(generation, sequence)
            do throws(LogFailure) {
                successor = try log.makeSuccessor(
                    behind: version.commitNumber, generation: generation, snapshot.checksum)
            } catch { throw error.error }
            try fileSystem.rename(files.temporarySnapshot(generation), to: path)
        } catch {
            guard (try? fileSystem.kind(of: path)) == .absent else { throw .unknownState(error) }
            // Without the name there is no generation. What cannot be removed is passed by at the next opening.
            if (try? lock.requireStillOurs()) != nil {
                try? fileSystem.remove(files.temporarySnapshot(generation))
                try? fileSystem.remove(files.log(sequence))
            }
            throw .nothingWritten(error)
        }
        let file: SnapshotFile
        do throws(StorageError) {
            try fileSystem.flushDirectory(files.directory)
            // Not before: until then the log knows no more to be on the medium than it did.
            log.move(to: successor)
            file = try SnapshotFile(opening: path, generation: generation, fileSystem)
        } catch { throw .unknownState(error) }
        files.removeSuperseded(by: file.superblock, fileSystem)
        log.history?.add(.rescued, commit: version.commitNumber, generation: generation)
        return file
    }

    private func write(_ generation: UInt64, _ sequence: UInt64) throws(StorageError) -> SnapshotIdentity {
        let temporary = files.temporarySnapshot(generation)
        try SnapshotBuild(
            version: version, generation: generation, logSequence: sequence, files: files, fileSystem: fileSystem
        ) { _ in }.write()
        let written = try fileSystem.openFile(temporary, .reading)
        written.discardCache()
        written.close()
        let file = try SnapshotFile(opening: temporary, generation: generation, fileSystem)
        try file.prove()
        return file.identity
    }

    /// Seals the log or, when that leaves it unknown, makes the version durable without it.
    func seal(_ log: LogWriter) throws(StorageError) -> CommitQueue.Sealing {
        guard (try? lock.requireStillOurs()) != nil else {
            // Another may write to these files, behind the same end: a mark there would be written over its commits.
            try log.flushOnly()
            return .sealed
        }
        let writes = !log.isMarked
        do throws(LogFailure) {
            try log.requireNamed(behind: version.generation.number)
            try log.seal()
            if writes, (try? lock.requireStillOurs()) != nil {
                log.history?.add(.closed, commit: log.lastCommit, generation: version.generation.number)
                log.history?.write()
            }
            return .sealed
        } catch {
            guard case .unknownState = error else { throw error.error }
            do throws(LogFailure) { _ = try run(log) } catch { throw error.error }
            return .rescued
        }
    }
}
