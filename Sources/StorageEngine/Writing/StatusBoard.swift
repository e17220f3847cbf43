import Synchronization

/// How an open store fares: what no call of its own would say.
public struct StoreStatus: Sendable, Equatable {
    /// Why writes are refused; `nil` while they are taken.
    public var refusal: StorageError?
    /// Why the log did not take what was last written; `nil` as soon as it takes something. Of that, commits in memory wait and are tried again,
    /// and the others have thrown it.
    public var stall: StorageError?
    /// Why what another process has written cannot be shown; `nil` as soon as it is.
    public var followingFailure: StorageError?
    /// Commits that readers see and the log does not have.
    public var unwrittenCommitCount = 0
    /// The log, which an opening replays and a compaction folds into the snapshot.
    public var logByteCount = 0
    /// Compactions that have failed since the last one that did not, and why the newest did.
    public var failedCompactionCount = 0
    public var compactionFailure: StorageError?
    /// Trees that cannot be read.
    public var damagedTrees: [DamagedTree] = []

    public init(logByteCount: Int = 0) { self.logByteCount = logByteCount }

    /// A backup reads what was written.
    ///
    /// - Parameter isAtRest: whether nothing is on its way to the log, so that what is not written now cannot be.
    /// - Throws: `.backupRefused` when the disk has not taken commits that readers see.
    func requireWritten(_ directory: String, isAtRest: Bool = false, orElse next: String) throws(StorageError) {
        guard isAtRest || stall != nil || refusal != nil, unwrittenCommitCount > 0 else { return }
        let commits = "\(unwrittenCommitCount) of its newest commits"
        throw .backupRefused(
            path: directory,
            reason: refusal.map { "\(commits) are in no file, and no more is written: \($0)" }
                ?? "\(commits) could not be written to the disk yet.",
            next: refusal == nil ? next : "Close it and open it again; the backup is then of what its files have.")
    }
}

/// What the writer last said of the store. Reading it costs a lock of a few instructions.
final class StatusBoard: Sendable {
    private let current: Lock<StoreStatus>
    /// Of commits that are kept until they are written, or until a new generation has them.
    private let commitByteCount = Atomic(0)

    init(_ status: StoreStatus) { current = Lock(status) }

    var status: StoreStatus { current.withLock { $0 } }

    func change(_ body: @Sendable (inout StoreStatus) -> Void) { current.withLock { body(&$0) } }

    /// - Returns: what is to be told of it, once for each reason: who tries again meets the same one again.
    func note(followingFailure failure: StorageError?) -> StoreNotice? {
        current.withLock { status in
            let former = status.followingFailure
            guard failure != former else { return nil }
            status.followingFailure = failure
            return failure.map { .followingFailed($0) } ?? .followingResumed
        }
    }

    /// Nearly always nothing differs, so nothing is copied.
    ///
    /// - Returns: what is to be told of the difference.
    ///
    /// - Parameter barrier: what keeps this process from the log.
    func note(
        _ queue: CommitQueue, barrier: StorageError?, logByteCount: Int, gatheredByteCount: Int
    ) -> StoreNotice? {
        commitByteCount.store(max(queue.unwrittenByteCount, gatheredByteCount), ordering: .relaxed)
        return note(queue, barrier, logByteCount)
    }

    /// The bytes of commits that wait.
    var waitingByteCount: Int { commitByteCount.load(ordering: .relaxed) }

    private func note(_ queue: CommitQueue, _ barrier: StorageError?, _ logByteCount: Int) -> StoreNotice? {
        current.withLock { status in
            status.logByteCount = logByteCount
            let count = Int(queue.published - min(queue.published, queue.written))
            var notice =
                status.stall != nil && status.unwrittenCommitCount != count ? StoreNotice.waiting(count: count) : nil
            status.unwrittenCommitCount = count
            let stall = queue.failure ?? (queue.refusal == nil ? barrier : nil)
            if status.stall != stall {
                notice = stall.map { .stalled($0) } ?? .resumed
                status.stall = stall
            }
            if status.refusal != queue.refusal {
                notice = queue.refusal.map { .refusing($0) } ?? notice
                status.refusal = queue.refusal
            }
            return notice
        }
    }
}
