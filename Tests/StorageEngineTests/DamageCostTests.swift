import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// What is looked for in damaged or forged files costs what the files have, and not what they claim.
struct DamageCostTests {
    /// A log of so many commits of random bytes, which are not compressed.
    private func log(commits: Int, in disk: MemoryFileSystem) async throws -> [UInt8] {
        var random = SeededGenerator(seed: 5)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        for number in 0..<UInt64(commits) {
            let value = (0..<500).map { _ in UInt8.random(in: 0...255, using: &random) }
            try await database.write(.memory) { try $0.put(value, forKey: .key(number), in: numbers) }
        }
        try await database.close()
        return try disk.bytes(of: StoreFiles(directory: "A").log(1))
    }

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    private func reader(_ bytes: [UInt8], _ count: Count) -> LogReader {
        LogReader(
            path: "log", byteCount: bytes.count,
            LogReader.Source(
                read: { range in
                    count.value.withLock { $0 += range.count }
                    return Array(bytes[range])
                }, dataExtent: { $0..<bytes.count }))
    }

    @Test func `frames that are searched for are read about once, however many there are`() async throws {
        let bytes = try await log(commits: 6_000, in: MemoryFileSystem())
        #expect(bytes.count > 3 << 20)
        let count = Count()
        var reader = reader(bytes, count)
        let salt = try reader.header().salt
        var (position, found, budget) = (1, 0, reader.searchBudget)
        while let frame = try reader.frame(searchingFrom: position, to: bytes.count, salt: salt, budget: &budget) {
            if !frame.isWatermarkOnly { found += 1 }
            position = frame.end
        }
        #expect(found == 6_000)
        #expect(count.value.withLock { $0 } < 3 * bytes.count)
    }

    @Test func `false beginnings of frames use the budget up`() throws {
        let bytes = [UInt8]((0..<1 << 17).map { _ in LogFrameFormat.magic + [0, 0, 0, 0] }.joined())
        let count = Count()
        var reader = reader(bytes, count)
        var budget = bytes.count
        #expect(try reader.frame(searchingFrom: 0, to: bytes.count, salt: 1, budget: &budget) == nil)
        #expect(budget < 0 && count.value.withLock { $0 } <= 2 * bytes.count)
    }

    @Test func `a log whose end is full of heads that are false is given up, and a salvage says where`() async throws {
        let (disk, frames) = try await LogRecoveryTests.crashedStore()
        let path = LogRecoveryTests.log
        let bytes = try disk.bytes(of: path)
        var reader = LogReader(bytes, path: path)
        let heads = FalseFrames.heads(400, salt: try reader.header().salt)
        try disk.replace(path, with: Array(bytes[..<LogRecoveryTests.end(of: bytes)]) + heads)
        let error = #expect(throws: StorageError.self) {
            try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        }
        #expect(error?.damage?.finding == "what follows commit 10 is no log")
        let report = try Salvage(at: "A", fileSystem: disk).report
        #expect(report.lastCommit == 10 && report.missingCommits.isEmpty)
        let place = try #require(report.places.first)
        #expect(report.places.count == 1 && place.damage.byteOffset > frames[9])
        #expect(place.damage.finding.hasSuffix("not all of it was searched"))
    }

    @Test func `a rotten block claims no more than a block can have`() async throws {
        let disk = FaultyFileSystem()
        let texts = TreeNumber(2)
        let trees = numberTrees + [TreeDeclaration(texts, "texts", placement: .cold)]
        let database = try Database.open(at: "A", trees: trees, fileSystem: disk)
        var random = SeededGenerator(seed: 6)
        let values = (0..<6).map { _ in (0..<400_000).map { _ in UInt8.random(in: 0...255, using: &random) } }
        try await database.write { transaction in
            for (key, value) in values.enumerated() { try transaction.put(value, forKey: [UInt8(key)], in: texts) }
        }
        try await database.compact()
        try await database.close()
        let files = StoreFiles(directory: "A")
        let heads = try SnapshotHeads([2], files, disk)
        let superblock = try #require(heads.superblock)
        var bytes = try disk.bytes(of: files.snapshot(2))
        let place = Int(superblock.coldOffset) + 6
        bytes[place] = 0x70
        bytes[place + 1] = 0x01
        try disk.replace(files.snapshot(2), with: bytes)
        let file = try SalvageFile(files.snapshot(2), disk)
        let before = disk.reads.byteCount
        let cold = SalvagedCold(file, ColdIdentity(superblock), superblock)
        #expect(try cold.block(at: 0) == nil)
        #expect(disk.reads.byteCount - before < 5_000)
    }

    @Test func `the stretches that are lost are counted as they lie, in any order of keys`() {
        var random = SeededGenerator.forTest(fallback: 8)
        for _ in 0..<50 {
            let count = Int.random(in: 2...20, using: &random)
            let bounds = Set((0..<count).map { _ in UInt8.random(in: 1...250, using: &random) }).sorted()
            var tree = SalvagedTree(numberTrees[0], expectedCount: 1_000)
            var outer: [SalvagedTree.Stretch] = []
            for index in 0..<bounds.count - 1 where random.oneIn(2) {
                let low: [UInt8]? = index == 0 && random.oneIn(2) ? nil : [bounds[index]]
                outer.append(
                    SalvagedTree.Stretch(
                        place: nil, low: low, high: [bounds[index + 1]], expectedCount: 100, isWithinAnother: false))
                tree.add(outer[outer.count - 1])
            }
            for index in outer.indices.shuffled(using: &random) where random.oneIn(2) {
                // The first page below a branch that was found by its seal begins nobody knows where.
                let low: [UInt8]? = random.oneIn(3) ? nil : outer[index].low.map { [$0[0], 7] }
                let high: [UInt8] = outer[index].low.map { [$0[0], 9] } ?? [0, 1]
                tree.add(
                    SalvagedTree.Stretch(
                        place: nil, low: low, high: high, expectedCount: index + 1, isWithinAnother: true))
            }
            let counts = tree.lostCounts()
            let inner = zip(tree.stretches, counts).dropFirst(outer.count)
            for (index, stretch) in outer.enumerated() {
                let below = inner.filter { stretch.contains($0.0.high ?? []) }
                #expect(counts[index] == 100 - below.reduce(0) { $0 + ($1.1 ?? 0) })
            }
        }
    }
}
