/// Hears when pieces of a library's work begin and end, to show where time goes: signposts, spans, a table of one's own.
///
/// ```swift
/// struct PrintedTrace: DiagnosticTrace {
///     func begin(_ interval: DiagnosticInterval) -> @Sendable () -> Void {
///         let start = ContinuousClock.now
///         return { print(interval, start.duration(to: .now)) }
///     }
/// }
/// ```
///
/// On Apple's systems an `OSSignposter` is a trace: `RecordLibrary(at: path, trace: OSSignposter(subsystem: "library", category:
/// .pointsOfInterest))`. With the package's trait `Tracing`, `SpanTrace` makes spans for swift-distributed-tracing. A library without a trace
/// pays a comparison with `nil` for each interval.
public protocol DiagnosticTrace: Sendable {
    /// Called where the work begins, perhaps by several threads at a time. Should not take long, and must not wait for the library.
    ///
    /// - Returns: what is called once, when the work has ended, however; perhaps by another thread.
    func begin(_ interval: DiagnosticInterval) -> @Sendable () -> Void
}

/// A piece of a library's work from its begin to its end.
public struct DiagnosticInterval: Sendable, Hashable, CustomStringConvertible {
    /// For a program: the same in every version.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Of an opening: the snapshot is found and mapped.
        case map
        /// What was mapped is compared with what the app declares, and shown.
        case check
        /// The log is read and applied.
        case replay
        /// A step before the first frame; see `Launch.beforeFirstFrame`.
        case step
        /// A job after the first frame, each time it is tried; see `Launch.afterFirstFrame`.
        case job
        /// A transaction runs, until it is complete in memory.
        case seal
        /// The commits that were complete by then are written to the log together.
        case write
        /// They are brought to the medium.
        case flush
        case compaction
        case load
        case backup
    }

    public let phase: Phase

    /// What the app calls the step or job; `nil` for the library's own work.
    public let name: String?

    /// The path of the library.
    public let library: String

    package init(_ phase: Phase, name: String? = nil, of library: String) {
        (self.phase, self.name, self.library) = (phase, name, library)
    }

    public var description: String { name.map { "\(phase.rawValue) “\($0)”" } ?? phase.rawValue }
}
