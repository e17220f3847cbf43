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
        var arguments = CommandLine.arguments.dropFirst().makeIterator()
        while let option = arguments.next() {
            switch (option, arguments.next()) {
            case ("--seed", let value?): seed = UInt64(value) ?? seed
            case ("--seconds", let value?): seconds = Int(value) ?? seconds
            default:
                print("usage: torture [--seed N] [--seconds S]")
                return
            }
        }
        let end = ContinuousClock.now + .seconds(seconds)
        var total = CrashExplorer.Counts()
        var histories = 0
        while ContinuousClock.now < end {
            do {
                total += try await Self.torture(seed: seed)
            } catch let violation as CrashHistory.Violation {
                print("VIOLATION with --seed \(seed): \(violation)")
                exit(1)
            }
            histories += 1
            seed += 1
        }
        print(
            "\(histories) histories, \(total.boundaries) operation boundaries, \(total.kills) kills, "
                + "\(total.states) crash states, \(total.distinctStates) of them distinct: 0 violations")
    }

    /// Of four histories three are long, two of them with failing calls; the fourth is short and crashed three deep.
    static func torture(seed: UInt64) async throws -> CrashExplorer.Counts {
        let isNested = seed % 4 == 3
        let history = try await CrashHistory.play(seed: seed, steps: isNested ? 3 : 16, hasFaults: seed % 4 != 0)
        var explorer = CrashExplorer(seed: seed)
        explorer.killStride = 2
        if isNested {
            explorer.exhaustiveCount = 1
            explorer.sampleCount = 2
            explorer.stride = 11
        }
        return try await history.check(depth: isNested ? 3 : 1, &explorer)
    }
}
