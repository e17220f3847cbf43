#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension BookStore {
    /// Where a library lies.
    public enum Location: Sendable {
        /// A name, or a path, within the directory where the system keeps the data of apps: `$XDG_DATA_HOME` or
        /// `~/.local/share` on Linux, *Application Support* on Apple's. Made when it is not there.
        case applicationSupport(String)

        case file(String)

        /// Gone with the store.
        case memory

        /// - Throws: `BookError` when the directory can neither be found nor made.
        func path() throws(BookError) -> String? {
            switch self {
            case .memory: return nil
            case .file(let path): return path
            case .applicationSupport(let name):
                let path = Self.applicationSupportDirectory + "/" + name
                let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
                do {
                    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
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
    /// let store = BookStore(.applicationSupport("Library.bookdb"))
    /// ```
    ///
    /// Never throws. When the library cannot be opened, the store is empty, every write throws why, and `health` says so.
    public convenience init(_ location: Location) {
        self.init(Self.opened(location))
    }

    private static func opened(_ location: Location) -> Opened {
        do throws(BookError) {
            guard let path = try location.path() else { return standIn() }
            return try open(path)
        } catch {
            return standIn(error)
        }
    }
}
