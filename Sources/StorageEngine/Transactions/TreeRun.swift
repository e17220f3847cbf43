/// What is to be done to a tree.
struct TreeRun {
    let tree: TreeNumber
    var run: EntryRun

    /// Sorts the run and makes its changes of the tree, which goes on to have its old root in `trees`.
    ///
    /// - Returns: the new root. When this throws, the old one may be of nodes that were given back.
    mutating func root(from trees: TreeTable, in generation: Generation) throws(StorageError) -> TreeRoot {
        guard let place = trees.place(of: tree) else { throw .undeclared(tree) }
        var change = trees.change(at: place, in: generation)
        run.sort()
        try change.apply(run)
        return change.root
    }
}

extension TreeRun {
    /// Whether its entries are put one by one, and not a stretch for each child of a branch.
    var isShort: Bool { run.count <= TreeEditor.mostOneByOne }
}

extension PageSource {
    /// Asks for the pages that short runs of several trees need: applied one after the other, each tree would wait for its own.
    ///
    /// Precondition: nobody changes these trees meanwhile.
    func ask(for runs: [TreeRun], of trees: TreeTable) {
        ask(for: runs.compactMap { untouchedPage(trees.root(of: $0.tree).reference) })
        var starts: [Node] = []
        var entries: [(run: EntryRun, index: Int)] = []
        for run in runs {
            guard let root = try? trees.reader(of: run.tree, self).rootNode() else { continue }
            for index in 0..<run.run.count {
                starts.append(root)
                entries.append((run.run, index))
            }
        }
        ask(forWaysFrom: starts) { way, branch in
            entries[way].run.withKey(entries[way].index) { branch.childIndex(of: $0) }
        }
    }
}

extension TreeTable {
    /// To change a tree, which goes on to have its old root here.
    func change(at place: Int, in generation: Generation) -> TreeChange {
        TreeChange(declarations[place], root: roots[place], pages: generation.file.pages, heap: generation.heap)
    }
}
