import BookDB
import TestSupport

/// One write of both libraries at a time, on the medium and in memory.
struct ComparedWrites {
    let libraries: ComparedLibraries

    func run() async throws {
        for (words, durability, repetitions) in [
            ("durable", Durability.flushed, 300), ("in memory", .memory, 1000),
        ] {
            try await inserts("one \(words) insert", durability, repetitions)
            try await titles("one \(words) change of a title", durability, repetitions)
            try await statuses("one \(words) change of a status", durability, repetitions)
        }
    }

    private func inserts(_ what: String, _ durability: Durability, _ repetitions: Int) async throws {
        try await compare(what, repetitions) { place in
            let book = libraries.invented.books[place]
            let authors = libraries.authors
            try await libraries.books.write(durability) { library in
                try book.insert(into: &library, authors: authors, titleEnding: "again")
            }
        } _: { place in
            let book = libraries.invented.books[place]
            var work = DeclaredWork(book, authors: book.authors.map { libraries.declaredAuthors[$0] })
            work.title += " again"
            try await libraries.declared.insert(work, durability)
        }
    }

    private func titles(_ what: String, _ durability: Durability, _ repetitions: Int) async throws {
        try await compare(what, repetitions) { place in
            let title = otherTitle(place)
            try await libraries.books.update(libraries.works[place], durability) { $0.title = title }
        } _: { place in
            let title = otherTitle(place)
            try await libraries.declared.update(libraries.declaredWorks[place], durability) { $0.title = title }
        }
    }

    /// That of another book.
    private func otherTitle(_ place: Int) -> String {
        let books = libraries.invented.books
        return books[(place + books.count / 2) % books.count].work.title + " changed"
    }

    private func statuses(_ what: String, _ durability: Durability, _ repetitions: Int) async throws {
        try await compare(what, repetitions) { place in
            try await libraries.books.updateEntry(of: libraries.works[place], durability) {
                $0.status = $0.status == .read ? .reading : .read
            }
        } _: { place in
            try await libraries.declared.update(libraries.declaredWorks[place], durability) {
                $0.status = $0.status == .read ? .reading : .read
            }
        }
    }

    /// Times writes of the same books in both, one after the other.
    private func compare(
        _ what: String, _ repetitions: Int, _ books: (Int) async throws -> Void,
        _ declared: (Int) async throws -> Void
    ) async throws {
        var random = SeededGenerator(seed: 2)
        var watches = (first: Stopwatch(), second: Stopwatch())
        let clock = ContinuousClock()
        for _ in 0..<repetitions {
            let place = Int(random.next() % UInt64(libraries.works.count))
            watches.first.add(try await clock.measure { try await books(place) })
            watches.second.add(try await clock.measure { try await declared(place) })
        }
        DeclaredBenchmark.printLine(what, watches)
    }
}
