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
        case applicationSupport(String)

        case file(String)

        /// Gone with the store.
        case memory

        /// As it was given.
        var name: String {
            switch self {
            case .applicationSupport(let name): name
            case .file(let path): path
            case .memory: "memory"
            }
        }

        /// - Throws: `LibraryError` when the directory can neither be found nor made.
        func path() throws(LibraryError) -> String? {
            switch self {
            case .memory: return nil
            case .file(let path): return path
            case .applicationSupport(let name):
                let path = Self.applicationSupportDirectory + "/" + name
                let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
                do {
                    // As the rules of XDG ask for.
                    try FileManager.default.createDirectory(
                        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                } catch {
                    throw .inputOutput("The directory \(directory) could not be made: \(error)")
                }
                return path
            }
        }

        private static var applicationSupportDirectory: String {
            #if os(Linux)
                let environment = ProcessInfo.processInfo.environment
                // The rules of XDG: a path that is not absolute counts as none.
                if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") { return path }
                return (environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path) + "/.local/share"
            #else
                return URL.applicationSupportDirectory.path
            #endif
        }
    }

    /// Opens a library for an app that has nobody to tell an error to yet; begins one when there is none.
    ///
    /// ```swift
    /// let library = RecordLibrary(.applicationSupport("Ledger.bookdb"))
    /// ```
    ///
    /// Never throws. When the library cannot be opened, the store is empty, every write throws why, and `health` says so.
    ///
    /// - Parameters:
    ///   - sharing: who may read and write a library that begins here.
    ///   - log: hears what the library does and meets by itself, and why it could not be opened.
    public convenience init(_ location: Location, sharing: Sharing = .owner, log: (any DiagnosticLog)? = nil) {
        self.init(Self.opened(location, sharing, log))
    }

    /// What is there instead of a library that cannot be had: empty, and every write throws the reason.
    package static func standingIn(for reason: LibraryError) -> Self { Self(standIn(reason)) }

    private static func opened(_ location: Location, _ sharing: Sharing, _ log: (any DiagnosticLog)?) -> Opened {
        do throws(LibraryError) {
            guard let path = try location.path() else { return standIn() }
            return try open(path, sharing: sharing, log: log)
        } catch {
            log?.log(.unavailable(error, at: location.name))
            return standIn(error)
        }
    }
}
