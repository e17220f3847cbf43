import BookDB
import Foundation

/// What inserting full works takes, many in one durable commit or each in its own: works with their editions, the reader's entry and texts.
///
///     swift run -c release LibraryBenchmarks FOLDER --batches WORKS …
struct BatchBenchmark {
    let folder: String
    let works: Int
    private static let bookCount = 10_000

    private struct Book: Sendable {
        var work: Work
        /// Indices among all authors.
        var authors: [Int]
        var editions: [Edition]
        var entry: UserLibraryEntry?
    }

    func run() async throws {
        let path = folder + "/Batches-\(works).bookdb"
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        let (names, books) = try await inventedBooks()
        let store = try BookStore(at: path)
        try await store.fill(withSample: works)
        let authors = try await store.write { library in try names.map { try library.insert(Author($0)) } }
        print("\nFull works inserted beside \(works), microseconds each\n")
        print("| works in a durable commit | elapsed | of all processors |\n|---:|---:|---:|")
        for batch in [1, 10, 100, 500] {
            var times = LoadTimes.Times()
            let count = books.count / 5
            for round in 0..<5 {
                let part = books[round * count..<(round + 1) * count]
                try await times.add {
                    for start in stride(from: part.startIndex, to: part.endIndex, by: batch) {
                        let commit = part[start..<min(start + batch, part.endIndex)]
                        try await store.write { library in
                            for book in commit { try Self.insert(book, authors, "\(batch)", into: &library) }
                        }
                    }
                }
            }
            let unit = Double(1000 * count)
            print(
                "| \(batch) | \(String(format: "%.1f", Double(times.elapsed.median) / unit)) "
                    + "| \(String(format: "%.1f", Double(times.processor.median) / unit)) |")
        }
        try await store.close()
    }

    private static func insert(
        _ book: Book, _ authors: [BookDB.ID<Author>], _ suffix: String, into library: inout LibraryTransaction
    ) throws {
        var work = book.work
        work.title += " \(suffix)"
        work.authors = book.authors.map { authors[$0] }
        let id = try library.insert(work)
        for var edition in book.editions {
            edition.work = id
            try library.insert(edition)
        }
        if var entry = book.entry {
            entry.work = id
            try library.set(entry)
        }
    }

    /// Those of a sample library, in the order in which they were added.
    private func inventedBooks() async throws -> (authors: [String], books: [Book]) {
        let store = try await BookStore.sample(works: Self.bookCount)
        var indices: [BookDB.ID<Author>: Int] = [:]
        var names: [String] = []
        var books: [Book] = []
        for item in store.snapshot.works.list(by: .added, direction: .reverse) {
            guard let details = try store.snapshot.works.details(item.id) else {
                fatalError("a listed work is missing")
            }
            for author in details.authors where indices[author.id] == nil {
                indices[author.id] = names.count
                names.append(author.name)
            }
            let work = details.work
            books.append(
                Book(
                    work: Work(
                        title: work.title, year: work.firstPublicationYear, subtitle: work.subtitle,
                        sortTitle: work.sortTitle, language: work.language, description: work.description,
                        subjects: work.subjects, series: work.series, dateAdded: work.dateAdded),
                    authors: work.authors.compactMap { indices[$0] },
                    editions: details.editions.map {
                        Edition(
                            of: .unassigned, isbns: $0.isbns, title: $0.title, publisher: $0.publisher,
                            pageCount: $0.pageCount, format: $0.format, publicationYear: $0.publicationYear,
                            language: $0.language, identifiers: $0.identifiers)
                    },
                    entry: details.entry))
        }
        try await store.close()
        return (names, books)
    }
}
