import BookDB
import TestSupport

/// What one full work costs, whichever it is: all of the library's in a random order, and what each part of them takes alone.
struct FullWorkBenchmark {
    let path: String

    func run() throws {
        let store = try BookStore(at: path, access: .readOnly)
        let snapshot = store.snapshot
        var ids = Array(snapshot.works.list()).map(\.id)
        var random = SeededGenerator(seed: 1)
        ids.shuffle(using: &random)
        ids = Array(ids.prefix(200_000))
        let works = snapshot.works
        // Each page is checked when it is touched first; that is not what is measured here.
        for id in ids { blackHole(try works.details(id)) }
        print("| part | median, µs | 99 %, µs |\n|---|---:|---:|")
        try measure("all of a work", ids) { id in blackHole(try works.details(id)) }
        try measure("the work", ids) { id in blackHole(try works[id]) }
        try measure("its editions", ids) { id in blackHole(try snapshot.editions.of(id)) }
        try measure("its entry", ids) { id in blackHole(try snapshot.entries[id]) }
        var authors: [ID<Author>] = []
        for id in ids { if let work = try works[id] { authors += work.authors } }
        try measure("an author", authors) { id in blackHole(try snapshot.authors[id]) }
    }

    private func measure<Record>(_ part: String, _ ids: [ID<Record>], _ read: (ID<Record>) throws -> Void) throws {
        var next = 0
        let watch = try Stopwatch.time(ids.count) {
            try read(ids[next % ids.count])
            next += 1
        }
        print("| \(part) | \(Row.microseconds(watch.median)) | \(Row.microseconds(watch.p99)) |")
    }
}
