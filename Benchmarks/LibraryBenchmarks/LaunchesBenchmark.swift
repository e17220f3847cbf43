import BookDB
import Foundation

/// Thirty launches of an app that changes a hundred works in each: what a launch takes, and what is written, with the compactions that a
/// library does among its launch jobs and without.
///
///     swift run -c release LibraryBenchmarks FOLDER --launches WORKS …
struct LaunchesBenchmark {
    let folder: String
    let works: Int

    private static let launchCount = 30
    private static let editCount = 100

    func run() async throws {
        let path = folder + "/Benchmark-\(works).bookdb"
        try await LibraryBenchmarks.makeLibrary(path, works: works)
        print("\n\(works) works, \(Self.launchCount) launches with \(Self.editCount) edits each, milliseconds\n")
        print(
            "| compactions | blocked, median and most | all there, median and most | replay of the last | written | made |"
        )
        print("|---|--:|--:|--:|--:|--:|")
        for hasJobs in [true, false] {
            let copy = folder + "/Launches-\(works).bookdb"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try await measure(copy, hasJobs: hasJobs)
            try FileManager.default.removeItem(atPath: copy)
        }
    }

    private func measure(_ path: String, hasJobs: Bool) async throws {
        var (blocked, ready) = ([Double](), [Double]())
        var generations: Set<UInt64> = []
        var replay = 0.0
        let before = Self.writtenByteCount
        for number in 0..<Self.launchCount {
            let store = BookStore(.file(path))
            try await store.ready()
            let list = try store.snapshot.works.list(by: .author).page(offset: 0, limit: 1 + number)
            precondition(!list.isEmpty)
            let times = store.launch.times
            blocked.append(Double(times.blockedNanoseconds) / 1_000_000)
            ready.append(Double(times.readyNanoseconds ?? 0) / 1_000_000)
            replay = Double(times.replayNanoseconds) / 1_000_000
            generations.insert(store.opening.generation)
            if hasJobs {
                store.launch.firstFrame()
                await store.launch.finished()
            }
            let count = try store.snapshot.works.count
            for edit in 0..<Self.editCount {
                let index = (number * Self.editCount + edit) * 7_919 % count
                guard let id = try store.snapshot.works.list(by: .added).page(offset: index, limit: 1).first?.id else {
                    continue
                }
                try await store.updateEntry(of: id, .memory) { $0.rating = Rating(stars: Double(1 + edit % 5)) }
            }
            try await store.close()
        }
        let written = Double(Self.writtenByteCount - before) / 1_048_576
        blocked.sort()
        ready.sort()
        print(
            "| \(hasJobs ? "as replays cost" : "by size alone") | "
                + String(
                    format: "%.2f, %.2f | %.2f, %.2f | %.2f | %.1f MiB | %d |", blocked[blocked.count / 2],
                    blocked[blocked.count - 1], ready[ready.count / 2], ready[ready.count - 1], replay, written,
                    generations.count - 1))
    }

    /// By this process, as it asked the system; 0 where that is not told.
    private static var writtenByteCount: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else { return 0 }
        let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
        return line.flatMap { Int($0.dropFirst(6).trimmingCharacters(in: .whitespaces)) } ?? 0
    }
}
