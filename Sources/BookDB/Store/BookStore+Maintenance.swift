import StorageEngine

extension BookStore {
    /// Rewrites the library without what is no longer part of it. Reading and writing go on meanwhile.
    ///
    /// - Parameter progress: is told fractions of the work done, 0...1, on another thread.
    /// - Throws: `BookError.cancelled` when the task is cancelled, and the library is as it was; `.damaged` when a page cannot be read;
    ///   `.diskFull`, `.inputOutput`, `.readOnly`, `.closed`.
    @discardableResult
    public func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws(BookError) -> CompactionReport {
        do {
            return try await database.compact(progress: progress)
        } catch {
            throw BookError(caught: error)
        }
    }

    /// Closes the library after the writes under way. Snapshots stay readable; sequences of commits end.
    ///
    /// - Throws: `BookError.unsaved` when acknowledged commits may not be on the medium; `.inputOutput` when the log's end could not be written.
    public func close() async throws(BookError) {
        defer { broadcast.finish() }
        do {
            try await database.close()
        } catch {
            throw BookError(error)
        }
    }
}
