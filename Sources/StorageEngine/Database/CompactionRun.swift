/// A compaction and those who wait for it. One who is cancelled leaves; the last who leaves takes the compaction along.
///
/// Used by the writer only.
final class CompactionRun {
    typealias Outcome = Result<CompactionReport, any Error>

    let number: Int
    private let task: Task<CompactionReport, any Error>
    private var callers: [Int: CheckedContinuation<CompactionReport, any Error>] = [:]
    private var watchers: [CheckedContinuation<Outcome, Never>] = []
    private var nextTicket = 0
    /// Once it has ended. Whoever comes later is told at once: the writer may do other things between a call and its waiting.
    private var outcome: Outcome?

    init(number: Int, _ task: Task<CompactionReport, any Error>) {
        self.number = number
        self.task = task
    }

    func cancel() { task.cancel() }

    /// A number to leave by.
    func makeTicket() -> Int {
        defer { nextTicket += 1 }
        return nextTicket
    }

    func add(_ caller: CheckedContinuation<CompactionReport, any Error>, _ ticket: Int) {
        if let outcome { caller.resume(with: outcome) } else { callers[ticket] = caller }
    }

    /// One who waits and does not count: a compaction that only such wait for may be cancelled.
    func watch(_ watcher: CheckedContinuation<Outcome, Never>) {
        if let outcome { watcher.resume(returning: outcome) } else { watchers.append(watcher) }
    }

    /// The caller no longer waits.
    func leave(_ ticket: Int) {
        guard callers[ticket] != nil else { return }
        // The last one learns how it ended, so that nothing of it runs on when the call is over.
        guard callers.count > 1 else { return cancel() }
        callers.removeValue(forKey: ticket)?.resume(throwing: StorageError.cancelled)
    }

    func end(_ outcome: Outcome) {
        self.outcome = outcome
        for caller in callers.values { caller.resume(with: outcome) }
        for watcher in watchers { watcher.resume(returning: outcome) }
        (callers, watchers) = ([:], [])
    }
}
