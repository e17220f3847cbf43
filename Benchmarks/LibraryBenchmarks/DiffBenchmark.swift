import BookDB
import Foundation

/// What it takes to find out how two libraries differ: equal ones, ones with ten records changed here and there, and the same where the
/// second was compacted again since, so that its pages are cut elsewhere.
///
///     swift run -c release LibraryBenchmarks FOLDER --diff RECORDS …
struct DiffBenchmark {
    struct Reading: Record {
        var id: ID<Reading> = .unassigned
        var place = ""
        var value = 0
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, place, value, note }
    }

    let folder: String
    let count: Int

    private static let changedCount = 10
    private static let runCount = 9

    func run() async throws {
        let ids = try await makeLibrary(path("First"))
        try copy("First", "Equal")
        try copy("First", "Changed")
        let changed = try RecordLibrary(at: path("Changed"))
        for number in 0..<Self.changedCount {
            try await changed.update(ids[(2 * number + 1) * count / (2 * Self.changedCount)]) { $0.value = -1 }
        }
        try await changed.close()
        try copy("Changed", "Compacted")
        let compacted = try RecordLibrary(at: path("Compacted"))
        // A few records that come and go cut the leaves elsewhere.
        let passing = try await compacted.write { library in
            try (0..<100).map { try library.insert(Reading(place: "passing", value: $0)) }
        }
        try await compacted.write { library in for id in passing { try library.delete(id) } }
        try await compacted.compact()
        try await compacted.close()
        for (other, words) in [
            ("Equal", "equal"), ("Changed", "\(Self.changedCount) changed"),
            ("Compacted", "\(Self.changedCount) changed, then compacted"),
        ] {
            try await compare("First", other, words)
        }
        try await readWhole()
    }

    /// Of libraries that are opened for it each time, so that no page has been read.
    private func compare(_ first: String, _ second: String, _ words: String) async throws {
        var times: [Duration] = []
        var found = LibraryComparison?.none
        for _ in 0..<Self.runCount {
            let one = try RecordLibrary(at: path(first), access: .readOnly)
            let other = try RecordLibrary(at: path(second), access: .readOnly)
            times.append(
                try ContinuousClock().measure {
                    found = try one.snapshot.differences(from: other.snapshot) { difference in
                        guard case .record(let record) = difference else { return }
                        _ = try record.fields
                    }
                })
            try await one.close()
            try await other.close()
        }
        let differing = found?.kinds.reduce(0) { $0 + $1.changedCount + $1.onlyInFirstCount + $1.onlyInSecondCount }
        print(
            "\(count) records, \(words): \(times.sorted()[Self.runCount / 2]), \(found?.pagesRead ?? 0) pages, "
                + "\(differing ?? 0) differences")
    }

    /// What it would take without hash sums: each record of both is looked at.
    private func readWhole() async throws {
        let one = try RecordLibrary(at: path("First"), access: .readOnly)
        let other = try RecordLibrary(at: path("Changed"), access: .readOnly)
        var sizes = (0, 0)
        let time = try ContinuousClock().measure {
            try one.snapshot.export { sizes.0 += $0.utf8.count }
            try other.snapshot.export { sizes.1 += $0.utf8.count }
        }
        print("\(count) records, both exported: \(time), \(sizes.0) and \(sizes.1) bytes")
        try await one.close()
        try await other.close()
    }

    // MARK: Libraries

    private func path(_ name: String) -> String { "\(folder)/Diff-\(count)-\(name).bookdb" }

    private func makeLibrary(_ path: String) async throws -> [ID<Reading>] {
        try? FileManager.default.removeItem(atPath: path)
        let store = try RecordLibrary(at: path)
        var ids: [ID<Reading>] = []
        for start in stride(from: 0, to: count, by: 10_000) {
            ids += try await store.write(.memory) { library in
                try (start..<min(start + 10_000, count)).map { number in
                    try library.insert(
                        Reading(
                            place: "place \(number % 977)", value: number, note: "measured by hand, number \(number)"))
                }
            }
        }
        try await store.compact()
        try await store.close()
        return ids
    }

    private func copy(_ name: String, _ copy: String) throws {
        try? FileManager.default.removeItem(atPath: path(copy))
        try FileManager.default.copyItem(atPath: path(name), toPath: path(copy))
    }
}
