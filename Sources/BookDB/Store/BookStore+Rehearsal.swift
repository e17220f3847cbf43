import StorageEngine

extension BookStore {
    /// The memory of what was changed since the last compaction, in bytes.
    package func changedByteCount() async -> Int { await database.changedByteCount() }

    /// Runs something with a copy of the library as it is now, which is then thrown away.
    ///
    /// The copy lies beside the library, hidden, where the snapshot needs no second place on the medium.
    ///
    /// - Throws: what `body` throws, and `LibraryError` when the library cannot be copied.
    package func withRehearsal<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (BookStore) async throws -> Result
    ) async throws -> Result {
        let files = StoreFiles(directory: database.path)
        let name = files.directory.split(separator: "/").last.map(String.init) ?? "library"
        let path = "\(files.parent)/.\(name).rehearsal-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        defer { database.removeCopy(at: path) }
        let copy: BookStore
        do {
            try await database.copy(to: path)
            copy = try BookStore(at: path, fileSystem: database.fileSystem)
        } catch {
            throw LibraryError.translated(error)
        }
        do {
            let result = try await body(copy)
            try? await copy.close()
            return result
        } catch {
            try? await copy.close()
            throw error
        }
    }
}
