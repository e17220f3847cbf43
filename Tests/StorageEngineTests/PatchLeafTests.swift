import TestSupport
import Testing

@testable import StorageEngine

/// Leaves that amend a page of the snapshot. A compaction leaves full pages, so what happens to a full one is what nearly every write meets.
struct PatchLeafTests {
    private static let step: UInt64 = 100

    /// Full pages, with room for keys between any two.
    private func compacted(_ fileSystem: MemoryFileSystem, count: UInt64) async throws -> Database {
        let database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        try await database.write { transaction in
            for number in 0..<count { try transaction.put([1, 2, 3, 4], forKey: number * Self.step, in: numbers) }
        }
        try await database.compact()
        return database
    }

    @Test func `a full page takes an entry without becoming two nodes`() async throws {
        let database = try await compacted(MemoryFileSystem(), count: 5_000)
        let before = database.version.allocations.count
        try await database.write { try $0.put([5], forKey: 250_050, in: numbers) }
        // A root and a leaf.
        #expect(database.version.allocations.count == before + 2)
        try await database.write { try $0.put([5], forKey: 250_051, in: numbers) }
        #expect(database.version.allocations.count == before + 4)
        try await database.close()
    }

    @Test(arguments: [false, true])
    func `pages that take more and more are split, and hold what was put`(isOneCommit: Bool) async throws {
        let fileSystem = MemoryFileSystem()
        let database = try await compacted(fileSystem, count: 1_000)
        let added = (1..<400).map { 30_000 + UInt64($0) * 7 }.filter { !$0.isMultiple(of: Self.step) }
        if isOneCommit {
            try await database.write { transaction in
                for key in added.reversed() { try transaction.put([6], forKey: key, in: numbers) }
            }
        } else {
            for key in added { try await database.write { try $0.put([6], forKey: key, in: numbers) } }
        }
        func check(_ version: Version) throws {
            #expect(try version.count(in: numbers) == 1_000 + added.count)
            for (rank, key) in added.enumerated() {
                let place = try version.lowerBound(of: .key(key), in: numbers)
                #expect(place == Int(key / Self.step) + 1 + rank, "\(key)")
            }
        }
        try check(database.version)
        try await database.compact()
        try check(database.version)
        try await database.close()
        let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
        #expect(report.damage.isEmpty)
    }
}
