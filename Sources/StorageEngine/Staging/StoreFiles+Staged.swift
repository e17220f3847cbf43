extension StoreFiles {
    /// Makes a staged snapshot one that no opening takes, and unlinks it.
    ///
    /// A power cut may bring back its name and that of the mark, where the flush of the directory has failed. What the file holds does not
    /// depend on names: when this returns, it is on the medium that there is no superblock.
    ///
    /// Nothing is cut, for others may have mapped it to look at it.
    func spoilStaged(_ generation: UInt64, _ fileSystem: any FileSystem) throws(StorageError) {
        guard try fileSystem.kind(of: staged(generation)) == .file else { return }
        // Whoever gives the snapshot its name meanwhile has it whole, or finds none.
        let taken = temporarySnapshot(generation)
        do throws(StorageError) {
            try fileSystem.rename(staged(generation), to: taken)
        } catch {
            guard case .notFound = error else { throw error }
            return
        }
        do throws(StorageError) {
            try Self.overwriteSuperblocks(taken, fileSystem)
        } catch {
            // To be found by who tries again.
            try? fileSystem.rename(taken, to: staged(generation))
            throw error
        }
        try? fileSystem.remove(taken)
    }

    /// The same, or unlinks it at least.
    ///
    /// - Returns: whether no power cut brings it back.
    @discardableResult
    func removeStaged(_ generation: UInt64, _ fileSystem: any FileSystem) -> Bool {
        if (try? spoilStaged(generation, fileSystem)) != nil { return true }
        try? fileSystem.remove(staged(generation))
        return false
    }

    private static func overwriteSuperblocks(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) {
        let file = try fileSystem.openFile(path, .writing)
        defer { file.close() }
        let page = NodeLayout.pageByteCount
        // A file that is shorter is no snapshot.
        let pageCount = try file.byteCount() / page
        for index in Set([0, pageCount - 1]) where index >= 0 {
            try file.write([UInt8](repeating: 0, count: page), at: index * page)
        }
        try file.flush(.durable)
    }
}
