import StorageEngine

extension BookStore {
    /// The memory of what was changed since the last compaction, in bytes.
    package func changedByteCount() async -> Int { await database.changedByteCount() }

    /// Runs something with a copy of the library as it is now, which is then thrown away.
    ///
    /// - Throws: what `body` throws, and `LibraryError` when the library cannot be copied.
    package func withRehearsal<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (BookStore) async throws -> Result
    ) async throws -> Result {
        let scratch: ScratchCopy
        do { scratch = try await database.scratchCopy() } catch { throw LibraryError.translated(error) }
        defer { scratch.remove() }
        let copy: BookStore
        do { copy = try BookStore(at: scratch.path, fileSystem: database.fileSystem) } catch {
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
