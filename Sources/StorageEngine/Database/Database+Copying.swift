extension Database {
    /// Copies the store, as it is between two commits, into a directory that does not exist. Reads go on; writes and compactions
    /// wait.
    ///
    /// Snapshots never change, so they get a second name where the file system knows such; O(log), and O(store) elsewhere. Nothing
    /// is flushed: the copy is for now.
    ///
    /// - Throws: `StorageError`; an unfinished copy is then left.
    package func copy(to directory: String) async throws {
        let writer = try await openWriter()
        let (files, fileSystem) = (files, fileSystem)
        try await writer.load { _ in
            let copy = StoreFiles(directory: directory)
            try fileSystem.createDirectory(copy.directory, sharing: .owner)
            for name in try fileSystem.names(inDirectory: files.directory) {
                let (source, target) = (files.directory + "/" + name, copy.directory + "/" + name)
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
    }

    /// Removes a copy, whole or not.
    package func removeCopy(at directory: String) {
        for name in (try? fileSystem.names(inDirectory: directory)) ?? [] {
            try? fileSystem.remove(directory + "/" + name)
        }
        try? fileSystem.removeDirectory(directory)
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
