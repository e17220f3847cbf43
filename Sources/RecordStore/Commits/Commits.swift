/// The commits of a library from the moment `RecordLibrary.commits` was asked, in order, none lost; in a second loop over the same value, from when that
/// loop begins.
///
/// ```swift
/// for await commit in store.commits {
///     index.remove(commit.records(Account.self).deleted)
/// }
/// ```
///
/// A library that is still being opened gives a commit with what its log has brought beyond its snapshot; one that is opened again, or of which
/// nothing could be read before, one that says `isWhole`.
///
/// Each loop is a subscriber of its own. One that falls behind by more than 64 commits gets some of them merged into
/// one. The loop ends when the library is closed or the task is cancelled; leaving it frees the subscription.
public struct Commits: AsyncSequence, Sendable {
    public typealias Element = Commit
    public typealias Failure = Never

    private let subscription: CommitSubscription

    init(_ subscription: CommitSubscription) {
        self.subscription = subscription
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: ownSubscription())
    }

    /// One that nobody else reads.
    func ownSubscription() -> CommitSubscription {
        subscription.claim() ? subscription : subscription.another()
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Ends the subscription with the loop, whoever keeps the sequence.
        private final class Hold: Sendable {
            let subscription: CommitSubscription

            init(_ subscription: CommitSubscription) { self.subscription = subscription }

            deinit { subscription.cancel() }
        }

        private let hold: Hold
        private var subscription: CommitSubscription { hold.subscription }

        fileprivate init(subscription: CommitSubscription) { hold = Hold(subscription) }

        public mutating func next() async -> Commit? { await subscription.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Commit? {
            await subscription.next()
        }
    }
}
