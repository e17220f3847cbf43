/// Puts a restored store in the place of one that is open, by who has its lock and writes nothing meanwhile:
///
///     snapshot-G.tmp             written beside the store, proved, flushed and opened before
///     1  restore                 the mark; it counts for nothing as long as no file has the snapshot's name
///     2  log-S                   made: a segment for generation G, which the old store passes by
///     3  tmp → snapshot-G        from here on the directory is the restored store
///     4  restored                what was restored, for `lastRestore`
///
/// The same files and steps as those of `StagedRestore`, which goes on where this was stopped; only that the mark of a restore that was
/// stopped before 3 finds no snapshot, and is dropped.
struct RestoreSwitch: Sendable {
    /// As of the time when it is carried out.
    let mark: RestoreMark
    /// Whether a companion was made of the snapshot.
    let hasCompanion: Bool
    let files: StoreFiles
    let fileSystem: any FileSystem

    enum Failure: Error {
        /// The old store is as it was.
        case leftAsItWas(StorageError)
        /// Nobody knows which of the two stores a power cut would leave. Both are whole.
        case unknown(StorageError)
    }

    /// - Returns: the log behind the restored snapshot.
    func carryOut() throws(Failure) -> LogWriter {
        do throws(StorageError) {
            try requireRoom()
            try former.keep()
        } catch { throw .leftAsItWas(error) }
        let log: LogWriter
        do throws(StorageError) {
            try mark.write(to: files.restore, fileSystem)
            // The directory is flushed with the segment's name, and so is the mark's.
            log = try LogWriter(starting: mark.segmentHeader, olderByteCount: 0, names: files, fileSystem)
        } catch {
            undo()
            throw .leftAsItWas(error)
        }
        do throws(StorageError) {
            try files.name(mark.generation, hasCompanion: hasCompanion, fileSystem)
        } catch {
            log.close()
            guard (try? fileSystem.kind(of: files.snapshot(mark.generation))) == .absent else { throw .unknown(error) }
            undo()
            throw .leftAsItWas(error)
        }
        do throws(StorageError) {
            try fileSystem.flushDirectory(files.directory)
        } catch {
            log.close()
            throw .unknown(error)
        }
        noteDone()
        former.forget()
        return log
    }

    private var former: FormerMark { FormerMark(files: files, fileSystem: fileSystem) }

    /// Throws when the store has come to the numbers of the restored one, since another restore has taken its place meanwhile.
    private func requireRoom() throws(StorageError) {
        guard mark.isReached(by: try fileSystem.names(inDirectory: files.directory)) else { return }
        throw .backupRefused(
            path: files.directory, reason: "Another restore has taken the library's place meanwhile.",
            next: "Nothing was changed by this one; look at the library, and restore it again.")
    }

    /// As far as that can be had: without a snapshot of that name an opening drops the mark, and passes the segment by.
    private func undo() {
        try? fileSystem.remove(files.log(mark.logSequence))
        try? fileSystem.remove(files.companion(mark.generation))
        try? former.putBack(insteadOf: mark)
    }

    /// Until it is said, the mark says the same.
    private func noteDone() {
        do throws(StorageError) {
            try mark.write(to: files.restored, fileSystem)
            try fileSystem.flushDirectory(files.directory)
        } catch {
            // An opening that finds the mark says it, so that stays.
            try? fileSystem.remove(files.restored)
        }
    }
}
