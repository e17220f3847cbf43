import BookDB
import Foundation

/// BookDB beside its peers on the same books in one run, as a Markdown table of medians.
///
///     swift run -c release --package-path Benchmarks/Peers PeerBenchmarks FOLDER WORKS
///
/// Every answer is compared with BookDB's: a row that differs ends the run. All stores are as durable as each other.
@main struct PeerBenchmarks {
    struct Mismatch: Error { let message: String }

    static func main() async throws {
        guard CommandLine.arguments.count == 3, let works = Int(CommandLine.arguments[2]) else {
            print("usage: PeerBenchmarks FOLDER WORKS")
            return
        }
        let folder = CommandLine.arguments[1] + "/\(works)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let library = try await Self.library(folder, works)
        let books = try Book.all(of: library.snapshot)
        try await library.close()
        var table = Table()
        try await Self.bookDB(folder, books, &table)
        try Self.peer(GRDBPeer.self, folder + "/grdb.sqlite", books, &table)
        try Self.peer(SQLitePeer.self, folder + "/tuned.sqlite", books, &table)
        try Self.peer(LMDBPeer.self, folder + "/lmdb", books, &table)
        try await Self.writing(folder, books, &table)
        print("\(works) works; medians.\n")
        print(table.markdown)
    }

    private static func library(_ folder: String, _ works: Int) async throws -> BookStore {
        let store = try BookStore(at: folder + "/Library.bookdb")
        if try store.snapshot.works.count == 0 {
            try await store.fill(withSample: works)
            try await store.compact()
        }
        return store
    }

    // MARK: Reading

    private static let repetitions = 300

    private static func bookDB(_ folder: String, _ books: [Book], _ table: inout Table) async throws {
        let path = folder + "/Library.bookdb"
        table.set(
            "open → first 50 rows", BookDBPeer.name,
            try Timing.of(100) {
                let peer = try BookDBPeer(path: path)
                blackHole(try peer.page(offset: 0))
            }.median)
        let peer = try BookDBPeer(path: path)
        let middle = books.count / 2
        func measure(_ workload: String, _ body: () throws -> [ListRow]) throws {
            table.digest(workload, try body())
            table.set(workload, BookDBPeer.name, try Timing.of(repetitions) { blackHole(try body()) }.median)
        }
        try measure("first 50 rows") { try peer.page(offset: 0) }
        try measure("50 rows at offset N/2") { try peer.page(offset: middle) }
        guard let cursor = try peer.cursor(at: middle) else { throw Mismatch(message: "no cursor") }
        try measure("50 rows after a cursor") { try peer.page(after: cursor) }
        try measure("one status, first 50") { try peer.page(status: .read, offset: 0) }
        table.counts = try peer.statusCounts()
        try measure("one status, 50 at its middle") { try peer.page(status: .read, offset: books.count / 5) }
        table.set(
            "counts of every status", BookDBPeer.name,
            try Timing.of(repetitions) {
                blackHole(try peer.statusCounts())
            }.median)
        for needle in needles {
            table.set(
                "“\(needle)” anywhere, first 50", BookDBPeer.name,
                try Timing.of(101) { blackHole(try peer.search(needle)) }.median)
        }
        var counting = Timing()
        for _ in 0..<9 {
            let start = ContinuousClock.now
            blackHole(try await peer.searchCount(counted))
            counting.add(ContinuousClock.now - start)
        }
        table.set("count of “\(counted)”", BookDBPeer.name, counting.median)
    }

    /// In invented titles: common, less so, rare, two letters, and nowhere.
    private static let needles = ["the", "night", "zanz", "ou", "qxqx"]
    private static let counted = "the"

