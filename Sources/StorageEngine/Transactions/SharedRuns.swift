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
        /// Whether the tree's new root has been given out.
        var isGiven: [Bool]
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
                isGiven: Array(repeating: false, count: runs.count), waiting: order[...]))
    }

    /// Whether `finish` would wait for nothing.
    var isDone: Bool { work.withLock { !$0.outcomes.contains { $0 == nil } } }

    /// Whether a tree is on its way.
    func concern(_ tree: TreeNumber) -> Bool {
        guard let index = trees.firstIndex(of: tree) else { return false }
        return work.withLock { !$0.isGiven[index] }
    }

    /// The new root of one tree, which is applied where nobody has taken it yet. From here on it is the caller's alone.
    ///
    /// - Returns: `nil` where the tree is in the hand of another, or could not be changed: `finish` tells.
    func giveRoot(of tree: TreeNumber) -> TreeRoot? {
        guard let index = trees.firstIndex(of: tree) else { return nil }
        if let taken = take(index) { apply(taken) }
        return work.withLock { work in
            guard case .success(let root) = work.outcomes[index], !work.isGiven[index] else { return nil }
            work.isGiven[index] = true
            return root
        }
    }

    /// Applies what nobody else has taken.
    func applyRest() {
        while applyNext() {}
    }

    /// Asks for the pages that short runs need, where the system is likely not to have them. Nobody else takes these runs meanwhile, since nodes of their
    /// trees are read here that whoever changes one may free; `giveRoot` gives none of them.
    func ask() {
        let taken = takeShortRuns()
        guard let base = taken.first?.base else { return }
        base.generation.file.pages.ask(for: taken.map(\.run), of: base.trees)
        giveBack(taken)
    }

    /// - Returns: whether there was one that nobody else had taken.
    @discardableResult
    func applyNext() -> Bool {
        guard let taken = take() else { return false }
        apply(taken)
        return true
    }

    private typealias Taken = (index: Int, run: TreeRun, base: Base)

    /// The run of an index, or the next; `nil` where nobody has to take it any more.
    private func take(_ wanted: Int? = nil) -> Taken? {
        work.withLock { work in
            let place = if let wanted { work.waiting.firstIndex(of: wanted) } else { work.waiting.indices.first }
            guard let base = work.base, let place else { return nil }
            inHand.enter()
            let index = work.waiting.remove(at: place)
            let run = work.runs[index]
            work.runs[index].run = EntryRun()
            return (index, run, base)
        }
    }

    private func takeShortRuns() -> [Taken] {
        work.withLock { work in
            guard let base = work.base else { return [] }
            let indices = work.waiting.filter { work.runs[$0].isShort }
            guard !indices.isEmpty, base.generation.file.pages.mayBeCold() else { return [] }
            inHand.enter()
            work.waiting.removeAll { indices.contains($0) }
            return indices.map { index in
                defer { work.runs[index].run = EntryRun() }
                return (index, work.runs[index], base)
            }
        }
    }

    private func giveBack(_ taken: [Taken]) {
        work.withLock { work in
            for taken in taken { work.runs[taken.index].run = taken.run.run }
            work.waiting += taken.map(\.index)
        }
        inHand.leave()
    }

    private func apply(_ taken: Taken) {
        var run = taken.run
        let outcome = Result { () throws(StorageError) in
            try run.root(from: taken.base.trees, in: taken.base.generation)
        }
        work.withLock {
            $0.runs[taken.index] = run
            $0.outcomes[taken.index] = outcome
        }
        inHand.leave()
    }

    /// Applies what is left, and waits for what others have in hand.
    ///
    /// - Returns: the runs, sorted, and for each the tree's new root, or what kept it from being applied to the end. Its tree is of no more use
    ///   then. `nil` for a root that was given out.
    func finish() -> (runs: [TreeRun], outcomes: [Result<TreeRoot, StorageError>?]) {
        ask()
        repeat {
            applyRest()
            inHand.wait()
            // Who asked for pages has given back what it had in hand.
        } while !isDone
        return work.withLock { work in
            work.base = nil
            let outcomes = zip(work.outcomes, work.isGiven).map { outcome, isGiven -> Result<TreeRoot, StorageError>? in
                guard let outcome else { preconditionFailure("every run was applied") }
                return isGiven ? nil : outcome
            }
            defer { work.runs = [] }
            return (work.runs, outcomes)
        }
    }
}
