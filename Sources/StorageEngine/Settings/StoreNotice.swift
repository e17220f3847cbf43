/// What an open store did or met by itself, for whoever looks after it.
public enum StoreNotice: Sendable {
    case opened(OpeningReport)
    case compacted(CompactionReport)
    /// - Parameter count: of those that failed since the last one that did not.
    case compactionFailed(StorageError, count: Int)
    /// Commits that readers see could not be written. They are tried again.
    case stalled(StorageError)
    /// What could not be written is.
    case resumed
    /// A write or flush of the log failed so that nobody knows what it holds; everything is in a new generation now.
    case rescued(generation: UInt64, after: StorageError)
    /// Writes are refused from here on.
    case refusing(StorageError)
    /// With what `close` throws.
    case closed(StorageError?)
}
