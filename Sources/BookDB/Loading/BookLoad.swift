import RecordStore
import StorageEngine

/// The books of a load.
final class BookLoad: LoadedContents {
    private let version: Version
    private let queue: LoadQueue

    private var authorsOfLoad = AuthorsOfLoad()

    /// The last work, and what has followed it so far.
    private(set) var last: LoadedBook?
    private var books: [LoadedBook] = []
    private var authors: [LoadedAuthor] = []

    private static let batchCount = 256

    init(_ load: Load, filing: FilingTailoring) {
        version = load.version
        queue = LoadQueue(load, filing: filing)
    }

    func add(_ author: Author, _ record: [UInt8]) {
        authorsOfLoad.append(author, record)
        authors.append(LoadedAuthor(author: author, record: record))
    }

    /// Ends the work before, so that the next may begin.
    func endWork() throws(LibraryError) {
        if let last { books.append(last) }
        last = nil
        if books.count >= Self.batchCount { try handOver() }
    }

    func begin(_ book: LoadedBook) { last = book }

    func author(_ id: ID<Author>) throws(LibraryError) -> Author? {
        do throws(RecordProblem) {
            if let author = try authorsOfLoad.author(id) { return author }
        } catch {
            throw .damaged("author \(id) of the load cannot be read: \(error)")
        }
        guard let author = try version.author(id) else { return nil }
        authorsOfLoad.remember(author)
        return author
    }

    package func wait() { queue.wait() }

    package func finish() throws(LibraryError) {
        try endWork()
        try handOver()
        try queue.finish()
    }

    private func handOver() throws(LibraryError) {
        try queue.add(LoadBatch(books, authors))
        books = []
        authors = []
    }
}
