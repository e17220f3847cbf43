/// Calls of an actor that wait until something has ended, or their tasks are cancelled.
final class WaitingCalls: Sendable {
    private let state = Lock((nextTicket: 0, waiting: [Int: CheckedContinuation<Void, Never>]()))

    /// Returns when all that wait are resumed, or the task is cancelled. The caller does not leave its actor before it waits, so
    /// nothing comes between that and what it has looked at.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { call in
                state.withLock { $0.waiting[ticket] = call }
                // The handler may have run before.
                if Task.isCancelled { dismiss(ticket) }
            }
        } onCancel: {
            dismiss(ticket)
        }
    }

    private func dismiss(_ ticket: Int) {
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }

    /// In the order in which they came.
    func resumeAll() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }
        }
        for call in waiting { call.value.resume() }
    }
}
