/// A store: ordered trees of bytes in a directory of files.
///
/// Reads take the newest `version` and need nothing else. Writes are transactions; one process writes at a time.
public final class Database: Sendable {
    public let path: String
    let publication: Publication
    let openingState = OpeningState()
    let board: StatusBoard
    /// What shows commits of other processes, in a store that is open to be read.
    private let follower = Lock<Follower?>(nil)
    /// What hears of a whole store in the place of one that is damaged, so that it can only be read.
    private let mending = MendingWatch()
    let files: StoreFiles
    package let fileSystem: any FileSystem
    let trees: [TreeDeclaration]
    let options: Options
    let onPublish: @Sendable (PublishedCommit) -> Void
    /// What an opening in the background does first.
    let prepare: @Sendable () throws(StorageError) -> Void

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
        let files = files(at: path, options)
        let opened = try StoreOpening(files: files, fileSystem: fileSystem, options: options, declared: trees).open()
        let version = opened.state.version()
        _ = try options.admit(version)
        options.onNotice?(.opened(opened.report))
        let database = Database(version, files, fileSystem, trees, options, onPublish)
        database.begin(opened)
        return database
    }

    deinit { letGo() }

    static func files(at path: String, _ options: Options) -> StoreFiles {
        let files = StoreFiles(directory: path)
        return options.access == .shared ? files.ofSharer : files
    }

    init(
        _ version: Version, _ files: StoreFiles, _ fileSystem: any FileSystem, _ trees: [TreeDeclaration],
        _ options: Options, _ onPublish: @escaping @Sendable (PublishedCommit) -> Void,
        prepare: @escaping @Sendable () throws(StorageError) -> Void = { () throws(StorageError) in }
    ) {
        path = files.directory
        self.prepare = prepare
        self.files = files
        self.fileSystem = fileSystem
        self.trees = trees
        self.options = options
        self.onPublish = onPublish
        publication = Publication(version) { options.onNotice?(.damageMet($0)) }
        board = StatusBoard(StoreStatus())
    }

    /// The store is open from here on. Precondition: its version is the published one.
    func begin(_ opened: StoreOpening.Opened, refusal: StorageError? = nil) {
        board.change { [byteCount = opened.report.logByteCount] in $0.logByteCount = byteCount }
        if let notice = board.note(followingFailure: nil) { options.onNotice?(notice) }
        guard let log = opened.log, let lock = opened.lock else {
            follow(opened, refusal)
            openingState.end(.ended(nil, refusal: refusal), opened.report)
            return openIfMended()
        }
        let writer = Writer(
            files: files, fileSystem: fileSystem, opened: opened, log: log, lock: lock, publication: publication,
            declared: trees, options: options, status: board, onPublish: onPublish,
            onReplaced: { [weak self] in self?.noteReplaced($0) })
        // What waits for a thread here keeps no store from being opened again that was let go meanwhile.
        Task { [weak writer] in await writer?.considerCompaction() }
        if lock.isShared { Task { [weak writer] in await writer?.beginFollowing() } }
        openingState.end(.ended(writer, refusal: nil), opened.report)
    }

    /// A restored store has taken the place of the one that was open.
    private func noteReplaced(_ report: OpeningReport) {
        openingState.noteReplaced(report)
        options.onNotice?(.opened(report))
    }

    /// Where processes say how far they have written, what they write is shown here.
    private func follow(_ opened: StoreOpening.Opened, _ refusal: StorageError?) {
        guard let tail = opened.tail else {
            // Nothing leads on from a damaged log. Who restores the store says so in the same file.
            if case .damaged? = refusal { mending.begin(files, fileSystem) { [weak self] in self?.openIfMended() } }
            return
        }
        var options = options
        options.access = .readOnly
        let opening = StoreOpening(files: files, fileSystem: fileSystem, options: options, declared: trees)
        let new = Follower(opening, opened, tail, publication, board, onPublish) { [weak self] in
            self?.noteReplaced($0)
        }
        follower.withLock { $0 = new }
        new.begin()
    }

    /// Opens a damaged store again, which can only be read, when another process has put a whole one in its place.
    func openIfMended() {
        let isMended = mending.isMended(beyond: version.generation.number) { openingState.beginAgain() }
        if isMended { openInBackground() }
    }

    /// What a store followed that was open to be read. It shows nothing from here on.
    func endFollowing() {
        let former = follower.withLock { follower in
            defer { follower = nil }
            return follower
        }
        former?.close()
        mending.end()
    }

    /// Shows what others say that they have written, without waiting for the system to tell of it.
    package func follow() async {
        follower.withLock { $0 }?.follow()
        openIfMended()
        await writer?.followToTheEnd()
    }

    /// What opening found and did; of one that is under way, nothing yet.
    public var opening: OpeningReport { openingState.report }

    /// The newest acknowledged version. About 50 ns.
    public var version: Version { publication.version }

    /// How the store fares: what failed without a call to say so, and what waits. About 50 ns.
    public var status: StoreStatus {
        var status = board.status
        status.damagedTrees = version.damagedTrees
        return status
    }

    /// Damage that reading has met in the newest snapshot file, each place once and with the tree that it is in, where that can be told.
    package var metDamages: [(damage: Damage, tree: TreeNumber?)] {
        let file = version.generation.file
        return file.metDamages.map { ($0, $0.page.flatMap(file.tree)) }
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
        let writer = try await openWriter()
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
        let writer = try await openWriter()
        let loading = Loading(writer: writer, files: files, fileSystem: fileSystem, companion: options.companion)
        return try await writer.load { version in
            try await loading.run(version, memoryByteCount: memoryByteCount, body)
        }
    }

    /// Cancels loads and compactions, those that wait as well, as closing does: for who has something to end before it closes, that may wait
    /// for them.
    package func prepareToClose() async { await writer?.prepareToClose() }

    /// Rewrites the store as one compact snapshot while reads and writes go on. Cancelling leaves it as it was.
    ///
    /// - Parameter progress: the share done, 0...1, now and then, from another thread.
    @discardableResult
    public func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws -> CompactionReport {
        let writer = try await openWriter()
        return try await writer.compact(progress: progress)
    }

    /// The memory of what was changed since the snapshot; none of a store that is read only.
    package func changedByteCount() async -> Int { await writer?.nodeByteCount ?? 0 }

    /// What the store has in memory, by what it is for, as of the last step of its writer. A microsecond or so, and more for
    /// every older snapshot file that is held and every file in memory.
    package var memory: StoreMemory {
        var memory = publication.memory
        memory.waitingCommits = board.waitingByteCount
        if let files = fileSystem as? MemoryFileSystem { memory.files += files.byteCount }
        return memory
    }

    /// Gives the system back memory that the store has freed and keeps for what comes next. On the writer; some milliseconds where much
    /// was freed.
    ///
    /// - Returns: how many bytes.
    @discardableResult
    package func giveBackFreeMemory() async -> Int { await writer?.giveBackFreeNodes() ?? 0 }

    /// Returns when every commit so far has been handed to the system, or has been refused.
    package func settle() async { await writer?.drain() }

    /// Tries again what the log did not take last. Returns when that has gone one way or the other; `status` says which.
    package func tryAgain() async { await writer?.tryAgain() }

    /// Nobody has the store any more, and it was not closed. What it does by itself may hold it still, and ends soon: an opening in the background, a compaction, a restore.
    /// What the log can take of acknowledged commits it has all the same.
    package func letGo() {
        openingState.letGo()
        writer?.letGo()
    }

    /// Makes everything durable and lets the store go: writes what waits, seals the log, flushes it, and nothing more. A load or
    /// compaction that runs is cancelled. Reads of versions still held go on; writes throw `.closed`.
    ///
    /// Every call returns when that is done, with the same outcome.
    ///
    /// - Throws: `.unsaved` when acknowledged commits may not be on the medium; what writing the end of the log throws.
    public func close() async throws(StorageError) {
        openingState.close()
        // One that is under way ends first; who is cancelled meanwhile closes all the same.
        await ended()
        endFollowing()
        try await writer?.close()
    }
}
