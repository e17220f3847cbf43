import BookDB
import Foundation

/// What the hash sums of contents cost those who write, and on disk: to be run in turn with a build that has none.
///
///     swift run -c release LibraryBenchmarks FOLDER --contents RECORDS …
struct ContentsBenchmark {
    struct Reading: Record {
        var id: ID<Reading> = .unassigned
        var place = ""
        var value = 0
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, place, value, note }
    }

    private static func reading(_ number: Int) -> Reading {
        Reading(place: "place \(number % 977)", value: number, note: "measured by hand, number \(number)")
    }

    let folder: String
    let count: Int

    func run() async throws {
        let path = "\(folder)/Contents-\(count).bookdb"
        try? FileManager.default.removeItem(atPath: path)
        let store = try RecordLibrary(at: path)
        var ids: [ID<Reading>] = []
        var inserts: [Double] = []
        for start in stride(from: 0, to: count, by: 1000) {
            let numbers = start..<min(start + 1000, count)
            let begin = ContinuousClock.now
            ids += try await store.write(.memory) { library in
                try numbers.map { try library.insert(Self.reading($0)) }
            }
            inserts.append((ContinuousClock.now - begin) / .microseconds(numbers.count))
        }
        let compaction = try await ContinuousClock().measure { _ = try await store.compact() }
        let size = try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
            guard name.hasPrefix("snapshot-") else { return sum }
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            return sum + (attributes[.size] as? Int ?? 0)
        }
        var random: UInt64 = 88_172_645_463_325_252
        func next() -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % UInt64(ids.count))
        }
        var updates: [Double] = []
        for _ in 0..<2000 {
            let id = ids[next()]
            let time = try await ContinuousClock().measure { try await store.update(id, .memory) { $0.value += 1 } }
            updates.append(time / .microseconds(1))
        }
        var groups: [Double] = []
        for _ in 0..<50 {
            let some = (0..<1000).map { _ in ids[next()] }
            let time = try await ContinuousClock().measure {
                try await store.write(.memory) { library in
                    for id in some {
                        guard var reading = try library.record(id) else { continue }
                        reading.value += 1
                        try library.update(reading)
                    }
                }
            }
            groups.append(time / .microseconds(1000))
        }
        try await store.close()
        func median(_ times: [Double]) -> String {
            String(format: "%.2f µs", times.sorted()[times.count / 2])
        }
        print(
            "\(count) records: insert, a thousand a commit \(median(inserts)); update alone \(median(updates)); "
                + "update, a thousand a commit \(median(groups)); compaction \(compaction); "
                + "\(String(format: "%.2f", Double(size) / Double(count))) bytes a record")
    }
}
