import StorageEngine

extension BookStore {
    /// A store in memory with invented books, for previews, tests and measurements: the same for the same seed.
    ///
    /// ```swift
    /// let store = try await BookStore.sample(works: 5_000)
    /// ```
    public static func sample(works: Int, seed: UInt64 = 7) async throws -> BookStore {
        let store = try inMemory(device: SampleBooks.device(seed: seed))
        try await store.fill(withSample: works, seed: seed)
        return store
    }

    /// A new library at a path with invented books: the same bytes in every export for the same seed.
    package static func seeded(
        at path: String, works: Int, seed: UInt64, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> BookStore {
        let store = try BookStore(at: path, fileSystem: PosixFileSystem(), device: SampleBooks.device(seed: seed))
        try await store.fill(withSample: works, seed: seed, progress: progress)
        return store
    }

    /// Adds invented books to this store, in commits of ten thousand works; the last commit makes all of them durable.
    ///
    /// - Parameter progress: told the number of works added, after each commit.
    public func fill(
        withSample works: Int, seed: UInt64 = 7, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws {
        var books = SampleBooks(seed: seed)
        var authors: [ID<Author>] = []
        var added = 0
        while added < works {
            try Task.checkCancellation()
            let batch = books.take(min(10_000, works - added))
            added += batch.count
            let known = authors
            authors = try await write(added == works ? .flushed : .memory) { transaction in
                var authors = known
                for book in batch {
                    try transaction.insert(book, authors: &authors)
                }
                return authors
            }
            progress?(added)
        }
    }
}

extension LibraryTransaction {
    /// Inserts a book, and its new authors behind those in `authors`.
    fileprivate mutating func insert(_ book: SampleBook, authors: inout [ID<Author>]) throws(BookError) {
        for author in book.newAuthors {
            authors.append(try insert(author))
        }
        var work = book.work
        work.authors = book.authors.map { authors[$0] }
        let id = try insert(work)
        for var edition in book.editions {
            edition.work = id
            try insert(edition)
        }
        if var entry = book.entry {
            entry.work = id
            try set(entry)
        }
    }
}
