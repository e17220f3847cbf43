import BookDB

/// A work with the fields that both libraries of `DeclaredBenchmark` keep, and no other.
struct InventedBook: Sendable {
    /// Without its authors.
    var work: Work
    /// Their indices among all authors.
    var authors: [Int]
    /// Its work is to be set.
    var entry: UserLibraryEntry?
}

/// The authors and books of a sample library, in the order in which they were added.
struct InventedBooks: Sendable {
    private(set) var authors: [Author] = []
    private(set) var books: [InventedBook] = []

    init(works: Int) async throws {
        let store = try await BookStore.sample(works: works)
        let snapshot = store.snapshot
        var indices: [BookDB.ID<Author>: Int] = [:]
        for item in snapshot.works.list(by: .added, direction: .reverse) {
            guard let details = try snapshot.works.details(item.id) else { fatalError("a listed work is missing") }
            for author in details.authors where indices[author.id] == nil {
                indices[author.id] = authors.count
                authors.append(Author(author.name, sortName: author.sortName))
            }
            let work = details.work
            books.append(
                InventedBook(
                    work: Work(
                        title: work.title, year: work.firstPublicationYear, sortTitle: work.sortTitle,
                        language: work.language, series: work.series, dateAdded: work.dateAdded),
                    authors: work.authors.compactMap { indices[$0] },
                    entry: details.entry.map {
                        UserLibraryEntry(
                            for: .unassigned, status: $0.status, rating: $0.rating, dateFinished: $0.dateFinished,
                            tags: $0.tags)
                    }))
        }
        try await store.close()
    }
}
