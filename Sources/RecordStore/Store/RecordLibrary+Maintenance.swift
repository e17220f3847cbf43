import StorageEngine

extension RecordLibrary {
    /// Rewrites the library without what is no longer part of it. Reading and writing go on meanwhile.
    ///
    /// - Parameter progress: is told fractions of the work done, 0...1, on another thread.
    /// - Throws: `LibraryError.cancelled` when the task is cancelled, and the library is as it was; `.damaged` when a page cannot be read;
    ///   `.tooLittleSpace` before anything is written, `.diskFull`, `.inputOutput`, `.readOnly`, `.closed`.
    @discardableResult
    public func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws(LibraryError) -> CompactionReport {
        return try await translatingErrors {
            return try await database.compact(progress: progress)
        }
    }

    /// Closes the library after the writes under way. Snapshots stay readable; sequences of commits end.
    ///
    /// - Throws: `LibraryError.unsaved` when acknowledged commits may not be on the medium; `.inputOutput` when the log's end could not be written.
    public func close() async throws(LibraryError) {
        defer {
            broadcast.finish()
            healthBoard.signal()
        }
        // Jobs that write, or compact, wait for these, and end before the store closes.
        await database.prepareToClose()
        await launch.close()
        let outcome: LibraryError?
        do throws(StorageError) {
            try await database.close()
            outcome = nil
        } catch {
            outcome = LibraryError(error)
        }
        // Behind the end of an opening that was still under way: until then no answer is written, and whoever is told of that end may not
        // have been yet.
        if database.isWritable { answers.allowWriting() }
        await answers.settle()
        if let outcome { throw outcome }
    }
}
