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
/// writing goes through one writer, a transaction at a time. One process at a time opens a library for writing.
///
/// A class of an app's own would gain nothing: only modules of this package can say what `contents` are. It is open for `BookStore`.
open class RecordLibrary: @unchecked Sendable {
    // Safe to share because every property is constant and of a type that is; BookStore, for which it is open, has no others.

    package let database: Database
    let broadcast: CommitBroadcast
    let reader = LibraryReader()
    /// Makes orders of an app's own records that are not whole yet.
    let orderBuilding = OrderBuilding()
    let buildsOrders: Bool
    /// What its lists follow it by, once there is one: see `listHub`.
    let hub = Lock<(any AnyObject & Sendable)?>(nil)

    /// What a library that begins with this store knows about itself.
    let newMeta: LibraryMeta

    /// Why the library that was asked for is not there; see `health`.
    package let unavailability: LibraryError?

    /// What libraries of this class keep beside declared records.
    open class var contents: LibraryContents { .records }

    public enum Access: Sendable {
        /// Creates the library when there is none. One process at a time.
        case readWrite

        /// Takes no lock: the library may be open elsewhere.
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
    ///   - log: hears what the library does and meets by itself.
    /// - Throws: `LibraryError.inUse` while another process writes to it; `.notALibrary`, `.tooNew`, `.damaged`,
    ///   `.notFound`, `.notPermitted`, `.diskFull` or `.inputOutput`, each with a next step.
    public convenience init(
        at path: String, access: Access = .readWrite, filing: FilingTailoring = .standard, sharing: Sharing = .owner,
        unusedOrderLimit: Int = 30, log: (any DiagnosticLog)? = nil
    ) throws(LibraryError) {
        try self.init(
            at: path, access: access, filing: filing, sharing: sharing, unusedOrderLimit: unusedOrderLimit, log: log,
            fileSystem: PosixFileSystem())
    }

    /// The same for a file URL.
    public convenience init(
        at url: URL, access: Access = .readWrite, filing: FilingTailoring = .standard, sharing: Sharing = .owner,
        unusedOrderLimit: Int = 30, log: (any DiagnosticLog)? = nil
    ) throws(LibraryError) {
        guard url.isFileURL else {
            throw .invalidArgument("A library is a directory of this machine, and \(url.absoluteString) is none.")
        }
        try self.init(
            at: url.path, access: access, filing: filing, sharing: sharing, unusedOrderLimit: unusedOrderLimit, log: log
        )
    }

    /// A library in memory, for previews and tests: the same engine on files that are not there.
    public static func inMemory(filing: FilingTailoring = .standard) throws(LibraryError) -> Self {
        try inMemory(device: LibraryMeta.randomDevice(), filing: filing)
    }

    /// With a device number of one's choice, identifiers are the same every time.
    package static func inMemory(device: UInt32, filing: FilingTailoring = .standard) throws(LibraryError) -> Self {
        try Self(
            Self.open("In memory.bookdb", filing: filing, fileSystem: MemoryFileSystem(), device: device))
    }

    /// - Parameters:
    ///   - device: for a library that begins here; an existing one keeps its own.
    ///   - leastSearchFileRowCount: of fewer rows no search file is made.
    ///   - buildsOrders: whether orders of many records are made by themselves.
    package convenience init(
        at path: String, access: Access = .readWrite, filing: FilingTailoring = .standard, sharing: Sharing = .owner,
        unusedOrderLimit: Int = 30, log: (any DiagnosticLog)? = nil, fileSystem: any FileSystem,
        device: UInt32 = LibraryMeta.randomDevice(), leastSearchFileRowCount: Int = 500, buildsOrders: Bool = true
    ) throws(LibraryError) {
        self.init(
            try Self.open(
                path, access: access, filing: filing, sharing: sharing, unusedOrderLimit: unusedOrderLimit, log: log,
                fileSystem: fileSystem, device: device, leastSearchFileRowCount: leastSearchFileRowCount),
            buildsOrders: buildsOrders && access == .readWrite)
    }

