import Dispatch
import Synchronization

/// Tells work on a thread that nobody waits for it any more.
final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }
    private func set() { flag.store(true, ordering: .relaxed) }

    /// Runs work of seconds on a thread of its own, not on the cooperative pool. The flag it is given is set when the task is
    /// cancelled.
    static func onThread<Result: Sendable>(
        _ priority: DispatchQoS.QoSClass, of threads: any BackgroundWork,
        _ work: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                threads.run(priority) {
                    continuation.resume(with: Swift.Result { try work(flag) })
                }
            }
        } onCancel: {
            flag.set()
        }
    }
}
