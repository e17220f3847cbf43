import BookDB

/// A work of a sample library, to be inserted into another.
struct InventedBook: Sendable {
    /// Without its authors.
    var work: Work
    /// Their indices among all authors.
    var authors: [Int]
    /// Their work is to be set.
    var editions: [Edition] = []
    /// Its work is to be set.
    var entry: UserLibraryEntry?

    /// - Parameter authors: the identifiers of all authors.
    func insert(
        into library: inout LibraryTransaction, authors all: [BookDB.ID<Author>], titleEnding ending: String
    ) throws {
        var work = work
        work.title += " " + ending
        work.authors = authors.map { all[$0] }
        let id = try library.insert(work)
        for var edition in editions {
            edition.work = id
            try library.insert(edition)
        }
        if var entry {
            entry.work = id
            try library.set(entry)
        }
    }
}

/// The authors and books of a sample library, in the order in which they were added.
struct InventedBooks: Sendable {
    private(set) var authors: [Author] = []
    private(set) var books: [InventedBook] = []

    enum Fields {
        /// With editions and texts.
        case all
        /// Those that both libraries of `DeclaredBenchmark` keep, and no other.
        case declared
    }

    init(works: Int, _ fields: Fields = .declared) async throws {
        let store = try await BookStore.sample(works: works)
        let snapshot = store.snapshot
        var indices: [BookDB.ID<Author>: Int] = [:]
        for item in snapshot.works.list(by: .added, direction: .reverse) {
            guard let details = try snapshot.works.details(item.id) else { fatalError("a listed work is missing") }
            for author in details.authors where indices[author.id] == nil {
                indices[author.id] = authors.count
                authors.append(Author(author.name, sortName: author.sortName))
            }
            let places = details.work.authors.compactMap { indices[$0] }
            let book =
                switch fields {
                case .all: Self.full(details, authors: places)
                case .declared: Self.declared(details, authors: places)
                }
            books.append(book)
        }
        try await store.close()
    }

    private static func full(_ details: WorkDetails, authors: [Int]) -> InventedBook {
        let work = details.work
        return InventedBook(
            work: Work(
                title: work.title, year: work.firstPublicationYear, subtitle: work.subtitle, sortTitle: work.sortTitle,
                language: work.language, description: work.description, subjects: work.subjects, series: work.series,
                dateAdded: work.dateAdded),
            authors: authors,
            editions: details.editions.map {
                Edition(
                    of: .unassigned, isbns: $0.isbns, title: $0.title, publisher: $0.publisher, pageCount: $0.pageCount,
                    format: $0.format, publicationYear: $0.publicationYear, language: $0.language,
                    identifiers: $0.identifiers)
            },
            entry: details.entry)
    }

    private static func declared(_ details: WorkDetails, authors: [Int]) -> InventedBook {
        let work = details.work
        return InventedBook(
            work: Work(
                title: work.title, year: work.firstPublicationYear, sortTitle: work.sortTitle, language: work.language,
                series: work.series, dateAdded: work.dateAdded),
            authors: authors,
            entry: details.entry.map {
                UserLibraryEntry(
                    for: .unassigned, status: $0.status, rating: $0.rating, dateFinished: $0.dateFinished, tags: $0.tags
                )
            })
    }
}
