import BookDB
import Foundation
import StorageEngine

/// The same books twice: as the library's own kind, and as records that an app declares.
struct ComparedLibraries {
    let invented: InventedBooks
    let books: BookStore
    let declared: RecordLibrary
    /// In the order of the invented ones, as are those of the others.
    let works: [BookDB.ID<Work>]
    let authors: [BookDB.ID<Author>]
    let declaredWorks: [Reference<DeclaredWork>]
    let declaredAuthors: [Reference<DeclaredAuthor>]

    static func booksPath(in folder: String) -> String { folder + "/Compared-books.bookdb" }
    static func declaredPath(in folder: String) -> String { folder + "/Compared-declared.bookdb" }

    /// Loads both several times, turn by turn, and keeps the libraries of the last turn.
    static func loaded(
        in folder: String, _ invented: InventedBooks, turns: Int
    ) async throws -> (libraries: ComparedLibraries, times: LoadTimes) {
        var times = LoadTimes()
        var kept: ComparedLibraries?
        for _ in 0..<turns {
            try await kept?.close()
            let searched = try BookStore(at: emptied(booksPath(in: folder)))
            _ = try await times.searched.add { try await load(invented, into: searched) }
            try await searched.close()
            let books = try BookStore(
                at: emptied(booksPath(in: folder)), fileSystem: PosixFileSystem(), leastSearchFileRowCount: .max)
            let (authors, works) = try await times.books.add { try await load(invented, into: books) }
            let declared = try RecordLibrary(at: emptied(declaredPath(in: folder)))
            let (declaredAuthors, declaredWorks) = try await times.declared.add {
                try await loadRecords(invented, into: declared)
            }
            kept = ComparedLibraries(
                invented: invented, books: books, declared: declared, works: works, authors: authors,
                declaredWorks: declaredWorks, declaredAuthors: declaredAuthors)
        }
        guard let kept else { fatalError("nothing was loaded") }
        return (kept, times)
    }

    func compact() async throws {
        try await books.compact()
        try await declared.compact()
    }

    func close() async throws {
        try await books.close()
        try await declared.close()
    }

    private static func emptied(_ path: String) -> String {
        try? FileManager.default.removeItem(atPath: path)
        return path
    }

    private static func load(
        _ invented: InventedBooks, into store: BookStore
    ) async throws -> ([BookDB.ID<Author>], [BookDB.ID<Work>]) {
        try await store.load { library in
            var authors: [BookDB.ID<Author>] = []
            for author in invented.authors { authors.append(try library.insert(author)) }
            var works: [BookDB.ID<Work>] = []
            for book in invented.books {
                var work = book.work
                work.authors = book.authors.map { authors[$0] }
                let id = try library.insert(work)
                if var entry = book.entry {
                    entry.work = id
                    try library.set(entry)
                }
                works.append(id)
            }
            return (authors, works)
        }
    }

    private static func loadRecords(
        _ invented: InventedBooks, into store: RecordLibrary
    ) async throws -> ([Reference<DeclaredAuthor>], [Reference<DeclaredWork>]) {
        try await store.load(DeclaredAuthor.self, DeclaredWork.self) { library in
            var authors: [Reference<DeclaredAuthor>] = []
            for author in invented.authors {
                authors.append(try library.insert(DeclaredAuthor(name: author.name, sortName: author.sortName)))
            }
            var works: [Reference<DeclaredWork>] = []
            for book in invented.books {
                let named = book.authors.map { authors[$0] }
                works.append(try library.insert(DeclaredWork(book, authors: named)))
            }
            return (authors, works)
        }
    }
}
