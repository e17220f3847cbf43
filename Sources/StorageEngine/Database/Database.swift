/// A store: ordered trees of bytes in a directory of files.
///
/// Reads take the newest `version` and need nothing else. Writes are transactions; one process writes at a time.
public final class Database: Sendable {
    public let path: String
    /// What opening found and did.
    public let opening: OpeningReport
    private let publication: Publication
    let writer: Writer?
    private let board: StatusBoard
    let files: StoreFiles
    package let fileSystem: any FileSystem
    private let companion: Companion?

    /// Opens the store at `path`, creating it when it is absent and may be written.
    ///
    /// Maps the snapshot, whatever its size, and replays the log behind it, which compaction keeps short. Trees that the
    /// store does not have yet are added by the first transaction. With no `trees` the store's own are used.
    ///
    /// - Parameter onPublish: called for every commit as it becomes visible, in commit order, on the writer.
    /// - Throws: what `StorageError` lists; nothing was changed then.
    public static func open(
        at path: String, trees: [TreeDeclaration], options: Options = Options(),
        fileSystem: any FileSystem = PosixFileSystem(),
        onPublish: @escaping @Sendable (PublishedCommit) -> Void = { _ in }
    ) throws(StorageError) -> Database {
        let files = StoreFiles(directory: path)
        let opened = try StoreOpening(files: files, fileSystem: fileSystem, options: options, declared: trees).open()
        options.onNotice?(.opened(opened.report))
        return Database(opened, files, fileSystem, trees, options, onPublish)
    }

    private init(
        _ opened: StoreOpening.Opened, _ files: StoreFiles, _ fileSystem: any FileSystem,
        _ trees: [TreeDeclaration], _ options: Options, _ onPublish: @escaping @Sendable (PublishedCommit) -> Void
    ) {
        path = files.directory
        opening = opened.report
        self.files = files
        self.fileSystem = fileSystem
        companion = options.companion
        let version = Version(
            commitNumber: opened.state.commitNumber, generation: opened.state.generation, trees: opened.state.trees)
        publication = Publication(version)
        board = StatusBoard(StoreStatus(logByteCount: opened.report.logByteCount))
        guard let log = opened.log, let lock = opened.lock else {
            writer = nil
            return
        }
        let writer = Writer(
            files: files, fileSystem: fileSystem, opened: opened, log: log, lock: lock, publication: publication,
            declared: trees, options: options, status: board, onPublish: onPublish)
        self.writer = writer
        if options.compaction == .automatic {
            let start: @Sendable () -> Void = { [weak writer] in
                guard let writer else { return }
                let compaction = Compaction(
                    writer: writer, files: files, fileSystem: fileSystem, companion: options.companion, progress: nil)
                // A failure leaves the store as it was, and is told by `status`.
                Task(priority: .utility) { _ = try? await writer.compact { try await compaction.run() } }
            }
            Task { await writer.setCompactionStart(start) }
        }
    }

    /// The newest acknowledged version. About 50 ns.
    public var version: Version { publication.version }

    /// How the store fares: what failed without a call to say so, and what waits. About 50 ns.
    public var status: StoreStatus {
        var status = board.status
        status.damagedTrees = version.damagedTrees
        return status
    }

    /// The store's own identity, 16 bytes.
    public var storeIdentifier: [UInt8] { version.generation.file.superblock.store.bytes }

    /// Runs `body` as one transaction and returns when its commit has the durability asked for.
    ///
    /// Transactions run one at a time, in the order they arrive; those that arrive during a flush share the next one. When
    /// `body` throws nothing has happened. A transaction that changes nothing makes no commit; one whose task was cancelled before its
    /// turn came throws `.cancelled`, and one that has begun is ended.
    @discardableResult
    public func write<Result: Sendable>(
        _ durability: Durability = .flushed, _ body: @Sendable (inout Transaction) throws -> Result
    ) async throws -> Result {
        guard let writer else { throw StorageError.readOnly(path: path) }
        return try await writer.write(durability, body)
    }

    /// Adds any number of entries as one durable commit: sorted first, and merged into the next snapshot when they are many, which
    /// costs a fraction of putting them one by one and no more memory for more entries.
    ///
    /// Reads go on; transactions and compactions wait until the load has ended. When `body` throws, nothing was added.
    ///
    /// - Parameter body: gathers entries by collectors of the load, on a thread of its own.
    /// - Throws: what `body` throws, and `StorageError`; the store is then as it was.
    @discardableResult
    public func load<Result: Sendable>(
        _ body: @escaping @Sendable (Load) throws -> Result
    ) async throws -> Result {
        try await load(memoryByteCount: Loading.memoryByteCount, body)
    }

    /// - Parameter memoryByteCount: how much a collector holds before it sorts.
    func load<Result: Sendable>(
        memoryByteCount: Int, _ body: @escaping @Sendable (Load) throws -> Result
    ) async throws -> Result {
        guard let writer else { throw StorageError.readOnly(path: path) }
        let loading = Loading(writer: writer, files: files, fileSystem: fileSystem, companion: companion)
        return try await writer.load { version in
            try await loading.run(version, memoryByteCount: memoryByteCount, body)
        }
    }

    /// Rewrites the store as one compact snapshot while reads and writes go on. Cancelling leaves it as it was.
    ///
    /// - Parameter progress: the share done, 0...1, now and then, from another thread.
    @discardableResult
    public func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws -> CompactionReport {
        guard let writer else { throw StorageError.readOnly(path: path) }
        let compaction = Compaction(
            writer: writer, files: files, fileSystem: fileSystem, companion: companion, progress: progress)
        return try await writer.compact { try await compaction.run() }
    }

    /// The memory of what was changed since the snapshot; none of a store that is read only.
    package func changedByteCount() async -> Int { await writer?.nodeByteCount ?? 0 }

    /// Returns when every commit so far has been handed to the system, or has been refused.
    package func settle() async { await writer?.drain() }

    /// Makes everything durable and lets the store go: writes what waits, seals the log, flushes it, and nothing more. A load or
    /// compaction that runs is cancelled. Reads of versions still held go on; writes throw `.closed`.
    ///
    /// Every call returns when that is done, with the same outcome.
    ///
    /// - Throws: `.unsaved` when acknowledged commits may not be on the medium; what writing the end of the log throws.
    public func close() async throws(StorageError) { try await writer?.close() }
}
