/// How long to wait before something is tried again: a second, then twice as long each time, and a minute at last.
struct GrowingPause {
    private var duration = Duration.seconds(1)

    mutating func next() -> Duration {
        defer { duration = min(duration * 2, .seconds(60)) }
        return duration
    }
}
