import RecordStore
import StorageEngine

extension BookStore {
    /// Adds one work, whose authors are in the library: `try await store.insert(Work("The Hobbit", by: tolkien))`.
    ///
    /// - Throws: as `LibraryTransaction.insert`, and as `write` does.
    @discardableResult
    public func insert(_ work: Work, _ durability: Durability = .flushed) async throws(LibraryError) -> ID<Work> {
        try await transact(durability) { (library) throws(LibraryError) in try library.insert(work) }
    }

    /// Deletes one work with its editions and the reader's entry.
    ///
    /// - Returns: whether there was such a work.
    /// - Throws: as `LibraryTransaction.delete`, and as `write` does.
    @discardableResult
    public func delete(_ id: ID<Work>, _ durability: Durability = .flushed) async throws(LibraryError) -> Bool {
        try await transact(durability) { (library) throws(LibraryError) in try library.delete(id) }
    }

    /// Deletes works with their editions and entries in one commit, such as those a reader marks in a list.
    ///
    /// - Returns: how many of them there were.
    /// - Throws: as `LibraryTransaction.delete`, and as `write` does.
    @discardableResult
    public func delete(
        _ ids: some Sequence<ID<Work>>, _ durability: Durability = .flushed
    ) async throws(LibraryError) -> Int {
        let ids = Array(ids)
        return try await transact(durability) { (library) throws(LibraryError) in try library.delete(ids) }
    }

    /// Changes one work: `try await store.update(id) { $0.title = "The Hobbit" }`.
    ///
    /// - Throws: `LibraryError.recordNotFound` when there is no such work; `.invalidValue` when it would be none that is stored, or is given
    ///   another identifier; and as `write` does.
    public func update(
        _ id: ID<Work>, _ durability: Durability = .flushed, _ change: @Sendable (inout Work) -> Void
    ) async throws(LibraryError) {
        try await transact(durability) { (library) throws(LibraryError) in
            guard var work = try library.work(id) else {
                throw LibraryError.recordNotFound("There is no work \(id) to update.")
            }
            change(&work)
            try work.requireIdentifier(id)
            try library.update(work)
        }
    }

    /// Changes many works, such as the covers of all of an author, so many in each commit: other writers get their turn in between, and
    /// none waits for more than one of these. All of a tag or a series are renamed by `LibraryTransaction.renameTag` and `renameSeries`.
    ///
    /// ```swift
    /// let ids = store.snapshot.works.list(.series("Discworld")).map(\.id)
    /// try await store.updateEach(ids) { work in work.language = "en" }
    /// ```
    ///
    /// Some 30 microseconds a work. A work that is no longer there is passed over.
    ///
    /// - Parameter batchSize: works of one commit, at least 1.
    /// - Throws: `LibraryError.invalidArgument` for another batch size; `LibraryError.invalidValue` as `update` does, and as `write` does. Works of the commits before are changed then, and the rest is as
    ///   it was; what is done twice is done, so the same call again goes on.
    public func updateEach(
        _ ids: some Sequence<ID<Work>>, batchSize: Int = 200, _ durability: Durability = .flushed,
        _ change: @Sendable (inout Work) -> Void
    ) async throws(LibraryError) {
        guard batchSize > 0 else {
            throw .invalidArgument("A batch has one work or more, not \(batchSize).")
        }
        var rest = Array(ids)[...]
        while !rest.isEmpty {
            let batch = rest.prefix(batchSize)
            rest = rest.dropFirst(batchSize)
            try await transact(durability) { (library) throws(LibraryError) in
                for id in batch {
                    guard var work = try library.work(id) else { continue }
                    change(&work)
                    try work.requireIdentifier(id)
                    try library.update(work)
                }
            }
        }
    }

    /// Changes what the reader did with a work, beginning an entry when there is none:
    /// `try await store.updateEntry(of: id) { $0.status = .read }`.
    ///
    /// - Throws: `LibraryError.recordNotFound` when there is no such work; `.invalidValue` for a blank tag, a count that is none, or an entry that
    ///   is given another work; and as `write` does.
    public func updateEntry(
        of id: ID<Work>, _ durability: Durability = .flushed, _ change: @Sendable (inout UserLibraryEntry) -> Void
    ) async throws(LibraryError) {
        try await transact(durability) { (library) throws(LibraryError) in
            var entry = try library.entry(of: id) ?? UserLibraryEntry(for: id)
            change(&entry)
            guard entry.work == id else { throw .invalidValue("An entry stays with its work, here \(id).") }
            try library.set(entry)
        }
    }
}

extension Work {
    fileprivate func requireIdentifier(_ id: BookDB.ID<Work>) throws(LibraryError) {
        guard self.id == id else { throw .invalidValue("A work keeps its identifier, here \(id).") }
    }
}
