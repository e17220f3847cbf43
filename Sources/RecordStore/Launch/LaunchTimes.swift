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

    /// A job after the first frame, and how it went.
    public struct Job: Sendable, Hashable, Codable {
        public let name: String
        /// `succeeded`, `failed`, `cancelled`, `not-due`, `running` or `waiting`.
        public let state: String
        /// What it said, or why it failed; at most 200 characters.
        public let outcome: String?
        public let nanoseconds: Int

        init(_ job: LaunchJob) {
            var outcome = job.outcome
            if case .failed(let reason) = job.state { outcome = reason }
            (name, state, nanoseconds) = (job.name, job.state.name, job.nanoseconds)
            self.outcome = outcome.map { String($0.prefix(200)) }
        }
    }

    /// When the library was opened.
    public internal(set) var date: Date

    /// How long the call that opens the library held its caller.
    public internal(set) var blockedNanoseconds = 0

    /// From that call to the end of the opening; `nil` while that is under way.
    public internal(set) var readyNanoseconds: Int?

    /// From that call until there was something to read: the snapshot, while its log may still have been replayed. `nil` until then, and in launches that an
    /// older version has noted.
    public internal(set) var firstReadableNanoseconds: Int?

    /// From that call until the app first took a snapshot of which something can be read; `nil` as above.
    public internal(set) var firstReadNanoseconds: Int?

    /// Of the opening: mapping the snapshot, and replaying the log.
    public internal(set) var mappingNanoseconds = 0
    public internal(set) var replayNanoseconds = 0

    public internal(set) var replayedCommitCount = 0
    public internal(set) var logByteCount = 0
    public internal(set) var snapshotByteCount = 0

    /// Of the snapshot: a compaction makes the next one.
    public internal(set) var generation: UInt64 = 0

    /// What had to be done before the first frame, in order. The history keeps fifty: the last of them stands for all that came behind the others.
    public internal(set) var stepsBeforeFirstFrame: [Step] = []

    /// From the opening to the first frame; `nil` until that is shown.
    public internal(set) var firstFrameNanoseconds: Int?

    /// Pages of the snapshot that were read until the first frame, or until the opening had ended, whichever came later.
    public internal(set) var readPageCount = 0

    /// The jobs of the launch that were not merely waiting when it was last noted; `nil` in launches that an older version has noted.
    public internal(set) var jobs: [Job]?

    /// Whether what came before the first frame took longer than it was allowed to: see `Launch.budget`.
    public internal(set) var isOverBudget = false

    /// Bytes of the log and of pages.
    public var readByteCount: Int { logByteCount + readPageCount * 4_096 }

    /// All of `stepsBeforeFirstFrame`.
    public var nanosecondsBeforeFirstFrame: Int { stepsBeforeFirstFrame.reduce(0) { $0 + $1.nanoseconds } }

    init(date: Date) { self.date = date }

    /// The same with no more than so many steps: the last stands for those behind the others, so that all take together what they took.
    func withSteps(atMost count: Int) -> LaunchTimes {
        guard stepsBeforeFirstFrame.count > count else { return self }
        let rest = stepsBeforeFirstFrame.dropFirst(count - 1)
        let last = Step(name: "\(rest.count) more", nanoseconds: rest.reduce(0) { $0 + $1.nanoseconds })
        var times = self
        times.stepsBeforeFirstFrame = Array(stepsBeforeFirstFrame.prefix(count - 1)) + [last]
        return times
    }

    /// Whether its figures are such as a launch has: three days, and more bytes than a disk, in numbers that can be added up.
    var isPlausible: Bool {
        let optional = [readyNanoseconds, firstReadableNanoseconds, firstReadNanoseconds, firstFrameNanoseconds]
        let figures =
            [
                blockedNanoseconds, mappingNanoseconds, replayNanoseconds, replayedCommitCount, logByteCount,
                snapshotByteCount,
                readPageCount,
            ] + optional.compactMap { $0 } + stepsBeforeFirstFrame.map(\.nanoseconds) + (jobs ?? []).map(\.nanoseconds)
        return abs(date.timeIntervalSince1970) < 1e12 && stepsBeforeFirstFrame.count < 1 << 12
            && figures.allSatisfy { (0..<1 << 48).contains($0) }
    }
}
