import Synchronization

/// A clock that moves only while somebody sleeps by it, or when a test lets time pass. What is to happen at a time happens on the way there.
final class ScriptedClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var time: Duration

        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private struct State {
        var now = Instant(time: .zero)
        var events: [(time: Duration, happen: @Sendable () -> Void)] = []
        var sleepCount = 0
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    /// The time in whole milliseconds. Dividing durations gives a `Double`, which may be a little less.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = now.time.components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    var minimumResolution: Duration { .zero }

    /// How often somebody went to sleep.
    var sleepCount: Int { state.withLock { $0.sleepCount } }

    /// Events of one time happen in the order in which they were given.
    func at(_ time: Duration, _ happen: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let index = state.events.firstIndex { $0.time > time } ?? state.events.count
            state.events.insert((time, happen), at: index)
        }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        state.withLock { $0.sleepCount += 1 }
        while true {
            try Task.checkCancellation()
            guard happenNext(until: deadline.time) else { break }
        }
    }

    /// Lets time pass, with what happens in it.
    func pass(_ duration: Duration) {
        let end = now.time + duration
        while happenNext(until: end) {}
    }

    /// Moves to the next event, if there is one.
    @discardableResult
    func passToNextEvent() -> Bool {
        guard let time = state.withLock({ $0.events.first?.time }) else { return false }
        return happenNext(until: time)
    }

    /// Whether something happened by then. If not, it is then.
    private func happenNext(until end: Duration) -> Bool {
        let event = state.withLock { state in
            guard let first = state.events.first, first.time <= end else {
                state.now.time = max(state.now.time, end)
                return nil as (@Sendable () -> Void)?
            }
            state.now.time = max(state.now.time, first.time)
            return state.events.removeFirst().happen
        }
        event?()
        return event != nil
    }
}
