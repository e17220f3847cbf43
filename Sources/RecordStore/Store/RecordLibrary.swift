import Filing
import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A library of an app's own records in a directory of its own, or in memory.
///
/// ```swift
/// let library = try RecordLibrary(at: "Ledger.bookdb")
/// try await library.write { ledger in
///     let savings = try ledger.insert(Account(name: "Savings"))
///     try ledger.insert(Transfer(account: savings, amount: 100))
/// }
/// for account in try library.snapshot.records(Account.self).all { print(account.name) }
/// ```
///
/// Opening maps a file and does not depend on the size of the library. Reading works on a `snapshot` and never waits;
/// writing goes through one writer, a transaction at a time. Other processes may have the library open, too, where it is shared.
///
/// `close()` saves everything, or says what it could not save. A library that is let go without it is open no longer either: what it does by itself ends,
/// sequences and lists hear of no more, and the log still gets what was acknowledged, unless its disk takes nothing; then `log` is told what is lost.
///
/// A class of an app's own would gain nothing: only modules of this package can say what `contents` are. It is open for `BookStore`.
open class RecordLibrary: @unchecked Sendable {
    // Safe to share because every property is constant and of a type that is; BookStore, for which it is open, has no others.

    package let database: Database
    let broadcast: CommitBroadcast
    /// Makes orders of an app's own records that are not whole yet.
    let orderBuilding = OrderBuilding()
    let buildsOrders: Bool
    /// What its lists follow it by, once there is one: see `listHub`.
    let hub = Lock<(any AnyObject & Sendable)?>(nil)

    /// What those lists hold.
    let listMemory = ListMemory()

    let healthBoard: HealthBoard

    /// By which lists that could not be made anew are tried again.
    private let clock: AnyClock

    /// What of this opening can be undone.
    let undoHistory: UndoHistory

    /// What the app does around its first frame, and what that takes.
    public let launch: Launch

    /// Answers of others that the app keeps; see `Verified`.
    let answers: AnswerFile

    /// Blobs of the app's that can be had again, beside the library and no part of it.
    public let cache: BlobCache

    /// What a library that begins with this store knows about itself.
    let newMeta: LibraryMeta

    /// What libraries of this class keep beside declared records.
    open class var contents: LibraryContents { .records }

    public enum Access: Sendable {
        /// Creates the library when there is none, and keeps it for this process as long as it is open.
        case exclusive

        /// The same for several processes at once: an app, its widget, a share extension, the command. Each sees what the others have written
        /// before it writes itself, `commits` and lists tell of it, and nothing is locked but while a commit is written. That costs some 15 µs a commit;
        /// a commit in memory then waits until it is in the log.
        case shared

        /// Takes no lock: the library may be open elsewhere. Follows what processes write that share it.
        case readOnly
    }

    /// Opens a library, and begins one when there is none at the path.
    ///
    /// - Parameters:
    ///   - filing: where a library that begins here files the letters that languages place differently. One that exists
    ///     keeps its own until `setFiling`.
    ///   - sharing: who may read and write a library that begins here. One that exists keeps the permissions of its
    ///     directory, also for new files.
    ///   - unusedOrderLimit: after so many openings in a row that wrote records of a kind and did not declare an order of it, the order is
    ///     dropped. It was declared by another version of the app, or by an earlier definition; a version that declares it has it made again.
    ///   - undo: how much is kept so that the last commits can be undone: nothing, unless it is asked for.
    ///   - log: hears what the library does and meets by itself.
    ///   - trace: hears when pieces of its work begin and end.
    /// - Throws: `LibraryError.inUse` while another process writes to it; `.notALibrary`, `.tooNew`, `.damaged`,
    ///   `.notFound`, `.notPermitted`, `.diskFull` or `.inputOutput`, each with a next step.
    public convenience init(
        at path: String, access: Access = .exclusive, filing: FilingTailoring = .standard, sharing: Sharing = .owner,
        unusedOrderLimit: Int = 30, undo: UndoKeeping = .off, log: (any DiagnosticLog)? = nil,
        trace: (any DiagnosticTrace)? = nil
    ) throws(LibraryError) {
        try self.init(
            at: path, access: access, filing: filing, sharing: sharing, unusedOrderLimit: unusedOrderLimit, undo: undo,
            log: log, trace: trace, fileSystem: PosixFileSystem())
    }

