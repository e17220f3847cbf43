/// What an open store did or met by itself, for whoever looks after it.
public enum StoreNotice: Sendable {
    /// An opening in the background has read a share of the log.
    case opening(fraction: Double)
    case opened(OpeningReport)
    /// Neither to be written nor to be read.
    case openingFailed(StorageError)
    /// The store is only open to be read, because it could not be opened for writing.
    case readInstead(StorageError)
    case compacted(CompactionReport)
    /// - Parameter count: of those that failed since the last one that did not.
    case compactionFailed(StorageError, count: Int)
    /// The log did not take what was last written. Of that, commits in memory wait and are tried again; the others have thrown the error.
    case stalled(StorageError)
    /// So many commits wait for the log while it takes none.
    case waiting(count: Int)
    /// The log takes commits again, and has those that waited.
    case resumed
    /// A write or flush of the log failed so that nobody knows what it holds; everything is in a new generation now.
    case rescued(generation: UInt64, after: StorageError)
    /// What another process left behind that shared the store and died was put right.
    case recovered(OpeningReport)
    /// What another process has written could not be shown. It is tried again when somebody writes next.
    case followingFailed(StorageError)
    /// What other processes have written is shown again.
    case followingResumed
    /// Reading has met damage, at a place that was not met before. Told on the thread that reads.
    case damageMet(Damage)
    /// Writes are refused from here on.
    case refusing(StorageError)
    /// With what `close` throws.
    case closed(StorageError?)
}
