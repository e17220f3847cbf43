/// Carries out a restore that was staged: the one step is the rename that gives the staged snapshot its name.
///
///     staged-G  restore          written beside the store, proved and flushed by whoever staged it
///     1  log-S                   made: a segment for generation G, which the old store passes by
///     2  staged-G → snapshot-G   from here on the directory is the restored store
///     3  restored                what was restored, for `lastRestore`
///     4  the old snapshot and its log are removed, when the restored store has opened, and then the mark
///
/// G and S are far above the numbers that the old store has, so that no file of one is taken for the other's.
/// A crash before 2 leaves the old store and the mark, one after it the restored store.
struct StagedRestore {
    let files: StoreFiles
    let fileSystem: any FileSystem
    /// Throws what keeps a snapshot from being opened here: it is asked before the old store has to go.
    let accept: (SnapshotFile) throws(StorageError) -> Void

    /// How far above the old store's numbers a restored one begins: it compacts less often than that until it is opened again.
    static let numberGap: UInt64 = 1 << 16

    enum Outcome {
        /// Nothing was staged, or what was is as good as gone.
        case none
        /// The directory is the restored store now, and its name is on the medium.
        case carriedOut(RestoreMark)
        /// The old store is as it was.
        case failed(StorageError)
        /// What says it cannot be read, and may be all that says that the name of the only snapshot is not on the medium. It stays until the store
        /// was written to.
        case unknown(StorageError)
    }

    /// Precondition: the store's lock is held.
    ///
    /// - Throws: when nobody knows which of the two stores a power cut would leave; the next opening goes on from there. `.newerFormat` and
    ///   `.unknownFeatures` when a later version has to carry it out: what is written until then would be replaced by it.
    func carryOut() throws(StorageError) -> Outcome {
        let names = try fileSystem.names(inDirectory: files.directory)
        guard names.contains("restore") else {
            if names.contains(StoreFiles.formerRestoreName) {
                // Another was to take its place, and its mark is not there.
                try former.putBack(insteadOf: nil)
                return try carryOut()
            }
            try removeStaged(names)
            return .none
        }
        guard let staged = try RestoreMark.staged(files, fileSystem) else {
            let unreadable = StorageError.backupRefused(
                path: files.directory,
                reason: "What says of a restore that it is to be carried out, or was, cannot be read.",
                next: "Look whether this is the library that was restored; if it is not, stage the restore again.")
            return try isNameUnproved(names) ? .unknown(unreadable) : giveUp(nil, unreadable)
        }
        // What is said of it from here on says when it was carried out, and all of it the same.
        let mark = staged.carriedOut(at: fileSystem.now())
        if names.contains(where: { StoreFiles.kind(ofName: $0) == .snapshot(mark.generation) }) {
            try settle(mark, names)
            return .none
        }
        guard names.contains(where: { StoreFiles.kind(ofName: $0) == .staged(mark.generation) }) else {
            // Carried out before, and a power cut has brought the mark back; or somebody has taken the snapshot away.
            if try isNoted(mark) || isSuperseded(mark, names) {
                if try noteDone(mark) { remove(mark) }
                return .none
            }
            return try drop(mark, "it was interrupted, or its snapshot was taken away.")
        }
        if let reason = try objection(to: mark, names) { return try drop(mark, reason) }
        do throws(StorageError) {
            try LogWriter(starting: mark.segmentHeader, olderByteCount: 0, names: files, fileSystem).close()
            try fileSystem.rename(files.staged(mark.generation), to: files.snapshot(mark.generation))
        } catch {
            guard (try? fileSystem.kind(of: files.snapshot(mark.generation))) == .absent else { throw error }
            // Where there is no old store, nothing is written that this could replace: the next opening tries again.
            guard names.contains(where: StoreFiles.isSnapshot) else { throw error }
            return try giveUp(mark, error)
        }
        try fileSystem.flushDirectory(files.directory)
        _ = try noteDone(mark)
        return .carriedOut(mark)
    }

    /// The opening before this one ended after the rename.
    private func settle(_ mark: RestoreMark, _ names: [String]) throws(StorageError) {
        if try !isNoted(mark), try isNameUnproved(mark, names) { try nameAgain(mark) }
        let isNoted = try noteDone(mark)
        // While the old log is there, those who have the old store open see by the mark alone that it was replaced.
        if isNoted, !names.contains(where: mark.replaces) { remove(mark) }
    }