    private static func peer<Store: Peer>(
        _ type: Store.Type, _ path: String, _ books: [Book], _ table: inout Table
    ) throws {
        if !FileManager.default.fileExists(atPath: path) {
            let duration = try ContinuousClock().measure { try Store.fill(path: path, with: books) }
            table.note("\(Store.name) was filled in \(duration)")
        }
        table.set(
            "open → first 50 rows", Store.name,
            try Timing.of(50) {
                let peer = try Store(path: path)
                blackHole(try peer.page(offset: 0))
            }.median)
        let peer = try Store(path: path)
        let middle = books.count / 2
        func measure(_ workload: String, _ repetitions: Int = repetitions, _ body: () throws -> [ListRow]) throws {
            try table.compare(workload, Store.name, try body())
            table.set(workload, Store.name, try Timing.of(repetitions) { blackHole(try body()) }.median)
        }
        try measure("first 50 rows") { try peer.page(offset: 0) }
        try measure("50 rows at offset N/2", 20) { try peer.page(offset: middle) }
        let row = (books[middle].place, books[middle].id)
        try measure("50 rows after a cursor") { try peer.page(after: row) }
        try measure("one status, first 50") { try peer.page(status: 3, offset: 0) }
        try measure("one status, 50 at its middle", 20) { try peer.page(status: 3, offset: books.count / 5) }
        guard try peer.statusCounts() == table.counts else { throw Mismatch(message: "\(Store.name) counts otherwise") }
        table.set(
            "counts of every status", Store.name,
            try Timing.of(repetitions) {
                blackHole(try peer.statusCounts())
            }.median)
        for needle in needles {
            // What counts as a letter's mark differs between the stores, so these rows are not compared.
            table.set(
                "“\(needle)” anywhere, first 50", Store.name,
                try Timing.of(11) { blackHole(try peer.search(needle)) }.median)
        }
        table.set(
            "count of “\(counted)”", Store.name,
            try Timing.of(5) { blackHole(try peer.searchCount(counted)) }.median)
    }

    // MARK: Writing

    /// One work each, durable, with every index: on copies, so that a second run measures the same.
    private static func writing(_ folder: String, _ books: [Book], _ table: inout Table) async throws {
        let copies = folder + "/copies"
        try? FileManager.default.removeItem(atPath: copies)
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: copies) }
        for name in ["Library.bookdb", "grdb.sqlite", "tuned.sqlite", "lmdb"] {
            try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: copies + "/" + name)
        }
        table.set("one append and flush (floor)", "floor", try Self.floor(copies))
        let store = try BookStore(at: copies + "/Library.bookdb")
        var (insert, rename) = (Timing(), Timing())
        let author = try await store.write { library in try library.insert(Author("A New Author")) }
        let clock = ContinuousClock()
        for number in 0..<300 {
            let start = clock.now
            try await store.write { library in
                _ = try library.insert(Work("New Book \(number)", by: author, year: 2000))
            }
            insert.add(clock.now - start)
        }
        let list = store.snapshot.works.sorted()
        for number in 0..<300 {
            let id = list[number * (list.count / 301)].id
            let start = clock.now
            try await store.update(id) { $0.title += "!\(number)" }
            rename.add(clock.now - start)
        }
        table.set("durable insert of one work", BookDBPeer.name, insert.median)
        table.set("change one title, durable", BookDBPeer.name, rename.median)
        let start = clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<64 {
                group.addTask {
                    for number in 0..<20 {
                        try await store.write { library in
                            _ = try library.insert(Work("Book \(writer) \(number)", by: author, year: 2000))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        var all = Timing()
        all.add(clock.now - start)
        table.set("durable insert, 64 writers, each", BookDBPeer.name, all.median / 1280)
        try await store.close()
        try write(GRDBPeer(path: copies + "/grdb.sqlite"), books, &table)
        try write(SQLitePeer(path: copies + "/tuned.sqlite"), books, &table)
        try write(LMDBPeer(path: copies + "/lmdb"), books, &table)
    }

    private static func write<Store: Peer>(_ peer: Store, _ books: [Book], _ table: inout Table) throws {
        var (insert, rename) = (Timing(), Timing())
        let clock = ContinuousClock()
        for number in 0..<300 {
            var book = books[number * (books.count / 301)]
            book.id = Int64(number + 1)
            book.place += 7
            book.title = "New Book \(number)"
            insert.add(try clock.measure { try peer.insert([book]) })
        }
        for number in 0..<300 {
            let book = books[number * (books.count / 301) + 1]
            rename.add(
                try clock.measure {
                    try peer.rename(book.id, to: book.title + "!", place: book.place + 9)
                })
        }
        table.set("durable insert of one work", Store.name, insert.median)
        table.set("change one title, durable", Store.name, rename.median)
    }

    /// What the device takes for the least that is durable: some bytes behind the end of a file with room, and a flush.
    private static func floor(_ folder: String) throws -> Int {
        let path = folder + "/floor"
        _ = FileManager.default.createFile(atPath: path, contents: Data(count: 1 << 20))
        let file = open(path, O_RDWR)
        defer { close(file) }
        fsync(file)
        let bytes = [UInt8](repeating: 1, count: 600)
        var timing = Timing()
        for number in 0..<300 {
            timing.add(
                ContinuousClock().measure {
                    _ = pwrite(file, bytes, bytes.count, off_t(number * 600))
                    fdatasync(file)
                })
        }
        return timing.median
    }
}
