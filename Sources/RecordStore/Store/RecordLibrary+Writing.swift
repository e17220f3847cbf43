import StorageEngine

extension RecordLibrary {
    /// Changes the library: everything `body` does becomes visible and durable together, and a throw undoes all of it.
    ///
    /// Transactions run one at a time, in the order they arrive. Commits that arrive during a device flush share the
    /// next one, so many writers cost little more than one.
    ///
    /// Cancelling the task keeps a transaction from beginning: while it waits for others nothing has happened, and when its turn
    /// comes it throws `LibraryError.cancelled`. One that has begun is ended and committed, cancelled or not.
    ///
    /// - Parameter durability: what to wait for; see `Durability`.
    /// - Returns: what `body` returns, once the commit is as durable as asked.
    /// - Throws: what `body` throws; `LibraryError` when the library could not be read or written.
    @discardableResult
    public func write<Value: Sendable>(
        _ durability: Durability = .flushed,
        _ body: @Sendable (inout LibraryTransaction) throws -> Value
    ) async throws -> Value {
        if let unavailability { throw unavailability }
        do {
            let (value, leavesOrders) = try await database.write(durability) {
                [newMeta, contents = Self.contents] trees in
                try LibraryTransaction.run(on: &trees, contents, new: newMeta) { library in
                    (try body(&library), library.leavesOrders)
                }
            }
            if buildsOrders, leavesOrders || orderBuilding.isInterrupted { beginOrderBuilding() }
            return value
        } catch {
            throw LibraryError.translated(error)
        }
    }

    /// `write` where no closure of a caller's can throw errors of its own.
    package func transact<Value: Sendable>(
        _ durability: Durability = .flushed,
        _ body: @Sendable (inout LibraryTransaction) throws(LibraryError) -> Value
    ) async throws(LibraryError) -> Value {
        return try await translatingErrors {
            return try await write(durability, body)
        }
    }
}
