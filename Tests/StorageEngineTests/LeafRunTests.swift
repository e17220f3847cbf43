import StorageEngine
import TestSupport
import Testing

/// The walk by stretches of leaves, against a scan of the entries.
@Suite struct LeafRunTests {
    @Test func `the runs of a random tree hold its entries in order, and the unchanged ones lie in the file in order`()
        async throws
    {
        var random = SeededGenerator.forTest(fallback: 4)
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: MemoryFileSystem())
        try await database.put(0..<4000)
        for round in 0..<12 {
            if round % 4 == 0 { try await database.compact() }
            let snapshotKeys = round % 4 == 0 ? try keys(database.version) : []
            if round % 4 == 0 { try expect(database.version, isWhollyUnchanged: snapshotKeys.count) }
            let changes = [1, 20, 300][round % 3]
            let seed = random.next()
            try await database.write { transaction in
                var random = SeededGenerator(seed: seed)
                for _ in 0..<changes {
                    let number = UInt64.random(in: 0..<5000, using: &random)
                    if random.oneIn(3) {
                        try transaction.remove(.bigEndianBytes(number), in: numbers)
                    } else {
                        try transaction.put([1, 2], forKey: number, in: numbers)
                    }
                }
                if random.oneIn(4) {
                    // A stretch of leaves goes, so that neighbours in the tree are none in the file.
                    for number in 1000..<1400 { try transaction.remove(.bigEndianBytes(UInt64(number)), in: numbers) }
                }
            }
            let version = database.version
            let all = try keys(version)
            try expect(version, 0..<all.count, all)
            let lower = Int.random(in: 0..<all.count, using: &random)
            try expect(version, lower..<Int.random(in: lower...all.count, using: &random), all)
        }
        try await database.close()
    }

    private func keys(_ version: Version) throws -> [UInt64] {
        var keys: [UInt64] = []
        try version.scan(numbers) { key, _ in
            keys.append(key.loadBigEndian(at: 0))
            return true
        }
        return keys
    }

    private func expect(_ version: Version, isWhollyUnchanged count: Int) throws {
        var runs: [(Int, Int)] = []
        try version.forEachRun(in: numbers, positions: 0..<count) { run, position in
            guard case .unchanged(_, let count) = run else { return false }
            runs.append((position, count))
            return true
        }
        #expect(runs.count == 1)
        #expect(runs.first?.0 == 0 && runs.first?.1 == count)
    }

    /// The runs that touch the positions, one behind the other, hold the entries of the scan; pages ascend.
    private func expect(_ version: Version, _ positions: Range<Int>, _ all: [UInt64]) throws {
        var next: Int?
        var lastPage: UInt32 = 0
        var failure: String?
        var unchanged: [(page: UInt32, position: Int, count: Int)] = []
        try version.forEachRun(in: numbers, positions: positions) { run, position in
            if let next, next != position { failure = "a gap before \(position)" }
            if next == nil, position > positions.lowerBound { failure = "begins at \(position)" }
            switch run {
            case .unchanged(let page, let count):
                if page <= lastPage { failure = "page \(page) behind \(lastPage)" }
                lastPage = page
                unchanged.append((page, position, count))
                next = position + count
            case .changed(let leaf):
                for index in 0..<leaf.count where (try? leaf.entry(index).trailingInteger) != all[position + index] {
                    failure = "entry \(position + index)"
                }
                next = position + leaf.count
            }
            return true
        }
        #expect(failure == nil)
        if !positions.isEmpty { #expect(next ?? 0 >= positions.upperBound) }
        for run in unchanged {
            let (leaf, start) = try #require(try version.leaf(at: run.position, in: numbers))
            #expect(leaf.page == run.page && start == run.position && leaf.isInPage(0))
            #expect(try leaf.entry(0).trailingInteger == all[run.position])
        }
    }
}

extension [UInt8] {
    fileprivate static func bigEndianBytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - $0 * 8)) }
    }
}
