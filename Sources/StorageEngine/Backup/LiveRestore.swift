/// Restores a store that is open: writes the restored one beside it, and then moves over, as a load does to the snapshot it wrote.
///
/// 1. The backup is read, and the restored store's snapshot written, proved and opened. Reads, writes and compactions of the old one go on.
/// 2. The old store is backed up, when that is asked for: what is new since the first such backup once more under 3.
/// 3. Writes wait. The snapshot gets its name (`RestoreSwitch`), and the writer moves over.
/// 4. The old files go. Readers that map them keep them.
struct LiveRestore: Sendable {
    let plan: RestorePlan
    /// Where the old store is backed up to before it goes; `nil` for nowhere.
    let saving: String?
    let identifier: [UInt8]?
    let writer: Writer
    let files: StoreFiles
    let fileSystem: any FileSystem
    let declared: [TreeDeclaration]
    let progress: @Sendable (Double) -> Void

    func run() async throws -> Restoration {
        guard writer.isShared else { return try await restore() }
        // One process at a time writes files beside the store.
        let time = try await writer.beginTime { [writer] in await writer.cancelRestoration() }
        defer { time.end() }
        await writer.keepTurn()
        do {
            let restoration = try await restore()
            await writer.letTurnGo()
            return restoration
        } catch {
            await writer.letTurnGo()
            // It was cancelled for that.
            try time.requireTime()
            throw error
        }
    }

    private func restore() async throws -> Restoration {
        // Nothing may come to a directory that is another's by now.
        try writer.requireStillOurs()
        if saving != nil {
            try await writer.settleDoubtForBackup()
            await writer.drain()
            try requireWritten(isAtRest: false)
        }
        // Before the saving, which may be to the same backup, and gives up what the store no longer has of that.
        let prepared = try await prepare()
        // Behind it nothing is being written any more.
        defer { prepared.turn?.end() }
        do {
            try accept(prepared.file)
            if let saving { try await save(to: saving) }
            return try await writer.load(replacing: true) { _ in
                if let saving {
                    try requireWritten(isAtRest: true)
                    try requireNoDoubt()
                    try await save(to: saving)
                }
                try Task.checkCancellation()
                // One time, whoever asks when it was.
                let mark = prepared.mark.carriedOut(at: fileSystem.now())
                try await writer.replace(
                    RestoreSwitch(
                        mark: mark, hasCompanion: writer.options.companion != nil, files: files,
                        fileSystem: fileSystem),
                    with: prepared.file)
                // While no other process can write: its files must not be taken for old ones.
                await writer.removeReplaced(by: mark, prepared.turn)
                return mark.restoration
            }
        } catch {
            // Nothing has the snapshot's name, or nobody knows; then it is no longer under this one.
            files.removeUnnamed(prepared.mark.generation, fileSystem)
            throw error is CancellationError ? StorageError.cancelled : error
        }
    }

    private func prepare() async throws -> RestoreStaging.Prepared {
        try await CancellationFlag.onThread(.userInitiated, of: writer.work) { isCancelled in
            try RestoreStaging(
                plan: plan, files: files, fileSystem: fileSystem, identifier: identifier,
                companion: writer.options.companion, replacesOpenStore: true, turnLimit: writer.options.lockLimit,
                isCancelled: { isCancelled.isSet }
            ) { (share) throws(StorageError) in
                if isCancelled.isSet { throw .cancelled }
                progress(share)
            }.prepare()
        }
    }

    /// Throws why the layer above, or this process, could not go on with the restored store.
    private func accept(_ file: SnapshotFile) throws(StorageError) {
        try StoreOpening(files: files, fileSystem: fileSystem, options: writer.options, declared: declared).accept(file)
    }

    /// Another process may have left a snapshot whose name is in doubt. It would not be in the backup, and the restore removes it.
    private func requireNoDoubt() throws(StorageError) {
        guard writer.isInDoubt else { return }
        throw .backupRefused(
            path: files.directory,
            reason: "Another process has left records of which nobody knows whether a power cut leaves them.",
            next:
                "Nothing was restored; write to the library or compact it, which moves them to new files, and restore "
                + "then.")
    }

    private func requireWritten(isAtRest: Bool) throws(StorageError) {
        try writer.status.status.requireWritten(
            files.directory, isAtRest: isAtRest,
            orElse: "Nothing was restored; free some space, or restore without saving the library first.")
    }

    /// A backup is read from the files, so that commits which no file has would be gone.
    private func save(to backup: String) async throws {
        _ = try await Database.backup(
            at: files.directory, to: backup, fileSystem: fileSystem, on: writer.options.backupFileSystem,
            knowing: writer.durableCommit(),
            accept: { [writer] (_) throws(StorageError) in try writer.requireStillOurs() })
    }
}

extension Writer {
    /// The files of the store that was replaced go.
    fileprivate func removeReplaced(by mark: RestoreMark, _ turn: WritingTurn?) async {
        await log.call { [files, fileSystem] _ in
            StagedRestore(files: files, fileSystem: fileSystem) { _ in }.removeReplaced(by: mark, turn)
        }
    }
}
