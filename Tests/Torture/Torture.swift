import CrashSimulation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Power cuts without end: `./dev torture --seed N --seconds S`.
///
/// Plays one random history after another and checks every crash each could have had, and, for a share of them, every crash
/// during the recovery. Prints what it covered; stops at the first violation with the seed that repeats it.
@main struct Torture {
    static func main() async throws {
        var seed: UInt64 = 1
        var seconds = 60
        var isRot = false
        var arguments = CommandLine.arguments.dropFirst().makeIterator()
        while let option = arguments.next() {
            if option == "--rot" {
                isRot = true
                continue
            }
            switch (option, arguments.next()) {
            case ("--seed", let value?): seed = UInt64(value) ?? seed
            case ("--seconds", let value?): seconds = Int(value) ?? seconds
            default:
                print("usage: torture [--rot] [--seed N] [--seconds S]")
                return
            }
        }
        if isRot { exit(try await RotTorture.run(seed: seed, seconds: seconds).violations.isEmpty ? 0 : 1) }
        let end = ContinuousClock.now + .seconds(seconds)
        var total = CrashExplorer.Counts()
        var histories = 0
        while ContinuousClock.now < end {
            do {
                let counts = try await Self.torture(seed: seed, isNested: histories % 4 == 3)
                total.boundaries += counts.boundaries
                total.states += counts.states
                total.distinctStates += counts.distinctStates
            } catch let violation as CrashHistory.Violation {
                print("VIOLATION with --seed \(seed): \(violation)")
                exit(1)
            }
            histories += 1
            seed += 1
        }
        print(
            "\(histories) histories, \(total.boundaries) operation boundaries, \(total.states) crash states, "
                + "\(total.distinctStates) of them distinct: 0 violations")
    }

    static func torture(seed: UInt64, isNested: Bool) async throws -> CrashExplorer.Counts {
        let history = try await CrashHistory.play(seed: seed, steps: isNested ? 4 : 16)
        var explorer = CrashExplorer(seed: seed)
        var inner = CrashExplorer.Counts()
        try await explorer.explore(history.disk) { files, operationCount in
            let recovered = try await history.check(files, operationCount: operationCount)
            guard isNested else { return }
            var nested = CrashExplorer(seed: seed)
            nested.exhaustiveCount = 3
            nested.sampleCount = 4
            try await nested.explore(recovered, startingWith: files) { files, _ in
                try history.checkNested(files, outerOperationCount: operationCount)
            }
            inner.states += nested.counts.states
            inner.distinctStates += nested.counts.distinctStates
        }
        var counts = explorer.counts
        counts.states += inner.states
        counts.distinctStates += inner.distinctStates
        return counts
    }
}
