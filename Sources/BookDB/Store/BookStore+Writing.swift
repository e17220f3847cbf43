import StorageEngine

extension BookStore {
    /// Changes the library: everything `body` does becomes visible and durable together, and a throw undoes all of it.
    ///
    /// Transactions run one at a time, in the order they arrive. Commits that arrive during a device flush share the
    /// next one, so many writers cost little more than one.
    ///
    /// - Parameter durability: what to wait for; see `Durability`.
    /// - Returns: what `body` returns, once the commit is as durable as asked.
    /// Cancelling the task keeps a transaction from beginning: while it waits for others nothing has happened, and when its turn
    /// comes it throws `BookError.cancelled`. One that has begun is ended and committed, cancelled or not.
    ///
    /// - Throws: what `body` throws; `BookError` when the library could not be read or written.
    @discardableResult
    public func write<Value: Sendable>(
        _ durability: Durability = .flushed,
        _ body: @Sendable (inout LibraryTransaction) throws -> Value
    ) async throws -> Value {
        if let unavailability { throw unavailability }
        do {
            let (value, leavesOrders) = try await database.write(durability) { [newDevice, newFiling] trees in
                try LibraryTransaction.run(on: &trees, newDevice: newDevice, newFiling: newFiling) { library in
                    (try body(&library), library.leavesOrders)
                }
            }
            if buildsOrders, leavesOrders || orderBuilding.isInterrupted { beginOrderBuilding() }
            return value
        } catch {
            throw BookError.translated(error)
        }
    }

    /// Changes one work: `try await store.update(id) { $0.title = "The Hobbit" }`.
    ///
    /// - Throws: `BookError.recordNotFound` when there is no such work, and as `write` does.
    public func update(
        _ id: ID<Work>, _ durability: Durability = .flushed, _ change: @Sendable (inout Work) -> Void
    ) async throws(BookError) {
        try await transact(durability) { (library) throws(BookError) in
            guard var work = try library.work(id) else {
                throw BookError.recordNotFound("There is no work \(id) to update.")
            }
            change(&work)
            try library.update(work)
        }
    }

    /// Changes many works, such as all of a series that is renamed, so many in each commit: other writers get their turn in between, and
    /// none waits for more than one of these.
    ///
    /// ```swift
    /// let ids = store.snapshot.works.list(inSeries: "Discworld").map(\.id)
    /// try await store.updateEach(ids) { work in
    ///     for index in work.series.indices where work.series[index].name == "Discworld" {
    ///         work.series[index].name = "The Discworld"
    ///     }
    /// }
    /// ```
    ///
    /// Some 30 microseconds a work. A work that is no longer there is passed over.
    ///
    /// - Precondition: `batchSize` is at least 1.
    /// - Throws: as `write` does. Works of the commits before are changed then, and the rest is as it was; what is done twice is done,
    ///   so the same call again goes on.
    public func updateEach(
        _ ids: some Sequence<ID<Work>>, batchSize: Int = 200, _ durability: Durability = .flushed,
        _ change: @Sendable (inout Work) -> Void
    ) async throws(BookError) {
        precondition(batchSize > 0, "a commit changes at least one work")
        var rest = Array(ids)[...]
        while !rest.isEmpty {
            let batch = rest.prefix(batchSize)
            rest = rest.dropFirst(batchSize)
            try await transact(durability) { (library) throws(BookError) in
                for id in batch {
                    guard var work = try library.work(id) else { continue }
                    change(&work)
                    try library.update(work)
                }
            }
        }
    }

    /// Changes what the reader did with a work, beginning an entry when there is none:
    /// `try await store.updateEntry(of: id) { $0.status = .read }`.
    ///
    /// - Throws: `BookError.recordNotFound` when there is no such work, and as `write` does.
    public func updateEntry(
        of id: ID<Work>, _ durability: Durability = .flushed, _ change: @Sendable (inout UserLibraryEntry) -> Void
    ) async throws(BookError) {
        try await transact(durability) { (library) throws(BookError) in
            var entry = try library.entry(of: id) ?? UserLibraryEntry(for: id)
            change(&entry)
            try library.set(entry)
        }
    }

    /// `write` where no closure of a caller's can throw errors of its own.
    func transact<Value: Sendable>(
        _ durability: Durability = .flushed,
        _ body: @Sendable (inout LibraryTransaction) throws(BookError) -> Value
    ) async throws(BookError) -> Value {
        do {
            return try await write(durability, body)
        } catch {
            throw BookError(caught: error)
        }
    }
}
