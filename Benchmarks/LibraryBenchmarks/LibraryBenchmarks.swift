import BookDB
import TestSupport

/// What a list of books feels like at several sizes, as a Markdown table.
///
///     swift run -c release LibraryBenchmarks FOLDER [--lists] [WORKS …]
///     swift run -c release LibraryBenchmarks FOLDER --search WORKS …
///     swift run -c release LibraryBenchmarks FOLDER --worst-searches WORKS …
///     swift run -c release LibraryBenchmarks FOLDER --recall FILE [--tuning] [--misses | --queries]
///     swift run -c release LibraryBenchmarks FOLDER --maintenance WORKS …
///     swift run -c release LibraryBenchmarks FOLDER --ledger TRANSACTIONS …
///     swift run -c release LibraryBenchmarks FOLDER --declared WORKS …
///     swift run -c release LibraryBenchmarks FOLDER --history
///     swift run -c release LibraryBenchmarks FOLDER --diff RECORDS …
///     swift run -c release LibraryBenchmarks FOLDER --change RECORDS …
///     swift run -c release LibraryBenchmarks FOLDER --launch WORKS …
///     swift run -c release LibraryBenchmarks FOLDER --launches WORKS …
///     swift run -c release LibraryBenchmarks FOLDER --sharing COMMITS …
///     swift run -c release LibraryBenchmarks FOLDER --undo COMMITS …
///     swift run -c release LibraryBenchmarks FOLDER --batches WORKS …
///     swift run -c release LibraryBenchmarks FOLDER --full WORKS …
///     swift run -c release LibraryBenchmarks FOLDER --cold WORKS …
///     swift run LibraryBenchmarks FOLDER --development
///
/// Libraries are made in FOLDER when they are not there yet, from a fixed seed.
@main struct LibraryBenchmarks {
    static let offsets = [0.0, 0.01, 0.5, 0.99995]

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first else {
            print(
                "usage: LibraryBenchmarks FOLDER [--lists | --search | --worst-searches | --maintenance | --ledger] [COUNT …]"
            )
            print("       LibraryBenchmarks FOLDER --declared [COUNT …]")
            print("       LibraryBenchmarks FOLDER --history")
            print("       LibraryBenchmarks FOLDER --recall FILE [--tuning] [--misses | --queries]")
            return
        }
        if arguments.dropFirst().first == "--search" {
            for works in arguments.dropFirst(2).compactMap({ Int($0) }) {
                let path = folder + "/Benchmark-\(works).bookdb"
                try await makeLibrary(path, works: works)
                try await SearchBenchmark.printCosts(path: path)
                let benchmark = try SearchBenchmark(path: path)
                try await benchmark.printTables()
                try benchmark.printWorst(of: 1000)
                try await SearchBenchmark.printChanges(path: path)
            }
            return
        }
        if arguments.dropFirst().first == "--worst-searches" {
            for works in arguments.dropFirst(2).compactMap({ Int($0) }) {
                try SearchBenchmark(path: folder + "/Benchmark-\(works).bookdb").printWorst(of: 1000)
            }
            return
        }
        if arguments.dropFirst().first == "--recall", let file = arguments.dropFirst(2).first {
            let path = folder + "/Recall.bookdb"
            try await RecallBenchmark.makeLibrary(path, from: file)
            let benchmark = try RecallBenchmark(
                path: path, isHeldOut: !arguments.contains("--tuning"), printsMisses: arguments.contains("--misses"))
            if arguments.contains("--queries") { benchmark.printQueries() } else { try benchmark.run() }
            return
        }
        let sizes = arguments.dropFirst().compactMap { Int($0) }
        if arguments.contains("--maintenance") {
            try await WriterBenchmark(path: folder + "/Writer.store").run()
            for works in sizes {
                try await MaintenanceBenchmark(path: folder + "/Maintenance-\(works).bookdb", works: works).run()
            }
            return
        }
        if arguments.contains("--ledger") {
            for count in sizes { try await LedgerBenchmark(folder: folder, count: count).run() }
            return
        }
        if arguments.contains("--history") { return try await HistoryBenchmark(folder: folder).run() }
        if arguments.contains("--change") {
            for count in sizes { try await SchemaChangeBenchmark(folder: folder, count: count).run() }
            return
        }
        if arguments.contains("--batches") {
            for works in sizes { try await BatchBenchmark(folder: folder, works: works).run() }
            return
        }
        if arguments.contains("--full") {
            for works in sizes {
                let path = folder + "/Benchmark-\(works).bookdb"
                try await makeLibrary(path, works: works)
                try FullWorkBenchmark(path: path).run()
            }
            return
        }
        if arguments.contains("--cold") {
            for works in sizes {
                let path = folder + "/Benchmark-\(works).bookdb"
                try await makeLibrary(path, works: works)
                try await ColdBenchmark(path: path, works: works).run()
            }
            return
        }
        if arguments.contains("--development") { return try await DevelopmentBenchmark().run() }
        if arguments.contains("--undo") {
            for count in sizes { try await UndoBenchmark(count: count).run() }
            return
        }
        if arguments.contains("--sharing") {
            for count in sizes { try await SharingBenchmark(folder: folder, count: count).run() }
            return
        }
        if arguments.contains("--launches") {
            for works in sizes { try await LaunchesBenchmark(folder: folder, works: works).run() }
            return
        }
        if arguments.contains("--launch") {
            for works in sizes { try await LaunchBenchmark(folder: folder, works: works).run() }
            return
        }
        if arguments.contains("--diff") {
            for count in sizes { try await DiffBenchmark(folder: folder, count: count).run() }
            return
        }
        if arguments.contains("--declared") {
            for works in sizes.isEmpty ? [100_000] : sizes {
                try await DeclaredBenchmark(folder: folder, works: works).run()
            }
            return
        }
        if arguments.contains("--lists") {
            for works in sizes {
                let path = folder + "/Benchmark-\(works).bookdb"
                try await makeLibrary(path, works: works)
                try await ListBenchmark(path: path).run()
            }
            return
        }
        print("| works | " + Row.names.joined(separator: " | ") + " |")
        print("|---:|" + String(repeating: "---:|", count: Row.names.count))
        for works in sizes.isEmpty ? [1000, 10_000, 100_000] : sizes {
            let path = folder + "/Benchmark-\(works).bookdb"
            try await makeLibrary(path, works: works)
            let row = try Row(path: path)
            print("| \(works) | " + row.cells.joined(separator: " | ") + " |")
        }
        print(
            "\nMedian (p99) in microseconds; dirty memory in KB above that of the process before it opened the library."
        )
    }

    static func makeLibrary(_ path: String, works: Int) async throws {
        let store = try BookStore(at: path)
        if try store.snapshot.works.count == 0 {
            try await store.fill(withSample: works, seed: 7)
            _ = try await store.compact()
        }
        try await store.close()
    }
}

