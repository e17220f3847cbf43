import BookDB
import Foundation

/// What inserting full works takes, many in one durable commit or each in its own: works with their editions, the reader's entry and texts.
///
///     swift run -c release LibraryBenchmarks FOLDER --batches WORKS …
struct BatchBenchmark {
    let folder: String
    let works: Int
    private static let bookCount = 10_000

    func run() async throws {
        let path = folder + "/Batches-\(works).bookdb"
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        let invented = try await InventedBooks(works: Self.bookCount, .all)
        let books = invented.books
        let store = try BookStore(at: path)
        try await store.fill(withSample: works)
        let authors = try await store.write { library in try invented.authors.map { try library.insert($0) } }
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
                            for book in commit {
                                try book.insert(into: &library, authors: authors, titleEnding: "\(batch)")
                            }
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
}
