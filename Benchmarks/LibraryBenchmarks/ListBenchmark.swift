import BookDB
import TestSupport

/// Every order under two filters at one size, as a Markdown table; then what a changed row costs the lists on the screen.
struct ListBenchmark {
    private let path: String
    private static let repetitions = 1000

    init(path: String) { self.path = path }

    func run() async throws {
        let store = try BookStore(at: path)
        let works = store.snapshot.works
        print(
            "| order | filter | works | page at 0 | at 1 % | at 50 % | at the end | reversed, 50 % | typed, 50 % | position | sections |"
        )
        print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        for order in WorkOrder.allCases {
            for (name, filter) in [("all", WorkFilter.all), ("read", .status(.read))] {
                print(try row(works, order, name, filter))
            }
        }
        try prefixes(works)
        try floor(works)
        try await windows(store)
        try await store.close()
    }

    private func row(
        _ works: Snapshot.Works, _ order: WorkOrder, _ name: String, _ filter: WorkFilter
    ) throws -> String {
        let list = works.list(by: order, filter)
        let reversed = works.list(by: order, filter, direction: .reverse)
        var cells = [order.rawValue, name, "\(list.count)"]
        for share in [0, 0.01, 0.5, 1] {
            let offset = max(0, min(Int(Double(list.count) * share), list.count - 50))
            cells.append(try time { Row.use(try list.page(offset: offset, limit: 50)) })
        }
        cells.append(try time { Row.use(try reversed.page(offset: list.count / 2, limit: 50)) })
        cells.append(
            try time {
                blackHole(
                    try list.rows(offset: list.count / 2, limit: 50) { row in
                        (row.id, row.title, row.authors, row.year, row.status)
                    })
            })
        var random = SeededGenerator(seed: 1)
        let ids = (0..<500).map { _ in list[Int(random.next() % UInt64(list.count))].id }
        var next = 0
        cells.append(
            try time {
                next = (next + 1) % ids.count
                blackHole(try works.list(by: order, filter).index(of: ids[next]))
            })
        cells.append(try time { blackHole(try list.sections.count) })
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func prefixes(_ works: Snapshot.Works) throws {
        let counts = try time { blackHole(try works.count(.status(.reading))) }
        let prefix = try time { Row.use(try works.list(.titled("the n")).page(offset: 0, limit: 50)) }
        print("\nCount of a status \(counts); the first 50 titles with a prefix \(prefix).")
    }

    /// The first fifty rows as an app's values, and in turn the making of their strings alone, which no store can do without.
    private func floor(_ works: Snapshot.Works) throws {
        let list = works.list()
        let texts = try list.rows(offset: 0, limit: 50) {
            [$0.title, $0.authors, $0.coverURL ?? ""].map { Array($0.utf8) }
        }
        let bytes = texts.flatMap { $0 }.filter { !$0.isEmpty }
        let times = try Stopwatch.compare(turns: 20, repetitions: 5 * Self.repetitions) {
            blackHole(
                try list.rows(offset: 0, limit: 50) { row in
                    (row.id, row.title, row.authors, row.coverURL, row.year, row.status, row.rating)
                })
        } _: {
            blackHole(bytes.map { String(decoding: $0, as: UTF8.self) })
        }
        print(
            "The first 50 rows with three texts and numbers \(Row.text(times.first)), their \(bytes.count) strings alone \(Row.text(times.second))."
        )
    }

    /// One changed row, and a hundred windows of fifty on four lists; on all works of some years; on what a search finds.
    @MainActor private func windows(_ store: BookStore) async throws {
        let queries: [(WorkOrder, WorkFilter)] = [
            (.title, .all), (.author, .all), (.added, .all), (.title, .status(.read)),
        ]
        let texts = ["river", "the house of", "love", "histroy", "a"]
        let kinds: [(name: String, choose: @MainActor (WorkList, Int) -> Void)] = [
            ("100 windows of 50", { _, _ in }),
            ("100 under a predicate", { list, number in list.predicate = WorkColumns().year >= 1900 + number % 50 }),
            ("100 of a search", { list, number in list.search = texts[number % texts.count] }),
        ]
        for kind in kinds {
            var lists: [WorkList] = []
            for number in 0..<100 {
                let list = WorkList(store, by: queries[number % 4].0, filter: queries[number % 4].1)
                kind.choose(list, number)
                await list.shows(0)
                let start = list.items.count / 101 * number
                list.window = start..<start + 50
                lists.append(list)
            }
            let all = store.snapshot.works.list()
            let samples = try await Self.samples(store, changing: all[all.count / 2].id)
            print("One changed row, \(kind.name): \(Row.microseconds(samples[samples.count / 2])) µs for all of them.")
            blackHole(lists.map(\.changeNumber))
        }
    }

    /// How long all lists took to show each of many changes of one entry, ascending.
    @MainActor private static func samples(_ store: BookStore, changing id: ID<Work>) async throws -> [Int] {
        var samples: [Int] = []
        for round in 0..<1000 {
            try await store.write(.memory) { library in
                var entry = try library.entry(of: id) ?? UserLibraryEntry(for: id)
                entry.rating = Rating(quarterStars: UInt8(1 + round % 20))
                try library.set(entry)
            }
            if let time = await store.nanosecondsToShow(store.snapshot.commitNumber) { samples.append(time) }
        }
        return samples.sorted()
    }

    private func time(_ body: () throws -> Void) rethrows -> String {
        Row.text(try Stopwatch.time(Self.repetitions, body))
    }
}
