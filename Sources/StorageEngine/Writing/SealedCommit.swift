/// A transaction that is complete in memory and waits for its log frame. Used by the writer only.
final class SealedCommit {
    let commit: LogWriter.Commit
    /// As the commit left them; `nil` while it waits with others that are seen together with it, and for all of those but the last.
    /// Replaced when a compaction moves the head to another generation.
    var trees: TreeTable?
    let note: (any Sendable)?
    private var continuation: CheckedContinuation<Void, any Error>?
    private var outcome: Result<Void, any Error>?

    init(commit: LogWriter.Commit, trees: TreeTable?, note: (any Sendable)?) {
        self.commit = commit
        self.trees = trees
        self.note = note
    }

    /// Returns when the commit is as durable as its maker asked, at once when it is already. Awaited by its maker only.
    func completion(isolation: isolated (any Actor)? = #isolation) async throws {
        if let outcome { return try outcome.get() }
        try await withCheckedThrowingContinuation { continuation = $0 }
    }

    func complete(_ outcome: Result<Void, any Error>) {
        self.outcome = outcome
        continuation?.resume(with: outcome)
        continuation = nil
    }
}
