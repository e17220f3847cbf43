import Observation
import StorageEngine

/// What tells those who show how a library fares that it has changed; and what happened to it by itself since it was opened.
final class HealthBoard: Observable, Sendable {
    private struct State {
        var rescue: (reason: StorageError, time: UInt64)?
        var recovery: (report: OpeningReport, time: UInt64)?
        var isRelisting = false
        /// Of the orders that are being made; `nil` when none is.
        var progress: Double?
        /// That no page and no block says by itself.
        var findings: [Damage] = []
        var followers: [Int: AsyncStream<Void>.Continuation] = [:]
        var followerCount = 0
    }

    private let registrar = ObservationRegistrar()
    private let state = Lock(State())

    /// The log failed while the library was open, and everything was written to new files.
    var rescue: (reason: StorageError, time: UInt64)? { state.withLock { $0.rescue } }

    /// What another process left behind was put right while the library was open.
    var recovery: (report: OpeningReport, time: UInt64)? { state.withLock { $0.recovery } }

    /// Whether what is derived is being made anew.
    var isRelisting: Bool {
        get { state.withLock { $0.isRelisting } }
        set { change { $0.isRelisting = newValue } }
    }

    /// Whether lists or orders are being made, and how far they are where that is known.
    var upgrade: (isUnderWay: Bool, fraction: Double?) {
        state.withLock { ($0.isRelisting || $0.progress != nil, $0.isRelisting ? nil : $0.progress) }
    }

    /// How far the orders are that are being made, 0...1; `nil` when none is. Told by the percent, so that nobody draws for every piece.
    func noteProgress(_ fraction: Double?) {
        func percent(_ fraction: Double?) -> Int? { fraction.map { Int($0 * 100) } }
        let isNews = state.withLock { percent($0.progress) != percent(fraction) }
        if isNews { change { $0.progress = fraction } }
    }

    /// What a sample of the library has found that reading does not say by itself.
    var findings: [Damage] { state.withLock { $0.findings } }

    /// - Returns: whether it is new.
    func note(_ finding: Damage) -> Bool {
        guard state.withLock({ $0.findings.count < 64 && !$0.findings.contains(finding) }) else { return false }
        change { $0.findings.append(finding) }
        return true
    }

    /// What is read next is shown, and shown again when it may have changed.
    func access() { registrar.access(self, keyPath: \.isRelisting) }

    /// - Parameter time: of the notice, milliseconds since 1970.
    func take(_ notice: StoreNotice, at time: UInt64) {
        switch notice {
        case .rescued(_, let error): change { $0.rescue = (error, time) }
        case .recovered(let report): change { $0.recovery = (report, time) }
        // What was rescued or put right, and where damage was found, was the library that was open before.
        case .opened: change { ($0.rescue, $0.recovery, $0.findings) = (nil, nil, []) }
        case .opening, .openingFailed, .readInstead, .stalled, .waiting, .resumed, .followingFailed, .followingResumed,
            .refusing, .closed:
            signal()
        case .damageMet:
            // Who reads may be drawing what shows the health, and hears of no change before that is drawn.
            Task { self.signal() }
        case .compacted, .compactionFailed: break
        }
    }

    /// Something that the board does not hold has changed.
    func signal() { change { _ in } }

    private func change(_ body: (inout State) -> Void) {
        registrar.withMutation(of: self, keyPath: \.isRelisting) { state.withLock { body(&$0) } }
        // Observers are notified before a change; these after it.
        for follower in state.withLock({ Array($0.followers.values) }) { follower.yield() }
    }

    /// An element at once, and one after each change; changes that follow one another closely may be one. Ends with the board.
    ///
    /// - Returns: the changes, and what adds one to them.
    func changes() -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        let (changes, follower) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.followerCount += 1
            state.followers[state.followerCount] = follower
            return state.followerCount
        }
        follower.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
        }
        follower.yield()
        return (changes, follower)
    }

    deinit {
        for follower in state.withLock({ Array($0.followers.values) }) { follower.finish() }
    }
}
