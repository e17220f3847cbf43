import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// Who reads a snapshot from front to back asks for it ahead, and leaves the advice of the mapping as it is.
@Suite struct ReadAheadTests {
    private final class Requests: Sendable {
        let ranges = Mutex<[Range<Int>]>([])
    }

    private static func mapping(_ byteCount: Int, _ requests: Requests) -> Mapping {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        return Mapping(
            base: memory, byteCount: byteCount, willNeed: { range in requests.ranges.withLock { $0.append(range) } },
            release: { memory.deallocate() })
    }

    @Test func `a scan has asked for some MiB ahead wherever it is, and for each byte once`() {
        let byteCount = 50 << 20 | 1234
        let requests = Requests()
        var ahead = ReadAhead(Self.mapping(byteCount, requests))
        for offset in stride(from: 0, to: byteCount, by: 4096) {
            ahead.reach(offset)
            let end = requests.ranges.withLock { $0.last?.upperBound ?? 0 }
            #expect(end >= min(byteCount, offset + 4 << 20))
            #expect(end <= offset + 8 << 20)
        }
        let ranges = requests.ranges.withLock { $0 }
        #expect(ranges.first?.lowerBound == 0)
        #expect(ranges.last?.upperBound == byteCount)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(ranges.allSatisfy { $0.count <= 128 << 10 })
    }

    @Test func `a scan that jumps, forwards or back, is followed, and none asks for bytes behind the end`() {
        let byteCount = 40 << 20
        let requests = Requests()
        var ahead = ReadAhead(Self.mapping(byteCount, requests))
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let offset = Int.random(in: 0..<byteCount + 4096, using: &random)
            ahead.reach(offset)
            guard offset < byteCount else { continue }
            let ranges = requests.ranges.withLock { $0 }
            #expect(ranges.contains { $0.contains(offset) })
            #expect(ranges.allSatisfy { $0.upperBound <= byteCount })
        }
    }

    @Test func `a compaction and a proof ask for every leaf and the cold region before they read them`() async throws {
        let fileSystem = FaultyFileSystem()
        let trees = ModelTests.trees
        var database = try Database.open(
            at: "A", trees: trees, options: Options(compaction: .manual), fileSystem: fileSystem)
        var random = SeededGenerator(seed: 4)
        let noise = (0..<3000).map { _ in UInt8.random(in: 0...255, using: &random) }
        func put(_ keys: Range<UInt64>) async throws {
            try await database.write { transaction in
                for key in keys {
                    try transaction.put(Array(noise.prefix(200)), forKey: key, in: ModelTests.hot)
                    try transaction.put(noise, forKey: key, in: ModelTests.cold)
                }
            }
        }
        try await put(0..<2_000)
        try await database.compact()
        // Patches of every page: what they amend is read too.
        for key in stride(from: 0, to: 2_000, by: 5) as StrideTo<UInt64> { try await put(key..<key + 1) }
        let file = database.version.generation.file
        let pages =
            file.superblock.headPageCount * NodeLayout.pageByteCount..<Int(file.superblock.pageCount)
            * NodeLayout.pageByteCount
        let cold = file.cold.fileOffset..<file.cold.fileOffset + file.cold.byteCount
        #expect(cold.count > 5 << 20)
        func isAsked(for range: Range<Int>) -> Bool {
            let asked = fileSystem.counts.prefetched[file.path] ?? []
            return stride(from: range.lowerBound, to: range.upperBound, by: 4096).allSatisfy { offset in
                asked.contains { $0.contains(offset) }
            }
        }
        #expect(fileSystem.counts.prefetched.isEmpty)
        try await database.compact()
        #expect(isAsked(for: pages.lowerBound + 64 << 10..<pages.upperBound) && isAsked(for: cold))
        try await database.close()
        database = try Database.open(at: "A", trees: trees, options: Options(access: .readOnly), fileSystem: fileSystem)
        let next = database.version.generation.file
        #expect(fileSystem.counts.prefetched[next.path] == nil)
        try next.prove()
        #expect(fileSystem.counts.prefetched[next.path]?.last?.upperBound == next.byteCount)
    }
}
