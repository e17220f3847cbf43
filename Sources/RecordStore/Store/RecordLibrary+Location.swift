#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import StorageEngine

extension RecordLibrary {
    /// Where a library lies.
    public enum Location: Sendable {
        /// A name, or a path, within the directory where the system keeps the data of apps: `$XDG_DATA_HOME` or
        /// `~/.local/share` on Linux, *Application Support* on Apple's. Made when it is not there.
        ///
        /// On iOS each process has a directory of its own: a widget and an extension find the library of their app by `appGroup`. On a Mac, an app without a
        /// sandbox shares the directory with all others, so its name belongs into the path.
        case applicationSupport(String)

        /// A name, or a path, within the container of an app group: what an app, its widget and its extensions share on Apple's systems.
        ///
        /// ```swift
        /// let library = RecordLibrary(.appGroup("group.org.example.reader", "Library.bookdb"))
        /// ```
        ///
        /// Without the entitlement for the group nothing can be opened: `.unavailable`, with `LibraryError.notPermitted`. On Linux it is a directory of the
        /// group's name beside those of other apps.
        case appGroup(String, String)

        case file(String)

        /// Gone with the store. Its backups lie on the disk.
        case memory

        /// Where the library's directory is; `nil` in memory.
        var path: String? {
            switch self {
            case .memory: nil
            case .file(let path): path
            case .applicationSupport(let name): Self.applicationSupportDirectory + "/" + name
            case .appGroup(let group, let name): (Self.directory(ofGroup: group) ?? group) + "/" + name
            }
        }

        /// Makes the directories above the library that are the app's.
        func makeParents(_ fileSystem: any FileSystem) throws(StorageError) {
            guard let path else { return }
            switch self {
            case .memory, .file: return
            case .applicationSupport: break
            case .appGroup(let group, _):
                guard Self.directory(ofGroup: group) != nil else { throw .notPermitted(path: group) }
            }
            var missing: [String] = []
            var directory = StoreFiles(directory: path).parent
            while try fileSystem.kind(of: directory) == .absent {
                missing.append(directory)
                directory = StoreFiles(directory: directory).parent
            }
            // For the owner alone, as the rules of XDG ask for.
            for directory in missing.reversed() { try fileSystem.createDirectory(directory, sharing: .owner) }
        }

        /// `nil` where this process does not belong to the group.
        private static func directory(ofGroup group: String) -> String? {
            #if canImport(Darwin)
                FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?.path
            #else
                applicationSupportDirectory + "/" + group
            #endif
        }

        private static var applicationSupportDirectory: String {
            #if canImport(Darwin)
                return URL.applicationSupportDirectory.path
            #else
                let environment = ProcessInfo.processInfo.environment
                // The rules of XDG: a path that is not absolute counts as none.
                if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") { return path }
                return (environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path) + "/.local/share"
            #endif
        }
    }

    /// Opens a library for an app, and begins one when there is none; in the background, and in about a millisecond here.
    ///
    /// ```swift
    /// let library = RecordLibrary(.applicationSupport("Ledger.bookdb"))
    /// ```
    ///
    /// Never throws, and waits for the opening until 0.7 ms after it was called, whatever the size of the library, of its log, and the state of its disk; on a
    /// busy machine the call takes longer. Most libraries are open by then. Of one with a long log the snapshot can be read
    /// (`Snapshot.isCatchingUp`) until all of the log has been replayed; then one commit brings lists to where they should be. Of one on
    /// a slow disk nothing can be read yet: lists are *not loaded*, which is not empty, `read` waits, and a read of `snapshot` throws
    /// `LibraryError.opening`; a first commit brings the snapshot then. Writes wait for the end of the opening.
    ///
    /// When the library cannot be opened for writing it is opened to be read, as far as that goes. `health` says how it fares, and
    /// `ready()` waits for the end of the opening.
    ///
    /// - Parameters:
    ///   - access: shared, so that other processes can open the library and a suspended app holds no lock; `.exclusive` saves what that costs.
    ///   - sharing: who may read and write a library that begins here.
    ///   - undo: how much is kept so that the last commits can be undone: nothing, unless it is asked for.
    ///   - log: hears what the library does and meets by itself, and why it could not be opened.
    ///   - trace: hears when pieces of its work begin and end.
    public convenience init(
        _ location: Location, access: Access = .shared, sharing: Sharing = .owner, undo: UndoKeeping = .off,
        log: (any DiagnosticLog)? = nil, trace: (any DiagnosticTrace)? = nil
    ) {
        var settings = LibrarySettings(access, log: log, trace: trace)
        (settings.sharing, settings.undo) = (sharing, undo)
        self.init(location, settings)
    }

    /// - Parameter limit: of the time that is spent here.
    package convenience init(
        _ location: Location, _ settings: LibrarySettings, waitingFor limit: Duration = .microseconds(700)
    ) {
        guard let path = location.path else {
            self.init(Self.opening("In memory.bookdb", settings.inMemory(), waitingFor: .seconds(60)))
            return
        }
        self.init(
            Self.opening(path, settings, waitingFor: limit) {
                [fileSystem = settings.fileSystem] () throws(StorageError) in
                try location.makeParents(fileSystem)
            })
    }

    /// Opens a library and returns when that is done: for tools and tests.
    ///
    /// - Throws: as `init(at:)`.
    public static func open(
        at path: String, access: Access = .exclusive, log: (any DiagnosticLog)? = nil,
        trace: (any DiagnosticTrace)? = nil
    ) async throws(LibraryError) -> Self {
        let library = Self(opening(path, LibrarySettings(access, log: log, trace: trace), waitingFor: .zero))
        do throws(LibraryError) {
            try await library.ready()
        } catch {
            // An opening that is under way has the lock.
            try? await library.close()
            throw error
        }
        // One that can only be read is not what was asked for.
        if let refusal = library.database.refusal {
            try? await library.close()
            throw LibraryError(refusal)
        }
        return library
    }

    /// Returns when the library is open, or can at least be read.
    ///
    /// - Throws: `LibraryError`, why nothing of it can be read; `.cancelled` when the task is.
    public func ready() async throws(LibraryError) {
        try await translatingErrors { try await database.ready() }
    }

    /// Opens the library again that could not be opened, or only to be read, such as when its disk is there again or the process that
    /// had it is gone. Of a library that is open for writing, what its disk did not take is tried again. In the background; `health` says how that goes.
    public func retry() {
        if database.retry() { return healthBoard.signal() }
        Task { [weak database] in
            await database?.tryAgain()
            if database?.status.followingFailure != nil { await database?.follow() }
        }
    }
}
