import StorageEngine

extension BookStore {
    /// Rewrites the library without what is no longer part of it. Reading and writing go on meanwhile.
    ///
    /// - Parameter progress: is told fractions of the work done, 0...1, on another thread.
    @discardableResult
    public func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws -> CompactionReport {
        do {
            return try await database.compact(progress: progress)
        } catch {
            throw BookError.translated(error)
        }
    }

    /// Closes the library after the writes under way. Snapshots stay readable; sequences of commits end.
    public func close() async throws {
        defer { broadcast.finish() }
        do {
            try await database.close()
        } catch {
            throw BookError.translated(error)
        }
    }
}
