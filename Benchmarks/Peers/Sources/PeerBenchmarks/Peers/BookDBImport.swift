import BookDB

/// The way into BookDB for many works at once: a load.
struct BookDBImport {
    let store: BookStore
    /// The store has the authors already, under the numbers they have in the file.
    let keepsAuthors: Bool

    func run(_ file: BookFile) async throws {
        try await store.load { [keepsAuthors] library in
            var authors: [Int64: ID<Author>] = [:]
            try file.forEachBatch { books, _ in
                for book in books {
                    for author in book.newAuthors where !keepsAuthors {
                        authors[author.id] = try library.insert(Author(author.name, sortName: author.sortName))
                    }
                    let work = try library.insert(book.work.work(by: book.work.authors.map { authors[$0] ?? ID($0) }))
                    for edition in book.editions { _ = try library.insert(edition.edition(of: work)) }
                    if let entry = book.entry { try library.set(entry.entry(for: work)) }
                }
            }
        }
    }
}
