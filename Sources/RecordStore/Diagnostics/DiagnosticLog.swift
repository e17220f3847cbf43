/// Hears what a library does and meets by itself: openings, recoveries, compactions, failed writes. Never what is in it.
///
/// ```swift
/// struct PrintedLog: DiagnosticLog {
///     func log(_ event: DiagnosticEvent) {
///         if event.level >= .warning { print(event) }
///     }
/// }
/// ```
///
/// A library without a log is silent. With the package's traits `SwiftLog` and `OSLog` the loggers of swift-log and of Apple's
/// systems are logs already: `RecordLibrary(at: path, log: Logger(label: "library"))`.
public protocol DiagnosticLog: Sendable {
    /// Called while the library opens and, from then on, by its writer, and of damage by whoever has met it: it should not take long, and must not wait for the store.
    func log(_ event: DiagnosticEvent)
}

/// Something that a library did or met by itself.
public struct DiagnosticEvent: Sendable, Hashable, CustomStringConvertible {
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        case debug, info, notice, warning, error

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// What happened, for a program: the same for the same kind of event in every version.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case opened
        /// An opening found a log that was not closed, and cut or set aside what was never acknowledged.
        case recovered
        /// Damage was met, at an opening or by reading; see `RecordLibrary.health`.
        case damaged
        case compacted
        case compactionFailed = "compaction-failed"
        case followingFailed = "following-failed"
        case followingResumed = "following-resumed"
        /// The disk did not take the last changes. Those in memory are tried again, the others have thrown why.
        case stalled
        case resumed
        /// The log failed, and everything was written to new files.
        case rescued
        case refusing
        /// An order of the app's own records did not hold those, and is made again.
        case orderMadeAnew = "order-made-anew"
        case closed
        /// What an app does before its first frame took longer than it may; see `Launch.budget`.
        case launchOverBudget = "launch-over-budget"
        /// An answer that the app keeps has no room beside those of other processes; see `Verified`.
        case answerWithoutRoom = "answer-without-room"
        /// The library could not be opened for writing, and is open to be read.
        case readOnly = "read-only"
        /// The library could not be opened, not even to be read.
        case unavailable
    }

    public let level: Level
    public let kind: Kind

    /// The path of the library.
    public let library: String

    /// A sentence for people.
    public let message: String

    /// Bytes, commits and nanoseconds, by names such as `log-bytes`.
    public let figures: [String: Int]

    init(_ level: Level, _ kind: Kind, _ library: String, _ message: String, _ figures: [String: Int] = [:]) {
        self.level = level
        self.kind = kind
        self.library = library
        self.message = message
        self.figures = figures
    }

    public var description: String { "\(library): \(message)" }
}
