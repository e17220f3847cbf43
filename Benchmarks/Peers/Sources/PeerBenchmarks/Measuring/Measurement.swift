/// What one process measured of one workload.
struct Measurement: Codable, Sendable {
    let workload: Workload
    var samples: [Int]
    /// What the answer was, where all stores must give the same.
    var digest: UInt64?
}

extension Measurement {
    /// Times an answer many times over.
    ///
    /// - Parameter digest: of the answer, where all stores must give the same.
    static func timed<Answer>(
        _ workload: Workload, upTo repetitions: Int = 300, within budget: Duration = .milliseconds(400),
        _ digest: (Answer) -> UInt64, _ body: () async throws -> Answer
    ) async throws -> Measurement {
        let answer = digest(try await body())
        let timing = try await Timing.of(upTo: repetitions, within: budget) { blackHole(try await body()) }
        return Measurement(workload: workload, samples: timing.samples, digest: answer)
    }
}

/// The line that a process of its own prints.
struct MeasuredLine: Codable {
    var measurements: [Measurement] = []
    /// How many changes a store's log held, where that was asked.
    var operations: Int?
}
