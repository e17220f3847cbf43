/// How the log's writing of a group ended, from the log's queue to the writer. It stands for the group, too: one that the log has given back is
/// not the writer's any more when its end comes.
final class GroupEnd: Sendable {
    private let stored = Lock<Result<GroupWriting.Written, LogFailure>?>(nil)

    /// `nil` until the log is done.
    var outcome: Result<GroupWriting.Written, LogFailure>? { stored.withLock { $0 } }

    func note(_ outcome: Result<GroupWriting.Written, LogFailure>) { stored.withLock { $0 = outcome } }
}
