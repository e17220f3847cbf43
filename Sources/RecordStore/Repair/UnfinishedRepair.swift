import StorageEngine

/// The directory in which a repair makes a library, beside the path where the library is to appear: `Saved.bookdb.unfinished`.
///
/// Holds the new library's files and a hidden one, `.repair`, which is locked while the repair runs. That file says that the
/// directory is a repair's: one that was killed leaves it behind, and the next one removes it and starts over. Always true:
/// nothing is removed from a directory without that file, or with a file that a repair does not make.
struct UnfinishedRepair {
    let path: String
    private let target: StoreFiles
    private let lock: any FileLock
    private let fileSystem: any FileSystem

    private static let mark = ".repair"

    /// - Throws: `.exists` when something else has the name; `.inUse` while another repair works there.
    init(to target: StoreFiles, _ fileSystem: any FileSystem) throws {
        let path = target.directory + ".unfinished"
        let isThere = try fileSystem.kind(of: path) != .absent
        if isThere {
            guard try Self.isLeftover(path, fileSystem) else { throw LibraryError.exists(path: path) }
        } else {
            try fileSystem.createDirectory(path, sharing: .owner)
        }
        do throws(StorageError) {
            lock = try fileSystem.lock(path + "/" + Self.mark)
        } catch {
            guard case .inUse(_, let processIdentifier) = error else { throw error }
            throw LibraryError.inUse(path: path, processIdentifier: processIdentifier)
        }
        try lock.requireStillOurs()
        self.path = path
        self.target = target
        self.fileSystem = fileSystem
        guard isThere else { return }
        for name in try fileSystem.names(inDirectory: path) where name != Self.mark {
            try fileSystem.remove(path + "/" + name)
        }
    }

    /// An empty directory is what is left by a repair that was killed at its first step.
    private static func isLeftover(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) -> Bool {
        guard try fileSystem.kind(of: path) == .directory else { return false }
        let names = try fileSystem.names(inDirectory: path)
        return names.isEmpty || names.contains(mark) && names.allSatisfy { $0 == mark || StoreFiles.isKnown($0) }
    }

    /// Gives the library its name. A kill before the hidden file is removed leaves that in the library, where it does no harm.
    func finish() throws(StorageError) {
        try fileSystem.rename(path, to: target.directory)
        do throws(StorageError) {
            try fileSystem.flushDirectory(target.parent)
        } catch {
            // The library is whole, but its name may not outlast a power cut. A repair that failed leaves nothing under that name.
            try? fileSystem.rename(target.directory, to: path)
            throw error
        }
        try? fileSystem.remove(target.directory + "/" + Self.mark)
        lock.unlock()
    }

    /// Removes what was made. What cannot be removed stays under its unfinished name.
    func abandon() {
        let names = (try? fileSystem.names(inDirectory: path)) ?? []
        for name in names where name != Self.mark { try? fileSystem.remove(path + "/" + name) }
        try? fileSystem.remove(path + "/" + Self.mark)
        try? fileSystem.removeDirectory(path)
        lock.unlock()
    }
}
