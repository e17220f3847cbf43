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
    let progress: (Double) throws(StorageError) -> Void

    /// - Parameter replaces: whether a store that is there may be replaced.
    func stage(replacing replaces: Bool, sharing: Sharing) throws(StorageError) -> Restoration {
        let names = try target(replacing: replaces)
        try requireSpace(names == nil ? files.parent : files.directory)
        if names == nil { try fileSystem.createDirectory(files.directory, sharing: sharing) }
        let kinds = (names ?? []).map(StoreFiles.kind(ofName:))
        let (generation, sequence) = Self.numbers(above: kinds)
        let temporary = files.temporarySnapshot(generation)
        let mark: RestoreMark
        do throws(StorageError) {
            let identity = try write(generation, sequence)
            let restoration = Restoration(
                backup: plan.backup.path, commitNumber: plan.commitNumber, commitTime: plan.commitTime,
                time: fileSystem.now())
            mark = RestoreMark(
                store: identity.store, generation: generation, logSequence: sequence,
                snapshotChecksum: identity.checksum, restoration)
            try fileSystem.rename(temporary, to: files.staged(generation))
        } catch {
            try? fileSystem.remove(temporary)
            if names == nil { try? fileSystem.removeDirectory(files.directory) }
            throw error
        }
        // The snapshot's name is on the medium before the mark is that counts on it.
        do throws(StorageError) {
            try fileSystem.flushDirectory(files.directory)
            try mark.write(to: files.restore, fileSystem)
            try fileSystem.flushDirectory(files.directory)
            try requireStaged(mark)
        } catch {
            // Nothing is staged, then, as far as that can be had.
            try? fileSystem.remove(files.restore)
            try? fileSystem.remove(files.staged(generation))
            try? fileSystem.flushDirectory(files.directory)
            throw error
        }
        for case .staged(let older) in kinds { try? fileSystem.remove(files.staged(older)) }
        return mark.restoration
    }

    /// Whoever opened the store meanwhile has carried the restore out, or taken the snapshot for a leftover.
    private func requireStaged(_ mark: RestoreMark) throws(StorageError) {
        guard try fileSystem.kind(of: files.staged(mark.generation)) != .file,
            try fileSystem.kind(of: files.snapshot(mark.generation)) != .file,
            try RestoreMark.read(files.restored, fileSystem)?.store != mark.store
        else { return }
        throw .backupRefused(
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
        let needed = UInt64(plan.byteCount)
        guard let free = try fileSystem.freeByteCount(at: directory), free < needed else { return }
        throw .tooLittleSpace(path: files.directory, needed: needed, free: free)
    }

    /// Above all that are there. A first generation is made once more as long as nothing was written to it, so none begins with 1.
    private static func numbers(above kinds: [StoreFiles.Kind]) -> (generation: UInt64, sequence: UInt64) {
        var (generation, sequence): (UInt64, UInt64) = (0, 0)
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

    private func write(_ generation: UInt64, _ sequence: UInt64) throws(StorageError) -> SnapshotIdentity {
        let version = try version()
        try SnapshotBuild(
            version: version, generation: generation, logSequence: sequence,
            store: identifier.map(StoreIdentifier.init) ?? .random(), files: files, fileSystem: fileSystem,
            progress: progress
        ).write()
        let temporary = files.temporarySnapshot(generation)
        let written = try fileSystem.openFile(temporary, .reading)
        written.discardCache()
        written.close()
        let file = try SnapshotFile(opening: temporary, generation: generation, fileSystem)
        try file.prove()
        return file.identity
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
