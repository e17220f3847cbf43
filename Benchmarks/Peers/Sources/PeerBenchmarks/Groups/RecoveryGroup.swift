/// Opening a store whose process ended without closing it, with as much in its log as the store's own policy leaves there.
enum RecoveryGroup {
    private static let mostOperations = 100_000
    private static let commitCount = 100
    /// BookDB compacts when its log passes an eighth of the snapshot, within 8 to 32 MiB.
    private static let logLimit = 8 << 20...32 << 20

    /// Changes titles, a hundred in each commit, and copies the files while the store is open: BookDB until its log is as long as it
    /// gets, the others as many; each checkpoints, flushes and compacts when it would.
    static func crash<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> Int {
        let home = context.home(.copies, type)
        let peer = try context.open(type, .copies, .write)
        let share = home.byteCount(named: "snapshot-") / 8
        let limit = min(max(share, logLimit.lowerBound), logLimit.upperBound) * 9 / 10
        let most = context.operations ?? mostOperations
        var count = 0
        while count < most {
            let changes = (count..<min(most, count + commitCount)).map {
                context.plan.renaming(RenamingNumbers.crash + $0)
            }
            count += changes.count
            // A flush now and then, so that the files are as long as what was committed.
            let isFlushed = count % 1000 == 0 || count == most
            try await peer.rename(changes, durably: isFlushed)
            if isFlushed, type == BookDBPeer.self, home.byteCount(named: "log-") > limit { break }
        }
        try home.copy(to: context.home(.crashed, type).path)
        return count
    }

    static func recover<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> Measurement {
        try context.home(.crashed, type).copy(to: context.home(.copies, type).path)
        let start = ContinuousClock.now
        let peer = try context.open(type, .copies, .write)
        blackHole(try peer.page(offset: 0))
        let duration = start.duration(to: .now)
        // Every changed work has the last of its titles.
        let changed = try context.plan.anchors.compactMap { try peer.fullWork($0.id) }
        return Measurement(workload: .recovery, samples: [duration.nanoseconds], digest: Digest.of(changed))
    }
}