    /// Whether the flush behind the rename may have failed, and nothing else says so: there is no older snapshot, by which the opening doubts
    /// the name of this one. Where the segment has a frame, whoever wrote it has been here before.
    private func isNameUnproved(_ mark: RestoreMark, _ names: [String]) throws(StorageError) -> Bool {
        let hasOlder = names.contains { StoreFiles.isSnapshot($0) && mark.replaces($0) }
        return hasOlder ? false : try files.isUnwritten(mark.logSequence, fileSystem)
    }

    /// The same of the only snapshot there is, where the mark cannot be read.
    private func isNameUnproved(_ names: [String]) throws(StorageError) -> Bool {
        let snapshots = names.filter(StoreFiles.isSnapshot)
        guard snapshots.count == 1, case .snapshot(let generation) = StoreFiles.kind(ofName: snapshots[0]),
            let file = try? SnapshotFile(opening: files.snapshot(generation), generation: generation, fileSystem),
            file.superblock.hasLogOfItsOwn
        else { return false }
        return try files.isUnwritten(file.superblock.logSequence, fileSystem)
    }

    /// Whether a mark is there that cannot be read, and nothing but that says that the name of the only snapshot is in doubt.
    func leavesNameInDoubt() throws(StorageError) -> Bool {
        let names = try fileSystem.names(inDirectory: files.directory)
        guard names.contains("restore"), try RestoreMark.staged(files, fileSystem) == nil else { return false }
        return try isNameUnproved(names)
    }

    /// Another flush alone would prove nothing. A name that is given once more, and flushed, is on the medium. Stopped between the two renames,
    /// the snapshot is staged.
    private func nameAgain(_ mark: RestoreMark) throws(StorageError) {
        try fileSystem.rename(files.snapshot(mark.generation), to: files.staged(mark.generation))
        try fileSystem.rename(files.staged(mark.generation), to: files.snapshot(mark.generation))
        try fileSystem.flushDirectory(files.directory)
    }

    /// The restored store has opened: the old one goes. What cannot be removed now goes with the next generation.
    ///
    /// - Parameter turn: that of the caller, if it has one.
    func removeReplaced(by mark: RestoreMark, _ turn: WritingTurn? = nil) {
        let names = (try? fileSystem.names(inDirectory: files.directory)) ?? []
        for name in names where mark.replaces(name) { try? fileSystem.remove(files.directory + "/" + name) }
        // Until here those who had the old store open see by the mark that it was replaced, from here on by its log.
        let left = (try? fileSystem.names(inDirectory: files.directory)) ?? names
        if !left.contains(where: mark.replaces), (try? noteDone(mark)) == true { remove(mark, turn) }
        try? removeStaged(left, turn)
    }

    /// Whether the restored store has come to a later generation than the one it began with.
    private func isSuperseded(_ mark: RestoreMark, _ names: [String]) -> Bool {
        names.contains { name in
            guard case .snapshot(let generation) = StoreFiles.kind(ofName: name), generation > mark.generation else {
                return false
            }
            let file = try? SnapshotFile(opening: files.snapshot(generation), generation: generation, fileSystem)
            return file?.superblock.store == mark.store
        }
    }

    /// Says that it was done, unless that is said. Until then the mark in the directory says it, with the time of the staging, so that stays where the disk is
    /// full: the old store, which takes the space, goes only when the restored one has opened.
    ///
    /// - Returns: whether it is said.
    private func noteDone(_ mark: RestoreMark) throws(StorageError) -> Bool {
        if try isNoted(mark) { return true }
        do throws(StorageError) {
            try mark.write(to: files.restored, fileSystem)
            // Before the mark goes: with neither on the medium a power cut would leave a staged snapshot that nobody knows.
            try fileSystem.flushDirectory(files.directory)
            return true
        } catch {
            guard case .diskFull = error else { throw error }
            return false
        }
    }

    private func isNoted(_ mark: RestoreMark) throws(StorageError) -> Bool {
        try RestoreMark.read(files.restored, fileSystem)?.store == mark.store
    }

    /// Why the staged snapshot cannot take the store's place; `nil` when it can.
    private func objection(to mark: RestoreMark, _ names: [String]) throws(StorageError) -> String? {
        for name in names {
            switch StoreFiles.kind(ofName: name) {
            case .snapshot(let generation) where generation >= mark.generation:
                return "the library has come to generation \(generation) since."
            case .log(let sequence) where sequence > mark.logSequence:
                return "the library's log has come to segment \(sequence) since."
            default: break
            }
        }
        if let owner = try mark.segmentStore(files, fileSystem), owner != mark.store {
            return "the library's log has come to segment \(mark.logSequence) since."
        }
        do throws(StorageError) {
            let snapshot = try SnapshotFile(
                opening: files.staged(mark.generation), generation: mark.generation, fileSystem)
            guard
                snapshot.identity
                    == SnapshotIdentity(
                        store: mark.store, generation: mark.generation, checksum: mark.snapshotChecksum)
            else { return "the staged snapshot is another one than was staged." }
            // Every page, as when it was staged: it may have lain there for long.
            try snapshot.prove()
            try accept(snapshot)
            return nil
        } catch {
            switch error {
            case .damaged(let damage): return "\(damage)"
            case .schemaMismatch, .outdated, .unavailable: return "\(error)"
            default: throw error
            }
        }
    }

