import Dispatch
import StorageEngine

/// The writes and asynchronous reads that an app waits for, so that the library's own work can let them go first.
///
/// What *yields* waits for the work that is under way when it asks, and not for what begins later: an import that never rests
/// puts the library's own work off, piece by piece, and never for ever. Reads of a snapshot take microseconds, wait for nobody, and are not counted.
///
/// Costs a lock of a few instructions at the beginning of a call and at its end.
final class UserCalls: Sendable {
    /// Whether the task works for the library itself: what it writes and reads holds nobody up.
    @TaskLocal static var isOwn = false

    private struct State {
        var lastNumber: UInt64 = 0
        var underWay = CallsUnderWay()
        var waiters: [Waiter] = []
    }

    private struct Waiter {
        let number: UInt64
        /// The last that it waits for.
        let last: UInt64
        let resume: @Sendable () -> Void
    }

    private let state = Lock(State())

    /// How many calls are under way.
    var count: Int { state.withLock { $0.underWay.count } }

    /// How many wait for them.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// - Returns: what the end is to be told with; `nil` for the library's own work.
    func begin() -> UInt64? {
        guard !Self.isOwn else { return nil }
        return state.withLock { state in
            state.lastNumber += 1
            state.underWay.append(state.lastNumber)
            return state.lastNumber
        }
    }

    func end(_ number: UInt64?) {
        guard let number else { return }
        let ready = state.withLock { state in
            state.underWay.remove(number)
            let first = state.underWay.first ?? .max
            let ready = state.waiters.filter { $0.last < first }
            state.waiters.removeAll { $0.last < first }
            return ready
        }
        for waiter in ready { waiter.resume() }
    }

    /// Returns when all that is under way now has ended, or the task is cancelled.
    func yield() async {
        let number = takeNumber()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if !wait(number, { continuation.resume() }) { continuation.resume() }
            }
        } onCancel: {
            leave(number)?.resume()
        }
    }

    /// The same for a thread that may block, and for so long at the most.
    func pause(atMost limit: Duration) {
        let (number, end) = (takeNumber(), DispatchSemaphore(value: 0))
        guard wait(number, { end.signal() }) else { return }
        _ = end.wait(timeout: .now() + .nanoseconds(limit.nanoseconds))
        _ = leave(number)
    }

    private func takeNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// `false` when there is nothing to wait for, or nobody to wait.
    private func wait(_ number: UInt64, _ resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard let last = state.underWay.last, !Task.isCancelled else { return false }
            state.waiters.append(Waiter(number: number, last: last, resume: resume))
            return true
        }
    }

    private func leave(_ number: UInt64) -> Waiter? {
        state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index)
        }
    }
}
