import StorageEngine

/// One subscriber's commits: a bounded buffer, or the subscriber waiting for the next, or a debouncer that gets them all.
///
/// When the buffer is full, a commit is merged into the newest one in it. A commit that waits keeps its snapshot file on the disk, so when those that wait
/// are of more than three files, those of the oldest are merged. A subscriber can so be as slow as it likes:
/// it holds up no writer, takes bounded memory, and still learns of every change in order.
///
/// Always true: a subscriber waits only while the buffer is empty and the library open.
final class CommitSubscription: Sendable {
    private struct State {
        var buffer: [Commit] = []
        var waiting: CheckedContinuation<Commit?, Never>?
        var isFinished = false

        /// Whether an iterator reads from here. A second one gets a subscription of its own.
        var isClaimed = false

        /// Gets all that comes, in place of the buffer. Holds this subscription.
        weak var debouncer: CommitDebouncer?

        /// Merges the commits of the oldest snapshot file, and the first behind them, into one.
        mutating func letOldFilesGo() {
            let generations = buffer.map(\.snapshot.version.snapshotGeneration)
            let ends = generations.indices.dropLast().filter { generations[$0] != generations[$0 + 1] }
            guard ends.count >= CommitSubscription.generationCapacity, let end = ends.first else { return }
            var merged = buffer[0]
            for commit in buffer[1...(end + 1)] { merged.merge(commit) }
            buffer.replaceSubrange(0...(end + 1), with: [merged])
        }
    }

    private let state = Lock(State())
    private let broadcast: CommitBroadcast
    /// Commits of others than these are left out, before they could be merged with some of these.
    private let origin: Commit.Origin?

    /// How many commits wait for a subscriber before they are merged.
    static let bufferCapacity = 64

    /// Of how many snapshot files they may be.
    static let generationCapacity = 3

    init(to broadcast: CommitBroadcast, of origin: Commit.Origin? = nil) {
        self.broadcast = broadcast
        self.origin = origin
    }

    /// Nobody can ask for a commit any more, so the slot is free.
    deinit {
        broadcast.unsubscribe(ObjectIdentifier(self))
    }

    /// Whether the caller is the first to read from here.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
    }

    /// Another subscription to the same library, from now on.
    func another() -> CommitSubscription { broadcast.subscribe(to: origin) }

    /// Gives a debouncer what is in the buffer, and from now on all that comes. Called by the one that has claimed this.
    func forward(to debouncer: CommitDebouncer) {
        state.withLock { state in
            // Under the lock, so that no later commit arrives before these.
            for commit in state.buffer { debouncer.send(commit) }
            state.buffer = []
            if state.isFinished { debouncer.finish() }
            state.debouncer = debouncer
        }
    }

    func send(_ commit: Commit) {
        if let origin, commit.origin.isDisjoint(with: origin) { return }
        let (waiting, debouncer) = state.withLock { state -> (CheckedContinuation<Commit?, Never>?, CommitDebouncer?) in
            if let debouncer = state.debouncer { return (nil, debouncer) }
            guard !state.isFinished else { return (nil, nil) }
            if let waiting = state.waiting {
                state.waiting = nil
                return (waiting, nil)
            }
            if state.buffer.count < Self.bufferCapacity {
                state.buffer.append(commit)
            } else {
                state.buffer[state.buffer.count - 1].merge(commit)
            }
            state.letOldFilesGo()
            return (nil, nil)
        }
        waiting?.resume(returning: commit)
        debouncer?.send(commit)
    }

    /// Ends the sequence behind what is in the buffer.
    func finish() {
        let (waiting, debouncer) = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return (state.waiting, state.debouncer)
        }
        waiting?.resume(returning: nil)
        debouncer?.finish()
    }

    /// The next commit; `nil` at the end, and at once when the task is cancelled.
    func next() async -> Commit? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Commit?? in
                    if Task.isCancelled { return .some(nil) }
                    if !state.buffer.isEmpty { return .some(state.buffer.removeFirst()) }
                    if state.isFinished { return .some(nil) }
                    precondition(state.waiting == nil, "a commit iterator is used by one task at a time")
                    state.waiting = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the sequence at once and frees its slot.
    func cancel() {
        let waiting = state.withLock { state in
            state.isFinished = true
            state.buffer = []
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
        broadcast.unsubscribe(ObjectIdentifier(self))
    }
}
