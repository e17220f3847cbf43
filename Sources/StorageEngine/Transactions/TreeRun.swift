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

extension TreeTable {
    /// To change a tree, which goes on to have its old root here.
    func change(at place: Int, in generation: Generation) -> TreeChange {
        TreeChange(declarations[place], root: roots[place], pages: generation.file.pages, heap: generation.heap)
    }
}
