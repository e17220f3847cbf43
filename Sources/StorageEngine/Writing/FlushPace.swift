/// How long a device took for the last groups, of those that flush and of others.
struct FlushPace {
    private struct Last {
        var older = Duration.seconds(1)
        var newer = Duration.seconds(1)
    }

    private var flushed = Last()
    private var others = Last()

    private static let quickDuration = Duration.microseconds(300)

    /// A group that flushed nothing says nothing of one that will.
    mutating func note(_ duration: Duration, of durability: Durability) {
        if durability == .flushed {
            flushed = Last(older: flushed.newer, newer: duration)
        } else {
            others = Last(older: others.newer, newer: duration)
        }
    }

    /// Whether one of the last two that were alike was as quick as on a good device.
    func isQuick(for durability: Durability) -> Bool {
        let last = durability == .flushed ? flushed : others
        return min(last.older, last.newer) <= Self.quickDuration
    }
}
