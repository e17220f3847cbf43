/// How much a library keeps so that its last commits can be undone; chosen when it is opened.
///
/// ```swift
/// let library = RecordLibrary(.applicationSupport("Ledger.bookdb"), undo: .on)
/// ```
///
/// With it, the log says of each commit what its records were before. A frame of one edit grows by 8 to 39 %, one of an import not at all, one
/// of a deletion by up to 86 %. Nothing of it stays in the snapshot.
public struct UndoKeeping: Hashable, Sendable {
    /// So many commits can be undone.
    public let commitCount: Int

    /// So much memory holds what the newest of them replaced. Older ones, and larger ones, are read from the log while that has them: until a
    /// compaction.
    public let byteCount: Int

    private init(unchecked commitCount: Int, _ byteCount: Int) {
        (self.commitCount, self.byteCount) = (commitCount, byteCount)
    }

    /// A negative number counts as 0.
    public init(commitCount: Int, byteCount: Int = 8 << 20) {
        self.init(unchecked: max(0, commitCount), max(0, byteCount))
    }

    /// Nothing is kept, and nothing can be undone.
    public static let off = UndoKeeping(unchecked: 0, 0)

    /// A thousand commits, and 8 MiB of memory at the most.
    public static let on = UndoKeeping(commitCount: 1000)

    var isOn: Bool { commitCount > 0 }
}
