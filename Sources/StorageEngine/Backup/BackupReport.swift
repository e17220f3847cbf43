/// What a backup did.
public struct BackupReport: Sendable, Equatable {
    /// The newest commit in it.
    public let commitNumber: UInt64
    /// Bytes that were copied: all of a first backup, what is new of a later one.
    public let copiedByteCount: Int
    /// Of the whole backup.
    public let byteCount: Int
    /// Whether it adds to an earlier one.
    public let isIncrement: Bool
    /// What can be restored from it: every commit of these, oldest first.
    public let reaches: [BackupReach]
    public let nanoseconds: Int
}
