/// How long a device took for the last flushes.
struct FlushPace {
    private var last = (older: Duration.seconds(1), newer: Duration.seconds(1))

    private static let quickDuration = Duration.microseconds(300)

    /// A group that flushed nothing says nothing of the device.
    mutating func note(_ duration: Duration, of durability: Durability) {
        if durability == .flushed { last = (last.newer, duration) }
    }

    /// Whether one of the last two was as quick as a good device is.
    var isQuick: Bool { min(last.older, last.newer) <= Self.quickDuration }
}
