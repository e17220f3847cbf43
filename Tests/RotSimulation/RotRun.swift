/// A whole run over one shape, which goes on behind a violation so that one run shows them all.
public struct RotRun: Sendable {
    public private(set) var counts = RotCounts()
    public private(set) var violations: [String] = []

    public init() {}

    public mutating func run(_ shape: StoreShape, _ mutations: [Mutation]) async throws {
        var oracle = RotOracle(shape)
        for mutation in mutations {
            do {
                try await oracle.check(mutation)
            } catch let violation as RotViolation {
                violations.append(violation.description)
            }
        }
        counts.add(oracle.counts)
    }
}
