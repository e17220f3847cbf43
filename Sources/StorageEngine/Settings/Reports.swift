/// What opening found and did.
public struct OpeningReport: Sendable, Equatable {
    public var createdStore = false
    public var generation: UInt64 = 0
    public var snapshotByteCount = 0
    public var logByteCount = 0
    public var replayedCommits = 0
    /// Bytes of an unfinished, never acknowledged write that were cut off the log.
    public var tornByteCount = 0
    /// Bytes of unacknowledged commits behind a gap, kept in a file of their own.
    public var setAsideByteCount = 0
    /// The first superblock was unreadable; its copy served.
    public var usedSpareSuperblock = false
    /// A newer snapshot was unreadable; this is the one before it.
    public var fellBack = false
    /// The process before closed the store, so nothing was flushed or written.
    public var wasClosed = false
    /// Whether a power cut leaves the newest snapshot its name is unknown. The first commit moves everything to a new one.
    public var isNameInDoubt = false
    /// Trees that cannot be read, because the log changes a damaged page of theirs.
    public var damagedTrees: [DamagedTree] = []
    /// A read-only opening stopped the replay here.
    public var damage: Damage?
    public var mapNanoseconds = 0
    public var replayNanoseconds = 0
    /// From the beginning of the opening to its end, waiting for the lock and flushes included.
    public var openingNanoseconds = 0
    /// When the opening ended, milliseconds since 1970.
    public var time: UInt64 = 0
    /// This opening has put a restored store in place.
    public var restored: Restoration?
    /// A restore was staged and could not be carried out. The store is the one that was there before.
    public var restoreFailure: StorageError?
    /// When the newest commit was made, milliseconds since 1970; 0 when unknown.
    public var lastCommitTime: UInt64 = 0

    package init() {}

    /// Whether something had to be put right: the store was not closed before, or its newest files cannot be read.
    public var hasRecovered: Bool { fellBack || usedSpareSuperblock || tornByteCount + setAsideByteCount > 0 }
}

/// What a compaction did.
public struct CompactionReport: Sendable, Equatable {
    public let generation: UInt64
    public let commitNumber: UInt64
    public let snapshotByteCountBefore: Int
    public let logByteCountBefore: Int
    public let snapshotByteCount: Int
    public let nanoseconds: Int

    public var byteCountBefore: Int { snapshotByteCountBefore + logByteCountBefore }
}

/// A commit as readers now see it.
public struct PublishedCommit: Sendable {
    public let commitNumber: UInt64
    /// This commit's version or, of commits acknowledged together, the newest.
    public let version: Version
    /// What the transaction attached.
    public let note: (any Sendable)?
    /// Whether an opening in the background has come further: the version holds other commits than the one before, some or many.
    package var isOpening = false
    /// Whether another process has made it.
    package var isOfOthers = false
}

/// Nanoseconds since `start`.
func elapsed(since start: ContinuousClock.Instant) -> Int { start.duration(to: .now).nanoseconds }
