/// A copy of a store to try something with, which is then thrown away. It lies beside the store, hidden, where the snapshot needs no second place on
/// the medium, and with a lock that says that somebody works with it.
package struct ScratchCopy: Sendable {
    private let fileSystem: any FileSystem
    private let workshop: String
    private let lock: any FileLock

    /// The directory of the copy.
    package var path: String { workshop + "/" + Self.copyName }

    private static let copyName = "copy"
    private static let lockName = "lock"

    /// What a process that was killed has left of the same store goes first.
    fileprivate init(beside files: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) {
        self.fileSystem = fileSystem
        let prefix = ".\(files.directory.split(separator: "/").last ?? "store").scratch-"
        fileSystem.removeWorkshops(
            in: files.parent, named: { $0.hasPrefix(prefix) },
            where: { (workshop) throws(StorageError) in try Self.isOurs(workshop, fileSystem) }
        ) { Self.removeAll(of: $0, fileSystem) }
        workshop = "\(files.parent)/\(prefix)\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        try fileSystem.createDirectory(workshop, sharing: .owner)
        do throws(StorageError) {
            lock = try fileSystem.lock(workshop + "/" + Self.lockName)
        } catch {
            try? fileSystem.removeDirectory(workshop)
            throw error
        }
    }

    /// Removes the copy, whole or not. Best effort.
    package func remove() {
        Self.removeAll(of: workshop, fileSystem)
        lock.unlock()
    }

    /// One without a lock may have just been made by somebody who is about to take it.
    private static func isOurs(_ workshop: String, _ fileSystem: any FileSystem) throws(StorageError) -> Bool {
        guard try fileSystem.kindWithoutFollowing(workshop) == .directory else { return false }
        let names = try Set(fileSystem.names(inDirectory: workshop))
        return names.contains(lockName) && names.isSubset(of: [lockName, copyName])
    }

    private static func removeAll(of workshop: String, _ fileSystem: any FileSystem) {
        let copy = workshop + "/" + copyName
        for name in (try? fileSystem.names(inDirectory: copy)) ?? [] { try? fileSystem.remove(copy + "/" + name) }
        try? fileSystem.removeDirectory(copy)
        try? fileSystem.remove(workshop + "/" + lockName)
        try? fileSystem.removeDirectory(workshop)
    }
}

extension Database {
    /// Copies the store, as it is between two commits. Reads go on; writes and compactions wait.
    ///
    /// Snapshots never change, so they get a second name where the file system knows such; O(log), and O(store) elsewhere. Nothing
    /// is flushed: the copy is for now.
    ///
    /// - Throws: `StorageError`; nothing is left then.
    package func scratchCopy() async throws -> ScratchCopy {
        let writer = try await openWriter()
        let (files, fileSystem) = (files, fileSystem)
        let copy = try ScratchCopy(beside: files, fileSystem)
        do {
            try await writer.load { _ in try files.copy(to: copy.path, fileSystem) }
        } catch {
            copy.remove()
            throw error
        }
        return copy
    }
}

extension StoreFiles {
    fileprivate func copy(to directory: String, _ fileSystem: any FileSystem) throws(StorageError) {
        try fileSystem.createDirectory(directory, sharing: .owner)
        for name in try fileSystem.names(inDirectory: self.directory) {
            let (source, target) = (self.directory + "/" + name, directory + "/" + name)
            switch StoreFiles.kind(ofName: name) {
            case .snapshot, .companion:
                guard try !fileSystem.link(source, to: target) else { continue }
                try Self.copy(source, to: target, fileSystem)
            case .log: try Self.copy(source, to: target, fileSystem)
            case .lock, .head, .history, .cache, .launches, .temporary, .aside, .staged, .restore, .restored,
                .foreign:
                break
            }
        }
    }

    private static func copy(_ source: String, to target: String, _ fileSystem: any FileSystem) throws(StorageError) {
        let from = try fileSystem.openFile(source, .reading)
        defer { from.close() }
        let to = try fileSystem.openFile(target, .creating)
        defer { to.close() }
        var offset = 0
        while true {
            let bytes = try from.read(byteCount: 1 << 20, at: offset)
            guard !bytes.isEmpty else { return }
            try to.write(bytes, at: offset)
            offset += bytes.count
        }
    }
}
