/// Makes a whole store of what a backup holds, beside the one that it is to replace: a snapshot of a new line, which is proved,
/// flushed, and then staged by one rename. `StagedRestore` puts it in place.
///
/// The snapshot is written anew and not copied: it is as of any commit, every page of the backup is looked at on the way, and it has a
/// store identifier of its own. So no log, increment or follower of the old line can be taken for one of the new.
struct RestoreStaging {
    let plan: RestorePlan
    let files: StoreFiles
    let fileSystem: any FileSystem
    /// Sixteen bytes for the restored store to carry, instead of random ones.
    var identifier: [UInt8]?
    /// What to keep beside the snapshot.
    var companion: Companion?
    /// Whether the store is open here, and is to be replaced at once.
    var replacesOpenStore = false
    /// Throws what will keep the restored store from being opened for writing.
    var accept: @Sendable (SnapshotFile) throws(StorageError) -> Void = { _ in }
    /// How long others that write files beside the store are waited for.
    var turnLimit = Duration.seconds(5)
    var isCancelled: @Sendable () -> Bool = { false }
    let progress: @Sendable (Double) throws(StorageError) -> Void

    /// What was written, and lies beside the store under its temporary name.
    struct Prepared: Sendable {
        let mark: RestoreMark
        let file: SnapshotFile
        /// Keeps what was written from being tidied away. To be ended by who has this.
        let turn: WritingTurn?
    }

    /// Writes the restored store's snapshot, and has it staged.
    ///
    /// - Parameter replaces: whether a store that is there may be replaced.
    func stage(replacing replaces: Bool, sharing: Sharing) throws(StorageError) -> Restoration {
        let names = try target(replacing: replaces)
        if (names ?? []).contains(where: StoreFiles.isOfStore) {
            try requireWritable()
            return try writeAndStage()
        }
        if names == nil { try requireSpace(files.parent) }
        // Once more when it exists: its own name may not be on the medium yet, and a store that is opened there takes it to be.
        try fileSystem.createDirectory(files.directory, sharing: sharing)
        do throws(StorageError) {
            return try stageAlone(replacing: replaces, sharing: sharing)
        } catch {
            if names == nil { try? fileSystem.removeDirectory(files.directory) }
            throw error
        }
    }

    /// The same where no store is. It holds the lock of the one that is to be there: who would begin another meanwhile, or stage another restore, waits or
    /// is refused, and nothing is written that this would replace.
    private func stageAlone(replacing replaces: Bool, sharing: Sharing) throws(StorageError) -> Restoration {
        var lock = try fileSystem.lock(files.lock, toMake: files.directory)
        defer { lock.unlock() }
        do throws(StorageError) {
            try lock.requireStillOurs()
        } catch {
            // Whoever gave up before this had the lock has removed its file.
            lock.unlock()
            lock = try fileSystem.lock(files.lock, toMake: files.directory)
            try lock.requireStillOurs()
        }
        if try files.isStore(in: fileSystem) {
            // Somebody has begun one since, and it is looked at as any other.
            lock.unlock()
            return try stage(replacing: replaces, sharing: sharing)
        }
        do throws(StorageError) {
            return try writeAndStage()
        } catch {
            try? fileSystem.remove(files.lock)
            throw error
        }
    }

    private func writeAndStage() throws(StorageError) -> Restoration {
        let prepared = try prepare()
        defer { prepared.turn?.end() }
        let mark = prepared.mark
        do throws(StorageError) {
            try accept(prepared.file)
        } catch {
            files.removeUnnamed(mark.generation, fileSystem)
            throw error
        }
        try stage(mark)
        return mark.restoration
    }

    /// What only a later version may write to is not replaced: no opening here would carry the restore out, and one by that version would.
    private func requireWritable() throws(StorageError) {
        try StoreOpening(files: files, fileSystem: fileSystem, options: Options(), declared: [])
            .requireWritable(StoreOpening.Contents(files, fileSystem))
    }