    /// The same for a file URL.
    public convenience init(
        at url: URL, access: Access = .exclusive, filing: FilingTailoring = .standard, sharing: Sharing = .owner,
        unusedOrderLimit: Int = 30, undo: UndoKeeping = .off, log: (any DiagnosticLog)? = nil,
        trace: (any DiagnosticTrace)? = nil
    ) throws(LibraryError) {
        guard url.isFileURL else {
            throw .invalidArgument("A library is a directory of this machine, and \(url.absoluteString) is none.")
        }
        try self.init(
            at: url.path, access: access, filing: filing, sharing: sharing, unusedOrderLimit: unusedOrderLimit,
            undo: undo, log: log, trace: trace)
    }

    /// A library in memory, for previews and tests: the same engine on files that are not there. Its backups lie on the disk.
    public static func inMemory(
        filing: FilingTailoring = .standard, undo: UndoKeeping = .off
    ) throws(LibraryError) -> Self {
        try inMemory(device: LibraryMeta.randomDevice(), filing: filing, undo: undo)
    }

    /// With a device number of one's choice, identifiers are the same every time.
    package static func inMemory(
        device: UInt32, filing: FilingTailoring = .standard, undo: UndoKeeping = .off
    ) throws(LibraryError) -> Self {
        var settings = LibrarySettings().inMemory()
        (settings.filing, settings.device, settings.undo) = (filing, device, undo)
        return Self(try open("In memory.bookdb", settings))
    }

    /// - Parameters:
    ///   - device: for a library that begins here; an existing one keeps its own.
    ///   - leastSearchFileRowCount: of fewer rows no search file is made.
    ///   - buildsOrders: whether orders of many records are made by themselves.
    package convenience init(
        at path: String, access: Access = .exclusive, filing: FilingTailoring = .standard, sharing: Sharing = .owner,
        unusedOrderLimit: Int = 30, undo: UndoKeeping = .off, log: (any DiagnosticLog)? = nil,
        trace: (any DiagnosticTrace)? = nil,
        fileSystem: any FileSystem,
        device: UInt32 = LibraryMeta.randomDevice(), leastSearchFileRowCount: Int = 500, buildsOrders: Bool = true
    ) throws(LibraryError) {
        var settings = LibrarySettings(access, fileSystem: fileSystem, log: log, trace: trace)
        (settings.filing, settings.sharing, settings.device) = (filing, sharing, device)
        settings.unusedOrderLimit = max(1, unusedOrderLimit)
        settings.leastSearchFileRowCount = leastSearchFileRowCount
        settings.undo = undo
        self.init(try Self.open(path, settings), buildsOrders: buildsOrders)
    }

    /// - Parameter opened: what only the package makes.
    public required init(_ opened: Opened, buildsOrders: Bool = true) {
        self.buildsOrders = buildsOrders
        database = opened.database
        cache = BlobCache(database.cacheFiles(), isInMemory: database.fileSystem is MemoryFileSystem)
        broadcast = opened.broadcast
        newMeta = opened.newMeta
        healthBoard = opened.healthBoard
        clock = opened.clock
        undoHistory = opened.undoHistory
        answers = opened.answers
        launch = Launch(
            file: opened.keepsLaunches
                ? LaunchFile(path: StoreFiles(directory: database.path).launches, fileSystem: database.fileSystem)
                : nil,
            started: opened.start, onInterval: opened.onInterval,
            readPageCount: { [weak database] in database?.version.touchedPageCount ?? 0 },
            exceeded: { [diagnose = opened.diagnose] times in
                let longest = times.stepsBeforeFirstFrame.max { $0.nanoseconds < $1.nanoseconds }
                diagnose { .launchOverBudget(times.nanosecondsBeforeFirstFrame, longest?.name ?? "", at: $0) }
            })
        database.whenOpened { [weak self, diagnose = opened.diagnose] in self?.noteOpened(diagnose) }
        // The launch was that of the library which was opened then, and so were the commits that can be undone.
        database.whenReplaced { [weak self, diagnose = opened.diagnose] in
            self?.undoHistory.forget()
            self?.begin(diagnose)
        }
        // Who files texts anew and knows nothing of what is derived leaves that to whoever does. What is derived by the rules of another version stays: two
        // versions that share a library would make it anew without end.
        opened.broadcast.whenOthersWrote { [weak self] in self?.relist(where: RecordLibrary.isOfOtherFiling) }
        launch.noteBlocked()
    }

