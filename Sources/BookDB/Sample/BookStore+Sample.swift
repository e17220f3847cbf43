import StorageEngine

extension BookStore {
    /// A store in memory with invented books, for previews, tests and measurements: the same for the same seed.
    ///
    /// ```swift
    /// let store = try await BookStore.sample(works: 5_000)
    /// ```
    public static func sample(works: Int, seed: UInt64 = 7) async throws(LibraryError) -> BookStore {
        let store = try inMemory(device: SampleBooks.device(seed: seed))
        try await store.fill(withSample: works, seed: seed)
        return store
    }

    /// A new library at a path with invented books: the same bytes in every export for the same seed.
    package static func seeded(
        at path: String, works: Int, seed: UInt64, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> BookStore {
        let store = try BookStore(at: path, fileSystem: PosixFileSystem(), device: SampleBooks.device(seed: seed))
        do {
            try await store.fill(withSample: works, seed: seed, progress: progress)
        } catch {
            try? await store.close()
            throw error
        }
        return store
    }

    /// Adds invented books to this store: one commit of up to ten thousand works, or one load of more.
    ///
    /// - Parameter progress: told the number of works added, now and then.
    /// - Throws: `LibraryError.invalidArgument` for a negative count, and as `write` and `load` do.
    public func fill(
        withSample works: Int, seed: UInt64 = 7, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(LibraryError) {
        guard works >= 0 else { throw .invalidArgument("A sample has zero works or more, not \(works).") }
        guard works > Self.commitCount else {
            try await transact { (library) throws(LibraryError) in
                var books = SampleBooks(seed: seed)
                var authors: [ID<Author>] = []
                for book in books.take(works) { try library.insert(book, authors: &authors) }
            }
            progress?(works)
            return
        }
        try await translatingErrors {
            try await loadSample(works, seed: seed, progress: progress)
        }
    }

    private func loadSample(_ works: Int, seed: UInt64, progress: (@Sendable (Int) -> Void)?) async throws {
        try await load { library in
            var books = SampleBooks(seed: seed)
            var authors: [ID<Author>] = []
            for start in stride(from: 0, to: works, by: Self.commitCount) {
                for book in books.take(min(Self.commitCount, works - start)) {
                    try library.insert(book, authors: &authors)
                }
                progress?(min(start + Self.commitCount, works))
            }
        }
    }

    private static let commitCount = 10_000
}

/// What takes new books, one record at a time.
protocol BookSink: ~Copyable {
    mutating func insert(_ author: Author) throws(LibraryError) -> ID<Author>
    mutating func insert(_ work: Work) throws(LibraryError) -> ID<Work>
    mutating func insert(_ edition: Edition) throws(LibraryError) -> ID<Edition>
    mutating func set(_ entry: UserLibraryEntry) throws(LibraryError)
}

extension LibraryTransaction: BookSink {}
extension LibraryLoad: BookSink {}

extension BookSink where Self: ~Copyable {
    /// Inserts a book, and its new authors behind those in `authors`.
    mutating func insert(_ book: SampleBook, authors: inout [ID<Author>]) throws(LibraryError) {
        for author in book.newAuthors {
            authors.append(try insert(author))
        }
        var work = book.work
        work.authors = book.authors.map { authors[$0] }
        let id = try insert(work)
        for var edition in book.editions {
            edition.work = id
            _ = try insert(edition)
        }
        if var entry = book.entry {
            entry.work = id
            try set(entry)
        }
    }
}
