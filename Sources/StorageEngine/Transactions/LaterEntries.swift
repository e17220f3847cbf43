/// Entries that were left for later, put or removed, by tree: of one transaction, or of several that are seen together.
///
/// One value: who changes several properties of an object pays for the check of each, for every entry.
struct LaterEntries {
    private struct Tree {
        let declaration: TreeDeclaration
        /// Without any where the tree has settled.
        var run = EntryRun()
        /// Room for the next ones while others have these.
        var room = EntryRun()
    }

    private var trees: [Tree] = []
    /// Of the same trees.
    private var numbers: [UInt32] = []

    var indices: Range<Int> { trees.indices }
    var isEmpty: Bool { trees.allSatisfy(\.run.isEmpty) }
    var count: Int { trees.reduce(0) { $0 + $1.run.count } }

    func hasEntries(at index: Int) -> Bool { !trees[index].run.isEmpty }

    func index(of tree: TreeNumber) -> Int? { numbers.firstIndex(of: tree.rawValue) }

    /// Gives its index.
    mutating func add(_ declaration: TreeDeclaration) -> Int {
        trees.append(Tree(declaration: declaration))
        numbers.append(declaration.number.rawValue)
        return trees.count - 1
    }

    /// - Returns: whether the entry was taken: not with a value so large that it is not to be held twice.
    /// - Throws: `StorageError.limitExceeded` for an entry that the tree does not take.
    mutating func put(_ value: RawSpan, _ key: RawSpan, _ facets: FacetSet, at index: Int) throws(StorageError) -> Bool
    {
        try trees[index].declaration.check(key: key, value: value, facets: facets.rawValue)
        guard value.byteCount <= Self.largestValueByteCount else { return false }
        trees[index].run.append(key: key, value: value, facets: facets.rawValue)
        return true
    }

    private static let largestValueByteCount = 64 << 10

    /// The key is to go.
    ///
    /// - Throws: `StorageError.limitExceeded` for a key that no tree takes.
    mutating func remove(_ key: RawSpan, at index: Int) throws(StorageError) {
        try trees[index].declaration.check(key: key, value: key.extracting(0..<0), facets: 0)
        trees[index].run.append(removing: key)
    }

    /// Forgets the entries of a tree.
    ///
    /// - Returns: whether there were any.
    mutating func drop(_ index: Int) -> Bool {
        defer { trees[index].run.removeAll() }
        return !trees[index].run.isEmpty
    }

    /// Copies of the entries of each tree that has a few.
    var shortRuns: [TreeRun] {
        trees.lazy.map { TreeRun(tree: $0.declaration.number, run: $0.run) }.filter { !$0.run.isEmpty && $0.isShort }
    }

    /// Hands out the entries of every tree that has some, as they came; they are forgotten here.
    mutating func takeAll() -> [TreeRun] {
        var runs: [TreeRun] = []
        for index in trees.indices where !trees[index].run.isEmpty {
            runs.append(TreeRun(tree: trees[index].declaration.number, run: trees[index].run))
            trees[index].run = trees[index].room
            trees[index].room = EntryRun()
        }
        return runs
    }

    /// Runs that were handed out, and are of no more use.
    mutating func keepRoom(of runs: consuming [TreeRun]) {
        for number in runs.indices {
            guard let index = index(of: runs[number].tree) else { continue }
            swap(&trees[index].room, &runs[number].run)
            trees[index].room.removeAll()
        }
    }

    /// Hands out the entries of a tree, sorted, of equal keys what came last; they are forgotten here, also where `body` throws.
    mutating func settle(
        _ index: Int, _ body: (_ run: EntryRun, _ tree: TreeNumber) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard !trees[index].run.isEmpty else { return }
        // Empty meanwhile: what fails is not tried again.
        defer { trees[index].run.removeAll() }
        trees[index].run.sort()
        try body(trees[index].run, trees[index].declaration.number)
    }
}
