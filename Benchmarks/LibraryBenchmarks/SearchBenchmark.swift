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

    /// Many needles that were not chosen: pieces of the titles, words of several, and both mistyped.
    func printWorst(of count: Int) throws {
        let kinds: [(String, (inout SeededGenerator, WorkItems) -> String)] = [
            ("pieces of titles", Self.piece),
            ("the same with a letter wrong", { Self.mistyped(Self.piece(&$0, $1), &$0) }),
            ("words of several titles", Self.words),
            ("the same mistyped", { Self.mistyped(Self.words(&$0, $1), &$0) }),
        ]
        let list = works.list()
        for (name, needle) in kinds {
            var random = SeededGenerator(seed: 3)
            let needles = (0..<count).map { _ in needle(&random, list) }
            for isRanked in [false, true] {
                let samples = try needles.map { needle in
                    (try Self.nanoseconds { try works.search(needle, ranked: isRanked).first() }, needle)
                }.sorted { $0.0 < $1.0 }
                let times = [samples[count / 2].0, samples[count * 99 / 100].0].map { $0 / 1000 }
                let worst = samples.suffix(3).reversed().map { "\($0.0 / 1000) (\($0.1))" }.joined(separator: ", ")
                print(
                    "\(count) \(name), \(isRanked ? "ranked" : "in title order"): median \(times[0]), 99 % \(times[1]),"
                        + " worst \(worst) microseconds")
            }
        }
    }

    private static func piece(_ random: inout SeededGenerator, _ list: WorkItems) -> String {
        let title = Array(list[Int.random(in: 0..<list.count, using: &random)].title)
        let start = Int.random(in: 0..<title.count, using: &random)
        return String(title[start...].prefix(Int.random(in: 1...12, using: &random)))
    }

    /// Two to four words of different titles or authors, some not yet typed to the end.
    private static func words(_ random: inout SeededGenerator, _ list: WorkItems) -> String {
        (0..<Int.random(in: 2...4, using: &random)).map { _ in
            let item = list[Int.random(in: 0..<list.count, using: &random)]
            let word = random.pick((item.title + " " + item.authors).split(separator: " ")) ?? "a"
            return String(word.prefix(random.oneIn(2) ? word.count : Int.random(in: 1...4, using: &random)))
        }.joined(separator: " ")
    }

    private static func mistyped(_ text: String, _ random: inout SeededGenerator) -> String {
        var letters = Array(text)
        for _ in 0..<Int.random(in: 1...2, using: &random) where letters.count > 1 {
            let place = Int.random(in: 0..<letters.count - 1, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: letters.remove(at: place)
            case 1: letters.insert(random.pick(Array("aeinorst"))!, at: place)
            case 2: letters.swapAt(place, place + 1)
            case 3: letters[place] = random.pick(Array("aeinorst"))!
            default: letters[place] = "q"
            }
        }
        return String(letters)
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
        let list = store.snapshot.works.list()
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
