/// Entries that were left for later, put or removed, by tree: of one transaction, or of several that are seen together.
///
/// One value: who changes several properties of an object pays for the check of each, for every entry.
struct LaterEntries {
    private struct Tree {
        let declaration: TreeDeclaration
        let inlineByteCount: Int
        /// Without any where the tree has settled.
        var run = EntryRun()

        init(_ declaration: TreeDeclaration) {
            self.declaration = declaration
            inlineByteCount = declaration.inlineByteCount
        }
    }

    private var trees: [Tree] = []
    /// Of the same trees.
    private var numbers: [UInt32] = []

    var indices: Range<Int> { trees.indices }
    var isEmpty: Bool { trees.allSatisfy(\.run.isEmpty) }
    var count: Int { trees.reduce(0) { $0 + $1.run.count } }

    func index(of tree: TreeNumber) -> Int? { numbers.firstIndex(of: tree.rawValue) }

    /// Gives its index.
    mutating func add(_ declaration: TreeDeclaration) -> Int {
        trees.append(Tree(declaration))
        numbers.append(declaration.number.rawValue)
        return trees.count - 1
    }

    /// - Returns: whether the entry was taken: not when its value lies outside its leaf.
    /// - Throws: `StorageError.limitExceeded` for an entry that the tree does not take.
    mutating func put(_ value: RawSpan, _ key: RawSpan, _ facets: FacetSet, at index: Int) throws(StorageError) -> Bool
    {
        try trees[index].declaration.check(key: key, value: value, facets: facets.rawValue)
        guard value.byteCount <= trees[index].inlineByteCount else { return false }
        trees[index].run.append(key: key, value: value, facets: facets.rawValue)
        return true
    }

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

    /// Hands out the entries of every tree that has some, as they came; they are forgotten here.
    mutating func takeAll() -> [WriteState.TreeRun] {
        defer { for index in trees.indices { trees[index].run = EntryRun() } }
        return trees.filter { !$0.run.isEmpty }.map { WriteState.TreeRun(tree: $0.declaration.number, run: $0.run) }
    }

    /// Runs that were handed out, and are of no more use. Precondition: nothing has come since.
    mutating func keepRoom(of runs: consuming [WriteState.TreeRun]) {
        for number in runs.indices {
            guard let index = index(of: runs[number].tree) else { continue }
            swap(&trees[index].run, &runs[number].run)
            trees[index].run.removeAll()
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
