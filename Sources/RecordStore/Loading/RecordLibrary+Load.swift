import StorageEngine

extension RecordLibrary {
    /// Adds records, any number of them, as one durable commit: a first import, a catalogue, a backup.
    ///
    /// ```swift
    /// try await library.load(Account.self, Transfer.self) { ledger in
    ///     let savings = try ledger.insert(Account(name: "Savings"))
    ///     for amount in [100, -20, 7] { try ledger.insert(Transfer(account: savings, amount: Money(amount))) }
    /// }
    /// ```
    ///
    /// The types are named first, so that the library knows their orders, keys and links before the load begins. What lists, orders,
    /// searches and indexes need is sorted and written in one go. Reading goes on; transactions wait until the load has ended. Where the
    /// records are few beside the library they become an ordinary transaction.
    ///
    /// Declared records are about as quick as in one transaction, quicker where they have unique keys, and need not fit into memory.
    ///
    /// - Parameters:
    ///   - kind: a type whose indexes, orders and links are made first where they are new, in a commit for each type, which stays whatever
    ///     becomes of the load. An order of more than 1,024 records is begun only: await `makeOrders(of:)` for those.
    ///   - body: runs on a thread of its own. When it throws, nothing was added. A task that is cancelled meanwhile adds nothing either, and
    ///     throws when the body has ended: it is no part of the task, so a long one that is to end sooner has to be told in another way.
    /// - Throws: what `body` throws; `LibraryError.cancelled` when the task is cancelled, and another `LibraryError` when the library could not
    ///   be read or written. Nothing was added then.
    @discardableResult
    public func load<each Kind: Record, Value: Sendable>(
        _ kind: repeat (each Kind).Type, adding body: @escaping @Sendable (inout LibraryLoad) throws -> Value
    ) async throws -> Value {
        do {
            try await bringUpToDate()
            for type in repeat each kind {
                try await transact(.flushed) { (library) throws(LibraryError) in try library.makeOrders(of: type) }
            }
            return try await database.load { [newMeta] load in
                var library = try LibraryLoad(load, new: newMeta)
                let value = try body(&library)
                try library.finish()
                return value
            }
        } catch {
            throw LibraryError.translated(error)
        }
    }
}
