/// A clock of any type, which counts from when it was put in here. Tests put in clocks of their own.
struct AnyClock: Sendable {
    /// How long ago it was put in here.
    let now: @Sendable () -> Duration
    private let sleepUntil: @Sendable (Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleepUntil = { time in try await clock.sleep(until: start.advanced(by: time), tolerance: nil) }
    }

    /// Waits so long, and a day at most. Throws at once when the task is cancelled.
    func sleep(for duration: Duration) async throws {
        try await sleepUntil(now() + min(duration, LongestSleep.duration))
    }
}
