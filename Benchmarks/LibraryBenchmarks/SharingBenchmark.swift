import Foundation
import StorageEngine
import Synchronization

/// What a process pays for sharing a store that nobody else has open, how soon others see a commit, and what several get done.
///
///     swift run -c release LibraryBenchmarks FOLDER --sharing COMMITS …
struct SharingBenchmark {
    let folder: String
    let count: Int

    private static let tree = TreeNumber(1)
    private static let trees = [TreeDeclaration(tree, "numbers", facetCount: 0)]

    private var path: String { folder + "/Sharing.bookdb" }

    func run() async throws {
        print("\nA lone process, \(count) commits of one small value, microseconds each, median and 99 %\n")
        print("| durability | exclusive | shared | difference of the medians |")
        print("|---|--:|--:|--:|")
        for durability in [Durability.memory, .flushed] {
            try await compare(durability, count: durability == .memory ? count : max(100, count / 20))
        }
        try await followers()
        for parties in 1...3 { try await together(parties) }
        try? FileManager.default.removeItem(atPath: path)
    }

    private func open(_ access: Access, _ onPublish: @escaping @Sendable (PublishedCommit) -> Void = { _ in }) throws
        -> Database
    {
        try Database.open(
            at: path, trees: Self.trees, options: Options(access: access, compaction: .manual), onPublish: onPublish)
    }

    private func put(_ number: Int, in store: Database, _ durability: Durability) async throws {
        try await store.write(durability) { transaction in
            try transaction.put([UInt8](repeating: 7, count: 100), forKey: UInt64(number % 10_000), in: Self.tree)
        }
    }

    // MARK: Alone

    /// Turn by turn, a hundred commits each.
    private func compare(_ durability: Durability, count: Int) async throws {
        var times: [[Double]] = [[], []]
        for round in 0..<max(2, count / 100) {
            for (index, access) in [Access.exclusive, .shared].enumerated() {
                if round == 0, index == 0 { try? FileManager.default.removeItem(atPath: path) }
                let store = try open(access)
                for number in 0..<10 { try await put(number, in: store, durability) }
                for number in 0..<100 {
                    let start = ContinuousClock.now
                    try await put(round * 100 + number, in: store, durability)
                    times[index].append(Self.microseconds(start.duration(to: .now)))
                }
                try await store.close()
            }
        }
        let sorted = times.map { $0.sorted() }
        func words(_ times: [Double]) -> String {
            String(format: "%.1f, %.1f", times[times.count / 2], times[times.count * 99 / 100])
        }
        print(
            "| .\(durability) | \(words(sorted[0])) | \(words(sorted[1])) | "
                + String(format: "%.1f |", sorted[1][sorted[1].count / 2] - sorted[0][sorted[0].count / 2]))
    }

    // MARK: Followed

    private func followers() async throws {
        print("\nFrom the acknowledgement of a commit to those who follow, milliseconds, median and 99 %\n")
        print("| follower | after |")
        print("|---|--:|")
        for access in [Access.shared, .readOnly] {
            try? FileManager.default.removeItem(atPath: path)
            let writer = try open(.shared)
            try await put(0, in: writer, .flushed)
            let heard = Mutex<[UInt64: ContinuousClock.Instant]>([:])
            let follower = try open(access) { commit in heard.withLock { $0[commit.commitNumber] = .now } }
            var acknowledged: [UInt64: ContinuousClock.Instant] = [:]
            for number in 0..<300 {
                try await put(number, in: writer, .flushed)
                acknowledged[writer.version.commitNumber] = .now
                try await Task.sleep(for: .milliseconds(3))
            }
            while follower.version.commitNumber < writer.version.commitNumber {
                try await Task.sleep(for: .milliseconds(1))
            }
            let times = heard.withLock { heard in
                acknowledged.compactMap { commit, time in
                    heard[commit].map { max(0, Self.microseconds(time.duration(to: $0))) / 1000 }
                }.sorted()
            }
            print(
                "| \(access == .shared ? "open for writing" : "open to be read") | "
                    + String(format: "%.2f, %.2f |", times[times.count / 2], times[times.count * 99 / 100]))
            try await follower.close()
            try await writer.close()
        }
    }

    // MARK: Together

    private func together(_ parties: Int) async throws {
        try? FileManager.default.removeItem(atPath: path)
        let stores = try (0..<parties).map { _ in try open(.shared) }
        let share = count / parties / 10
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for (party, store) in stores.enumerated() {
                group.addTask {
                    for number in 0..<share { try await put(party * share + number, in: store, .flushed) }
                }
            }
            try await group.waitForAll()
        }
        let seconds = Self.microseconds(start.duration(to: .now)) / 1_000_000
        print(
            "\n\(parties) that write .flushed commits one after the other: "
                + String(format: "%.0f a second in all", Double(share * parties) / seconds))
        for store in stores { try await store.close() }
    }

    private static func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }
}
