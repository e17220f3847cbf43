import Synchronization
import TestSupport

/// A clock that stands still until a test lets time pass.
final class SteppedClock: Clock, Sendable {
    typealias Instant = ScriptedClock.Instant

    private struct State {
        var now = Instant(time: .zero)
        var sleepers: [Int: (deadline: Instant, sleeper: CheckedContinuation<Void, any Error>)] = [:]
        var sleepCount = 0
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    /// Returns when somebody sleeps until a time.
    func sleeper(until time: Duration) async {
        while !state.withLock({ $0.sleepers.values.contains { $0.deadline.time == time } }) { await pause() }
    }

    func pass(_ duration: Duration) {
        let awake = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let awake = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in awake.keys { state.sleepers[number] = nil }
            return awake.values.map(\.sleeper)
        }
        for sleeper in awake { sleeper.resume() }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.sleepCount += 1
            return state.sleepCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { sleeper in
                let isAwake = state.withLock { state in
                    if deadline <= state.now || Task.isCancelled { return true }
                    state.sleepers[number] = (deadline, sleeper)
                    return false
                }
                if isAwake { sleeper.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: number)?.sleeper }?.resume(throwing: CancellationError())
        }
        try Task.checkCancellation()
    }
}
