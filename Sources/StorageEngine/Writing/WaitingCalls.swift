/// Calls that wait until something has ended, or their tasks are cancelled.
package final class WaitingCalls: Sendable {
    private let state = Lock((nextTicket: 0, waiting: [Int: CheckedContinuation<Void, Never>]()))

    package init() {}

    /// Returns when all that wait are resumed, or the task is cancelled. A caller on an actor does not leave it before it waits, so
    /// nothing comes between that and what it has looked at.
    ///
    /// - Parameter isOver: for other callers: asked once the call waits, whether there is nothing to wait for any more.
    package func wait(
        isolation: isolated (any Actor)? = #isolation, unless isOver: () -> Bool = { false }
    ) async {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { call in
                state.withLock { $0.waiting[ticket] = call }
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
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }
        }
        for call in waiting { call.value.resume() }
    }
}
