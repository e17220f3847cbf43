/// Where a backup goes.
public enum BackupForm: Sendable, Hashable {
    /// A directory, which later backups add to.
    case directory
    /// One new file.
    case file
}

extension Database {
    /// Backs this store up, with every commit that is visible when it is called. Writes and compactions go on.
    ///
    /// - Throws: as the backup of a store by its path, and `.displaced` when another store lies there by now.
    public func backup(
        to destination: String, as form: BackupForm = .directory,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> BackupReport {
        let end = options.onPhase?(.backup)
        defer { end?() }
        try requireStillHere(finding: nil)
        try await writer?.settleDoubtForBackup()
        await settle()
        try board.status.requireWritten(path, orElse: "Free some space on its disk, and back up again.")
        return try await Self.backup(
            at: path, to: destination, as: form, fileSystem: fileSystem, on: options.backupFileSystem,
            knowing: writer?.durableCommit(),
            accept: { [self] (source) throws(StorageError) in try requireStillHere(finding: source.store) },
            progress: progress)
    }

    /// Throws `.displaced` when another store than this lies at the path by now. Who can write has the lock to tell it by.
    ///
    /// - Parameter found: whose the files there are; `nil` where nobody has looked, or could tell.
    private func requireStillHere(finding found: StoreIdentifier?) throws(StorageError) {
        if let writer, !isClosed { return try writer.requireStillOurs() }
        let version = version
        guard version.isLoaded, let found, found != version.generation.file.superblock.store else { return }
        throw .displaced(path: path)
    }

    /// Whose the newest snapshot at the path is; `nil` where there is none that can be read.
    private var storeAtPath: StoreIdentifier? {
        guard let generation = try? StoreOpening.Contents(files, fileSystem).snapshots.last else { return nil }
        let file = try? SnapshotFile(opening: files.snapshot(generation), generation: generation, fileSystem)
        return file?.superblock.store
    }

    /// Where backups of this store lie.
    package var backupFileSystem: any FileSystem { options.backupFileSystem ?? fileSystem }

    /// Whether the store's files are in memory, and go with it.
    package var isInMemory: Bool { options.isInMemory }

    /// Backs up the store at a path, also one that another process writes to: a copy of it as of one commit. Takes no lock and changes
    /// nothing of it.
    ///
    /// Costs reading the store, and writing and reading back what the backup does not have yet: everything the first time, later a
    /// snapshot when there was a compaction, and the new part of the log. Runs on a thread of its own.
    ///
    /// What a load or a rescue left whose last flush failed, or which ended before it, is not on the medium for sure: a backup of its path takes what was there before, until
    /// somebody writes to the store. Of a store that another process has open nobody knows here whether the newest commits were flushed. Unless a later backup finds them in the log, before a
    /// compaction, it gives them up: a power cut may have taken them from the store.
    ///
    /// - Parameter progress: the share done, 0...1, now and then, from another thread.
    /// - Throws: `.backupRefused` for a damaged store, a damaged backup, or one of another store; `.exists`, `.tooLittleSpace`, `.diskFull`,
    ///   `.inUse` while another backup is being made there; `.cancelled`. What was backed up before stays whole.
    public static func backup(
        at path: String, to destination: String, as form: BackupForm = .directory,
        fileSystem: any FileSystem = PosixFileSystem(), progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> BackupReport {
        try await backup(
            at: path, to: destination, as: form, fileSystem: fileSystem, on: nil, knowing: nil, progress: progress)
    }

    /// - Parameters:
    ///   - backups: where the backup goes; `nil` for the file system of the store.
    ///   - durable: what is known of the store beyond what its files say.
    ///   - accept: throws why what was found at the path is not to be backed up.
    static func backup(
        at path: String, to destination: String, as form: BackupForm = .directory, fileSystem: any FileSystem,
        on backups: (any FileSystem)?, knowing durable: DurableCommit?,
        accept: @escaping @Sendable (BackupSource) throws(StorageError) -> Void = { _ in },
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> BackupReport {
        try await CancellationFlag.onThread(.utility, of: DispatchWork()) { isCancelled in
            let files = StoreFiles(directory: path)
            let target = backups ?? fileSystem
            guard backups != nil || StoreFiles(directory: destination).directory != files.directory else {
                throw StorageError.exists(path: destination)
            }
            let parent = StoreFiles(directory: destination).parent
            if try StoreFiles(directory: parent).isStore(in: target) {
                throw StorageError.backupRefused(
                    path: destination, reason: "\(parent) is a store, and what lies within one is its own.",
                    next: "Name a place beside it, best on another disk.")
            }
            func tell(_ share: Double) throws(StorageError) {
                if isCancelled.isSet { throw .cancelled }
                progress(share)
            }
            func makeSource() throws(StorageError) -> BackupSource {
                let source = try BackupSource(of: files, fileSystem, knowing: durable)
                try accept(source)
                return source
            }
            return switch form {
            case .directory: try BackupDirectory(destination, target).add(of: files, tell, makeSource)
            case .file:
                try BackupFile(path: destination, fileSystem: target).write(makeSource(), of: files, tell)
            }
        }
    }

    /// Stages what a plan takes from a backup for the store at a path: the next writing opening puts it in place. Until then, and
    /// when that fails, the store that is there stays as it is; it may be open.
    ///
    /// Costs reading the backup and writing a store, proved as it is written. Runs on a thread of its own.
    ///
    /// - Parameters:
    ///   - replaces: whether a store that is there may be replaced.
    ///   - identifier: sixteen bytes for the restored store instead of random ones.
    ///   - options: how the restored store will be opened; what it could not be opened by is refused.
    /// - Throws: `.exists`, `.notAStore`, `.missingParent`, `.tooLittleSpace`, `.diskFull`, `.backupRefused`, `.cancelled`; `.suspended` when the
    ///   process is about to be; `.inUse` where another store is being begun or restored; `.newerFormat` and `.unknownFeatures` for a store that only a
    ///   later version may write to. Nothing was staged then; `.backupRefused` says so where the disk does not let anybody know.
    public static func stageRestore(
        _ plan: RestorePlan, at path: String, replacing replaces: Bool, sharing: Sharing = .owner,
        identifier: [UInt8]? = nil, options: Options = Options(), fileSystem: any FileSystem = PosixFileSystem(),
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> Restoration {
        try await stage(
            plan, at: path, replacing: replaces, sharing: sharing, identifier: identifier, options: options,
            fileSystem: fileSystem, requiring: { () throws(StorageError) in }, progress)
    }

    /// The same for this store, which goes on until then.
    ///
    /// - Throws: also `.displaced` when another store lies at the path by now.
    package func stageRestore(
        _ plan: RestorePlan, options: Options, progress: @escaping @Sendable (Double) -> Void
    ) async throws -> Restoration {
        try await Self.stage(
            plan, at: path, replacing: true, options: options, fileSystem: fileSystem,
            requiring: { [self] () throws(StorageError) in try requireStillHere(finding: storeAtPath) }, progress)
    }

    /// - Parameter requireWanted: throws why nothing is to be staged there any more.
    private static func stage(
        _ plan: RestorePlan, at path: String, replacing replaces: Bool, sharing: Sharing = .owner,
        identifier: [UInt8]? = nil, options: Options, fileSystem: any FileSystem,
        requiring requireWanted: @escaping @Sendable () throws(StorageError) -> Void,
        _ progress: @escaping @Sendable (Double) -> Void
    ) async throws -> Restoration {
        try await CancellationFlag.onThread(.utility, of: DispatchWork()) { isCancelled in
            try requireWanted()
            let files = StoreFiles(directory: path)
            let opening = StoreOpening(files: files, fileSystem: fileSystem, options: options, declared: [])
            // The turn to write beside a store is a lock, which is held for all of it.
            let time = LockTime(options.lockActivities, files.directory)
            try time.begin()
            defer { time.end() }
            return try RestoreStaging(
                plan: plan, files: files, fileSystem: fileSystem, identifier: identifier,
                accept: { (file) throws(StorageError) in
                    try requireWanted()
                    try opening.accept(file)
                }
            ) { (share) throws(StorageError) in
                if isCancelled.isSet { throw .cancelled }
                try time.requireTime()
                progress(share)
            }.stage(replacing: replaces, sharing: sharing)
        }
    }

    /// Takes a restore back that was staged and not carried out.
    ///
    /// - Returns: whether no opening will carry it out.
    package func unstage(_ restoration: Restoration) -> Bool {
        Self.unstage(restoration, at: path, fileSystem: fileSystem)
    }

    /// The same of a store that is not open here.
    package static func unstage(
        _ restoration: Restoration, at path: String, fileSystem: any FileSystem = PosixFileSystem()
    ) -> Bool {
        let staged = StagedRestore(files: StoreFiles(directory: path), fileSystem: fileSystem) { _ in }
        return (try? staged.takeBack(restoration)) ?? false
    }

    /// Puts what a plan takes from a backup in the place of this store while it is open. Versions that readers hold stay as they are; the
    /// newest is the restored store's at once, and the next commits are of that.
    ///
    /// What was acknowledged before the switch is replaced; transactions that wait then, or come meanwhile, run on the restored store.
    /// Loads end before; a compaction that runs is cancelled. Another restore of this process ends before, too.
    ///
    /// Costs what `stageRestore` does, while reads and writes go on, and holds writes up for three flushes.
    ///
    /// - Parameters:
    ///   - saving: where this store is backed up to before it goes, with every commit that was acknowledged; `nil` for nowhere.
    ///   - identifier: sixteen bytes for the restored store instead of random ones.
    /// - Throws: as `stageRestore`, and what makes the restored store unfit for this process; the store is as it was then. `.poisoned` when
    ///   nobody knows which of the two a power cut would leave: this one can be read, and the next opening finds one of them, whole.
    @discardableResult
    public func restore(
        _ plan: RestorePlan, saving: String? = nil, identifier: [UInt8]? = nil,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> Restoration {
        let writer = try await openWriter()
        let restore = LiveRestore(
            plan: plan, saving: saving, identifier: identifier, writer: writer, files: files, fileSystem: fileSystem,
            declared: trees, progress: progress)
        return try await writer.restore { try await restore.run() }
    }

    /// The restore that has made this store; `nil` when none has.
    public var lastRestore: Restoration? {
        (try? RestoreMark.last(of: version.generation.file.superblock.store, files, fileSystem))?.restoration
    }
}