    /// Writes the restored store's snapshot beside a store, if there is one, and reads it back from the medium.
    func prepare() throws(StorageError) -> Prepared {
        // Before anything is there nobody tidies up: who opens a store has its lock.
        let isOfStore = try fileSystem.names(inDirectory: files.directory).contains(where: StoreFiles.isOfStore)
        let turn =
            isOfStore
            ? try WritingTurn(writing: files, fileSystem, waitingFor: turnLimit) { () throws(StorageError) in
                try progress(0)
            } : nil
        var generation: UInt64 = 0
        do throws(StorageError) {
            try requireSettled()
            try requireSpace(files.directory)
            let numbers = Self.numbers(
                above: try fileSystem.names(inDirectory: files.directory).map(StoreFiles.kind(ofName:)),
                try RestoreMark.staged(files, fileSystem))
            generation = numbers.generation
            let file = try write(numbers.generation, numbers.sequence)
            let restoration = Restoration(
                backup: plan.backup.path, commitNumber: plan.commitNumber, commitTime: plan.commitTime,
                time: fileSystem.now())
            let mark = RestoreMark(
                store: file.superblock.store, generation: numbers.generation, logSequence: numbers.sequence,
                snapshotChecksum: file.identity.checksum, restoration)
            return Prepared(mark: mark, file: file, turn: turn)
        } catch {
            if generation > 0 { files.removeUnnamed(generation, fileSystem) }
            turn?.end()
            throw error
        }
    }

    private func stage(_ mark: RestoreMark) throws(StorageError) {
        let staged = files.staged(mark.generation)
        do throws(StorageError) {
            // While it was written, an earlier one may have been carried out, or begun to be.
            try requireSettled()
            try requireRoom(mark)
            try fileSystem.rename(files.temporarySnapshot(mark.generation), to: staged)
        } catch {
            files.removeUnnamed(mark.generation, fileSystem)
            throw error
        }
        let former = FormerMark(files: files, fileSystem: fileSystem)
        do throws(StorageError) {
            // The snapshot's name is on the medium before the mark is that counts on it.
            try fileSystem.flushDirectory(files.directory)
            try former.keep()
        } catch {
            try? files.spoilStaged(mark.generation, fileSystem)
            throw error
        }
        do throws(StorageError) {
            try mark.write(to: files.restore, fileSystem)
            try fileSystem.flushDirectory(files.directory)
            try requireStaged(mark)
        } catch {
            try unstage(mark, former, error)
            throw error
        }
        for case .staged(let older) in ((try? fileSystem.names(inDirectory: files.directory)) ?? []).map(
            StoreFiles.kind(ofName:)) where older != mark.generation
        {
            // Should this one rot, its mark must not lead back to one that was given up.
            files.removeStaged(older, fileSystem)
        }
        former.forget()
    }

    /// Nothing is staged then but what was before: neither the snapshot's bytes nor the names say so.
    ///
    /// - Throws: when the disk takes neither, so that an opening may find what was staged.
    private func unstage(_ mark: RestoreMark, _ former: FormerMark, _ reason: StorageError) throws(StorageError) {
        let isSpoiled = (try? files.spoilStaged(mark.generation, fileSystem)) != nil
        do throws(StorageError) {
            try former.putBack(insteadOf: mark)
        } catch {
            guard !isSpoiled else { return }
            throw .backupRefused(
                path: files.directory,
                reason: "The disk fails, and whether the restore is staged is unknown: \(reason)",
                next: "Stage it again; until then the next opening may carry this one out.")
        }
        try? fileSystem.remove(files.staged(mark.generation))
    }

    /// A restore that was killed behind its rename leaves the mark, by which those see it who have the old store open. It must not be
    /// written over before the old log has gone.
    private func requireSettled() throws(StorageError) {
        guard !replacesOpenStore, let mark = try RestoreMark.staged(files, fileSystem),
            try mark.isCarriedOut(files, fileSystem),
            try fileSystem.names(inDirectory: files.directory).contains(where: mark.replaces)
        else { return }
        throw .backupRefused(
            path: files.directory, reason: "An earlier restore was interrupted when it was nearly done.",
            next: "Open the library for writing and compact it; then restore.")
    }

    /// Whoever opened the store meanwhile has carried the restore out, or taken the snapshot for a leftover.
    private func requireStaged(_ mark: RestoreMark) throws(StorageError) {
        guard try fileSystem.kind(of: files.staged(mark.generation)) != .file,
            try fileSystem.kind(of: files.snapshot(mark.generation)) != .file,
            try RestoreMark.read(files.restored, fileSystem)?.store != mark.store
        else { return }
        throw openedMeanwhile
    }

