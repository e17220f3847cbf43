import StorageEngine

extension RecordLibrary {
    /// The library as it is now. Costs a few dozen nanoseconds and never waits: while the library is being opened it may be less, see
    /// `Snapshot.isLoaded` and `isCatchingUp`.
    public var snapshot: Snapshot {
        let version = database.version
        if version.isLoaded { launch.noteRead() }
        return Snapshot(version)
    }

    /// Reads off the caller's actor: for searches and exports that would hold up an interface. Waits while the library is being opened
    /// and there is nothing to read yet.
    public func read<Value: Sendable, Failure: Error>(
        _ body: @Sendable (Snapshot) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let call = launch.userCalls.begin()
        defer { launch.userCalls.end(call) }
        await database.mapped()
        return try await readHere(body)
    }

    /// On a thread of the pool, whoever asks, and beside others who read.
    @concurrent func readHere<Value: Sendable, Failure: Error>(
        _ body: @Sendable (Snapshot) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try body(snapshot)
    }

    /// What opening found and did, with its times.
    public var opening: OpeningReport { database.opening }

    /// The commits from now on; see `Commits`.
    public var commits: Commits { Commits(broadcast.subscribe()) }

    /// Of the commits from now on those that other processes make: for what an app does when its widget or its extension has written.
    ///
    /// ```swift
    /// for await commit in store.commitsOfOthers {
    ///     print("Another process wrote", commit.number)
    /// }
    /// ```
    public var commitsOfOthers: Commits { Commits(broadcast.subscribe(to: .elsewhere)) }
}
