/// Times a short operation many times over; samples are nanoseconds.
struct Timing {
    private(set) var samples: [Int] = []

    private static let clock = ContinuousClock()

    /// - Parameter budget: after so long no more are begun, but for the first three.
    static func of(
        upTo repetitions: Int = 300, within budget: Duration = .milliseconds(400), _ body: () async throws -> Void
    ) async rethrows -> Timing {
        try await body()
        let start = clock.now
        return try await of(repetitions) { number in
            if number >= 3, start.duration(to: clock.now) > budget { return false }
            try await body()
            return true
        }
    }

    /// Every repetition has a number; the first that says no is not counted, nor is any behind it.
    static func of(_ repetitions: Int, _ body: (Int) async throws -> Bool) async rethrows -> Timing {
        var timing = Timing()
        for number in 0..<repetitions {
            let start = clock.now
            guard try await body(number) else { break }
            timing.add(start.duration(to: clock.now))
        }
        return timing
    }

    mutating func add(_ duration: Duration) { samples.append(duration.nanoseconds) }
}

extension Duration {
    var nanoseconds: Int {
        Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
    }
}

/// Keeps the optimiser from leaving out what nobody reads.
@inline(never) @_optimize(none)
func blackHole<Value>(_ value: Value) {}
