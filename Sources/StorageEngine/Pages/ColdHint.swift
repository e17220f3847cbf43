import Synchronization

/// Whether pages of a file are likely not to be cached: for who would have to find out first which to ask for.
///
/// It is when one that was asked for was not there, until as many looks as `lookCount` have found nothing to ask for. From then on every so many
/// times is tried whether that still holds.
struct ColdHint: ~Copyable {
    /// Above 0 so many looks are made; from there down so many were not.
    private let state: Atomic<Int>

    private static let lookCount = 16
    private static let skippedCount = 32

    init(isCold: Bool) { state = Atomic(isCold ? Self.lookCount : 0) }

    /// Whether to look for what to ask for.
    func mayBeCold() -> Bool {
        // Two that change it at once lose a look, or make one more.
        let now = state.load(ordering: .relaxed)
        guard now <= 0 else { return true }
        let isTime = now <= -Self.skippedCount
        state.store(isTime ? 0 : now - 1, ordering: .relaxed)
        return isTime
    }

    /// What a look has found.
    func note(isMissing: Bool) {
        let now = state.load(ordering: .relaxed)
        if isMissing {
            if now != Self.lookCount { state.store(Self.lookCount, ordering: .relaxed) }
        } else if now > 0 {
            state.store(now - 1, ordering: .relaxed)
        }
    }
}
