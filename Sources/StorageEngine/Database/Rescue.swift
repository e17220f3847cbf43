/// Makes a version durable when the log no longer can: as the next generation, in new files.
///
/// After a failed flush the kernel may have dropped the pages and call them clean, so flushing again proves nothing (Rebello
/// et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020). Everything the log holds is in memory too.
///
/// 1. A new log segment is made that names the coming generation and holds no frame: until 3, recovery passes it by.
/// 2. The version is written out as that generation's snapshot, flushed, and read back from the medium.
/// 3. The rename publishes it. From here on everything in the version is durable.
/// 4. The old snapshot and its segments are unlinked.
struct Rescue: Sendable {
    let version: Version
    let files: StoreFiles
    let fileSystem: any FileSystem
    let lock: any FileLock

    /// Runs on the log's queue. When it throws, the store's files recover to what the log holds, as after a crash; the log
    /// must not be written again.
    func run(_ log: LogWriter) throws(StorageError) -> SnapshotFile {
        try lock.prove()
        // A compaction may have failed behind its rename: what its generation holds is another version than this one.
        let generation = max(version.generation.number, try files.newestGeneration(fileSystem)) + 1
        do throws(LogFailure) {
            try log.startAfresh(behind: version.commitNumber, generation: generation)
        } catch { throw error.error }
        let file = try publish(generation, log.sequence)
        files.removeSuperseded(by: file.superblock, fileSystem)
        return file
    }

    /// Seals the log or, when that leaves it unknown, makes the version durable without it.
    func seal(_ log: LogWriter) throws(StorageError) {
        do throws(LogFailure) {
            try log.seal()
        } catch {
            guard case .unknownState = error else { throw error.error }
            _ = try run(log)
        }
    }

    private func publish(_ generation: UInt64, _ sequence: UInt64) throws(StorageError) -> SnapshotFile {
        let temporary = files.temporarySnapshot(generation)
        let path = files.snapshot(generation)
        do throws(StorageError) {
            try SnapshotBuild(
                version: version, generation: generation, logSequence: sequence, files: files, fileSystem: fileSystem
            ) { _ in }.write()
            let written = try fileSystem.openFile(temporary, .reading)
            written.discardCache()
            written.close()
            try SnapshotFile(opening: temporary, generation: generation, fileSystem).prove()
            try fileSystem.rename(temporary, to: path)
        } catch {
            // Without the name there is no generation. What cannot be removed is passed by at the next opening.
            if (try? fileSystem.kind(of: path)) == .absent {
                try? fileSystem.remove(temporary)
                try? fileSystem.remove(files.log(sequence))
            }
            throw error
        }
        try fileSystem.flushDirectory(files.directory)
        return try SnapshotFile(opening: path, generation: generation, fileSystem)
    }
}
