import StorageEngine

extension RecordLibrary {
    /// The library as it is now. Costs a few dozen nanoseconds and never waits.
    public var snapshot: Snapshot { Snapshot(database.version) }

    /// Reads off the caller's actor: for searches and exports that would hold up an interface.
    public func read<Value: Sendable, Failure: Error>(
        _ body: @Sendable (Snapshot) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await reader.read(self, body)
    }

    /// What opening found and did, with its times.
    public var opening: OpeningReport { database.opening }

    /// The commits from now on; see `Commits`.
    public var commits: Commits { Commits(broadcast.subscribe()) }
}
