import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RecordLibrary {
    /// Backs the library up, with every commit that is visible when this is called, into a directory that later backups add to, or
    /// into one new file. Writing and compacting go on.
    ///
    /// The first backup reads, writes and reads back the whole library; a later one in the same directory the new part of the log, and a
    /// snapshot when the library was compacted since. Everything is verified as it is written. A backup that is broken off, by an error, a
    /// cancelled task or a power cut, leaves the one before it.
    ///
    /// - Parameter progress: is told fractions of the work done, 0...1, on another thread.
    /// - Throws: `LibraryError.backupRefused` for a damaged library, or a place with backups of another one; `.exists` for a file that is
    ///   there; `.displaced` where another library lies at the path by now; `.tooLittleSpace`, `.diskFull`, `.inUse`, `.inputOutput`, `.cancelled`.
    @discardableResult
    public func backup(
        to path: String, as form: BackupForm = .directory, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LibraryError) -> BackupReport {
        try await translatingErrors { try await database.backup(to: path, as: form, progress: progress) }
    }

    /// The same of a library that is not open here. Another process may be writing to it.
    @discardableResult
    public static func backup(
        at library: String, to path: String, as form: BackupForm = .directory,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LibraryError) -> BackupReport {
        try await translatingErrors {
            try await Database.backup(at: library, to: path, as: form, progress: progress)
        }
    }

    /// Finds what a restore would take from a backup, and verifies all of it. Changes nothing.
    ///
    /// Reads the bytes that the restore needs, so not for the main actor. `backup` of the plan says what else there is.
    ///
    /// - Throws: `LibraryError.backupRefused` when the backup does not reach so far, and says how far it does, or is damaged.
    public static func planRestore(
        from backup: String, to point: RestorePoint = .newest, progress: (Double) -> Void = { _ in }
    ) throws(LibraryError) -> RestorePlan {
        try translatingErrors {
            try RestorePlan(point, from: Backup(at: backup)) { (share) throws(StorageError) in progress(share) }
        }
    }

    /// Writes a whole library from a backup, as of a commit, beside the one at a path, verifies it, and stages it: the next opening
    /// for writing puts it in place. Until then the library that is there goes on, also one that is open; it goes when the
    /// restored one has opened. Where nothing is at the path, a library begins there.
    ///
    /// The restored library has an identity of its own, and its commits go on from the one that was restored. Back it up into a new
    /// directory.
    ///
    /// - Parameter replacing: whether a library that is there may be replaced.
    /// - Returns: what was staged; `lastRestore` of the library that is opened next says the same, with the time of that opening.
    /// - Throws: `LibraryError.exists`, `.notALibrary`, `.backupRefused`, `.tooLittleSpace`, `.diskFull`, `.cancelled`, `.suspended`; `.inUse` where another
    ///   library is being begun or restored; `.tooNew` and `.unknownFeatures` for a library that only a later version can write to. Nothing was staged
    ///   then, and nothing changed; `.backupRefused` says so where the disk does not let anybody know.
    @discardableResult
    public static func stageRestore(
        from backup: String, to point: RestorePoint = .newest, at library: String, replacing: Bool = false,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LibraryError) -> Restoration {
        try await translatingErrors {
            let (parts, fileSystem) = (RestoreProgress(progress), PosixFileSystem())
            let plan = try await RestorePlan.find(point, at: backup, fileSystem, progress: parts.found)
            return try await Database.stageRestore(
                plan, at: library, replacing: replacing, options: writingOptions(at: library, fileSystem),
                fileSystem: fileSystem, progress: parts.carriedOut)
        }
    }

    /// Takes a restore back that was staged and not carried out, such as where the library could not be opened then.
    ///
    /// - Returns: whether no opening will carry it out.
    package static func unstage(_ restoration: Restoration, at library: String) -> Bool {
        Database.unstage(restoration, at: library)
    }

    /// Whether a library can begin at a path: nothing is there, or a directory with hidden files alone and what was left by a beginning or a restore that
    /// was killed. Costs a look at the names.
    package static func canBegin(at path: String) throws(LibraryError) -> Bool {
        try translatingErrors {
            let (files, fileSystem) = (StoreFiles(directory: path), PosixFileSystem())
            switch try fileSystem.kind(of: files.directory) {
            case .absent: return true
            case .directory:
                return try fileSystem.names(inDirectory: files.directory).allSatisfy { name in
                    name.hasPrefix(".") || StoreFiles.isKnown(name) && !StoreFiles.isOfStore(name)
                }
            case .file, .link, .pipe, .socket, .device: return false
            }
        }
    }

    /// What a restored library has to be opened by.
    private static func writingOptions(at path: String, _ fileSystem: any FileSystem) -> Options {
        LibrarySettings(.exclusive, fileSystem: fileSystem).options(of: contents, at: path)
    }

    /// The same for this library: it goes on as it is, and is replaced when it is opened for writing the next time. One in memory never is, so that is
    /// refused, and so is one that is elsewhere by now: `.displaced`.
    @discardableResult
    public func stageRestore(
        from backup: String, to point: RestorePoint = .newest, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LibraryError) -> Restoration {
        try await translatingErrors {
            guard !database.isInMemory else {
                throw StorageError.backupRefused(
                    path: database.path,
                    reason: "The library is in memory, and is gone before any opening could replace it.",
                    next: "Restore it while it is open: `restore(from:)`.")
            }
            let parts = RestoreProgress(progress)
            let plan = try await RestorePlan.find(point, at: backup, database.fileSystem, progress: parts.found)
            return try await stage(plan, parts.carriedOut)
        }
    }

    private func stage(
        _ plan: RestorePlan, _ progress: @escaping @Sendable (Double) -> Void
    ) async throws -> Restoration {
        try await database.stageRestore(
            plan, options: Self.writingOptions(at: database.path, database.fileSystem), progress: progress)
    }

    /// Restores this library while it is open: the restored one takes its place at once, and the app goes on with that.
    ///
    /// ```swift
    /// try await store.restore(from: "Backups/Books", saving: "Backups/Books")
    /// try await store.backup(to: "Backups/Books, restored")
    /// ```
    ///
    /// The restored library is written beside this one and verified; reads and writes go on meanwhile. Then writes wait for some milliseconds while
    /// it takes its place, and those that waited run on it. Snapshots that were taken before stay as they are. `commits` gives one commit that says
    /// `isWhole`, and live lists come to it all together. Other processes that share the library move to the restored one, too; one that could read
    /// nothing of it does with `retry()`.
    ///
    /// **What this library has that the backup has not is gone**, also what was written while the restored one was being made. With `saving` it
    /// is backed up first, with every change that was acknowledged, and can be restored from there.
    ///
    /// The restored library has an identity of its own. Back it up into a new directory: one with backups from before, such as `backup` or
    /// `saving`, is refused.
    ///
    /// A library that is damaged, so that it can only be read or not at all, is restored in the same way.
    ///
    /// - Parameters:
    ///   - point: the commit to restore; its number is the restored library's, which goes on from there.
    ///   - saving: where a backup of this library goes before it is replaced, perhaps the one that is restored from; `nil` for nowhere.
    /// - Returns: what was restored, as `lastRestore` says from now on.
    /// - Throws: `LibraryError.backupRefused` for a backup that is damaged or does not reach so far; `.tooLittleSpace`, `.diskFull`, `.inUse`,
    ///   `.inputOutput`, `.tooNew`, `.schemaMismatch`, `.cancelled`, `.closed`. The library is then as it was, and open. `.refusingWrites` when the disk failed so that
    ///   nobody knows which of the two a power cut would leave: this one can be read, and the next opening finds one of them, whole.
    @discardableResult
    public func restore(
        from backup: String, to point: RestorePoint = .newest, saving: String? = nil,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LibraryError) -> Restoration {
        try await translatingErrors {
            let parts = RestoreProgress(progress)
            let plan = try await RestorePlan.find(
                point, at: backup, database.backupFileSystem, progress: parts.found)
            if let damage = await database.damage() {
                return try await restoreDamaged(plan, damage, saving: saving, parts.carriedOut)
            }
            return try await database.restore(plan, saving: saving, progress: parts.carriedOut)
        }
    }

    /// One that cannot be opened for writing has no writes that could wait, so an opening carries the restore out.
    private func restoreDamaged(
        _ plan: RestorePlan, _ damage: Damage, saving: String?, _ progress: @escaping @Sendable (Double) -> Void
    ) async throws -> Restoration {
        guard saving == nil else {
            throw StorageError.backupRefused(
                path: database.path, reason: "The library is damaged, so it cannot be backed up before: \(damage)",
                next: "Save what is whole with `bookdb repair` into another place; then restore without saving.")
        }
        let staged = try await stage(plan, progress)
        retry()
        // Also when the task is cancelled: the caller is told what the opening did.
        await database.ended()
        if let failure = database.opening.restoreFailure { throw failure }
        if let refusal = database.refusal {
            guard !database.unstage(staged) else { throw refusal }
            throw StorageError.backupRefused(
                path: database.path, reason: "The restored library is staged, and could not be opened yet: \(refusal)",
                next: "Open it for writing: it takes the library's place then. Or stage another restore instead.")
        }
        return lastRestore ?? staged
    }

    /// The restore that this library came from: when, from what, and to which commit. `nil` when it was never restored.
    public var lastRestore: Restoration? { database.lastRestore }

    /// Why a restore that was staged could not be carried out by this opening; the library is then the one that was there before.
    public var restoreFailure: LibraryError? { database.opening.restoreFailure.map { LibraryError($0) } }
}

extension Restoration {
    /// When it was carried out, or, of one that is staged only, when that was.
    public var date: Date { Milliseconds(clamping: time).date }
    /// When the commit was made that it restored.
    public var commitDate: Date { Milliseconds(clamping: commitTime).date }
}

extension RestorePoint {
    /// The newest commit that was made by then.
    public static func date(_ date: Date) -> RestorePoint {
        .time(UInt64(max(0, min(1e15, (date.timeIntervalSince1970 * 1000).rounded(.down)))))
    }
}

/// What a restore tells of how far it is: a quarter for what is read of the backup before it is known that it reaches so far, the rest for carrying it
/// out.
private struct RestoreProgress: Sendable {
    private let tell: @Sendable (Double) -> Void

    init(_ tell: @escaping @Sendable (Double) -> Void) { self.tell = tell }

    @Sendable func found(_ share: Double) { tell(share / 4) }
    @Sendable func carriedOut(_ share: Double) { tell((1 + 3 * share) / 4) }
}
