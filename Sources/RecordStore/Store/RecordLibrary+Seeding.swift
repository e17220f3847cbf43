import StorageEngine

extension RecordLibrary {
    /// When a library that is empty is filled with sample data.
    public enum SeedingTime: Sendable, Hashable {
        /// As soon as the library is open for writing: lists show the data with the first frame, or soon after it.
        case whenOpened
        case afterFirstFrame
    }

    /// Puts sample data into a library that nobody ever put a record into, once.
    ///
    /// ```swift
    /// let wasEmpty = try await library.seedIfEmpty { ledger in
    ///     _ = try ledger.insert(Account(name: "Savings"))
    /// }
    /// ```
    ///
    /// Whether it is empty is decided in the transaction, on the newest commit of any process and once the log has been read. That the library has had its
    /// sample data is part of the same commit. So of several processes one does it, a crash leaves all of it or nothing, and a library that its user has emptied stays
    /// empty: also where it was emptied before the app had sample data.
    ///
    /// It is none of the commits that `undo` takes back.
    ///
    /// - Returns: whether the sample data was put in.
    /// - Throws: what `body` throws, and as `write`: nothing was put in then, and the next call tries again.
    @discardableResult
    public func seedIfEmpty(_ body: @Sendable (inout LibraryTransaction) throws -> Void) async throws -> Bool {
        // Nothing is written to a library that has records: most launches only look.
        try await write { library in
            guard try library.mayBeSeeded else { return false }
            // Nobody who chooses Undo means this.
            library.leaveOutOfUndo()
            try body(&library)
            library.noteSeeded()
            return true
        }
    }

    /// The same as a job of the launch, which says how it went.
    ///
    /// - Parameters:
    ///   - name: of the job.
    /// - Returns: whether the job was taken; see `Launch.afterFirstFrame`.
    @discardableResult
    public func seedIfEmpty(
        _ time: SeedingTime, as name: String = "sample data",
        _ body: @escaping @Sendable (inout LibraryTransaction) throws -> Void
    ) -> Bool {
        launch.declareSeeding(name, isAtOnce: time == .whenOpened) { [weak self, database] in
            // Who waits for a slow disk does not keep the library from being let go.
            try await translatingErrors { try await database.ready() }
            guard let self else { return nil }
            return try await seedIfEmpty(body) ? "put in" : "not needed"
        }
    }
}
