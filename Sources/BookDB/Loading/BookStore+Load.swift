import StorageEngine

extension BookStore {
    /// Adds books, any number of them, as one durable commit: a first import, a catalogue, a backup.
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
    /// - Parameter body: runs on a thread of its own. When it throws, nothing was added.
    /// - Throws: what `body` throws; `BookError` when the library could not be read or written; it is then as it was.
    @discardableResult
    public func load<Value: Sendable>(
        _ body: @escaping @Sendable (inout LibraryLoad) throws -> Value
    ) async throws -> Value {
        if let unavailability { throw unavailability }
        do {
            try await bringFilingUpToDate()
            return try await database.load { [newDevice, newFiling] load in
                var library = try LibraryLoad(load, newDevice: newDevice, newFiling: newFiling)
                let value = try body(&library)
                try library.finish(load)
                return value
            }
        } catch {
            throw BookError.translated(error)
        }
    }
}
