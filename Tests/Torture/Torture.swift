import CrashSimulation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Crashes without end: `./dev torture --seed N --seconds S`.
///
/// Plays one random history after another, on every core, and checks the crashes each could have had. Prints what it covered;
/// ends at the first violation with the seed that repeats it, and with status 1.
@main struct Torture {
    private enum Mode: String {
        case crashes
        case rot = "--rot"
        case sequences = "--sequences"
        case schedules = "--schedules"
    }

    static func main() async throws {
        var seed: UInt64 = 1
        var seconds: Int?
        var depth = 6
        var limit = 20_000
        var mode = Mode.crashes
        var replay: String?
        var endsAtFinding = false
        var arguments = CommandLine.arguments.dropFirst().makeIterator()
        while let option = arguments.next() {
            if let named = Mode(rawValue: option) {
                mode = named
                continue
            }
            if option == "--first" {
                endsAtFinding = true
                continue
            }
            switch (option, arguments.next()) {
            case ("--seed", let value?): seed = UInt64(value) ?? seed
            case ("--seconds", let value?): seconds = Int(value) ?? seconds
            case ("--depth", let value?): depth = Int(value) ?? depth
            case ("--limit", let value?): limit = Int(value) ?? limit
            case ("--replay", let value?): replay = value
            default:
                print(
                    "usage: torture [--rot | --sequences [--depth N] | --schedules [--limit N] [--first]] [--seed N] [--seconds S] "
                        + "[--replay TEXT]")
                exit(64)
            }
        }
        switch mode {
        case .crashes: break
        case .rot: exit(try await RotTorture.run(seed: seed, seconds: seconds ?? 60).violations.isEmpty ? 0 : 1)
        case .sequences: exit(await SequenceTorture.run(depth: depth, seconds: seconds, replay: replay) ? 0 : 1)
        case .schedules:
            exit(
                await ScheduleTorture.run(limit: limit, seed: seed, endsAtFinding: endsAtFinding, replay: replay)
                    ? 0 : 1)
        }
        let coverage = try await crashes(from: seed, seconds: seconds ?? 60)
        print("Crashes, from seed \(seed):")
        for line in coverage.lines { print(line) }
        print("           0  violations")
    }

    private static func crashes(from seed: UInt64, seconds: Int) async throws -> CrashCoverage {
        let end = ContinuousClock.now + .seconds(seconds)
        let workers = UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        return try await withThrowingTaskGroup(of: CrashCoverage.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var coverage = CrashCoverage()
                    var seed = seed + worker
                    while ContinuousClock.now < end {
                        do {
                            coverage += try await torture(seed: seed)
                        } catch {
                            print("VIOLATION, again with --seed \(seed): \(error)")
                            exit(1)
                        }
                        seed += workers
                    }
                    return coverage
                }
            }
            return try await group.reduce(into: CrashCoverage()) { $0 += $1 }
        }
    }

    /// Two processes that share the store: a random history, and of every sixth the death of each process at each of its calls to the disk.
    private static func tortureOfTwo(seed: UInt64) async throws -> CrashCoverage {
        let history = try await SharedCrashHistory.play(seed: seed, steps: 12)
        var explorer = CrashExplorer(seed: seed)
        (explorer.exhaustiveCount, explorer.sampleCount, explorer.killStride) = (4, 16, 4)
        var coverage = try await history.check(&explorer)
        for (index, script) in SharedCrashHistory.scripts.enumerated() where seed % 30 == UInt64(index) * 15 {
            coverage += try await SharedCrashHistory.everyDeath(in: script, stride: 1, seed: seed)
        }
        return coverage
    }

    /// Of four histories three are long, two of them with failing calls; the fourth is short and crashed three deep.
    private static func torture(seed: UInt64) async throws -> CrashCoverage {
        if seed % 5 == 0 { return try await tortureOfTwo(seed: seed) }
        let isNested = seed % 4 == 3
        let history = try await CrashHistory.play(seed: seed, steps: isNested ? 3 : 16, hasFaults: seed % 4 != 0)
        var explorer = CrashExplorer(seed: seed)
        explorer.killStride = 2
        if isNested {
            explorer.exhaustiveCount = 1
            explorer.sampleCount = 2
            explorer.stride = 11
        }
        var coverage = try await history.check(depth: isNested ? 3 : 1, &explorer)
        var race = ReaderRace(beside: history)
        try race.run(stride: 211, randomCount: 100, seed: seed)
        coverage.readers = race.openings + race.verifications
        return coverage
    }
}
