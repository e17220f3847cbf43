import CrashSimulation
import StorageEngine
import Testing

/// Power cuts at every operation of short histories. `./dev torture` runs the long form.
@Suite struct CrashTests {
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `a power cut at any operation keeps every flushed commit and shows no half one`(seed: UInt64) async throws {
        print("BOOKDB_SEED=\(seed)")
        let history = try await CrashHistory.play(seed: seed, steps: 3)
        var explorer = CrashExplorer(seed: seed)
        explorer.exhaustiveCount = 2
        explorer.sampleCount = 3
        try await explorer.explore(history.disk) { files, operationCount in
            _ = try await history.check(files, operationCount: operationCount)
        }
        #expect(explorer.counts.distinctStates > 20)
    }

    @Test func `a power cut during the recovery from a power cut loses nothing more`() async throws {
        let history = try await CrashHistory.play(seed: 9, steps: 2)
        var explorer = CrashExplorer(seed: 9)
        explorer.sampleCount = 1
        explorer.exhaustiveCount = 1
        try await explorer.explore(history.disk) { files, operationCount in
            let recovered = try await history.check(files, operationCount: operationCount)
            var nested = CrashExplorer(seed: 10)
            nested.exhaustiveCount = 1
            nested.sampleCount = 1
            try await nested.explore(recovered, startingWith: files) { files, _ in
                try history.checkNested(files, outerOperationCount: operationCount)
            }
        }
    }
}