    deinit {
        launch.end()
        broadcast.finish()
        database.letGo()
    }

    private func noteOpened(_ diagnose: @escaping @Sendable ((String) -> DiagnosticEvent) -> Void) {
        launch.noteOpened(
            database.opening, isWritable: database.isWritable, readable: database.readableSince)
        begin(diagnose)
    }

    /// What a library does by itself as soon as it is open for writing, and when a restored one has taken its place.
    private func begin(_ diagnose: @escaping @Sendable ((String) -> DiagnosticEvent) -> Void) {
        (database.version.attachment as? RecordTypes)?.forgetFields()
        healthBoard.signal()
        guard database.isWritable else { return }
        answers.allowWriting()
        declareJobs(diagnose)
        relist { _ in true }
    }

    /// Makes what is derived anew where it is by other rules than those of this version, or nobody knows by which.
    ///
    /// Any transaction sees to it that what is derived is up to date before its own changes. This does so without waiting for the first; if it
    /// fails, that one tries again. What somebody has filed otherwise, and nobody may write to soon, is tried again by time, too, where the reason may pass.
    private func relist(where isWanted: (LibraryMeta) -> Bool) {
        guard isOutdated(where: isWanted), !healthBoard.isRelisting else { return }
        healthBoard.isRelisting = true
        Task { [weak self, healthBoard, clock] in
            var pause = GrowingPause()
            var outcome = await self?.relistOnce()
            // A library that nobody has any more is not kept by the pause.
            while case .mayPass? = outcome, (try? await clock.sleep(for: pause.next())) != nil {
                outcome = await self?.relistOnce()
            }
            healthBoard.isRelisting = false
            // What was told since the load had ended found the board at work.
            if case .isDone? = outcome { self?.relist(where: RecordLibrary.isOfOtherFiling) }
        }
    }

    private enum RelistingOutcome { case isDone, mayPass, isImpossible }

    private func relistOnce() async -> RelistingOutcome {
        do throws(LibraryError) {
            try await bringUpToDate()
            return .isDone
        } catch {
            return error.mayPass && isOutdated(where: Self.isOfOtherFiling) ? .mayPass : .isImpossible
        }
    }

    /// Whoever filed the library otherwise knew nothing of what is derived.
    private static func isOfOtherFiling(_ meta: LibraryMeta) -> Bool { meta.filingRules == 0 }

    private func isOutdated(where isWanted: (LibraryMeta) -> Bool) -> Bool {
        guard let rules = Self.contents.rules, database.isWritable, !database.isClosed,
            let meta = try? LibraryMeta(database.version), !meta.isDerived(by: rules)
        else { return false }
        return isWanted(meta)
    }
}

// MARK: - Opening

extension RecordLibrary {
    /// What a store is made of, once there is nothing left that could fail. Only the package makes one.
    public struct Opened {
        let database: Database
        let broadcast: CommitBroadcast
        let newMeta: LibraryMeta
        let healthBoard: HealthBoard
        let undoHistory: UndoHistory
        /// When the opening was called.
        let start: ContinuousClock.Instant
        let keepsLaunches: Bool
        let answers: AnswerFile
        let clock: AnyClock
        /// Where the library says what it does by itself.
        var diagnose: @Sendable ((String) -> DiagnosticEvent) -> Void = { _ in }
        /// Where steps and jobs of the launch are traced.
        var onInterval: (@Sendable (DiagnosticInterval.Phase, _ name: String) -> @Sendable () -> Void)?
    }

    package static func open(_ path: String, _ settings: LibrarySettings) throws(LibraryError) -> Opened {
        let start = ContinuousClock.now
        let (broadcast, board) = (CommitBroadcast(undo: UndoHistory(settings.undo)), HealthBoard())
        let retries = WriteRetries(by: settings.clock)
        do {
            let database = try Database.open(
                at: path, trees: contents.allTrees, options: options(settings, at: path, board, broadcast, retries),
                fileSystem: settings.fileSystem, onPublish: broadcast.send)
            retries.attach(to: database)
            let answers = answers(at: path, settings, isReadWhenAsked: true)
            return opened(database, broadcast, board, settings, start, answers)
        } catch {
            throw LibraryError(error)
        }
    }

