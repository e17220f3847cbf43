import BookDB

/// The way into BookDB for many works at once: commits of ten thousand works in memory, the last of which flushes all.
struct BookDBImport {
    let store: BookStore
    /// The store has the authors already, under the numbers they have in the file.
    let keepsAuthors: Bool

    func run(_ file: BookFile) async throws {
        var authors: [Int64: ID<Author>] = [:]
        try await file.forEachBatch { [keepsAuthors] books, isLast in
            let known = authors
            authors = try await store.write(isLast ? .flushed : .memory) { library in
                var authors = known
                for book in books {
                    for author in book.newAuthors where !keepsAuthors {
                        authors[author.id] = try library.insert(Author(author.name, sortName: author.sortName))
                    }
                    let work = try library.insert(book.work.work(by: book.work.authors.map { authors[$0] ?? ID($0) }))
                    for edition in book.editions { _ = try library.insert(edition.edition(of: work)) }
                    if let entry = book.entry { try library.set(entry.entry(for: work)) }
                }
                return authors
            }
        }
    }
}
