import Dispatch

/// The head of the store: the trees as the newest sealed commit left them, and the heap they grow in. Owned by the writer;
/// recovery and re-basing own one of their own while they replay.
final class WriteState: @unchecked Sendable {
    // Safe to hand over because it has one owner at a time: whoever replays into it, then the writer. Threads that change trees for the owner
    // have a copy of the table, and share the heap alone.

    let generation: Generation
    private(set) var trees: TreeTable
    private(set) var commitNumber: UInt64
    /// What the newest commit has kept for the next; `nil` where it was not made here.
    private(set) var memo: (any Sendable)?
    /// What the commits that are made have left for later. Nobody else reads the trees while there is any.
    private var later = LaterEntries()
    /// What others are putting into the trees: of commits before those, and then no node is made meanwhile but by them, or of the commit that is
    /// being made.
    private var settling: Settling?
    /// Until something settled ahead could not be put: a transaction that empties a tree which cannot be read forgets what it has left for that tree, but not what
    /// is on its way.
    private var maySettleAhead = true
    /// The commit that nodes are born in when nothing is settling.
    private var birth: UInt64

    init(generation: Generation) {
        self.generation = generation
        trees = TreeTable(generation.file.superblock)
        commitNumber = generation.file.superblock.commitNumber
        birth = commitNumber
        generation.heap.begin(birth)
    }

    /// The state as readers get it. Precondition: no commit is being made, and everything has settled.
    func version(isCatchingUp: Bool = false) -> Version {
        assert(isSettled, "readers see whole commits")
        return Version(commitNumber: commitNumber, generation: generation, trees: trees, isCatchingUp: isCatchingUp)
    }

    /// Starts the next commit, or the first of a run that only will be seen together.
    func begin() {
        birth = commitNumber + 1
        if settling == nil { generation.heap.begin(birth) }
    }

    /// The commit that was begun is complete.
    ///
    /// - Parameter memo: see `Transaction.memo`.
    func seal(memo: (any Sendable)? = nil) {
        commitNumber += 1
        self.memo = memo
    }

    /// Undoes everything after `commit`, which left `trees`.
    func rollBack(to commit: UInt64, _ trees: TreeTable) {
        finishSettling()
        later = LaterEntries()
        generation.heap.rollBack(to: commit)
        memo = nil
        self.trees = trees
        commitNumber = commit
    }

    /// Starts a commit of a replay. While nobody can read the versions between, they need not exist: all replayed commits change
    /// the same memory nodes, which makes a replay several times faster.
    func beginReplay() {
        if generation.heap.birth <= generation.file.superblock.commitNumber { begin() }
    }

    // MARK: Operations

    func declare(_ declaration: TreeDeclaration) throws(StorageError) {
        assert(settling == nil, "the table is that of one commit")
        if let objection = declaration.objection { throw .schemaMismatch(objection) }
        if let known = trees.declaration(of: declaration.number) {
            guard known == declaration else { throw Self.contradiction(known, declaration) }
            return
        }
        guard trees.declarations.count < Limits.treeCount else {
            throw .limitExceeded("A store has at most \(Limits.treeCount) trees. Put the new kind into one of them.")
        }
        trees.add(declaration)
    }

    static func contradiction(_ known: TreeDeclaration, _ wanted: TreeDeclaration) -> StorageError {
        .schemaMismatch(
            "Tree \(known.number.rawValue) is \(words(known)) in the store, and \(words(wanted)) as declared. "
                + "Give the new tree another number.")
    }

    private static func words(_ tree: TreeDeclaration) -> String {
        let columns = tree.columns.isEmpty ? "" : " and columns \(tree.columns.words)"
        let home = tree.home.map { ", its keys ending behind \($0.lead) with those of tree \($0.tree.rawValue)" } ?? ""
        return "\"\(tree.name)\" with \(tree.facetCount) facets\(columns)\(home)"
    }

    func put(
        key: RawSpan, value: RawSpan, facets: UInt16, tree: TreeNumber
    ) throws(StorageError) {
        try change(tree) { (tree) throws(StorageError) in try tree.put(key: key, value: value, facets: facets) }
    }

    /// All entries of a sorted run, checked before. When this throws, the tree cannot be read, and the commit has to be rolled back.
    private func put(_ run: EntryRun, tree: TreeNumber) throws(StorageError) {
        do throws(StorageError) {
            try change(tree) { (tree) throws(StorageError) in try tree.apply(run) }
        } catch {
            giveUp(tree, error)
            throw error
        }
    }

    /// A run was not applied to the end: the tree's root may be of nodes that were given back meanwhile.
    private func giveUp(_ tree: TreeNumber, _ error: StorageError) {
        if case .damaged(let damage) = error {
            mark(tree, as: damage)
        } else if let place = trees.place(of: tree) {
            trees.setRoot(.empty, at: place)
        }
    }