    private func requireRoom(_ mark: RestoreMark) throws(StorageError) {
        if mark.isReached(by: try fileSystem.names(inDirectory: files.directory)) { throw openedMeanwhile }
    }

    private var openedMeanwhile: StorageError {
        .backupRefused(
            path: files.directory, reason: "It was opened while the restore was being staged.",
            next: "Nothing was changed; stage it again.")
    }

    /// The names in the directory; `nil` when there is none.
    private func target(replacing replaces: Bool) throws(StorageError) -> [String]? {
        guard try files.exist(in: fileSystem) else {
            guard try fileSystem.kind(of: files.parent) == .directory else {
                throw .missingParent(path: files.directory, parent: files.parent)
            }
            return nil
        }
        let names = try fileSystem.names(inDirectory: files.directory)
        if let foreign = names.first(where: { !StoreFiles.isKnown($0) && !$0.hasPrefix(".") }),
            !names.contains(where: StoreFiles.isOfStore)
        {
            throw .notAStore(path: files.directory, reason: "it holds other files, such as \(foreign)")
        }
        guard replaces || !names.contains(where: StoreFiles.isOfStore) else { throw .exists(path: files.directory) }
        return names
    }

    private func requireSpace(_ directory: String) throws(StorageError) {
        // About what the snapshot will have: the log is compressed, and repeats itself.
        try fileSystem.requireSpace(UInt64(plan.byteCount), in: directory, for: files.directory)
    }

    /// Above all that are there, or that a restore which is staged already will have. A first generation is made once more as long as nothing was
    /// written to it, so none begins with 1.
    private static func numbers(
        above kinds: [StoreFiles.Kind], _ staged: RestoreMark?
    ) -> (generation: UInt64, sequence: UInt64) {
        var (generation, sequence) = (staged?.generation ?? 0, staged?.logSequence ?? 0)
        for kind in kinds {
            switch kind {
            case .snapshot(let number), .companion(let number), .staged(let number):
                generation = max(generation, number)
            case .log(let number): sequence = max(sequence, number)
            default: break
            }
        }
        let gap = max(generation, sequence) == 0 ? 2 : StagedRestore.numberGap
        return (generation + gap, sequence + gap)
    }

    private func write(_ generation: UInt64, _ sequence: UInt64) throws(StorageError) -> SnapshotFile {
        let version = try version()
        let temporary = files.temporarySnapshot(generation)
        _ = try SnapshotBuild(
            version: version, generation: generation, logSequence: sequence,
            store: identifier.map(StoreIdentifier.init) ?? .random(), files: files, fileSystem: fileSystem,
            progress: progress
        ).write(with: companion, isCancelled: isCancelled)
        let written = try fileSystem.openFile(temporary, .reading)
        written.discardCache()
        written.close()
        let file = try SnapshotFile(opening: temporary, generation: generation, fileSystem)
        try file.prove()
        return file
    }

    /// The store as of the commit, read from the backup.
    private func version() throws(StorageError) -> Version {
        do throws(StorageError) {
            let state = WriteState(generation: Generation(file: try plan.backup.snapshot(plan.snapshot)))
            var batch = ReplayBatch()
            try plan.backup.forEachCommit(of: plan.segments, behind: plan.snapshot) {
                (frame, reader) throws(StorageError) in
                guard frame.commit <= plan.commitNumber else { return false }
                guard let payload = try reader.payload(of: frame), try batch.add(payload, to: state) else {
                    throw .damaged(
                        Damage(
                            file: reader.path, byteOffset: frame.start,
                            finding: "commit \(frame.commit) holds no operations"))
                }
                return true
            }
            try batch.apply(to: state)
            guard state.commitNumber == plan.commitNumber else {
                throw .damaged(
                    Damage(
                        file: plan.backup.path, byteOffset: 0,
                        finding: "it ends with commit \(state.commitNumber), its manifest says \(plan.commitNumber)"))
            }
            return state.version()
        } catch {
            switch error {
            case .damaged(let damage): throw .damagedBackup(plan.backup.path, damage)
            case .limitExceeded(let sentence), .schemaMismatch(let sentence):
                // What a caller would be told to do otherwise, nobody can do to a backup.
                throw .damagedBackup(
                    plan.backup.path,
                    Damage(file: plan.backup.path, byteOffset: 0, finding: "a commit holds what none may: \(sentence)"))
            default: throw error
            }
        }
    }
}
