/// Rewriting a whole store, and reading meanwhile.
enum CompactionGroup {
    /// Before anything is read: what a store takes on the disk when nothing superfluous is in it.
    static func settle<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> [Measurement] {
        let home = context.home(.stores, type)
        try await {
            let peer = try context.open(type, .stores, .write)
            try await peer.compact()
        }()
        return [Measurement(workload: .diskBytes, samples: [home.byteCount() / context.plan.workCount])]
    }

    static func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> [Measurement] {
        let peer = try context.open(type, .copies, .write)
        try await peer.rename([context.plan.renaming(RenamingNumbers.compaction(round: context.round))], durably: true)
        let reader = PageReader(try peer.another(), context.plan.anchors)
        let duration = try await ContinuousClock().measure { try await peer.compact() }
        return [
            Measurement(workload: .compaction, samples: [duration.nanoseconds]),
            Measurement(workload: .pageDuringCompaction, samples: try reader.stop()),
        ]
    }
}
