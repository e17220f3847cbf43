import RotSimulation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Rotten files without end: `./dev torture --rot --seed N --seconds S`.
///
/// First every page, frame and file of every shape. Then, until the time is over, every byte of the golden store and of what is
/// small, and one sample after another of what is too large to be tried whole. Prints what it covered, goes on behind
/// violations, and prints one of each kind with how many there were.
enum RotTorture {
    private struct Work: Sendable {
        let shape: StoreShape
        let density: ImageMutator.Density
        let seed: UInt64
    }

    static func run(seed: UInt64, seconds: Int) async throws -> RotRun {
        let end = ContinuousClock.now + .seconds(seconds)
        let shapes = try await StoreShapes.all()
        let workers = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let run = try await withThrowingTaskGroup(of: RotRun.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var run = RotRun()
                    var index = worker
                    while index < shapes.count || (ContinuousClock.now < end && run.violations.isEmpty) {
                        let shape = shapes[index % shapes.count]
                        let isLarge = shape.image.files.values.contains { $0.count > 100_000 }
                        let density: ImageMutator.Density =
                            if index < shapes.count {
                                .short
                            } else if index == shapes.count {
                                .whole
                            } else {
                                isLarge ? .sampled : .long
                            }
                        let mutations = ImageMutator.mutations(
                            of: shape, density, seed: seed + UInt64(index / shapes.count))
                        try await run.run(shape, mutations, until: index < shapes.count ? nil : end)
                        index += workers
                    }
                    return run
                }
            }
            return try await group.reduce(into: RotRun()) { $0.add($1) }
        }
        report(run, seed)
        return run
    }

    private static func report(_ run: RotRun, _ seed: UInt64) {
        let counts = run.counts
        print("Rot, from seed \(seed):")
        for (shape, kinds) in counts.byShape.sorted(by: { $0.key < $1.key }) { print("  \(shape): \(words(kinds))") }
        print("By mutation:")
        for (kind, kinds) in counts.byMutation.sorted(by: { $0.key < $1.key }) { print("  \(kind): \(words(kinds))") }
        print("Findings, one of each wording:")
        for (_, example) in counts.wordings.sorted(by: { $0.key < $1.key }) { print("  \(example)") }
        // One of each kind: a single mistake shows in thousands of mutations.
        let kinds = Dictionary(grouping: run.violations, by: RotCounts.pattern(of:))
        for violations in kinds.values.sorted(by: { $0[0] < $1[0] }) {
            print("VIOLATION, again with --seed \(seed) (\(violations.count) like it): \(violations[0])")
        }
        print(
            "\(counts.total) mutations classified (\(counts.count("damage")) damage, "
                + "\(counts.count("legal")) legal, \(counts.count("residual")) residual, "
                + "\(counts.count("harmless")) harmless), \(counts.unchanged) changed nothing: "
                + "\(run.violations.count) violations")
    }

    private static func words(_ kinds: [String: Int]) -> String {
        kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
