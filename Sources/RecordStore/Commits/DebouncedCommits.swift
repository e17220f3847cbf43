extension Commits {
    /// The same commits, merged while they follow one another closely: for what is done after changes and need not be done after each, such as
    /// an upload or a new widget.
    ///
    /// ```swift
    /// for await commit in store.commits.debounced(for: .milliseconds(200), atMost: .seconds(2)) {
    ///     index.remove(commit.records(Account.self).deleted)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - quiet: commits are given as one when there has been no other for so long.
    ///   - limit: but at the latest when the first of them has waited so long; the shorter time counts.
    ///   - clock: measures both. The default goes on while the machine sleeps.
    public func debounced(
        for quiet: Duration, atMost limit: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> DebouncedCommits {
        DebouncedCommits(commits: self, quiet: quiet, limit: limit, clock: AnyClock(clock))
    }
}

/// The commits of a library, those that follow one another closely merged into one: `Commits.debounced`.
///
/// None is lost: each element is what all commits since the one before did together, with the number and the snapshot of the last. Time counts from when a
/// commit was made, or from the beginning of the loop for those made before; a loop that comes back late waits no longer than it must. What waits takes the
/// memory of one commit.
///
/// Each loop is a subscriber of its own. When the library is closed, what waits is given at once and the loop ends. It ends without that when the task is
/// cancelled; leaving it frees the subscription.
public struct DebouncedCommits: AsyncSequence, Sendable {
    public typealias Element = Commit
    public typealias Failure = Never

    fileprivate let commits: Commits
    fileprivate let quiet: Duration
    fileprivate let limit: Duration
    fileprivate let clock: AnyClock

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            debouncer: CommitDebouncer(commits.ownSubscription(), for: quiet, atMost: limit, clock: clock))
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let debouncer: CommitDebouncer

        public mutating func next() async -> Commit? { await debouncer.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Commit? {
            await debouncer.next()
        }
    }
}
