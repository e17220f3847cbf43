import Synchronization

/// Where the opening of a store has come to, and who waits for its end.
final class OpeningState: Sendable {
    enum Phase {
        case underWay
        /// - Parameters:
        ///   - writer: `nil` when the store can only be read.
        ///   - refusal: why, when it was to be written to.
        case ended(Writer?, refusal: StorageError?)
        /// Nothing of the store can be read, or no more than its snapshot.
        case failed(StorageError)
    }

    private struct State {
        var phase: Phase
        var report = OpeningReport()
        var fraction = 0.0
        var isClosed = false
        /// Nobody waits for the opening any more.
        var isLetGo = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Of `waiters` those for whom the snapshot alone will do.
        var readers: Set<Int> = []
        var nextTicket = 0
        /// Whether the snapshot can be read.
        var isMapped = false
        /// Since when anything can be.
        var readableSince: ContinuousClock.Instant?
        /// Called at the end of each opening.
        var followers: [@Sendable () -> Void] = []
        /// Called when a restored store has taken the place of the one that was open.
        var replacementFollowers: [@Sendable () -> Void] = []
    }

    private let state: Lock<State>

    init() { state = Lock(State(phase: .underWay)) }

    var phase: Phase { state.withLock { $0.phase } }
    var report: OpeningReport { state.withLock { $0.report } }

    var isWritable: Bool {
        if case .ended(.some, _) = phase { true } else { false }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var readableSince: ContinuousClock.Instant? { state.withLock { $0.readableSince } }

    /// For tests: how many wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Of the replay, 0...1.
    var fraction: Double {
        get { state.withLock { $0.fraction } }
        set { state.withLock { $0.fraction = newValue } }
    }

    func end(_ phase: Phase, _ report: OpeningReport = OpeningReport()) {
        let (waiters, followers) = state.withLock { state in
            state.phase = phase
            state.report = report
            if case .ended = phase, state.readableSince == nil { state.readableSince = .now }
            defer { (state.waiters, state.readers) = ([:], []) }
            return (state.waiters, state.followers)
        }
        // Before those who wait: these find all done that an opening does.
        for follower in followers { follower() }
        for waiter in waiters.values { waiter.resume() }
    }

    /// The store is another now, which was opened as the report says.
    func noteReplaced(_ report: OpeningReport) {
        let followers = state.withLock { state in
            state.report = report
            return state.replacementFollowers
        }
        for follower in followers { follower() }
    }

    func whenReplaced(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.replacementFollowers.append(body) }
    }

    /// Readers have something to read, while the log is being replayed.
    func noteMapped() {
        let waiters = state.withLock { state in
            state.isMapped = true
            if state.readableSince == nil { state.readableSince = .now }
            defer { state.readers = [] }
            return state.readers.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Begins another opening after one that has not led to a writer. `false` while one is under way, and where there is nothing to
    /// be had by another.
    func beginAgain() -> Bool {
        state.withLock { state in
            switch state.phase {
            case .underWay, .ended(.some, _), .ended(.none, refusal: nil): return false
            case .ended(.none, .some), .failed:
                guard !state.isClosed else { return false }
                state.phase = .underWay
                state.fraction = 0
                return true
            }
        }
    }

    func close() { state.withLock { $0.isClosed = true } }

    func letGo() { state.withLock { $0.isLetGo = true } }

    var isLetGo: Bool { state.withLock { $0.isLetGo } }

    /// - Throws: `.cancelled` when nobody waits for the opening any more.
    func requireWanted() throws(StorageError) {
        if isLetGo { throw .cancelled }
    }

    /// Calls `body` when this opening has ended, at once when it has, and again after each later one.
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            state.followers.append(body)
            if case .underWay = state.phase { return false }
            return true
        }
        if hasEnded { body() }
    }

    /// Returns when this opening has ended; another may have begun by then.
    ///
    /// - Throws: `.cancelled` when the task is.
    func waitForEnd() async throws(StorageError) {
        await wait(isReader: false)
        if Task.isCancelled { throw .cancelled }
    }

    /// The same for who cannot stop waiting.
    func waitForEndInAnyCase() async {
        // A task of its own, which nobody cancels.
        await Task { await wait(isReader: false) }.value
    }

    /// Returns when there is something to read, no opening is under way, or the task is cancelled.
    func waitForMapping() async { await wait(isReader: true) }

    private func wait(isReader: Bool) async {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    guard case .underWay = state.phase, !Task.isCancelled, !(isReader && state.isMapped) else {
                        return true
                    }
                    state.waiters[ticket] = waiter
                    if isReader { state.readers.insert(ticket) }
                    return false
                }
                if isOver { waiter.resume() }
            }
        } onCancel: {
            state.withLock { state in
                state.readers.remove(ticket)
                return state.waiters.removeValue(forKey: ticket)
            }?.resume()
        }
    }
}
