import StorageEngine

/// Gives every commit to every subscriber, in order and without waiting for any of them.
///
/// Holds its subscribers weakly: dropping the sequence is enough to be forgotten.
final class CommitBroadcast: Sendable {
    private struct Slot {
        weak var subscription: CommitSubscription?
    }

    private struct State {
        var slots: [ObjectIdentifier: Slot] = [:]
        var isFinished = false
    }

    private let state = Lock(State())
    private let othersWrote = Lock<(@Sendable () -> Void)?>(nil)

    /// What can be undone of the commits that came by.
    let undoHistory: UndoHistory

    init(undo history: UndoHistory = UndoHistory(.off)) { undoHistory = history }

    /// Calls `body` behind each commit of another process.
    func whenOthersWrote(_ body: @escaping @Sendable () -> Void) { othersWrote.withLock { $0 = body } }

    func noteOthersWrote() { othersWrote.withLock { $0 }?() }

    var subscriberCount: Int { state.withLock { $0.slots.count } }

    /// - Parameter origin: a commit that has none of it is left out.
    func subscribe(to origin: Commit.Origin? = nil) -> CommitSubscription {
        let subscription = CommitSubscription(to: self, of: origin)
        let isFinished = state.withLock { state in
            if !state.isFinished { state.slots[ObjectIdentifier(subscription)] = Slot(subscription: subscription) }
            return state.isFinished
        }
        if isFinished { subscription.finish() }
        return subscription
    }

    func unsubscribe(_ subscription: ObjectIdentifier) {
        state.withLock { _ = $0.slots.removeValue(forKey: subscription) }
    }

    /// Called once for each commit, in their order.
    func send(_ commit: Commit) {
        for subscription in subscriptions() { subscription.send(commit) }
    }

    /// Ends every sequence: the library was closed.
    func finish() {
        state.withLock { $0.isFinished = true }
        for subscription in subscriptions() { subscription.finish() }
    }

    /// Strong references are let go outside the lock: the last one to a subscription calls `unsubscribe`.
    private func subscriptions() -> [CommitSubscription] {
        state.withLock { $0.slots.values.compactMap(\.subscription) }
    }
}
