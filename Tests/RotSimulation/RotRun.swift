/// A run over shapes, which goes on behind a violation so that one run shows them all.
public struct RotRun: Sendable {
    public private(set) var counts = RotCounts()
    public private(set) var violations: [String] = []

    public init() {}

    /// Tries the mutations, all of them or until `end`.
    public mutating func run(
        _ shape: StoreShape, _ mutations: [Mutation], until end: ContinuousClock.Instant? = nil
    ) async throws {
        var oracle = RotOracle(shape)
        for mutation in mutations {
            if let end, ContinuousClock.now > end { break }
            do {
                try await oracle.check(mutation)
            } catch let violation as RotViolation {
                violations.append(violation.description)
            }
        }
        counts.add(oracle.counts)
    }

    public mutating func add(_ other: RotRun) {
        counts.add(other.counts)
        violations += other.violations
    }
}
