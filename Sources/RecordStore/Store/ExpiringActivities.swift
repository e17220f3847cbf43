import Dispatch
import StorageEngine

/// Time that the system grants a process before it suspends it, as `ProcessInfo.performExpiringActivity` gives it:
///
///     perform ─ block(false): granted ─ lock, group, unlock ─ end: the block returns
///                      └ block(true), on another thread: the time is over, and the lock has to go
///     perform ─ block(true): refused
///
/// Here is all but the one call to the system, so that it can be tested where there is none. A block that is granted occupies its thread
/// until the end.
package struct ExpiringActivities: LockActivities {
    package typealias Perform = @Sendable (_ block: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    private let perform: Perform

    /// - Parameter perform: calls the block soon, on a thread that has nothing else to do.
    package init(_ perform: @escaping Perform) { self.perform = perform }

    package func begin(_ onExpiration: @escaping @Sendable () -> Void) -> (any LockActivity)? {
        let activity = ExpiringActivity(onExpiration)
        perform { activity.run(isExpired: $0) }
        return activity.isGranted() ? activity : nil
    }
}

private final class ExpiringActivity: LockActivity {
    private enum Phase { case asked, granted, refused, expired, ended }

    private let phase = Lock(Phase.asked)
    private let isAnswered = DispatchSemaphore(value: 0)
    private let isEnded = DispatchSemaphore(value: 0)
    private let onExpiration: @Sendable () -> Void

    init(_ onExpiration: @escaping @Sendable () -> Void) { self.onExpiration = onExpiration }

    /// The system calls it once or twice.
    func run(isExpired: Bool) {
        let before = phase.withLock { phase in
            defer {
                switch (phase, isExpired) {
                case (.asked, false): phase = .granted
                case (.asked, true): phase = .refused
                case (.granted, true): phase = .expired
                default: break
                }
            }
            return phase
        }
        switch (before, isExpired) {
        case (.asked, false):
            isAnswered.signal()
            isEnded.wait()
        case (.asked, true): isAnswered.signal()
        case (.granted, true): onExpiration()
        default: break
        }
    }

    func isGranted() -> Bool {
        isAnswered.wait()
        return phase.withLock { $0 != .refused }
    }

    func end() {
        phase.withLock { $0 = .ended }
        isEnded.signal()
    }
}
