/// Directories that a process makes something in, each with a lock that says that somebody is at work there.
extension FileSystem {
    /// Removes those whose process was killed. Best effort: what cannot be looked at or removed stays.
    ///
    /// - Parameters:
    ///   - isNamed: whether one may have the name.
    ///   - isOurs: whether what is at a path is one, whose lock was made. Asked again when the lock is held.
    ///   - remove: removes one with all that is in it.
    func removeWorkshops(
        in parent: String, named isNamed: (String) -> Bool, where isOurs: (String) throws(StorageError) -> Bool,
        _ remove: (String) throws(StorageError) -> Void
    ) {
        for name in (try? names(inDirectory: parent)) ?? [] where isNamed(name) {
            let workshop = parent + "/" + name
            // Somebody is at work while the lock is held.
            guard (try? isOurs(workshop)) == true, let lock = try? lock(workshop + "/lock") else { continue }
            if (try? isOurs(workshop)) == true { try? remove(workshop) }
            lock.unlock()
        }
    }

    /// The lock of a place where something is made.
    ///
    /// - Parameter path: of what is made, as it was asked for.
    /// - Throws: `.inUse` that names the path, when somebody else holds it.
    func lock(_ lock: String, toMake path: String) throws(StorageError) -> any FileLock {
        do throws(StorageError) {
            return try self.lock(lock)
        } catch {
            guard case .inUse(_, let processIdentifier) = error else { throw error }
            throw .inUse(path: path, processIdentifier: processIdentifier)
        }
    }
}
