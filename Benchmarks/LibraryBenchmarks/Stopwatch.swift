/// Times short operations many times over and keeps what a reader of the table needs.
struct Stopwatch {
    /// Nanoseconds of each repetition, ascending.
    private(set) var samples: [Int] = []

    /// Runs `body` `repetitions` times, after a tenth as many that do not count.
    static func time(_ repetitions: Int, _ body: () throws -> Void) rethrows -> Stopwatch {
        var watch = Stopwatch()
        for _ in 0..<max(1, repetitions / 10) { try body() }
        let clock = ContinuousClock()
        for _ in 0..<repetitions { watch.samples.append(nanoseconds(try clock.measure { try body() })) }
        watch.samples.sort()
        return watch
    }

    /// Times two operations in turn, so that whatever else the machine does slows both alike.
    static func compare(
        turns: Int, repetitions: Int, _ first: () throws -> Void, _ second: () throws -> Void
    ) rethrows -> (first: Stopwatch, second: Stopwatch) {
        var watches = (first: Stopwatch(), second: Stopwatch())
        for _ in 0..<turns {
            watches.first.samples += try time(repetitions, first).samples
            watches.second.samples += try time(repetitions, second).samples
        }
        watches.first.samples.sort()
        watches.second.samples.sort()
        return watches
    }

    mutating func add(_ duration: Duration) {
        samples.append(Self.nanoseconds(duration))
        samples.sort()
    }

    private static func nanoseconds(_ duration: Duration) -> Int {
        let parts = duration.components
        return Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
    }

    var median: Int { samples[samples.count / 2] }
    var p99: Int { samples[min(samples.count - 1, samples.count * 99 / 100)] }
}
