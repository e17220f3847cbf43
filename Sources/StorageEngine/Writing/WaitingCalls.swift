/// Calls that wait until something has ended, or their tasks are cancelled.
package final class WaitingCalls: Sendable {
    private struct State {
        var nextTicket = 0
        /// How many times those who wait were resumed.
        var turn = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Lock(State())

    package init() {}

    /// Returns when all that wait are resumed, or the task is cancelled. A caller on an actor has not left it when its wait counts, so nothing comes
    /// between that and what it has looked at: what a cancellation handler guards was seen to run beside the actor in optimised builds, and who was to
    /// be resumed meanwhile waited for ever.
    ///
    /// - Parameter isOver: for other callers: asked once the call waits, whether there is nothing to wait for any more.
    package func wait(
        isolation: isolated (any Actor)? = #isolation, unless isOver: () -> Bool = { false }
    ) async {
        let (ticket, turn) = state.withLock { state in
            state.nextTicket += 1
            return (state.nextTicket, state.turn)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { call in
                let isResumed = state.withLock { state in
                    if state.turn == turn { state.waiting[ticket] = call }
                    return state.turn != turn
                }
                if isResumed { return call.resume() }
                // The handler may have run before.
                if Task.isCancelled || isOver() { dismiss(ticket) }
            }
        } onCancel: {
            dismiss(ticket)
        }
    }

    private func dismiss(_ ticket: Int) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }

    /// In the order in which they came.
    ///
    /// - Parameter isUnderWay: asked while nobody comes or goes: whether they wait on.
    package func resumeAll(unless isUnderWay: () -> Bool = { false }) {
        let waiting = state.withLock { state in
            guard !isUnderWay() else { return [(key: Int, value: CheckedContinuation<Void, Never>)]() }
            state.turn += 1
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }
        }
        for call in waiting { call.value.resume() }
    }
}
