/// Times a short operation many times over.
struct Timing {
    private(set) var samples: [Int] = []

    static func of(_ repetitions: Int, _ body: () throws -> Void) rethrows -> Timing {
        var timing = Timing()
        for _ in 0..<max(1, repetitions / 10) { try body() }
        for _ in 0..<repetitions { timing.add(try ContinuousClock().measure { try body() }) }
        return timing
    }

    mutating func add(_ duration: Duration) {
        let parts = duration.components
        samples.append(Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000))
    }

    /// Nanoseconds.
    var median: Int { samples.sorted()[samples.count / 2] }
}

extension Int {
    /// Nanoseconds for people.
    var time: String {
        switch self {
        case ..<10_000: "\(Double(self / 10) / 100) µs"
        case ..<1_000_000: "\(Double(self / 100) / 10) µs"
        case ..<100_000_000: "\(Double(self / 10_000) / 100) ms"
        default: "\(Double(self / 10_000_000) / 100) s"
        }
    }
}

/// Keeps the optimiser from leaving out what nobody reads.
@inline(never) @_optimize(none)
func blackHole<Value>(_ value: Value) {}
