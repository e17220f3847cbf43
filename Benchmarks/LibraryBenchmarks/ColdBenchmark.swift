import BookDB
import StorageEngine

/// What a library takes of which nothing is in the system's cache, as after the device was started: each figure is of a library that
/// was closed, dropped from the cache and opened again.
///
///     swift run -c release LibraryBenchmarks FOLDER --cold WORKS …
struct ColdBenchmark {
    let path: String
    let works: Int
    private static let roundCount = 15

    func run() async throws {
        print("\n\(works) works that are not cached, microseconds, median and longest of \(Self.roundCount)\n")
        print("| | cold | longest | at once again |\n|---|---:|---:|---:|")
        try await measure("a page of 4 KiB, read by itself", readPage)
        try await measure("open to write, first fifty rows by title", opening)
        for order in WorkOrder.allCases {
            try await measure("fifty rows by \(order.rawValue), anywhere") { store, round in
                let list = store.snapshot.works.list(by: order)
                blackHole(try list.page(offset: (round + 1) * (list.count / (Self.roundCount + 2)), limit: 50))
            }
        }
        try await measure("first fifty with “night”") { store, _ in
            blackHole(try store.snapshot.works.search("night").first(50))
        }
        let ids = try Self.someIDs(path)
        try await measure("a full work") { store, round in blackHole(try store.snapshot.works.details(ids[round])) }
        let invented = try await InventedBooks(works: 5_000, .all)
        let authors = try await addAuthors(of: invented)
        var next = 0
        for count in [1, 10, 100] {
            try await measure("\(count) works inserted in a durable commit") { store, _ in
                let books = invented.books[next..<next + count]
                next += count
                try await store.write { library in
                    for book in books { try book.insert(into: &library, authors: authors, titleEnding: "anew") }
                }
            }
        }
        try await measure("a title changed, durable") { store, round in
            try await store.update(ids[round]) { $0.title = String($0.title.reversed()) }
        }
        try await changeTitles()
        try await measure("open behind \(Self.changeCount) changed titles", opening)
    }

    private static let changeCount = 3_000

    /// Shows the first fifty rows by title.
    private func open() throws -> BookStore {
        let store = try BookStore(at: path)
        blackHole(try store.snapshot.works.list().page(offset: 0, limit: 50))
        return store
    }

    private func opening(_ round: Int) async throws -> Duration {
        let start = ContinuousClock.now
        let store = try open()
        let duration = start.duration(to: .now)
        try await store.close()
        return duration
    }

    private func measure(_ name: String, _ body: (BookStore, Int) async throws -> Void) async throws {
        try await measure(name) { round in
            let store = try open()
            let start = ContinuousClock.now
            try await body(store, round)
            let duration = start.duration(to: .now)
            try await store.close()
            return duration
        }
    }

    private func measure(_ name: String, _ body: (Int) async throws -> Duration) async throws {
        var (cold, cached) = (Stopwatch(), Stopwatch())
        for round in 0..<Self.roundCount {
            try evict()
            cold.add(try await body(round))
            cached.add(try await body(round))
        }
        let figures = [cold.median, cold.samples.last ?? 0, cached.median].map { "\($0 / 1000)" }
        print("| \(name) | \(figures.joined(separator: " | ")) |")
    }

    private func addAuthors(of invented: InventedBooks) async throws -> [BookDB.ID<Author>] {
        let store = try BookStore(at: path)
        let authors = try await store.write { library in try invented.authors.map { try library.insert($0) } }
        _ = try await store.compact()
        try await store.close()
        return authors
    }

    private func changeTitles() async throws {
        let store = try BookStore(at: path)
        _ = try await store.compact()
        let ids = try store.snapshot.works.list(by: .author).page(offset: 0, limit: Self.changeCount).map(\.id)
        try await store.updateEach(ids, batchSize: 100, .memory) { $0.title += " (revised)" }
        try await store.close()
    }

    private static func someIDs(_ path: String) throws -> [BookDB.ID<Work>] {
        let list = try BookStore(at: path, access: .readOnly).snapshot.works.list(by: .added)
        return (0..<roundCount).map { list[$0 * (list.count / roundCount)].id }
    }

    private func readPage(_ round: Int) throws -> Duration {
        let fileSystem = PosixFileSystem()
        let name = try fileSystem.names(inDirectory: path).first { $0.hasPrefix("snapshot-") }
        guard let name else { fatalError("a compacted library has a snapshot") }
        let file = try fileSystem.openFile(path + "/" + name, .reading)
        defer { file.close() }
        let pageCount = try file.byteCount() / 4096
        let start = ContinuousClock.now
        blackHole(try file.read(byteCount: 4096, at: (round + 1) * (pageCount / (Self.roundCount + 2)) * 4096))
        return start.duration(to: .now)
    }

    /// A host below may keep them.
    private func evict() throws {
        let fileSystem = PosixFileSystem()
        for name in try fileSystem.names(inDirectory: path) where name != "cache" {
            let file = try fileSystem.openFile(path + "/" + name, .writing)
            try file.flush(.durable)
            file.discardCache()
            file.close()
        }
    }
}
