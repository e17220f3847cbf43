/// Reading while titles are changed, each in a durable commit, and while a fifth as many works are imported into a store that is in
/// use.
enum BusyGroup {
    static func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> [Measurement] {
        let peer = try context.open(type, .copies, .write)
        let quiet = PageReader(try peer.another(), context.plan.anchors)
        try await Task.sleep(for: .seconds(1))
        let idle = try quiet.stop()
        let besideCommits = PageReader(try peer.another(), context.plan.anchors)
        let start = ContinuousClock.now
        var number = RenamingNumbers.busy
        while start.duration(to: .now) < .seconds(1) {
            try await peer.rename([context.plan.renaming(number)], durably: true)
            number += 1
        }
        let written = try besideCommits.stop()
        var file = type.source(context.folder)
        file.isCopy = true
        file.limit = min(context.plan.workCount, max(20_000, context.plan.workCount / 5))
        let reader = PageReader(try peer.another(), context.plan.anchors)
        try await peer.importBooks(file)
        return [
            Measurement(workload: .idlePage, samples: idle),
            Measurement(workload: .pageBesideCommits, samples: written),
            Measurement(workload: .pageDuringImport, samples: try reader.stop()),
        ]
    }
}
