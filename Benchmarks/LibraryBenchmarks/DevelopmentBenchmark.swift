import BookDB

/// What an app under development feels, which runs unoptimised: libraries in memory, as previews and tests have them.
///
///     swift run LibraryBenchmarks FOLDER --development
struct DevelopmentBenchmark {
    private static let sampleCount = 5_000
    private static let insertCount = 19_000

    func run() async throws {
        var (sample, insertions, commits, pages) = (
            LoadTimes.Times(), LoadTimes.Times(), LoadTimes.Times(), LoadTimes.Times()
        )
        for _ in 0..<3 {
            try await sample.add { try await BookStore.sample(works: Self.sampleCount).close() }
            try await insertions.add {
                let store = try BookStore.inMemory()
                try await store.write { library in
                    for number in 0..<Self.insertCount { _ = try library.insert(Work("Title \(number)")) }
                }
                try await store.close()
            }
        }
        let store = try await BookStore.sample(works: Self.sampleCount)
        for _ in 0..<3 {
            try await commits.add {
                for number in 0..<100 { _ = try await store.insert(Work("New \(number)")) }
            }
            try await pages.add {
                for page in 0..<100 {
                    blackHole(try store.snapshot.works.list().page(offset: page * 50, limit: 50).map(\.title))
                }
            }
        }
        try await store.close()
        print("| of an app under development | time |\n|---|---:|")
        for (name, times, count) in [
            ("a sample of \(Self.sampleCount) works", sample, 1),
            ("\(Self.insertCount) works inserted in one transaction", insertions, 1),
            ("one more in its own commit", commits, 100), ("a page of fifty", pages, 100),
        ] {
            let time = Duration.nanoseconds(times.elapsed.median / count)
            print(
                "| \(name) | \(time.formatted(.units(allowed: [.seconds, .milliseconds, .microseconds], width: .narrow))) |"
            )
        }
    }
}
