/// A transaction that is complete in memory and waits for its log frame. Used by the writer only.
final class SealedCommit {
    let commit: LogWriter.Commit
    /// Replaced when a compaction moves the head to another generation.
    var trees: TreeTable
    let note: (any Sendable)?
    let durability: Durability
    var isPublished = false
    var continuation: CheckedContinuation<Void, any Error>?

    init(commit: LogWriter.Commit, trees: TreeTable, note: (any Sendable)?, durability: Durability) {
        self.commit = commit
        self.trees = trees
        self.note = note
        self.durability = durability
    }
}
