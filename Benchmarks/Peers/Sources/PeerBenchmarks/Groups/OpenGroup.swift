/// From nothing to the first fifty rows.
enum OpenGroup {
    static func again<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> Measurement {
        let timing = try await Timing.of(upTo: 40) { try open(type, context) }
        return Measurement(workload: .openCached, samples: timing.samples)
    }

    /// The first of its process.
    static func once<Store: Peer>(
        _ type: Store.Type, _ context: Context, _ workload: Workload
    ) async throws -> Measurement {
        if workload == .openEvicted { try context.home(.stores, type).evict() }
        let timing = try await Timing.of(1) { _ in
            try open(type, context)
            return true
        }
        return Measurement(workload: workload, samples: timing.samples)
    }

    private static func open<Store: Peer>(_ type: Store.Type, _ context: Context) throws {
        let rows = try context.open(type, .stores, .read).page(offset: 0)
        guard rows.count == 50 else { throw Failure("\(type.name) opens with \(rows.count) rows") }
    }
}
