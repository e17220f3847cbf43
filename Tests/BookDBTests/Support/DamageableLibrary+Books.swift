import BookDB
import LibrarySupport
import StorageEngine

typealias DamageableLibrary = LibrarySupport.DamageableLibrary<BookStore>

extension LibrarySupport.DamageableLibrary where Library == BookStore {
    /// Works with everything that can be lost: a subject, a description, an edition or two, and for every third an entry
    /// with notes. Works 1 and 2 of each ten share an author, work 5 has two. Long fields give trees of several pages to few
    /// works. Compacted, so that all of it lies in pages.
    static func make(works: Int) async throws -> DamageableLibrary {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem, device: 1)
        let padding = String(repeating: ".", count: 250)
        try await store.write { library in
            var author = ID<Author>.unassigned
            for number in 0..<works {
                let digits = String(10_000 + number).dropFirst()
                if number % 10 != 2 { author = try library.insert(Author("Author \(digits)")) }
                var work = Work("Book \(digits)", by: author)
                if number % 10 == 5 { try work.authors.append(library.insert(Author("Second, \(digits)"))) }
                work.subtitle = "Subtitle \(digits)"
                // In the record and nowhere else.
                work.subjects = ["Subject \(digits)" + padding]
                work.coverURL = "https://covers.example/\(digits)" + padding.prefix(100)
                work.firstPublicationYear = 1900 + number % 100
                work.description = "About book \(digits), in more words than fit beside a key in a page of a tree."
                let id = try library.insert(work)
                try library.insert(
                    Edition(
                        of: id, publisher: "Publisher \(digits)" + padding,
                        identifiers: number.isMultiple(of: 2)
                            ? [SourceIdentifier(source: "goodreads", value: "\(number)")] : []))
                if number.isMultiple(of: 3) { try library.set(.full(for: id)) }
            }
        }
        try await store.compact()
        try await store.close()
        return DamageableLibrary(fileSystem: fileSystem)
    }
}
