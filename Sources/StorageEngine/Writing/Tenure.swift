/// Whether a writer may write to the log now.
enum Tenure {
    /// The store is not shared.
    case always
    /// Nobody of this process wants to. Nothing is held.
    case none
    /// Waiting for the lock, or reading what others have written.
    case changing
    /// The lock is held, and the state is the newest of any process.
    case held(since: ContinuousClock.Instant)
}
