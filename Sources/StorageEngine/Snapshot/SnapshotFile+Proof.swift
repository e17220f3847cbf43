extension SnapshotFile {
    /// A walk of a tree whose pages lie in this file.
    func walk(_ tree: TreeDeclaration) -> TreeWalk {
        TreeWalk(
            pages: pages, readAhead: readAhead, declaration: tree, homeRoot: homeRoot(of: tree),
            symbols: superblock.symbols(of: tree.number),
            seal: PageSeal(store: superblock.store, generation: superblock.generation),
            trailerByteCount: Int(superblock.pageTrailerByteCount))
    }

    /// Reads the whole file back and compares every page, block and count with what holds it. Throws what is wrong first.
    func prove() throws(StorageError) {
        for tree in superblock.trees {
            var walk = walk(tree.declaration)
            walk.walk(tree.root)
            if let finding = walk.findings.first { throw .damaged(finding.damage) }
            guard UInt64(walk.entryCount) == tree.entryCount else {
                throw .damaged(
                    Damage(
                        file: path, byteOffset: 0,
                        finding:
                            "tree \(tree.declaration.name) holds \(walk.entryCount) entries, not \(tree.entryCount)"))
            }
        }
        var ahead = readAhead
        var block: UInt64 = 0
        while block < superblock.coldByteCount {
            ahead.reach(cold.fileOffset + Int(block))
            block = try withBytes { (bytes) throws(StorageError) in try cold.block(at: block, in: bytes).next }
        }
    }

    private func homeRoot(of declaration: TreeDeclaration) -> TreeRoot? {
        superblock.trees.first { $0.declaration.number == declaration.home?.tree }?.root
    }
}
