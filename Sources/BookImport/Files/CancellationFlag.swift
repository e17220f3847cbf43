import Synchronization

/// Tells a thread that blocks outside of all tasks that its task was cancelled.
final class CancellationFlag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }

    func set() { state.store(true, ordering: .relaxed) }
}
