import BookDB

/// What takes new books into BookDB: a transaction or a load.
protocol BookSink: ~Copyable {
    mutating func insert(_ author: Author) throws(LibraryError) -> ID<Author>
    mutating func insert(_ work: Work) throws(LibraryError) -> ID<Work>
    mutating func insert(_ edition: Edition) throws(LibraryError) -> ID<Edition>
    mutating func set(_ entry: UserLibraryEntry) throws(LibraryError)
}

extension LibraryTransaction: BookSink {}
extension LibraryLoad: BookSink {}

extension BookSink where Self: ~Copyable {
    /// Inserts a book with all that belongs to it.
    ///
    /// - Parameter authors: the numbers of authors whom the store gave others than the book has; its new ones are added.
    @discardableResult
    mutating func insert(_ book: Book, authors: inout [Int64: ID<Author>]) throws(LibraryError) -> ID<Work> {
        for author in book.newAuthors {
            authors[author.id] = try insert(Author(author.name, sortName: author.sortName))
        }
        let work = try insert(book.full.work.work(by: book.full.work.authors.map { authors[$0] ?? ID($0) }))
        for edition in book.full.editions { _ = try insert(edition.edition(of: work)) }
        if let entry = book.full.entry { try set(entry.entry(for: work)) }
        return work
    }
}
