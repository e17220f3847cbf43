import StorageEngine

extension BookStore {
    /// Adds books and an app's own records, any number of them, as one durable commit: a first import, a catalogue, a backup.
    ///
    /// ```swift
    /// try await store.load { library in
    ///     let author = try library.insert(Author("Ursula K. Le Guin"))
    ///     let work = try library.insert(Work("The Dispossessed", by: author, year: 1974))
    ///     try library.set(UserLibraryEntry(for: work, status: .read))
    /// }
    /// ```
    ///
    /// What lists, orders, searches and indexes need is sorted and written in one go, which takes a fraction of inserting the books
    /// one by one, and no more memory for more books. Reading goes on; transactions wait until the load has ended. Where the books
    /// are few beside the library they become an ordinary transaction.
    ///
    /// Types of an app's own records are named first, so that the library has their orders, keys and links before the load begins:
    ///
    /// ```swift
    /// try await store.load(Account.self, Transfer.self) { library in
    ///     let savings = try library.insert(Account(name: "Savings"))
    ///     for amount in [100, -20, 7] { try library.insert(Transfer(account: savings, amount: Money(amount))) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: what `makeOrders(of:)` is to be done for, in a commit before the load.
    ///   - body: runs on a thread of its own. When it throws, nothing was added.
    /// - Throws: what `body` throws; `BookError` when the library could not be read or written; it is then as it was.
    @discardableResult
    public func load<each Kind: Record, Value: Sendable>(
        _ kind: repeat (each Kind).Type, adding body: @escaping @Sendable (inout LibraryLoad) throws -> Value
    ) async throws -> Value {
        if let unavailability { throw unavailability }
        do {
            try await bringFilingUpToDate()
            for type in repeat each kind {
                try await transact(.flushed) { (library) throws(BookError) in try library.makeOrders(of: type) }
            }
            return try await database.load { [newDevice, newFiling] load in
                var library = try LibraryLoad(load, newDevice: newDevice, newFiling: newFiling)
                let value = try body(&library)
                try library.finish()
                return value
            }
        } catch {
            throw BookError.translated(error)
        }
    }
}
