#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What one launch of an app did with its library, in nanoseconds.
public struct LaunchTimes: Sendable, Hashable, Codable {
    /// A piece of work and what it took.
    public struct Step: Sendable, Hashable, Codable {
        public let name: String
        public let nanoseconds: Int
    }

    /// When the library was opened.
    public internal(set) var date: Date

    /// How long the call that opens the library held its caller.
    public internal(set) var blockedNanoseconds = 0

    /// From that call to the end of the opening; `nil` while that is under way.
    public internal(set) var readyNanoseconds: Int?

    /// Of the opening: mapping the snapshot, and replaying the log.
    public internal(set) var mappingNanoseconds = 0
    public internal(set) var replayNanoseconds = 0

    public internal(set) var replayedCommitCount = 0
    public internal(set) var logByteCount = 0
    public internal(set) var snapshotByteCount = 0

    /// Of the snapshot: a compaction makes the next one.
    public internal(set) var generation: UInt64 = 0

    /// What had to be done before the first frame, in order.
    public internal(set) var stepsBeforeFirstFrame: [Step] = []

    /// From the opening to the first frame; `nil` until that is shown.
    public internal(set) var firstFrameNanoseconds: Int?

    /// Pages of the snapshot that were read until the first frame, or until the opening had ended, whichever came later.
    public internal(set) var readPageCount = 0

    /// Whether what came before the first frame took longer than it was allowed to: see `Launch.budget`.
    public internal(set) var isOverBudget = false

    /// Bytes of the log and of pages.
    public var readByteCount: Int { logByteCount + readPageCount * 4_096 }

    /// All of `stepsBeforeFirstFrame`.
    public var nanosecondsBeforeFirstFrame: Int { stepsBeforeFirstFrame.reduce(0) { $0 + $1.nanoseconds } }

    init(date: Date) { self.date = date }
}
