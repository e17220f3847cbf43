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
    ///   there; `.tooLittleSpace`, `.diskFull`, `.inUse`, `.inputOutput`, `.cancelled`.
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
    /// - Returns: what was staged; `lastRestore` of the library that is opened next says the same.
    /// - Throws: `LibraryError.exists`, `.notALibrary`, `.backupRefused`, `.tooLittleSpace`, `.diskFull`, `.cancelled`. Nothing was staged
    ///   then, and nothing changed.
    @discardableResult
    public static func stageRestore(
        from backup: String, to point: RestorePoint = .newest, at library: String, replacing: Bool = false,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LibraryError) -> Restoration {
        let plan = try planRestore(from: backup, to: point)
        return try await translatingErrors {
            try await Database.stageRestore(plan, at: library, replacing: replacing, progress: progress)
        }
    }

    /// The same for this library: it goes on as it is, and is replaced when it is opened for writing the next time.
    @discardableResult
    public func stageRestore(
        from backup: String, to point: RestorePoint = .newest, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LibraryError) -> Restoration {
        try await Self.stageRestore(
            from: backup, to: point, at: database.path, replacing: true, progress: progress)
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
        .time(UInt64(max(0, (date.timeIntervalSince1970 * 1000).rounded(.down))))
    }
}
