import BookDB
import StorageEngine
import TestSupport

/// What searching as one types costs, as Markdown tables.
///
///     swift run -c release LibraryBenchmarks FOLDER --search WORKS
struct SearchBenchmark {
    let store: BookStore
    let works: Snapshot.Works

    static let needles = [
        "the", "night", "harry", "zanz", "e", "th", "qx", "qxqxqx", "xylophonist", "the night", "of the sea", "ing",
    ]
    static let typos = ["nihgt", "harrry", "tolkein hobit", "shakespaere", "winter gardn"]

    init(path: String) throws {
        store = try BookStore(at: path, access: .readOnly)
        works = store.snapshot.works
    }

    func printTables() async throws {
        print("\n| typed | first 50 in title order | first 50 ranked | count | found |")
        print("|---|---:|---:|---:|---:|")
        for needle in Self.needles + Self.typos {
            let inOrder = works.search(needle, ranked: false)
            let ranked = works.search(needle)
            var cells = [needle]
            for search in [inOrder, ranked] {
                cells.append(Row.text(try Stopwatch.time(60) { blackHole(try search.first(50).map(\.id)) }))
            }
            var samples: [Int] = []
            for _ in 0..<5 {
                let start = ContinuousClock.now
                blackHole(try await ranked.count())
                samples.append(Int(start.duration(to: .now) / .nanoseconds(1)))
            }
            cells.append("\(samples.sorted()[2] / 1000)")
            cells.append("\(try await ranked.count())")
            print("| " + cells.joined(separator: " | ") + " |")
        }
        print("\nMedian (p99) in microseconds, warm; with the titles' highlights not taken.")
    }

    /// Many needles that were not chosen: pieces of the titles, and pieces with a letter exchanged.
    func printWorst(of count: Int) throws {
        var random = SeededGenerator(seed: 3)
        let list = works.sorted()
        for (name, changes) in [("pieces of titles", false), ("the same with a letter wrong", true)] {
            var inOrder: [(Int, String)] = []
            var ranked: [(Int, String)] = []
            for _ in 0..<count {
                let title = Array(list[Int.random(in: 0..<list.count, using: &random)].title)
                let start = Int.random(in: 0..<title.count, using: &random)
                var piece = Array(title[start...].prefix(Int.random(in: 1...12, using: &random)))
                if changes { piece[Int.random(in: 0..<piece.count, using: &random)] = "q" }
                let needle = String(piece)
                inOrder.append((try Self.nanoseconds { try works.search(needle, ranked: false).first() }, needle))
                ranked.append((try Self.nanoseconds { try works.search(needle).first() }, needle))
            }
            for (order, samples) in [("in title order", inOrder), ("ranked", ranked)] {
                let sorted = samples.sorted { $0.0 < $1.0 }
                let worst = sorted[count - 1]
                print(
                    "\(count) \(name), \(order): median \(sorted[count / 2].0 / 1000), 99 % \(sorted[count * 99 / 100].0 / 1000),"
                        + " worst \(worst.0 / 1000) microseconds (\(worst.1))")
            }
        }
    }

    /// The better of two: the machine has other things to do.
    private static func nanoseconds(_ body: () throws -> [SearchMatch]) rethrows -> Int {
        var best = Int.max
        for _ in 0..<2 {
            let start = ContinuousClock.now
            blackHole(try body().count)
            best = min(best, Int(start.duration(to: .now) / .nanoseconds(1)))
        }
        return best
    }

    /// What changes since the compaction cost: a search for what is not there, which looks at all of them.
    static func printChanges(path: String) async throws {
        let store = try BookStore(at: path)
        var random = SeededGenerator(seed: 5)
        let list = store.snapshot.works.sorted()
        var changed = 0
        for count in [0, 1, 100, 1000, 10_000] {
            let ids = (changed..<count).map { _ in list[Int.random(in: 0..<list.count, using: &random)].id }
            changed = count
            try await store.write(.memory) { library in
                for id in ids {
                    guard var work = try library.work(id) else { continue }
                    work.title += " again"
                    try library.update(work)
                }
            }
            let works = store.snapshot.works
            let watch = try Stopwatch.time(40) {
                blackHole(try works.search("xylophonist", ranked: false).first().count)
            }
            print("\(count) works changed since: \(Row.text(watch)) microseconds")
        }
        try await store.close()
    }

    /// What opening costs in dirty memory, and how long a compaction takes.
    static func printCosts(path: String) async throws {
        let before = ProcessMemory.dirtyKilobytes ?? 0
        let store = try BookStore(at: path, access: .readOnly)
        blackHole(try store.snapshot.works.search("harry").first(50).map(\.id))
        let after = ProcessMemory.dirtyKilobytes ?? 0
        print("\ndirty after opening and a first search: \(max(0, after - before)) KB")
        for (leastRowCount, name) in [(Int.max, "without"), (0, "with")] {
            let writing = try BookStore(
                at: path, fileSystem: PosixFileSystem(), leastSearchFileRowCount: leastRowCount)
            let start = ContinuousClock.now
            try await writing.compact()
            print("compaction \(name) a search file: \(start.duration(to: .now))")
            try await writing.close()
            guard leastRowCount > 0 else { continue }
            let works = try BookStore(at: path, access: .readOnly).snapshot.works
            let watch = try Stopwatch.time(5) {
                blackHole(try works.search("xylophonist", ranked: false).first().count)
            }
            print("a search without a search file: \(Row.text(watch)) microseconds")
        }
    }
}
