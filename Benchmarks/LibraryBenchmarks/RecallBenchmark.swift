import BookDB
import BookImport
import StorageEngine

/// How often a search finds what was meant, and how long it takes: recall among the first and the first ten.
///
///     swift run -c release LibraryBenchmarks FOLDER --recall books.csv
///
/// The file is goodbooks-10k's catalogue, or any that `bookdb import` takes. With `--tuning` the other half of its titles is
/// asked for; with `--misses` what did not come first is printed, with `--queries` all works are, and
/// what is typed, and what for.
struct RecallBenchmark {
    let works: Snapshot.Works
    let queries: RecallQueries
    let printsMisses: Bool

    static let count = 750

    static func makeLibrary(_ path: String, from file: String) async throws {
        let store = try BookStore(at: path)
        if try store.snapshot.works.count == 0 {
            _ = try await BookImporter(store: store, durability: .memory).run(ImportSource(path: file))
            _ = try await store.compact()
        }
        try await store.close()
    }

    init(path: String, isHeldOut: Bool, printsMisses: Bool) throws {
        works = try BookStore(at: path, access: .readOnly).snapshot.works
        queries = RecallQueries(isHeldOut: isHeldOut)
        self.printsMisses = printsMisses
    }

    /// Prints every work, as `work`, its title and authors, then every query, as its kind, what is typed and the title that was
    /// meant; a tab apart, so that another store can be asked the same.
    func printQueries() {
        for (title, authors) in titles { print("work\t\(title)\t\(authors)") }
        for kind in RecallQueries.Kind.allCases {
            for query in queries.make(kind, of: titles, count: Self.count) {
                print("\(kind.rawValue)\t\(query.typed)\t\(query.title)")
            }
        }
    }

    private var titles: [(title: String, authors: String)] {
        works.list(by: .added).map { (title: $0.title, authors: $0.authors) }
    }

    func run() throws {
        let titles = titles
        print("\n| typed of a title | queries | first | first ten | median µs | 99 % | most |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        var all: [Int] = []
        for kind in RecallQueries.Kind.allCases {
            var (first, firstTen) = (0, 0)
            var samples: [Int] = []
            let queries = queries.make(kind, of: titles, count: Self.count)
            for query in queries {
                let search = works.search(query.typed)
                let start = ContinuousClock.now
                let found = try search.first(10)
                let second = ContinuousClock.now
                _ = try search.first(10)
                // The better of two: the machine has other things to do.
                samples.append(Int(min(start.duration(to: second), second.duration(to: .now)) / .nanoseconds(1)))
                let rank = found.firstIndex { $0.item.title.lowercased() == query.title.lowercased() }
                if rank == 0 { first += 1 }
                if rank != nil { firstTen += 1 }
                guard printsMisses, rank != 0 else { continue }
                let instead = found.prefix(3).map { "\($0.item.title) (\($0.band))" }.joined(separator: "; ")
                print(
                    "\(kind.rawValue): \(query.typed) → \(query.title), \(rank.map { "\($0 + 1)." } ?? "not found"); \(instead)"
                )
            }
            guard !samples.isEmpty else { continue }
            all += samples
            samples.sort()
            let cells = [
                kind.rawValue, "\(queries.count)", Self.percent(first, queries.count),
                Self.percent(firstTen, queries.count),
                Row.microseconds(samples[samples.count / 2]), Row.microseconds(samples[samples.count * 99 / 100]),
                Row.microseconds(samples.last!),
            ]
            print("| " + cells.joined(separator: " | ") + " |")
        }
        all.sort()
        print("\nAll: median \(Row.microseconds(all[all.count / 2])) µs, the most \(Row.microseconds(all.last!)) µs.")
    }

    private static func percent(_ part: Int, _ whole: Int) -> String {
        let tenths = (part * 1000 + whole / 2) / whole
        return "\(tenths / 10).\(tenths % 10)"
    }
}
