import StorageEngine
import TestSupport
import Testing

@testable import CrashSimulation

/// Power cuts and kills at the operations of short histories. `./dev torture` runs the long form.
@Suite struct CrashTests {
    @Test(arguments: [(1, false), (2, false), (3, true), (4, true), (5, true)] as [(UInt64, Bool)])
    func `a crash at any operation keeps every flushed commit and shows no half one`(
        seed: UInt64, hasFaults: Bool
    ) async throws {
        print("BOOKDB_SEED=\(seed)")
        let history = try await CrashHistory.play(seed: seed, steps: 4, hasFaults: hasFaults)
        var explorer = CrashExplorer(seed: seed)
        explorer.exhaustiveCount = 2
        explorer.sampleCount = 3
        explorer.killStride = 4
        let coverage = try await history.check(depth: 1, &explorer)
        #expect(coverage.distinctStates > 20)
        #expect(coverage.kills > 0)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a reader beside commits, loads, compactions and rescues finds one of the commits and no damage`(
        seed: UInt64
    ) async throws {
        print("BOOKDB_SEED=\(seed)")
        let history = try await CrashHistory.play(seed: seed, steps: 10, hasFaults: seed > 2)
        var race = ReaderRace(beside: history)
        try race.run(stride: 997, randomCount: 40, seed: seed)
        #expect(race.openings > 40)
    }

    @Test func `histories without a crash agree with their model, in memory too`() async throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            do {
                _ = try await CrashHistory.play(seed: seed, steps: 12, hasFaults: seed % 2 == 0)
            } catch {
                Issue.record("BOOKDB_SEED=\(seed): \(error)")
            }
        }
    }

    @Test func `a crash during the recovery from a crash during a recovery loses nothing more`() async throws {
        let history = try await CrashHistory.play(seed: 9, steps: 2)
        var explorer = CrashExplorer(seed: 9)
        explorer.exhaustiveCount = 1
        explorer.sampleCount = 1
        explorer.stride = 13
        let coverage = try await history.check(depth: 3, &explorer)
        #expect(coverage.distinctStates > 100)
    }

    @Test func `a store in a directory that a killed process made has its directory after a power cut`() async throws {
        let history = try await CrashHistory.play(seed: 1, steps: 0)
        var medium = history.disk.start
        var random = SeededGenerator(seed: 1)
        let made = try #require(history.disk.operations.first)
        try #require(made.isOfParent)
        medium.apply(made, using: &random)
        // The process was killed before it had flushed the directory's own name.
        let disk = history.disk.afterKill(operationCount: 1, medium: medium)
        let database = try SimulatedStore.open(disk)
        try await database.write { try $0.put([1], forKey: [1], in: SimulatedStore.hot) }
        let end = disk.operationCount
        var explorer = CrashExplorer(seed: 1)
        try await explorer.explore(disk) { crash in
            guard crash.operationCount == end else { return }
            let version = try SimulatedStore.open(crash.disk).version
            #expect(version.commitNumber == 1)
        }
    }

    /// Found by the torture: the frame vouches for the commits before it, and nobody for the frame.
    @Test func `a closing frame whose flush failed is written again before anything follows it`() async throws {
        let disk = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        var database = try SimulatedStore.open(disk)
        try await database.write { try $0.put([1], forKey: [1], in: SimulatedStore.hot) }
        // The commit was flushed already, so closing flushes once: behind its mark.
        disk.fail(DiskFault(.flush, times: nil))
        await #expect(throws: StorageError.self) { try await database.close() }
        disk.fail(nil)
        database = try SimulatedStore.open(disk)
        try await database.write { try $0.put([2], forKey: [2], in: SimulatedStore.hot) }
        let end = disk.operationCount
        for seed in 1...12 as ClosedRange<UInt64> {
            // Each seed lets another part of what was pending at the failed flush reach the medium.
            var explorer = CrashExplorer(seed: seed)
            try await explorer.explore(disk) { crash in
                guard crash.operationCount == end else { return }
                let version = try SimulatedStore.open(crash.disk).version
                #expect(version.commitNumber == 2)
            }
        }
    }
}
