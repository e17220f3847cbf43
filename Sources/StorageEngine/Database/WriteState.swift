/// The head of the store: the trees as the newest sealed commit left them, and the heap they grow in. Owned by the writer;
/// recovery and re-basing own one of their own while they replay.
final class WriteState: @unchecked Sendable {
    // Safe to hand over because it has one owner at a time: whoever replays into it, then the writer.

    let generation: Generation
    private(set) var trees: TreeTable
    private(set) var commitNumber: UInt64

    init(generation: Generation) {
        self.generation = generation
        trees = TreeTable(generation.file.superblock)
        commitNumber = generation.file.superblock.commitNumber
        generation.heap.begin(commitNumber)
    }

    /// Starts the next commit, or the first of a run that only will be seen together.
    func begin() { generation.heap.begin(commitNumber + 1) }

    /// The commit that was begun is complete.
    func seal() { commitNumber += 1 }

    /// Undoes everything after `commit`, which left `trees`.
    func rollBack(to commit: UInt64, _ trees: TreeTable) {
        generation.heap.rollBack(to: commit)
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
            "Tree \(known.number.rawValue) is \"\(known.name)\" with \(known.facetCount) facets in the store, and "
                + "\"\(wanted.name)\" with \(wanted.facetCount) as declared. Give the new tree another number.")
    }

    func put(
        key: RawSpan, value: RawSpan, facets: UInt16, tree: TreeNumber
    ) throws(StorageError) {
        guard let place = trees.place(of: tree) else { throw .undeclared(tree) }
        let declaration = trees.declarations[place]
        try declaration.check(key: key, value: value, facets: facets)
        if value.byteCount <= declaration.inlineByteCount {
            try put(key: key, word: UInt16(value.byteCount), cell: value, facets: facets, at: place)
        } else {
            let cell = LargeValue.cell(copying: value, heap: generation.heap)
            try cell.withBytes { (cell) throws(StorageError) in
                try put(key: key, word: NodeLayout.largeValue, cell: cell, facets: facets, at: place)
            }
        }
    }

    private func put(
        key: RawSpan, word: UInt16, cell: RawSpan, facets: UInt16, at place: Int
    ) throws(StorageError) {
        var editor = editor(at: place)
        try editor.put(key: key, word: word, cell: cell, facets: facets)
        trees.setRoot(editor.root, at: place)
    }

    func remove(key: RawSpan, tree: TreeNumber) throws(StorageError) -> Bool {
        guard let place = trees.place(of: tree) else { throw .undeclared(tree) }
        guard Limits.keyByteCount.contains(key.byteCount) else { return false }
        var editor = editor(at: place)
        guard try editor.remove(key) else { return false }
        trees.setRoot(editor.root, at: place)
        return true
    }

    /// `false` when the tree was empty.
    func removeAll(tree: TreeNumber) throws(StorageError) -> Bool {
        guard let place = trees.place(of: tree) else { throw .undeclared(tree) }
        guard !trees.roots[place].isEmpty else { return false }
        var editor = editor(at: place)
        editor.removeAll()
        trees.setRoot(editor.root, at: place)
        return true
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
                    try put(key: key, value: value, facets: facets, tree: TreeNumber(tree))
                case .remove(let tree, let key):
                    _ = try remove(key: key, tree: TreeNumber(tree))
                case .declare(let declaration):
                    try declare(declaration)
                case .clear(let tree):
                    _ = try removeAll(tree: TreeNumber(tree))
                }
            }
        }
        seal()
        return isWhole
    }

    private func editor(at place: Int) -> TreeEditor {
        TreeEditor(
            pages: generation.file.pages, heap: generation.heap, facetCount: trees.declarations[place].facetCount,
            root: trees.roots[place])
    }
}
