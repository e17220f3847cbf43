import Dispatch

extension Database {
    /// A store that is not there. Every read and write throws why.
    package static func absent(
        at path: String, because reason: StorageError, options: Options = Options()
    ) -> Database {
        let files = StoreFiles(directory: path)
        let version = Version(absent: files.directory, reason, attachment: options.attachment)
        let database = Database(version, files, MemoryFileSystem(), [], options) { _ in }
        database.openingState.close()
        database.openingState.end(.failed(reason))
        return database
    }

    /// Opens a store in the background. Never throws, and returns after `limit` at the latest, whatever the store's size and its log's.
    ///
    /// What can be read then depends on how far the opening has come: everything; or, while a long log is replayed, what the
    /// snapshot holds (`Version.isCatchingUp`); or nothing yet, and every read throws `.opening`. The end of the opening is a commit to
    /// those who follow the store. Writes wait for it.
    ///
    /// When the store cannot be opened for writing it is opened to be read, if that can be done, and writes throw why. When nothing
    /// can be read either, every read throws why.
    ///
    /// - Parameters:
    ///   - prepare: runs before, off the caller's thread, such as to make the directory that the store's is in.
    ///   - limit: of the time that is spent here. Most openings take less.
    package static func opening(
        at path: String, trees: [TreeDeclaration], options: Options = Options(),
        fileSystem: any FileSystem = PosixFileSystem(), waitingFor limit: Duration = .microseconds(700),
        prepare: @escaping @Sendable () throws(StorageError) -> Void = { () throws(StorageError) in },
        onPublish: @escaping @Sendable (PublishedCommit) -> Void = { _ in }
    ) -> Database {
        let files = files(at: path, options)
        let absent = Version(absent: files.directory, .opening(path: files.directory), attachment: options.attachment)
        let database = Database(absent, files, fileSystem, trees, options, onPublish, prepare: prepare)
        let end = DispatchSemaphore(value: 0)
        options.work.run(.userInitiated) {
            database.open { end.signal() }
            end.signal()
        }
        _ = end.wait(timeout: .now() + .nanoseconds(limit.nanoseconds))
        return database
    }

    /// Whether an opening is under way.
    package var isOpening: Bool {
        if case .underWay = openingState.phase { true } else { false }
    }

    /// Of the log that an opening replays, the share that is done.
    package var openingFraction: Double { openingState.fraction }

    /// Since when there has been something to read, be it the snapshot alone; `nil` while there is nothing.
    package var readableSince: ContinuousClock.Instant? { openingState.readableSince }

    /// Why a store that was to be written to cannot be: `nil` when it can, or is still being opened.
    package var refusal: StorageError? {
        switch openingState.phase {
        case .underWay, .ended(_, refusal: nil): nil
        case .ended(_, let refusal?): refusal
        case .failed(let error): error
        }
    }

    /// Why the store cannot be opened for writing, when that is damage. Waits for the end of an opening.
    package func damage() async -> Damage? {
        await ended()
        if case .damaged(let damage)? = refusal { return damage }
        return nil
    }

    /// Returns when no opening is under way, also where the task is cancelled.
    package func ended() async {
        while case .underWay = openingState.phase { await openingState.waitForEndInAnyCase() }
    }

    /// Returns when the store is open.
    ///
    /// - Throws: why it could not be opened, not even to be read; `.cancelled` when the task is.
    package func ready() async throws(StorageError) {
        while true {
            switch openingState.phase {
            case .underWay: try await openingState.waitForEnd()
            case .ended: return
            case .failed(let error): throw error
            }
        }
    }

    /// Returns when there is something to read, or it is known that there is not.
    package func mapped() async {
        if !version.isLoaded { await openingState.waitForMapping() }
    }

    /// Opens again, in the background, what could not be opened, or only to be read. What readers have stays meanwhile.
    ///
    /// - Returns: whether there is anything to open again.
    @discardableResult
    package func retry() -> Bool {
        guard openingState.beginAgain() else { return false }
        openInBackground()
        return true
    }

    /// Precondition: another opening has begun.
    func openInBackground() { options.work.run(.userInitiated) { self.open() } }

    /// Calls `body` when the store is open, or could not be opened; at once when that is known, and again after each retry.
    package func whenOpened(_ body: @escaping @Sendable () -> Void) { openingState.whenEnded(body) }

    /// Calls `body` whenever a restored store has taken the place of the one that was open.
    package func whenReplaced(_ body: @escaping @Sendable () -> Void) { openingState.whenReplaced(body) }

