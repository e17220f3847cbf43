import Dispatch

/// Runs for several trees, which several threads apply: each takes the next until none is left.
///
/// Precondition: the heap is shared meanwhile, and nobody changes nodes of these trees but by this.
final class SharedRuns: @unchecked Sendable {
    // Safe to share because runs are taken and given back under the lock, each tree is changed by the thread that has taken its run, and
    // what they read of the table and the generation nobody changes.

    /// The trees as the runs find them.
    private typealias Base = (trees: TreeTable, generation: Generation)

    private struct Work {
        /// `nil` when all is done: a thread that comes late keeps nothing of the store.
        var base: Base?
        /// The run that somebody has in hand is empty here.
        var runs: [TreeRun]
        var outcomes: [Result<TreeRoot, StorageError>?]
        /// Of the runs, the longest first, those that nobody has taken.
        var waiting: ArraySlice<Int>
    }

    private let trees: [TreeNumber]
    private let work: Lock<Work>
    private let inHand = DispatchGroup()

    init(_ runs: [TreeRun], from base: TreeTable, in generation: Generation) {
        trees = runs.map(\.tree)
        let order = runs.indices.sorted { runs[$0].run.count > runs[$1].run.count }
        work = Lock(
            Work(
                base: (base, generation), runs: runs, outcomes: Array(repeating: nil, count: runs.count),
                waiting: order[...]))
    }

    /// Whether `finish` would wait for nothing.
    var isDone: Bool { work.withLock { !$0.outcomes.contains { $0 == nil } } }

    func concern(_ tree: TreeNumber) -> Bool { trees.contains(tree) }

    /// Applies what nobody else has taken.
    func applyRest() {
        while applyNext() {}
    }

    /// - Returns: whether there was one that nobody else had taken.
    @discardableResult
    func applyNext() -> Bool {
        guard var taken = takeNext() else { return false }
        let outcome = Result { () throws(StorageError) in
            try taken.run.root(from: taken.base.trees, in: taken.base.generation)
        }
        work.withLock {
            $0.runs[taken.index] = taken.run
            $0.outcomes[taken.index] = outcome
        }
        inHand.leave()
        return true
    }

    private func takeNext() -> (index: Int, run: TreeRun, base: Base)? {
        work.withLock { work in
            guard let base = work.base, let index = work.waiting.popFirst() else { return nil }
            inHand.enter()
            let run = work.runs[index]
            work.runs[index].run = EntryRun()
            return (index, run, base)
        }
    }

    /// Applies what is left, and waits for what others have in hand.
    ///
    /// - Returns: the runs, sorted, and for each the tree's new root, or what kept it from being applied to the end. Its tree is of no more use
    ///   then.
    func finish() -> (runs: [TreeRun], outcomes: [Result<TreeRoot, StorageError>]) {
        applyRest()
        inHand.wait()
        return work.withLock { work in
            work.base = nil
            let outcomes = work.outcomes.map { outcome in
                guard let outcome else { preconditionFailure("every run was applied") }
                return outcome
            }
            defer { work.runs = [] }
            return (work.runs, outcomes)
        }
    }
}
