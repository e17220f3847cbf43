import StorageEngine

/// Undoing the last commits of this opening.
///
/// ```swift
/// let library = RecordLibrary(.applicationSupport("Ledger.bookdb"), undo: .on)
/// try await library.write { ledger in
///     ledger.commitName = "Delete account"
///     try ledger.delete(savings)
/// }
/// if let step = library.undoable.first { print("Undo", step.name ?? "") }
/// try await library.undo()
/// try await library.redo()
/// ```
extension RecordLibrary {
    /// What `undo` would take back, the newest first: the commits of this opening of the library that changed records. Not those of other processes,
    /// of loads and migrations, and what the library does by itself. Observable.
    public var undoable: [UndoStep] { undoHistory.steps(.undo) }

    /// What `redo` would do again, what was undone last first. None after a commit that can be undone.
    public var redoable: [UndoStep] { undoHistory.steps(.redo) }

    /// Takes back the newest commit of `undoable`, in a commit of its own: its records are what they were before it, and lists, orders, counts and links
    /// follow from them.
    ///
    /// Where somebody has changed the same records since, another process or a commit that was left out, their changes stay in all fields that the
    /// commit did not change. Costs what the changes themselves cost, and nothing for the size of the library.
    ///
    /// - Returns: what was undone; `nil` when there is nothing to undo.
    /// - Throws: `LibraryError.undoRefused` with the records that were changed since in the same fields, or that would be left with a broken link or a
    ///   unique key that another has: nothing was changed then, and the commit stays the next to be undone. `.undoLost` where a compaction has
    ///   taken what it replaced; `.invalidArgument` for a library that keeps nothing to undo; and as `write` does.
    @discardableResult
    public func undo(_ durability: Durability = .flushed) async throws(LibraryError) -> UndoStep? {
        try await takeBack(.undo, durability)
    }

    /// Does again what was undone last: takes back the commit that undid it.
    ///
    /// - Returns: the commit that was taken back, with the name of the original one and what undoing had done; `nil` when there is nothing to do again.
    /// - Throws: as `undo`.
    @discardableResult
    public func redo(_ durability: Durability = .flushed) async throws(LibraryError) -> UndoStep? {
        try await takeBack(.redo, durability)
    }

    /// Forgets what can be undone and done again. The library stays as it is.
    public func forgetUndoable() { undoHistory.forget() }

    private enum Outcome: Sendable {
        case nothing
        case done(UndoStep)
        case notHeld(UndoStep)
    }

    private func takeBack(
        _ direction: UndoHistory.Direction, _ durability: Durability
    ) async throws(LibraryError) -> UndoStep? {
        guard undoHistory.isOn else {
            throw .invalidArgument(
                "This library keeps nothing to undo. Open it with undo: .on, and commits from then on can be undone.")
        }
        try await undoHistory.beginTakingBack()
        defer { undoHistory.endTakingBack() }
        var read: [UInt64: [ReplacedEntry]] = [:]
        while true {
            // On the writer: which commit is the newest is decided when nobody else is writing.
            let outcome = try await transact(durability, runsOnce: true) {
                [undoHistory, read] (library) throws(LibraryError) -> Outcome in
                guard let step = undoHistory.newest(direction, before: library.trees.commitNumber) else {
                    return .nothing
                }
                let info = step.info
                guard let entries = step.entries ?? read[info.commitNumber] else { return .notHeld(info) }
                library.commitName = info.name
                library.undoRole =
                    direction == .undo ? .undoing(info.commitNumber) : .redoing(info.commitNumber)
                try library.revert(entries)
                return .done(info)
            }
            switch outcome {
            case .nothing: return nil
            case .done(let step):
                // Where all was as it is to be there was nothing to commit, and nothing was waited for.
                if undoHistory.isComing(step.commitNumber) { await database.settle() }
                undoHistory.drop(step.commitNumber, from: direction)
                return step
            case .notHeld(let step): read[step.commitNumber] = try await readFromLog(step, direction)
            }
        }
    }

    /// What a commit replaced, as the log has it.
    ///
    /// - Throws: `LibraryError.undoLost` when the log no longer has the commit. It cannot be undone then, and none before it.
    private func readFromLog(
        _ step: UndoStep, _ direction: UndoHistory.Direction
    ) async throws(LibraryError) -> [ReplacedEntry] {
        // One that is visible already may be on its way there.
        await database.settle()
        let contents = Self.contents
        let entries = try await readHere { (snapshot) throws(LibraryError) in
            try self.loggedEntries(of: step.commitNumber, contents.recordTrees)
        }
        guard let entries else {
            // What the disk has not taken yet is in no file.
            let status = database.status
            if status.unwrittenCommitCount > 0, let stall = status.stall { throw LibraryError(stall) }
            undoHistory.dropLost(step.commitNumber, from: direction)
            throw .undoLost(commitNumber: step.commitNumber)
        }
        return entries
    }

    private func loggedEntries(
        of commitNumber: UInt64, _ trees: Set<TreeNumber>
    ) throws(LibraryError) -> [ReplacedEntry]? {
        try translatingErrors {
            var log = try StoreLog(at: database.path, fileSystem: database.fileSystem)
            guard let index = log.heads.lastIndex(where: { $0.number == commitNumber }) else { return nil }
            return ReplacedEntry.all(in: try log.operations(at: index), of: trees)
        }
    }
}