    /// - Parameter opened: what only `open` makes.
    public required init(_ opened: Opened, buildsOrders: Bool = true) {
        self.buildsOrders = buildsOrders
        database = opened.database
        broadcast = opened.broadcast
        newMeta = opened.newMeta
        unavailability = opened.unavailability
        if buildsOrders, (try? database.version.kindsWithUnfinishedOrders())?.isEmpty == false {
            beginOrderBuilding()
        }
        if buildsOrders, (try? database.version.count(in: LibraryTree.appOrders)) ?? 0 > 0 {
            Task(priority: .utility) { [weak self, diagnose = opened.diagnose] in await self?.mendOrders(diagnose) }
        }
        guard opened.isOutdated else { return }
        // Any transaction brings what is derived up to date before its own changes. This one does so without waiting for the
        // first; if it fails, that one tries again.
        Task { try? await write { _ in } }
    }
}

// MARK: - Opening

extension RecordLibrary {
    /// What a store is made of, once there is nothing left that could fail. Only the package makes one.
    public struct Opened {
        let database: Database
        let broadcast: CommitBroadcast
        let newMeta: LibraryMeta
        /// Whether what is derived has to be made anew.
        var isOutdated = false
        var unavailability: LibraryError?
        /// Where the library says what it does by itself.
        var diagnose: @Sendable ((String) -> DiagnosticEvent) -> Void = { _ in }
    }

    package static func open(
        _ path: String, access: Access = .readWrite, filing: FilingTailoring = .standard, sharing: Sharing = .owner,
        unusedOrderLimit: Int = 30, log: (any DiagnosticLog)? = nil, fileSystem: any FileSystem = PosixFileSystem(),
        device: UInt32 = LibraryMeta.randomDevice(), leastSearchFileRowCount: Int = 500, isToBeRead: Bool = true
    ) throws(LibraryError) -> Opened {
        precondition(unusedOrderLimit > 0, "an order is kept for one opening at least")
        precondition((1..<IDLayout.placeholderDevice).contains(device), "a device number is not 0 and fits 24 bits")
        var options = Options()
        options.access = access == .readOnly ? .readOnly : .readWrite
        options.sharing = sharing
        options.attachment = RecordTypes(beside: contents, unusedOrderLimit: UInt32(clamping: unusedOrderLimit))
        options.companion = contents.companion?(leastSearchFileRowCount)
        if let log {
            options.onNotice = { notice in DiagnosticEvent.events(notice, at: path).forEach(log.log) }
        }
        let broadcast = CommitBroadcast()
        var opened: Opened
        do {
            let database = try Database.open(
                at: path, trees: contents.allTrees, options: options, fileSystem: fileSystem
            ) { commit in
                broadcast.send(
                    Commit(
                        number: commit.commitNumber, snapshot: Snapshot(commit.version),
                        changes: LibraryChanges(of: commit)))
            }
            opened = Opened(
                database: database, broadcast: broadcast,
                newMeta: LibraryMeta(device: device, filing: filing, rules: contents.rules ?? 0))
            if let log { opened.diagnose = { event in log.log(event(path)) } }
        } catch {
            throw LibraryError(error)
        }
        guard let meta = try LibraryMeta(opened.database.version) else { return opened }
        guard meta.format <= LibraryMeta.currentFormat else {
            throw .tooNew(
                path: path, found: UInt32(clamping: meta.format), supported: UInt32(LibraryMeta.currentFormat))
        }
        guard let rules = contents.rules, !meta.isDerived(by: rules) else { return opened }
        opened.isOutdated = access == .readWrite
        if access == .readOnly, isToBeRead, try !contents.isReadable(opened.database.version, meta) {
            throw .outdated(path: path)
        }
        return opened
    }

    /// An empty library in memory.
    static func standIn(_ unavailability: LibraryError? = nil) -> Opened {
        do throws(LibraryError) {
            var opened = try open("In memory.bookdb", fileSystem: MemoryFileSystem())
            opened.unavailability = unavailability
            return opened
        } catch {
            preconditionFailure("an empty library in memory opens: \(error)")
        }
    }
}
