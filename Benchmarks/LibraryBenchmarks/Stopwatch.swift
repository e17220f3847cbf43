/// Times short operations many times over and keeps what a reader of the table needs.
struct Stopwatch {
    /// Nanoseconds of each repetition, ascending.
    private(set) var samples: [Int] = []

    /// Runs `body` `repetitions` times, after a tenth as many that do not count.
    static func time(_ repetitions: Int, _ body: () throws -> Void) rethrows -> Stopwatch {
        var watch = Stopwatch()
        for _ in 0..<max(1, repetitions / 10) { try body() }
        let clock = ContinuousClock()
        for _ in 0..<repetitions {
            let duration = try clock.measure { try body() }
            let parts = duration.components
            watch.samples.append(Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000))
        }
        watch.samples.sort()
        return watch
    }

    var median: Int { samples[samples.count / 2] }
    var p99: Int { samples[min(samples.count - 1, samples.count * 99 / 100)] }
}
