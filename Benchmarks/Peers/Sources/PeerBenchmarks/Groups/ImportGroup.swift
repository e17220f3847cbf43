/// All works into a new store, each in its quickest way, and the memory that takes.
enum ImportGroup {
    static func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> [Measurement] {
        try context.home(.imports, type).remove()
        let peer = try context.open(type, .imports, .write)
        let memory = MemoryWatch()
        let duration = try await ContinuousClock().measure { try await peer.importBooks(type.source(context.folder)) }
        let peaks = memory.stop()
        let counts = try peer.statusCounts()
        guard counts.reduce(0, +) == context.plan.workCount else {
            throw Failure("\(type.name) has \(counts.reduce(0, +)) works after the import of \(context.plan.workCount)")
        }
        return [
            Measurement(
                workload: .importRate,
                samples: [context.plan.workCount * 1_000_000_000 / max(1, duration.nanoseconds)],
                digest: Digest.of(counts)),
            Measurement(workload: .importMemory, samples: [peaks.anonymous]),
            Measurement(workload: .importResident, samples: [peaks.resident]),
        ]
    }
}
