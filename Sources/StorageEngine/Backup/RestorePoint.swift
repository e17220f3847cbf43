/// Which commit of a backup to restore.
public enum RestorePoint: Sendable, Hashable {
    case newest
    case commit(UInt64)
    /// The newest commit that was made at that moment or before, milliseconds since 1970.
    case time(UInt64)
}
