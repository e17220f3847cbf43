import BookDB

/// A library that this command began and that nothing came into.
enum NewLibrary {
    /// Opens a library, and leaves nothing behind where one could not be begun.
    static func opened(_ path: String, isNew: Bool) throws -> BookStore {
        do {
            return try LibraryAccess.changingOrCreating(path)
        } catch {
            // Somebody else has begun it in the same moment, or has it open.
            if CommandFailure(error).status == .inUse { throw error }
            if isNew, SystemCalls.names(inDirectory: path) == ["lock"] { remove(path) }
            throw error
        }
    }

    /// The same, to import a file into it.
    static func openedForImport(_ path: String, isNew: Bool) throws -> BookStore {
        do {
            return try opened(path, isNew: isNew)
        } catch {
            var failure = CommandFailure(error)
            if failure.status == .inUse {
                failure.next = "import the file when that one has ended, or open the library there with access: .shared"
            }
            throw failure
        }
    }

    /// A name that nothing has, for a library that is thrown away.
    static func temporaryPath() -> String {
        let folder = SystemCalls.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        return "\(folder)/bookdb-dry-run-\(String(UInt64.random(in: 0 ... .max), radix: 16)).bookdb"
    }

    /// Takes a library away with all that is in it.
    static func discard(_ path: String) {
        for name in SystemCalls.names(inDirectory: path) { SystemCalls.removeFile(path + "/" + name) }
        SystemCalls.removeEmptyDirectory(path)
    }

    /// Whether there is a library that was begun and that nothing was ever written to, such as one of a command that was killed.
    static func isUnused(_ path: String) -> Bool {
        guard let store = try? BookStore(at: path, access: .readOnly) else { return false }
        return store.opening.damage == nil && store.snapshot.commitNumber == 0
    }

    /// Takes a library away that a command began and nothing came into. One that is in use, or has a commit, stays: somebody else
    /// may have begun it in the same moment.
    static func removeIfEmpty(_ path: String) {
        guard !SystemCalls.isAbsent(path), let store = try? LibraryAccess.alone(path),
            store.snapshot.commitNumber == 0
        else { return }
        // The store is held, and its lock with it, until the files are gone.
        withExtendedLifetime(store) { remove(path) }
    }

    /// The same of one that is open. Where another process has begun it in the same moment it is that one's.
    ///
    /// - Parameter isNew: whether nothing was there when the command began. Then the library was begun with its lock held, until it is closed.
    static func removeIfUnused(_ path: String, _ store: BookStore, isNew: Bool) {
        guard isNew, store.opening.createdStore, (try? store.snapshot.version.hasRecords) == false else { return }
        remove(path)
    }

    /// Takes the directory away again. Only for one that did not exist when the command began and holds no commit;
    /// a directory with anything else in it stays.
    static func remove(_ path: String) {
        let names = SystemCalls.names(inDirectory: path)
        let isOurs = names.allSatisfy { name in
            ["lock", "turn", "compacting", "head", "history"].contains(name)
                || ["log-", "snapshot-", "search-"].contains { name.hasPrefix($0) }
        }
        guard isOurs, !names.isEmpty else { return }
        for name in names { SystemCalls.removeFile(path + "/" + name) }
        SystemCalls.removeEmptyDirectory(path)
    }
}
