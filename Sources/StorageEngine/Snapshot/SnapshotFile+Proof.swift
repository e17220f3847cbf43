extension SnapshotFile {
    /// A walk of a tree whose pages lie in this file.
    func walk(_ tree: TreeDeclaration) -> TreeWalk {
        TreeWalk(
            pages: pages, readAhead: readAhead, declaration: tree, homeRoot: homeRoot(of: tree),
            symbols: superblock.symbols(of: tree.number),
            seal: PageSeal(store: superblock.store, generation: superblock.generation),
            trailerByteCount: Int(superblock.pageTrailerByteCount))
    }

    /// Reads the whole file back and compares every page, block and count with what holds it: a tree on each core at a time. Throws what is
    /// wrong first.
    func prove() throws(StorageError) {
        // Few pages take less time than a thread to wake up.
        _ = try OrderedJobs.run(
            Proof(self), threadCount: superblock.pageCount < 256 ? 1 : OrderedJobs.maximumThreadCount)
    }

    fileprivate func prove(_ tree: Superblock.Tree) throws(StorageError) {
        var walk = walk(tree.declaration)
        walk.walk(tree.root)
        if let finding = walk.findings.first { throw .damaged(finding.damage) }
        guard UInt64(walk.entryCount) == tree.entryCount else {
            throw .damaged(
                Damage(
                    file: path, byteOffset: 0,
                    finding: "tree \(tree.declaration.name) holds \(walk.entryCount) entries, not \(tree.entryCount)"))
        }
    }

    fileprivate func proveBlocks() throws(StorageError) {
        var ahead = readAhead
        var block: UInt64 = 0
        while block < superblock.coldByteCount {
            ahead.reach(cold.fileOffset + Int(block))
            block += UInt64(
                try withBytes { (bytes) throws(StorageError) in try cold.block(at: block, in: bytes).byteCount })
        }
    }

    private func homeRoot(of declaration: TreeDeclaration) -> TreeRoot? {
        superblock.trees.first { $0.declaration.number == declaration.home?.tree }?.root
    }
}

/// The proof of a file: each of its trees, and the blocks.
private struct Proof: OrderedWork {
    private let file: SnapshotFile
    private var begunCount = 0

    struct Job: Sendable {
        let file: SnapshotFile
        /// `nil` for the blocks.
        let tree: Superblock.Tree?
    }

    init(_ file: SnapshotFile) { self.file = file }

    mutating func next() -> OrderedJobs.Next<Job> {
        let trees = file.superblock.trees
        guard begunCount <= trees.count else { return .none }
        defer { begunCount += 1 }
        return .job(Job(file: file, tree: begunCount < trees.count ? trees[begunCount] : nil))
    }

    static func product(of job: Job) throws(StorageError) {
        if let tree = job.tree { try job.file.prove(tree) } else { try job.file.proveBlocks() }
    }

    func take(_: Void) {}
}