    /// The same in the background; see `Database.opening`.
    package static func opening(
        _ path: String, _ settings: LibrarySettings, waitingFor limit: Duration = .microseconds(700),
        prepare: @escaping @Sendable () throws(StorageError) -> Void = { () throws(StorageError) in }
    ) -> Opened {
        let start = ContinuousClock.now
        let (broadcast, board) = (CommitBroadcast(undo: UndoHistory(settings.undo)), HealthBoard())
        let answers = answers(at: path, settings)
        let retries = WriteRetries(by: settings.clock)
        let (trees, options) = (contents.allTrees, options(settings, at: path, board, broadcast, retries))
        // In a process that has just started, the lines above take as long as the opening itself.
        let rest = max(.zero, limit - start.duration(to: .now))
        let database = Database.opening(
            at: path, trees: trees, options: options, fileSystem: settings.fileSystem, waitingFor: rest,
            prepare: { () throws(StorageError) in
                answers.load()
                try prepare()
            }, onPublish: broadcast.send)
        retries.attach(to: database)
        return opened(database, broadcast, board, settings, start, answers)
    }

    /// A library that is not there: every read and write throws why.
    package static func absent(because reason: StorageError) -> Self {
        // On no disk: nothing of it is kept.
        let settings = LibrarySettings(fileSystem: MemoryFileSystem())
        let (path, board, broadcast) = ("Absent.bookdb", HealthBoard(), CommitBroadcast())
        let database = Database.absent(
            at: path, because: reason,
            options: options(settings, at: path, board, broadcast, WriteRetries(by: settings.clock)))
        return Self(
            opened(database, broadcast, board, settings, .now, answers(at: path, settings, isReadWhenAsked: true)))
    }

    private static func opened(
        _ database: Database, _ broadcast: CommitBroadcast, _ board: HealthBoard, _ settings: LibrarySettings,
        _ start: ContinuousClock.Instant, _ answers: AnswerFile
    ) -> Opened {
        var opened = Opened(
            database: database, broadcast: broadcast,
            newMeta: LibraryMeta(device: settings.device, filing: settings.filing, rules: contents.rules ?? 0),
            healthBoard: board, undoHistory: broadcast.undoHistory, start: start,
            keepsLaunches: settings.access != .readOnly, answers: answers, clock: settings.clock)
        if let log = settings.log { opened.diagnose = { [path = database.path] event in log.log(event(path)) } }
        opened.onInterval = settings.onInterval(at: database.path)
        return opened
    }

    private static func answers(
        at path: String, _ settings: LibrarySettings, isReadWhenAsked: Bool = false
    ) -> AnswerFile {
        AnswerFile(
            path: StoreFiles(directory: path).answers, fileSystem: settings.fileSystem,
            isReadWhenAsked: isReadWhenAsked
        ) { [log = settings.log] name in log?.log(.answerWithoutRoom(name, at: path)) }
    }

    private static func options(
        _ settings: LibrarySettings, at path: String, _ board: HealthBoard, _ broadcast: CommitBroadcast,
        _ retries: WriteRetries
    ) -> Options {
        var options = settings.options(of: contents, at: path)
        options.onNotice = { [log = settings.log, fileSystem = settings.fileSystem] notice in
            if let log { DiagnosticEvent.events(notice, at: path).forEach(log.log) }
            board.take(notice, at: fileSystem.now())
            broadcast.undoHistory.take(notice)
            retries.take(notice)
        }
        return options
    }
}

extension CommitBroadcast {
    fileprivate func send(_ commit: PublishedCommit) {
        // Others may have declared anything meanwhile.
        if commit.isOpening {
            (commit.version.attachment as? RecordTypes)?.forgetFields(before: commit.commitNumber)
        }
        var changes = LibraryChanges(of: commit)
        // Who is told of the commit finds it among what can be undone.
        if undoHistory.isOn { undoHistory.noteVisible(commit.commitNumber) }
        if let undo = changes.undo.take() { undoHistory.take(undo) }
        send(
            Commit(
                number: commit.commitNumber, snapshot: Snapshot(commit.version), changes: changes,
                origin: commit.isOfOthers ? .elsewhere : commit.isOpening ? .opening : .here))
        if commit.isOfOthers { noteOthersWrote() }
    }
}
