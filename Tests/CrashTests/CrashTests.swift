import CrashSimulation
import Testing

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

    @Test func `a crash during the recovery from a crash during a recovery loses nothing more`() async throws {
        let history = try await CrashHistory.play(seed: 9, steps: 2)
        var explorer = CrashExplorer(seed: 9)
        explorer.exhaustiveCount = 1
        explorer.sampleCount = 1
        explorer.stride = 13
        let coverage = try await history.check(depth: 3, &explorer)
        #expect(coverage.distinctStates > 100)
    }

    /// Each with what it showed.
    @Test(
        arguments: [
            // The flush of a closing watermark frame failed, the next process took the frame for durable and wrote behind it.
            13
        ] as [UInt64])
    func `a history that once broke a promise keeps it`(seed: UInt64) async throws {
        let history = try await CrashHistory.play(seed: seed, steps: 16, hasFaults: true)
        var explorer = CrashExplorer(seed: seed)
        explorer.exhaustiveCount = 0
        explorer.sampleCount = 0
        _ = try await history.check(depth: 1, &explorer)
    }
}
