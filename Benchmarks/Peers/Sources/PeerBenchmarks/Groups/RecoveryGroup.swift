/// Opening a store whose process ended with much in its log.
enum RecoveryGroup {
    private static let mostOperations = 100_000
    private static let commitCount = 100
    /// BookDB compacts when its log passes an eighth of the snapshot, within 8 to 32 MiB.
    private static let logLimit = 8 << 20...32 << 20

    /// Changes titles, a hundred in each commit, and copies the files while the store is open: BookDB until its log is as long as it
    /// gets, the others as often as BookDB.
    static func crash<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> Int {
        let home = context.home(.copies, type)
        let peer = try context.open(type, .copies, .write)
        try peer.keepLog()
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
            try await peer.rename(changes, durably: count % 1000 == 0 || count == most)
            if home.byteCount(named: "log-") > limit, type == BookDBPeer.self { break }
        }
        try home.copy(to: context.home(.crashed, type).path)
        return count
    }

    static func recover<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> Measurement {
        try context.home(.crashed, type).copy(to: context.home(.copies, type).path)
        let timing = try await Timing.of(1) { _ in
            blackHole(try context.open(type, .copies, .write).page(offset: 0))
            return true
        }
        return Measurement(workload: .recovery, samples: timing.samples)
    }
}
