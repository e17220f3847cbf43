import Foundation

/// Books in a file, each behind its length: what every store is filled from, without all of it in memory.
struct BookFile {
    let path: String
    /// Whether the store has all authors already, and the books are to go in once more under other numbers.
    var isCopy = false
    var limit = Int.max

    static let batchCount = 10_000

    /// Calls `body` with ten thousand books at a time.
    func forEachBatch(_ body: ([Book], _ isLast: Bool) throws -> Void) throws {
        guard let file = fopen(path, "r") else { throw Failure("cannot read \(path)") }
        defer { fclose(file) }
        var rest = limit
        var batch = next(min(Self.batchCount, rest), file)
        while !batch.isEmpty {
            rest -= batch.count
            let following = next(min(Self.batchCount, rest), file)
            try body(batch, following.isEmpty)
            batch = following
        }
    }

    private func next(_ count: Int, _ file: UnsafeMutablePointer<FILE>) -> [Book] {
        var books: [Book] = []
        var bytes: [UInt8] = []
        while books.count < count {
            var byteCount: UInt32 = 0
            guard fread(&byteCount, 4, 1, file) == 1 else { break }
            if bytes.count < Int(byteCount) { bytes = [UInt8](repeating: 0, count: Int(byteCount) * 2) }
            guard fread(&bytes, Int(byteCount), 1, file) == 1 else { break }
            let book = bytes.withUnsafeBytes { Book(UnsafeRawBufferPointer(rebasing: $0[..<Int(byteCount)])) }
            books.append(isCopy ? book.copy : book)
        }
        return books
    }
}

/// Writes a `BookFile`.
final class BookFileWriter {
    private let file: UnsafeMutablePointer<FILE>
    private var knownAuthors: Set<Int64>

    /// - Parameter knownAuthors: those whom a store has before it is given the first book.
    init(path: String, knownAuthors: Set<Int64> = []) throws {
        guard let file = fopen(path, "w") else { throw Failure("cannot write \(path)") }
        self.file = file
        self.knownAuthors = knownAuthors
    }

    deinit { fclose(file) }

    /// Adds a book, and notes which of its authors no book before it has.
    func append(_ book: Book) {
        var book = book
        book.newAuthors = book.full.authors.filter { knownAuthors.insert($0.id).inserted }
        let bytes = book.packed
        var byteCount = UInt32(bytes.count)
        fwrite(&byteCount, 4, 1, file)
        fwrite(bytes, bytes.count, 1, file)
    }
}
