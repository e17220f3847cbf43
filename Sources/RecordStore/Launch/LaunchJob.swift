#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Work that waits until the first frame is on the screen.
public struct LaunchJob: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        /// For the first frame, for a job before it, or for its turn.
        case waiting
        case running
        case succeeded
        /// With what the last attempt threw, in words. `Retry` says whether there will be another.
        case failed(String)
        /// The library was closed before it was done.
        case cancelled
        /// It recurs, and was done not long ago.
        case notDue
    }

    /// What happens after a failure.
    public enum Retry: Sendable, Hashable {
        case never
        /// So many attempts in all each time it is due, with a pause after each that doubles.
        case upTo(Int, pause: Duration)
        /// Whenever the app becomes active again: see `Launch.becameActive()`.
        case whenActive
    }

    public let name: String
    public internal(set) var state = State.waiting
    public internal(set) var attemptCount = 0

    /// What it had to say when it last succeeded in this launch: what its body returned.
    public internal(set) var outcome: String?

    /// Whether it is the library's own. Those run one after the other, beside the app's, and let the app's writes go first.
    public internal(set) var isLibrarysOwn = false

    /// Of the last attempt.
    public internal(set) var nanoseconds = 0

    /// When it last succeeded, in this launch or an earlier one.
    public internal(set) var lastSuccess: Date?
}

extension LaunchJob.State {
    /// The state for a program: the same in every version.
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .notDue: "not-due"
        }
    }
}

extension LaunchJob.State: CustomStringConvertible {
    /// The state in words, for people: of a failure the first line of its reason.
    public var description: String {
        switch self {
        case .waiting: "waits"
        case .running: "runs"
        case .succeeded: "done"
        case .failed(let reason): "failed: " + reason.prefix { !$0.isNewline }
        case .cancelled: "cancelled"
        case .notDue: "not due"
        }
    }
}
