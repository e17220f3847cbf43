import StorageEngine

/// The last launches of apps with a library, and whether the newest stands out.
public struct LaunchHistory: Sendable {
    /// The newest last; twenty at most.
    public let launches: [LaunchTimes]

    package init(_ launches: [LaunchTimes]) { self.launches = launches }

    /// How many times as much the newest launch read as the median of those before it: pages of the snapshot, or bytes of pages and the
    /// log, whichever stands out more. `nil` when there are none before it, or these read nothing.
    public var growth: Double? {
        guard let newest = launches.last, launches.count > 1 else { return nil }
        let growths = [\LaunchTimes.readPageCount, \.readByteCount].compactMap { figure -> Double? in
            let before = launches.dropLast().map { $0[keyPath: figure] }.sorted()
            let median = before[before.count / 2]
            return median > 0 ? Double(newest[keyPath: figure]) / Double(median) : nil
        }
        return growths.max()
    }

    /// Whether the newest launch read more than one and a half times as much as those before it.
    public var standsOut: Bool { (growth ?? 0) > 1.5 }
}
