import RotSimulation

/// Rotten files without end: `./dev torture --rot --seed N --seconds S`.
///
/// First every mutation of every shape, each byte of the golden store among them; then other samples until the time is over.
enum RotTorture {
    /// Prints what it covered; the violations are the caller's to judge.
    static func run(seed: UInt64, seconds: Int) async throws -> RotRun {
        let end = ContinuousClock.now + .seconds(seconds)
        let shapes = try await StoreShapes.all()
        var run = RotRun()
        var round: UInt64 = 0
        repeat {
            for shape in shapes {
                let density: ImageMutator.Density = round == 0 && shape.name == "golden" ? .whole : .long
                let mutations = ImageMutator.mutations(of: shape, density, seed: seed + round)
                try await run.run(shape, mutations)
                if ContinuousClock.now > end { break }
            }
            round += 1
        } while ContinuousClock.now < end && run.violations.isEmpty
        report(run)
        return run
    }

    private static func report(_ run: RotRun) {
        for (shape, kinds) in run.counts.byShape.sorted(by: { $0.key < $1.key }) { print("\(shape): \(words(kinds))") }
        print("")
        for (kind, kinds) in run.counts.byMutation.sorted(by: { $0.key < $1.key }) { print("\(kind): \(words(kinds))") }
        print("")
        for (_, example) in run.counts.wordings.sorted(by: { $0.key < $1.key }) { print("  \(example)") }
        // One of each kind: a single mistake shows in thousands of mutations.
        let kinds = Dictionary(grouping: run.violations, by: RotCounts.pattern(of:))
        for violations in kinds.values.sorted(by: { $0[0] < $1[0] }) {
            print("VIOLATION (\(violations.count) like it): \(violations[0])")
        }
        print(
            "\(run.counts.total) mutations classified (\(run.counts.count("damage")) damage, "
                + "\(run.counts.count("legal")) legal, \(run.counts.count("residual")) residual, "
                + "\(run.counts.count("harmless")) harmless), \(run.counts.unchanged) that changed nothing: "
                + "\(run.violations.count) violations")
    }

    private static func words(_ kinds: [String: Int]) -> String {
        kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
