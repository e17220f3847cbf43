/// A compaction and those who wait for it. One who is cancelled leaves; the last who leaves takes the compaction along.
///
/// Under a lock of its own, although the writer alone uses it: what a cancellation handler guards was seen to run beside the
/// actor in optimised builds, and a compaction that fails at once then ended between a caller's look and its waiting.
final class CompactionRun: Sendable {
    typealias Outcome = Result<CompactionReport, any Error>

    let number: Int
    private let task: Task<CompactionReport, any Error>
    private let state = Lock(State())

    private struct State {
        var callers: [Int: CheckedContinuation<CompactionReport, any Error>] = [:]
        var watchers: [CheckedContinuation<Outcome, Never>] = []
        var nextTicket = 0
        /// Once it has ended. Whoever comes later is told at once.
        var outcome: Outcome?
    }

    init(number: Int, _ task: Task<CompactionReport, any Error>) {
        self.number = number
        self.task = task
    }

    /// How it ended; `nil` while it runs.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    func cancel() { task.cancel() }

    /// It ends soon, and has changed nothing then if it can.
    var isCancelled: Bool { task.isCancelled }

    /// A number to leave by.
    func makeTicket() -> Int {
        state.withLock { state in
            defer { state.nextTicket += 1 }
            return state.nextTicket
        }
    }

    func add(_ caller: CheckedContinuation<CompactionReport, any Error>, _ ticket: Int) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.callers[ticket] = caller }
            return state.outcome
        }
        if let outcome { caller.resume(with: outcome) }
    }

    /// One who waits and does not count: a compaction that only such wait for may be cancelled.
    func watch(_ watcher: CheckedContinuation<Outcome, Never>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.watchers.append(watcher) }
            return state.outcome
        }
        if let outcome { watcher.resume(returning: outcome) }
    }

    /// The caller no longer waits.
    func leave(_ ticket: Int) {
        let (caller, isLast) = state.withLock { state in
            guard state.callers[ticket] != nil else {
                return (nil as CheckedContinuation<CompactionReport, any Error>?, false)
            }
            // The last one learns how it ended, so that nothing of it runs on when the call is over.
            guard state.callers.count > 1 else { return (nil, true) }
            return (state.callers.removeValue(forKey: ticket), false)
        }
        if isLast { cancel() }
        caller?.resume(throwing: StorageError.cancelled)
    }

    func end(_ outcome: Outcome) {
        let (callers, watchers) = state.withLock { state in
            state.outcome = outcome
            defer { (state.callers, state.watchers) = ([:], []) }
            return (state.callers.values, state.watchers)
        }
        for caller in callers { caller.resume(with: outcome) }
        for watcher in watchers { watcher.resume(returning: outcome) }
    }
}
