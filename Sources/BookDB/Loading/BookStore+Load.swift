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
    /// one by one, and hardly more memory for more books. Reading goes on; transactions wait until the load has ended. Where the books
    /// are few beside the library they become an ordinary transaction.
    ///
    /// An app's own records are about as quick as in one transaction, quicker where they have unique keys, and need not fit into memory. Their types
    /// are named first, so that the library knows their orders, keys and links before the load begins:
    ///
    /// ```swift
    /// try await store.load(Account.self, Transfer.self) { library in
    ///     let savings = try library.insert(Account(name: "Savings"))
    ///     for amount in [100, -20, 7] { try library.insert(Transfer(account: savings, amount: Money(amount))) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: a type whose indexes, orders and links are made first where they are new, in a commit for each type, which stays whatever
    ///     becomes of the load. An order of more than 1,024 records is begun only: await `makeOrders(of:)` for those.
    ///   - body: runs on a thread of its own. When it throws, nothing was added. A task that is cancelled meanwhile adds nothing either, and
    ///     throws when the body has ended.
    /// - Throws: what `body` throws; `BookError` when the library could not be read or written. Nothing was added then.
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