    func remove(key: RawSpan, tree: TreeNumber) throws(StorageError) -> Bool {
        try change(tree) { (tree) throws(StorageError) in try tree.remove(key) }
    }

    /// `false` when the tree was empty.
    func removeAll(tree: TreeNumber) throws(StorageError) -> Bool {
        try change(tree) { (tree) throws(StorageError) in
            guard !tree.root.isEmpty else { return false }
            tree.removeAll()
            return true
        }
    }

    /// A body that throws behind a change of its own leaves that neither there nor undone: the state is of no more use then.
    func change<Result>(
        _ tree: TreeNumber, _ body: (inout TreeChange) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        assert(settling?.isAhead ?? true, "nodes of one commit are made at a time")
        guard let place = trees.place(of: tree) else { throw .undeclared(tree) }
        var change = trees.change(at: place, in: generation)
        let result = try body(&change)
        trees.setRoot(change.root, at: place)
        return result
    }

    /// Makes a commit of operations. `false` when the payload holds anything but operations on trees that were declared.
    func apply(_ payload: [UInt8]) throws(StorageError) -> Bool {
        begin()
        return try applyToRun(payload)
    }

    /// The same for a commit that may change what the one before it made.
    func applyToRun(_ payload: [UInt8]) throws(StorageError) -> Bool {
        let isWhole = try payload.withBytes { (bytes) throws(StorageError) in
            try Operation.forEach(in: bytes) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, let key, let facets, let value):
                    try put(key: key, value: value, facets: facets, tree: tree)
                case .remove(let tree, let key):
                    _ = try remove(key: key, tree: tree)
                case .declare(let declaration):
                    try declare(declaration)
                case .clear(let tree):
                    _ = try removeAll(tree: tree)
                case .note: break
                }
            }
        }
        seal()
        return isWhole
    }

    // MARK: Entries for later

    /// See `Transaction.putLater`.
    ///
    /// - Returns: whether the entry was taken: not with a very large value.
    func putLater(
        _ value: RawSpan, _ key: RawSpan, _ facets: FacetSet, _ tree: TreeNumber
    ) throws(StorageError) -> Bool {
        try later.put(value, key, facets, at: try laterIndex(of: tree))
    }

    func removeLater(_ key: RawSpan, _ tree: TreeNumber) throws(StorageError) {
        try later.remove(key, at: try laterIndex(of: tree))
    }

    private func laterIndex(of tree: TreeNumber) throws(StorageError) -> Int {
        if let index = later.index(of: tree) { return index }
        guard let declaration = trees.declaration(of: tree) else { throw .undeclared(tree) }
        return later.add(declaration)
    }

    var isSettled: Bool { !hasEntriesForLater && settling == nil }
    var hasEntriesForLater: Bool { !later.isEmpty }
    var entryCountForLater: Int { later.count }

    /// Throws the damage of a tree that is known to be unreadable: what is left for it later would be found out behind others' commits.
    func requireReadable(_ tree: TreeNumber) throws(StorageError) {
        guard let place = trees.place(of: tree), trees.roots[place].isUnreadable else { return }
        throw .damaged(generation.file.damage(of: tree))
    }

    /// Forgets what was left for later of a tree that is emptied.
    ///
    /// - Returns: whether there was anything.
    func dropLater(_ tree: TreeNumber) -> Bool { later.index(of: tree).map { later.drop($0) } ?? false }

    /// Puts what was left for later into a tree. When this throws, the state has to be rolled back.
    func settle(_ tree: TreeNumber) throws(StorageError) {
        try join(tree)
        guard let index = later.index(of: tree), later.hasEntries(at: index) else { return }
        try joinOthers()
        try settle(at: index)
    }

    /// The same for all trees.
    func settle() throws(StorageError) {
        try join()
        if later.count >= Self.fewestSideBySide {
            try settleSideBySide()
        } else {
            askForWhatSettles()
            for index in later.indices { try settle(at: index) }
        }
        dropRoomOfMany()
    }

    /// Asks for the pages that the trees are about to be changed on, where the system is likely not to have them.
    private func askForWhatSettles() {
        let pages = generation.file.pages
        if later.count > 1, pages.mayBeCold() { pages.ask(for: later.shortRuns, of: trees) }
    }

    private func settleSideBySide() throws(StorageError) {
        let runs = later.takeAll()
        if let error = giveUpWhatFailed(of: runs, apply(runs)) { throw error }
    }

    /// - Returns: the first of the errors.
    private func giveUpWhatFailed(of runs: [TreeRun], _ errors: [StorageError?]) -> StorageError? {
        for (run, error) in zip(runs, errors) { if let error { giveUp(run.tree, error) } }
        return errors.lazy.compactMap { $0 }.first
    }

    private func settle(at index: Int) throws(StorageError) {
        try later.settle(index) { (run, tree) throws(StorageError) in try put(run, tree: tree) }
    }

    // MARK: Settling beside something else

    /// Has all trees settled by another thread, while the log is written. The next commits may leave entries for later meanwhile, and read trees
    /// that have none on their way; all else waits in `join`.
    func settleBeside(_ work: any BackgroundWork) -> Settling { begin(work, isAhead: false) }

    private func begin(_ work: any BackgroundWork, isAhead: Bool) -> Settling {
        assert(settling == nil, "one is on its way at a time")
        let runs = SharedRuns(later.takeAll(), from: trees, in: generation)
        generation.heap.share()
        work.run(.userInteractive) {
            runs.ask()
            runs.applyRest()
        }
        let settling = Settling(runs, isAhead: isAhead)
        self.settling = settling
        return settling
    }

    /// The same with what a transaction has left for later so far, while it goes on: it may change trees, too, but for those. Does nothing while others
    /// have something in hand still.
    ///
    /// - Throws: as `join`, of what others had.
    func settleAhead(_ work: any BackgroundWork) throws(StorageError) {
        guard maySettleAhead else { return }
        if let settling {
            guard settling.runs.isDone else { return }
            try join()
        }
        _ = begin(work, isAhead: true)
    }

    /// Before a node is made: those of one commit are made at a time.
    func joinOthers() throws(StorageError) {
        if settling?.isAhead == false { try join() }
    }

    /// Waits for what was settled while the transaction went on.
    func joinAhead() throws(StorageError) {
        if settling?.isAhead == true { try join() }
    }

    /// Waits for one tree.
    private func join(_ tree: TreeNumber) throws(StorageError) {
        guard let settling, settling.runs.concern(tree) else { return }
        if let place = trees.place(of: tree), let root = settling.runs.giveRoot(of: tree) {
            trees.setRoot(root, at: place)
        } else {
            try join()
        }
    }

    /// Settles what nobody else has taken of the trees that others settle, and waits for the rest.
    ///
    /// - Throws: what kept a tree from being changed. The state has to be rolled back then, to before these commits.
    func join() throws(StorageError) {
        guard let settling else { return }
        self.settling = nil
        let (runs, roots) = settling.runs.finish()
        generation.heap.endSharing()
        generation.heap.begin(birth)
        let error = giveUpWhatFailed(of: runs, take(roots, of: runs))
        later.keepRoom(of: runs)
        dropRoomOfMany()
        settling.outcome = error.map { .failure($0) } ?? .success(trees)
        guard let error else { return }
        if settling.isAhead { maySettleAhead = false }
        throw error
    }

    /// The same where the trees are of no more use, settled or not.
    func finishSettling() { try? join() }

    /// Each keeps some room, and is looked at with every entry.
    private static let treeCountKept = 64

    private func dropRoomOfMany() {
        if later.indices.count > Self.treeCountKept, later.isEmpty { later = LaterEntries() }
    }

    // MARK: Trees that cannot be read

    /// Every read and change of the tree throws the damage from here on, but for `removeAll`, which makes it whole.
    func mark(_ tree: TreeNumber, as damage: Damage) {
        guard let place = trees.place(of: tree) else { return }
        generation.file.note(damage, of: tree)
        trees.setRoot(.unreadable(tree), at: place)
    }

    var damagedTrees: [DamagedTree] { trees.damagedTrees(in: generation.file) }

    // MARK: Changes of several trees at once

    /// Fewer changes are done before they would be handed out and waited for: some 0.8 ms.
    private static let fewestSideBySide = 500

    /// Sorts runs, one for each of several trees, and applies them: a tree on each core at a time, where there is much to do.
    ///
    /// - Returns: for each what kept it from being applied to the end. Its tree is of no more use then.
    func apply(_ runs: [TreeRun]) -> [StorageError?] {
        guard runs.count > 1, runs.reduce(0, { $0 + $1.run.count }) >= Self.fewestSideBySide else {
            let roots = runs.map { run in
                var run = run
                return Result { () throws(StorageError) in try run.root(from: trees, in: generation) }
            }
            return take(roots, of: runs)
        }
        let sharing = SharedRuns(runs, from: trees, in: generation)
        generation.heap.share()
        defer { generation.heap.endSharing() }
        DispatchQueue.concurrentPerform(iterations: runs.count) { _ in sharing.applyNext() }
        return take(sharing.finish().outcomes, of: runs)
    }

    private func take(_ roots: [Result<TreeRoot, StorageError>?], of runs: [TreeRun]) -> [StorageError?] {
        zip(runs, roots).map { run, outcome in
            switch outcome {
            case .success(let root):
                if let place = trees.place(of: run.tree) { trees.setRoot(root, at: place) }
                return nil
            case .failure(let error): return error
            case nil: return nil
            }
        }
    }
}
