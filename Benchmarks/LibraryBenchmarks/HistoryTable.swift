import Foundation
import StorageEngine

/// The frames of a log's commits, made again with each kind of history: bytes before and after LZ4, and processor time.
struct HistoryTable {
    private let name: String
    private var frames: [HistoryFrame] = []
    /// Bytes of the records that the commits write, and of the stamps that those would hold.
    private var recordByteCount = 0
    private var stampByteCount = 0
    private static let turns = 15

    init(_ name: String, _ path: String) throws {
        self.name = name
        let salvage = try Salvage(at: path)
        var state = RecordState()
        for tree in salvage.report.trees.map(\.declaration.number) {
            var entries = salvage.entries(in: tree)
            while let entry = try entries.next() { state.put(entry.value ?? [], forKey: entry.key, in: tree) }
        }
        var commits = salvage.commits()
        while let commit = try commits.nextCommit() {
            var frame = HistoryFrame(number: commit.number)
            try commit.forEachOperation(in: state.allTrees) { operation in
                frame.take(operation, &state)
            }
            for change in frame.records {
                recordByteCount += change.after?.count ?? 0
                stampByteCount += change.after == nil ? 0 : change.stampField.count
            }
            frames.append(frame)
        }
        requireRealSizes(path)
    }

    /// What is made again here is what the log holds, but for its header, two closing marks and the zeros before them.
    private func requireRealSizes(_ path: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let logs = names.filter { $0.hasPrefix("log-") }.sorted()
        let attributes = logs.last.flatMap { try? FileManager.default.attributesOfItem(atPath: path + "/" + $0) }
        let rest =
            (attributes?[.size] as? Int ?? 0)
            - frames.reduce(0) { $0 + HistoryFrame.byteCount(of: $1.payload(.nothing)) }
        precondition(
            (0...4 * 4096).contains(rest), "\(rest) bytes of the log are not in the frames that were made again")
    }

    static func printHead() {
        print("| commits | bytes | " + HistoryKind.allCases.map(\.rawValue).joined(separator: " | ") + " | records |")
        print("|---|---|" + String(repeating: "---:|", count: HistoryKind.allCases.count + 1))
    }

    static func printFoot() {
        print(
            "\nMeans a commit. Raw: operations and notes. Frame: header, what LZ4 makes of them, padding. Time: to make notes and to "
                + "compress, µs. Records: bytes written as records, and of these with stamps in them.")
    }

    func printLine() {
        var (raw, stored, time): ([Int], [Int], [Double]) = ([], [], [])
        for kind in HistoryKind.allCases {
            raw.append(frames.reduce(0) { $0 + $1.payload(kind).count } / frames.count)
            stored.append(frames.reduce(0) { $0 + HistoryFrame.byteCount(of: $1.payload(kind)) } / frames.count)
        }
        // In turn, so that whatever else the machine does slows all alike; of each the quickest.
        time = HistoryKind.allCases.map { _ in .infinity }
        for _ in 0..<Self.turns {
            for (index, kind) in HistoryKind.allCases.enumerated() {
                let start = Self.processorNanoseconds()
                for frame in frames { blackHole(HistoryFrame.byteCount(of: frame.payload(kind))) }
                let taken = Double(Self.processorNanoseconds() - start) / 1000 / Double(frames.count)
                time[index] = min(time[index], taken)
            }
        }
        let records = recordByteCount / frames.count
        print("| \(name), \(frames.count) | raw | " + raw.map(String.init).joined(separator: " | ") + " | \(records) |")
        let stamped = (recordByteCount + stampByteCount) / frames.count
        print("| | frame | " + stored.map(String.init).joined(separator: " | ") + " | \(stamped) |")
        print("| | time | " + time.map { String(format: "%.1f", $0) }.joined(separator: " | ") + " | |")
    }

    private static func processorNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// What a commit could carry beside its operations.
enum HistoryKind: String, CaseIterable {
    case nothing
    case origin = "origin, 12 bytes"
    case images = "records before"
    case originAndImages = "origin and records before"
    case allImages = "all entries before"
    case deltas = "fields before"
    case loggedStamps = "stamps in the log"
    case storedStamps = "stamps in the records"
}

/// All entries of a store, by tree and key.
struct RecordState {
    private var trees: [TreeNumber: [[UInt8]: [UInt8]]] = [:]

    /// Trees that the commits may name, also those that they declare.
    var allTrees: Set<TreeNumber> { Set((1...1100).map { TreeNumber($0) }).union(trees.keys) }

    func value(forKey key: [UInt8], in tree: TreeNumber) -> [UInt8]? { trees[tree]?[key] }

    mutating func put(_ value: [UInt8], forKey key: [UInt8], in tree: TreeNumber) {
        trees[tree, default: [:]][key] = value
    }

    mutating func remove(_ key: [UInt8], in tree: TreeNumber) { trees[tree]?[key] = nil }

    /// From which the other trees can be made: works, editions, authors, entries, texts, and what an app declares.
    static func isOfRecords(_ tree: TreeNumber) -> Bool {
        [4, 5, 7, 8, 11].contains(tree.rawValue) || tree.rawValue >= 1 << 23
    }
}