    /// Gives up a restore that cannot be carried out.
    private func drop(_ mark: RestoreMark, _ reason: String) throws(StorageError) -> Outcome {
        try giveUp(
            mark,
            .backupRefused(
                path: files.directory, reason: "The restore that was staged could not be carried out: \(reason)",
                next: "The library is as it was; stage the restore again."))
    }

    /// Needs no lock of the store: an opening that is about to carry it out finds it whole, or not at all.
    ///
    /// - Returns: whether it was staged, and is not any more.
    func takeBack(_ restoration: Restoration) throws(StorageError) -> Bool {
        guard let turn = WritingTurn(tidying: files, fileSystem) else { return false }
        defer { turn.end() }
        guard let mark = try RestoreMark.staged(files, fileSystem), mark.restoration == restoration else {
            return false
        }
        try files.spoilStaged(mark.generation, fileSystem)
        guard try !mark.isCarriedOut(files, fileSystem) else { return false }
        try former.putBack(insteadOf: mark)
        return true
    }

    /// The old store opens as if this restore had not been staged, or the one that was staged before it is carried out.
    ///
    /// - Parameter mark: `nil` for one that cannot be read, which nobody will carry out.
    /// - Throws: when the disk takes neither the bytes nor the names that say so. Then the old store must not be written to: the mark may
    ///   come back with a power cut, and what is written would be replaced.
    private func giveUp(_ mark: RestoreMark?, _ reason: StorageError) throws(StorageError) -> Outcome {
        let hasFormer = try fileSystem.kind(of: files.formerRestore) != .absent
        var isSpoiled = false
        if let mark {
            isSpoiled = (try? files.spoilStaged(mark.generation, fileSystem)) != nil
            // Or one that was staged before would find the log beyond its own.
            if try mark.segmentStore(files, fileSystem) == mark.store,
                try files.isUnwritten(mark.logSequence, fileSystem)
            {
                try? fileSystem.remove(files.log(mark.logSequence))
            }
        }
        do throws(StorageError) {
            try former.putBack(insteadOf: mark)
        } catch {
            // One that was staged before must not be carried out later, over what is written meanwhile.
            guard isSpoiled, !hasFormer else { throw error }
            return .failed(reason)
        }
        let next = try carryOut()
        if case .none = next { return .failed(reason) }
        return next
    }

    private var former: FormerMark { FormerMark(files: files, fileSystem: fileSystem) }

    /// Leaves the mark of another, who has staged a restore since. While somebody does, it stays, too: the next opening removes it.
    private func remove(_ mark: RestoreMark, _ turn: WritingTurn? = nil) {
        try? tidying(turn) { () throws(StorageError) in
            guard try RestoreMark.read(files.restore, fileSystem)?.store == mark.store else { return }
            former.forget()
            try? fileSystem.remove(files.restore)
            try? fileSystem.flushDirectory(files.directory)
        }
    }

    /// Those that no mark counts on. One that is being staged has its snapshot there before the mark.
    ///
    /// - Parameter names: where to see whether there are any.
    private func removeStaged(_ names: [String], _ turn: WritingTurn? = nil) throws(StorageError) {
        guard names.contains(where: { if case .staged = StoreFiles.kind(ofName: $0) { true } else { false } }) else {
            return
        }
        try tidying(turn) { () throws(StorageError) in
            // Somebody may have staged one since.
            let counted = try RestoreMark.staged(files, fileSystem)?.generation
            var areSpoiled = true
            for case .staged(let generation) in try fileSystem.names(inDirectory: files.directory)
                .map(StoreFiles.kind(ofName:)) where generation != counted
            {
                if !files.removeStaged(generation, fileSystem) { areSpoiled = false }
            }
            // The mark of one may have gone without a flush that succeeded.
            if !areSpoiled { try fileSystem.flushDirectory(files.directory) }
        }
    }

    /// Within the turn of the caller, or one that is taken for this; not at all while somebody else writes.
    private func tidying(
        _ turn: WritingTurn?, _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        if turn != nil { return try body() }
        guard let own = WritingTurn(tidying: files, fileSystem) else { return }
        defer { own.end() }
        try body()
    }
}