    /// Calls `body` whenever the newest version has come to another snapshot file without a commit, as by a compaction: who holds the version before it
    /// keeps that file's room. One at a time.
    package func whenMoved(_ body: @escaping @Sendable () -> Void) { publication.whenMoved(body) }

    /// Whether closing was asked for. Versions are read all the same.
    package var isClosed: Bool { openingState.isClosed }

    /// Whether the store is open for writing.
    package var isWritable: Bool { openingState.isWritable }

    var writer: Writer? {
        if case .ended(let writer, _) = openingState.phase { writer } else { nil }
    }

    /// The writer, when the store is open.
    func openWriter() async throws(StorageError) -> Writer {
        while true {
            switch openingState.phase {
            case .underWay: try await openingState.waitForEnd()
            case .ended(let writer?, _): return writer
            case .ended(nil, let refusal): throw refusal ?? .readOnly(path: path)
            case .failed(let error): throw error
            }
        }
    }

    // MARK: On the thread of the opening

    /// - Parameter takesLong: called when there is something to read, or not, and it is not worth waiting for more.
    private func open(takesLong: @escaping @Sendable () -> Void = {}) {
        do throws(StorageError) {
            try prepare()
            try open(options, takesLong: takesLong)
        } catch {
            guard !options.access.writes || openingState.isLetGo || !readsInstead(of: error) else { return }
            fail(error)
        }
    }

    /// What cannot be written to can perhaps be read.
    private func readsInstead(of error: StorageError) -> Bool {
        var options = options
        options.access = .readOnly
        do throws(StorageError) {
            try open(options, refusal: error)
            return true
        } catch {
            return false
        }
    }

    private func open(
        _ options: Options, refusal: StorageError? = nil, takesLong: @escaping @Sendable () -> Void = {}
    ) throws(StorageError) {
        var opening = StoreOpening(files: files, fileSystem: fileSystem, options: options, declared: trees)
        let shown = publication.version
        if shown.isLoaded { opening.former = shown.generation }
        opening.stages.mapped = { [self] version throws(StorageError) in
            try openingState.requireWanted()
            try show(version, options)
        }
        opening.stages.foundLongLog = takesLong
        opening.stages.progress = { [self] fraction throws(StorageError) in
            try openingState.requireWanted()
            openingState.fraction = fraction
            options.onNotice?(.opening(fraction: fraction))
        }
        let witness = options.makeReplayWitness?()
        opening.stages.witness = witness
        var opened = try opening.open()
        // What was opened to be read before follows others, and may have shown more meanwhile. Nobody is shown less.
        endFollowing()
        if opened.lock == nil, isBehind(opened) { opened = try opening.open() }
        let version = opened.state.version()
        _ = try options.admit(version)
        options.onNotice?(.opened(opened.report))
        if let refusal { options.onNotice?(.readInstead(refusal)) }
        let before = publication.version
        // Replayed was what came after the snapshot, and that is what was shown.
        let isSeen = before.isCatchingUp && before.generation.file.identity == version.generation.file.identity
        publish(version, note: isSeen ? witness?.note(from: before, to: version) : nil)
        begin(opened, refusal: refusal)
    }

    /// Whether readers have a newer version of the same store.
    private func isBehind(_ opened: StoreOpening.Opened) -> Bool {
        let (shown, state) = (publication.version, opened.state)
        return shown.isLoaded && shown.commitNumber > state.commitNumber
            && shown.generation.file.superblock.store == state.generation.file.superblock.store
    }

    /// What the snapshot holds, while its log is replayed.
    private func show(_ version: Version, _ options: Options) throws(StorageError) {
        // What was shown before an opening that is tried again stays until its end.
        guard try options.admit(version), !publication.version.isLoaded else { return }
        publish(version)
        openingState.noteMapped()
    }

    private func publish(_ version: Version, note: (any Sendable)? = nil) {
        publication.version = version
        onPublish(
            PublishedCommit(commitNumber: version.commitNumber, version: version, note: note, isOpening: true))
    }

    private func fail(_ error: StorageError) {
        if !publication.version.isLoaded {
            publish(Version(absent: path, error, attachment: options.attachment))
        }
        openingState.end(.failed(error))
        if !openingState.isLetGo { options.onNotice?(.openingFailed(error)) }
        // What was said meanwhile nobody has looked at.
        openIfMended()
    }
}
