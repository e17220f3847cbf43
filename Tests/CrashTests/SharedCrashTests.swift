import Testing

@testable import CrashSimulation

/// Two processes that share a store: power cuts, and the death of either at its calls to the disk. `./dev torture` runs the long form.
@Suite struct SharedCrashTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a power cut at any operation of two processes keeps every flushed commit, whoever died before`(
        seed: UInt64
    ) async throws {
        print("BOOKDB_SEED=\(seed)")
        let history = try await SharedCrashHistory.play(seed: seed, steps: 8)
        var explorer = CrashExplorer(seed: seed)
        (explorer.exhaustiveCount, explorer.sampleCount, explorer.killStride) = (1, 1, 12)
        let coverage = try await history.check(&explorer)
        #expect(coverage.distinctStates > 100)
    }

    @Test func `a power cut at any operation of a compaction beside commits of another process loses none`()
        async throws
    {
        print("BOOKDB_SEED=7")
        let history = try await SharedCrashHistory.play(SharedCrashHistory.wholeScript, seed: 7)
        var explorer = CrashExplorer(seed: 7)
        (explorer.exhaustiveCount, explorer.sampleCount, explorer.killStride) = (1, 1, 12)
        #expect(try await history.check(&explorer).distinctStates > 100)
    }

    /// Of commits in groups, of taking over, of reading what the other appended, of a compaction beside the other's writes; of loads.
    @Test(arguments: SharedCrashHistory.scripts)
    func `whoever of two processes dies, at whichever call to the disk, the other goes on with all of it`(
        script: [SharedCrashHistory.Step]
    ) async throws {
        print("BOOKDB_SEED=5")
        let coverage = try await SharedCrashHistory.everyDeath(in: script, stride: 7, seed: 5)
        #expect(coverage.deaths > 30)
    }

    /// The death of one that has just taken over what a dead one left: both die, one behind the other.
    @Test func `many short histories agree with their model, whoever dies`() async throws {
        for seed in 100..<130 as Range<UInt64> {
            do {
                _ = try await SharedCrashHistory.play(seed: seed, steps: 8)
            } catch {
                Issue.record("BOOKDB_SEED=\(seed): \(error)")
            }
        }
    }
}
