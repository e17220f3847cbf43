/// How the writing of a group ended: the log's queue notes it, and the writer reads it. The writer also knows the group by it. When the end of a group
/// comes that was given back, the writer has another group, or none.
final class GroupEnd: Sendable {
    private let stored = Lock<Result<GroupWriting.Written, LogFailure>?>(nil)

    /// `nil` until the log is done.
    var outcome: Result<GroupWriting.Written, LogFailure>? { stored.withLock { $0 } }

    func note(_ outcome: Result<GroupWriting.Written, LogFailure>) { stored.withLock { $0 = outcome } }
}