/// One library's figures.
struct Row {
    static let names = [
        "open + 50 rows", "dirty after open", "page at 0", "at 1 %", "at 50 %", "at the end", "count of a status",
        "position of a work", "prefix, 50 rows", "work with all", "dirty after 1,000 pages",
    ]

    var cells: [String] = []

    init(path: String) throws {
        let before = ProcessMemory.dirtyKilobytes ?? 0
        let open = try Stopwatch.time(200) {
            let store = try BookStore(at: path, access: .readOnly)
            Self.use(try store.snapshot.works.list().page(offset: 0, limit: 50))
        }
        cells.append(Self.text(open))
        let store = try BookStore(at: path, access: .readOnly)
        let list = store.snapshot.works.list()
        Self.use(try list.page(offset: 0, limit: 50))
        cells.append(String(max(0, (ProcessMemory.dirtyKilobytes ?? 0) - before)))
        for share in LibraryBenchmarks.offsets {
            let offset = min(Int(Double(list.count) * share), list.count - 50)
            cells.append(Self.text(try Stopwatch.time(2000) { Self.use(try list.page(offset: offset, limit: 50)) }))
        }
        let works = store.snapshot.works
        cells.append(Self.text(try Stopwatch.time(2000) { blackHole(try works.count(.status(.read))) }))
        var random = SeededGenerator(seed: 1)
        let some = (0..<500).map { _ in list[Int(random.next() % UInt64(list.count))] }
        var next = 0
        func anyWork() -> WorkListItem {
            next = (next + 1) % some.count
            return some[next]
        }
        cells.append(Self.text(try Stopwatch.time(2000) { blackHole(try works.list().index(of: anyWork().id)) }))
        cells.append(
            Self.text(
                try Stopwatch.time(1000) {
                    Self.use(try works.list(.titled(String(anyWork().title.prefix(3)))).page(offset: 0, limit: 50))
                }
            ))
        cells.append(Self.text(try Stopwatch.time(2000) { blackHole(try works.details(anyWork().id)) }))
        for _ in 0..<1000 {
            let offset = Int(random.next() % UInt64(max(1, list.count - 50)))
            Self.use(try list.page(offset: offset, limit: 50))
        }
        cells.append(String(max(0, (ProcessMemory.dirtyKilobytes ?? 0) - before)))
    }

    static func text(_ watch: Stopwatch) -> String {
        "\(microseconds(watch.median)) (\(microseconds(watch.p99)))"
    }

    static func microseconds(_ nanoseconds: Int) -> String {
        let tenths = (nanoseconds + 50) / 100
        return tenths >= 1000 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// Reads what a row shows.
    static func use(_ items: [WorkListItem]) {
        for item in items { blackHole((item.id, item.title, item.authors, item.year, item.status)) }
    }
}

/// Keeps the optimiser from leaving out what nobody reads.
@inline(never) @_optimize(none)
func blackHole<Value>(_ value: Value) {}
