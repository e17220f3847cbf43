/// What one process measured of one workload.
struct Measurement: Codable, Sendable {
    let workload: Workload
    var samples: [Int]
    /// What the answer was, where all stores must give the same.
    var digest: UInt64?
}

/// The line that a process of its own prints.
struct MeasuredLine: Codable {
    var measurements: [Measurement] = []
    /// How many changes a store's log held, where that was asked.
    var operations: Int?
}
