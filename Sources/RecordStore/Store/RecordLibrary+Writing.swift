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
    /// `body` may be run again, from its beginning, before anything of it is committed: where it needs a new unique key of very many records, that is
    /// made first, while others write. Only the last run counts.
    ///
    /// - Parameter durability: what to wait for; see `Durability`.
    /// - Returns: what `body` returns, once the commit is as durable as asked.
    /// - Throws: what `body` throws; `LibraryError` when the library could not be read or written.
    @discardableResult
    public func write<Value: Sendable>(
        _ durability: Durability = .flushed,
        _ body: @Sendable (inout LibraryTransaction) throws -> Value
    ) async throws -> Value {
        try await write(durability, maximumRunCount: Self.maximumRunCount, body)
    }

    /// Another version of the app may drop what was made in between; then the last run looks through the records itself.
    private static var maximumRunCount: Int { 4 }

    private func write<Value: Sendable>(
        _ durability: Durability, maximumRunCount: Int, _ body: @Sendable (inout LibraryTransaction) throws -> Value
    ) async throws -> Value {
        let call = launch.userCalls.begin()
        defer { launch.userCalls.end(call) }
        var (runCount, waitCount) = (0, 0)
        while true {
            runCount += 1
            do {
                let (value, leavesOrders) = try await database.write(durability) {
                    [
                        newMeta, contents = Self.contents, mayRunAgain = runCount < maximumRunCount,
                        mayWait = waitCount < Self.maximumRunCount, undoHistory
                    ] trees in
                    let outcome = try LibraryTransaction.run(
                        on: &trees, contents, new: newMeta, mayRunAgain: mayRunAgain, mayWait: mayWait,
                        keepsUndo: undoHistory.isOn
                    ) { library in
                        (try body(&library), library.leavesOrders)
                    }
                    if undoHistory.isOn {
                        undoHistory.noteMade(trees.commitNumber, (trees.note as? LibraryChanges)?.undo)
                    }
                    return outcome
                }
                if buildsOrders, leavesOrders || orderBuilding.isInterrupted { beginOrderBuilding() }
                return value
            } catch let needed as UniqueKeysNeeded {
                try await makeUniqueKeys(needed)
            } catch is DerivedAnewNeeded {
                // Nothing of the body has run.
                runCount -= 1
                waitCount += 1
                do throws(LibraryError) {
                    try await bringUpToDate()
                } catch {
                    if error == .cancelled { throw error }
                    // A load writes all of the library, so it needs room, and every page of it. The next run makes what it needs by itself.
                    waitCount = Self.maximumRunCount
                }
            } catch {
                throw LibraryError.translated(error)
            }
        }
    }

    /// `write` where no closure of a caller's can throw errors of its own.
    ///
    /// - Parameter runsOnce: for a body that changes what lies outside of the transaction.
    package func transact<Value: Sendable>(
        _ durability: Durability = .flushed, runsOnce: Bool = false,
        _ body: @Sendable (inout LibraryTransaction) throws(LibraryError) -> Value
    ) async throws(LibraryError) -> Value {
        try await translatingErrors {
            try await write(durability, maximumRunCount: runsOnce ? 1 : Self.maximumRunCount, body)
        }
    }
}
