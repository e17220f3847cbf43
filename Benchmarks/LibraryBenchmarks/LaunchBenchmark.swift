import BookDB
import Foundation

/// What an app's main thread and its first list cost at a launch, by the length of the log: the library opens in the background, and
/// beside it in one call.
///
///     swift run -c release LibraryBenchmarks FOLDER --launch WORKS …
struct LaunchBenchmark {
    let folder: String
    let works: Int

    private static let repetitionCount = 9

    private struct Launch {
        /// Of the call that opens.
        var blocked = 0.0
        /// From there to the first fifty rows, and what they cost; `nil` where there was nothing to read yet.
        var firstRows: Double?
        var ready = 0.0
        /// Of fifty rows while the log is replayed.
        var rowsMeanwhile: [Double] = []
    }

    func run() async throws {
        let path = folder + "/Benchmark-\(works).bookdb"
        try await LibraryBenchmarks.makeLibrary(path, works: works)
        print("\n\(works) works, medians of \(Self.repetitionCount), milliseconds\n")
        print(
            "| log | blocked | first fifty after | all there after | fifty rows meanwhile, 50 % and 99 %, µs | opened in one call |"
        )
        print("|---|--:|--:|--:|--:|--:|")
        for changes in [0, 100, 3_000, 26_500] where changes < works {
            let copy = folder + "/Launch-\(works)-\(changes).bookdb"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try await change(changes, at: copy)
            try await measure(changes, copy)
            try FileManager.default.removeItem(atPath: copy)
        }
    }

    /// As many works get another title, in commits of a hundred.
    private func change(_ count: Int, at path: String) async throws {
        let store = try BookStore(at: path)
        let ids = try store.snapshot.works.list(by: .author).page(offset: 0, limit: count).map(\.id)
        if count > 0 {
            try await store.updateEach(ids, batchSize: 100, .memory) { work in work.title += " (revised)" }
        }
        try await store.close()
    }

    private func measure(_ changes: Int, _ path: String) async throws {
        var launches: [Launch] = []
        var opened: [Double] = []
        for _ in 0..<Self.repetitionCount {
            launches.append(try await launch(path))
            let start = ContinuousClock.now
            let store = try BookStore(at: path)
            opened.append(start.duration(to: .now) / .milliseconds(1))
            try await store.close()
        }
        func median(_ value: (Launch) -> Double?) -> String {
            let values = launches.compactMap(value).sorted()
            return values.isEmpty ? "-" : String(format: "%.2f", values[values.count / 2])
        }
        let rows = launches.flatMap(\.rowsMeanwhile).sorted()
        let meanwhile =
            rows.isEmpty
            ? "-"
            : String(
                format: "%.0f, %.0f of %d", rows[rows.count / 2] * 1_000, rows[rows.count * 99 / 100] * 1_000,
                rows.count)
        opened.sort()
        print(
            "| \(changes) titles | \(median(\.blocked)) | \(median(\.firstRows)) | \(median(\.ready)) | \(meanwhile) | "
                + String(format: "%.2f |", opened[opened.count / 2]))
    }

    private func launch(_ path: String) async throws -> Launch {
        var launch = Launch()
        let start = ContinuousClock.now
        func elapsed() -> Double { start.duration(to: .now) / .milliseconds(1) }
        let store = BookStore(.file(path))
        launch.blocked = elapsed()
        while true {
            let snapshot = store.snapshot
            guard snapshot.isLoaded else {
                await Task.yield()
                continue
            }
            let before = elapsed()
            let rows = try snapshot.works.list(by: .title).page(offset: 0, limit: 50)
            precondition(rows.count == 50)
            let after = elapsed()
            if launch.firstRows == nil { launch.firstRows = after } else { launch.rowsMeanwhile.append(after - before) }
            guard snapshot.isCatchingUp else { break }
        }
        try await store.ready()
        launch.ready = elapsed()
        try await store.close()
        return launch
    }
}
