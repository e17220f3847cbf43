import Dispatch

/// Runs for several trees, which several threads apply: each takes the next until none is left.
///
/// Precondition: the heap is shared meanwhile, and nobody changes the state but by this.
final class SharedRuns: @unchecked Sendable {
    // Safe to share because runs are taken and given back under the lock, and each tree is changed by the thread that has taken its run.

    private struct Work {
        /// `nil` when all is done: a thread that comes late keeps nothing of the store.
        var state: WriteState?
        /// The run that somebody has in hand is empty here.
        var runs: [WriteState.TreeRun]
        var outcomes: [Result<TreeRoot, StorageError>?]
        /// Of the runs, the longest first, those that nobody has taken.
        var waiting: ArraySlice<Int>
    }

    private let work: Lock<Work>
    private let inHand = DispatchGroup()

    init(_ runs: [WriteState.TreeRun], of state: WriteState) {
        let order = runs.indices.sorted { runs[$0].run.count > runs[$1].run.count }
        work = Lock(
            Work(state: state, runs: runs, outcomes: Array(repeating: nil, count: runs.count), waiting: order[...]))
    }

    /// Applies what nobody else has taken.
    func applyRest() {
        while applyNext() {}
    }

    /// - Returns: whether there was one that nobody else had taken.
    @discardableResult
    func applyNext() -> Bool {
        guard var taken = takeNext() else { return false }
        let outcome = Result { () throws(StorageError) in try taken.state.root(after: &taken.run) }
        work.withLock {
            $0.runs[taken.index] = taken.run
            $0.outcomes[taken.index] = outcome
        }
        inHand.leave()
        return true
    }

    private func takeNext() -> (index: Int, run: WriteState.TreeRun, state: WriteState)? {
        work.withLock { work in
            guard let state = work.state, let index = work.waiting.popFirst() else { return nil }
            inHand.enter()
            let run = work.runs[index]
            work.runs[index].run = EntryRun()
            return (index, run, state)
        }
    }

    /// Applies what is left, and waits for what others have in hand.
    ///
    /// - Returns: the runs, sorted, and for each the tree's new root, or what kept it from being applied to the end. Its tree is of no more use
    ///   then.
    func finish() -> (runs: [WriteState.TreeRun], outcomes: [Result<TreeRoot, StorageError>]) {
        applyRest()
        inHand.wait()
        return work.withLock { work in
            work.state = nil
            let outcomes = work.outcomes.map { outcome in
                guard let outcome else { preconditionFailure("every run was applied") }
                return outcome
            }
            defer { work.runs = [] }
            return (work.runs, outcomes)
        }
    }
}
