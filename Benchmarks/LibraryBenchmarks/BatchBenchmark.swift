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
        let filled = try BookStore(at: path)
        try await filled.fill(withSample: works)
        try await filled.close()
        // As an app finds its library: no page of it was touched by this process.
        let store = try await BookStore.open(at: path)
        let authors = try await store.write { library in try invented.authors.map { try library.insert($0) } }
        print("\nFull works inserted beside \(works), microseconds each\n")
        print("| works in a durable commit | elapsed | of all processors |\n|---:|---:|---:|")
        let count = books.count / 5
        for batch in [1, 10, 100, 500] {
            try await measure("\(batch)", count) { round in
                let part = books[round * count..<(round + 1) * count]
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
        try await measure("1, by \(Self.writerCount) writers", count) { round in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<Self.writerCount {
                    group.addTask {
                        for index in stride(from: round * count + writer, to: (round + 1) * count, by: Self.writerCount)
                        {
                            try await store.write { library in
                                try books[index].insert(into: &library, authors: authors, titleEnding: "together")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await store.close()
    }

    private static let writerCount = 64

    private func measure(_ name: String, _ count: Int, _ round: (Int) async throws -> Void) async throws {
        var times = LoadTimes.Times()
        for number in 0..<5 { try await times.add { try await round(number) } }
        let unit = Double(1000 * count)
        print(
            "| \(name) | \(String(format: "%.1f", Double(times.elapsed.median) / unit)) "
                + "| \(String(format: "%.1f", Double(times.processor.median) / unit)) |")
    }
}
