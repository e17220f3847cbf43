import StorageEngine

/// Merges the commits of a subscription until none has come for a while, or the first has waited long enough.
///
/// The times are those at which commits were made, so that a subscriber who comes back late gets at once what has waited long enough.
/// However many wait, they are one commit in memory.
///
/// Always true: a timer runs only while a subscriber waits, something is pending and the library is open.
final class CommitDebouncer: Sendable {
    private struct State {
        var pending: PendingCommit?
        var waiter: CheckedContinuation<Void, Never>?
        /// Resumes the waiter when the pending commit may be due.
        var timer: Task<Void, Never>?
        var isFinished = false

        /// Ends the wait. The caller resumes whom it gets, outside the lock.
        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            timer?.cancel()
            timer = nil
            defer { waiter = nil }
            return waiter
        }
    }

    /// What is to be given next.
    private struct PendingCommit {
        var commit: Commit
        let firstTime: Duration
        var lastTime: Duration
    }

    private let state = Lock(State())
    private let subscription: CommitSubscription
    private let quiet: Duration
    private let limit: Duration
    private let clock: AnyClock

    /// - Parameter subscription: one that nobody else reads.
    init(_ subscription: CommitSubscription, for quiet: Duration, atMost limit: Duration, clock: AnyClock) {
        self.subscription = subscription
        self.quiet = quiet
        self.limit = limit
        self.clock = clock
        subscription.forward(to: self)
    }

    /// Nobody can ask for a commit any more.
    deinit {
        subscription.cancel()
    }

    func send(_ commit: Commit) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isFinished else { return nil }
            let time = clock.now()
            guard state.pending != nil else {
                state.pending = PendingCommit(commit: commit, firstTime: time, lastTime: time)
                return state.takeWaiter()
            }
            state.pending?.commit.merge(commit)
            state.pending?.lastTime = time
            // A later commit only delays what is pending: the timer need not be set again before it ends.
            return nil
        }
        waiter?.resume()
    }

    /// The library was closed: what is pending is given at once, and then the end.
    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// The next commit; `nil` at the end, and at once when the task is cancelled.
    func next() async -> Commit? {
        await withTaskCancellationHandler {
            while true {
                if let ready = takeReady() { return ready }
                await wait()
            }
        } onCancel: {
            cancel()
        }
    }

    /// What can be given now: a commit, or the end, which is `.some(nil)`.
    private func takeReady() -> Commit?? {
        state.withLock { state in
            guard let pending = state.pending else { return state.isFinished ? .some(nil) : nil }
            guard state.isFinished || remainingTime(pending) <= .zero else { return nil }
            state.pending = nil
            return pending.commit
        }
    }

    private func remainingTime(_ pending: PendingCommit) -> Duration {
        let time = clock.now()
        return min(quiet - (time - pending.lastTime), limit - (time - pending.firstTime))
    }

    /// Until something is pending, or what is pending may be due, or the end.
    private func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard !state.isFinished else { return true }
                precondition(state.waiter == nil, "a commit iterator is used by one task at a time")
                if let pending = state.pending {
                    let time = remainingTime(pending)
                    guard time > .zero else { return true }
                    state.timer = Task { await runTimer(time) }
                }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    private func runTimer(_ time: Duration) async {
        // One that is cancelled has no waiter any more.
        guard (try? await clock.sleep(for: time)) != nil else { return }
        state.withLock { $0.takeWaiter() }?.resume()
    }

    private func cancel() {
        let waiter = state.withLock { state in
            state.isFinished = true
            state.pending = nil
            return state.takeWaiter()
        }
        waiter?.resume()
        subscription.cancel()
    }
}
