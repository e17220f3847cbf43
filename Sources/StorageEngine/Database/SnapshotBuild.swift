/// Writes a version out as the next generation's snapshot: every tree scanned in order, laid out afresh.
struct SnapshotBuild {
    let version: Version
    let generation: UInt64
    let logSequence: UInt64
    let files: StoreFiles
    let fileSystem: any FileSystem
    /// Called with the share of entries done; throws to stop.
    let progress: (Double) throws(StorageError) -> Void

    /// Leaves a complete, flushed file under its temporary name, or nothing.
    func write() throws(StorageError) {
        let path = files.temporarySnapshot(generation)
        let superblock = Superblock(
            store: version.generation.file.superblock.store, generation: generation, commitNumber: version.commitNumber,
            created: fileSystem.now(), logSequence: logSequence)
        var writer = try SnapshotWriter(path: path, superblock: superblock, fileSystem)
        do throws(StorageError) {
            try writeTrees(&writer)
            _ = try writer.finish()
        } catch {
            writer.abandon(fileSystem)
            throw error
        }
    }

    private func writeTrees(_ writer: inout SnapshotWriter) throws(StorageError) {
        var total = 0
        for declaration in version.declarations { total += try version.count(in: declaration.number) }
        var done = 0
        var cold = ColdReader(version.generation.file)
        // Values of a sound file do not overlap in their blocks, and a block holds at most so many bytes.
        var coldByteBudget = version.generation.file.cold.byteCount * 256
        for declaration in version.declarations {
            let reader = version.source(of: declaration.number).reader
            let count = try reader.count(column: 0)
            var tree = try writer.beginTree(declaration, expectedCount: count)
            var failure: StorageError?
            var last: TreeReader.Place?
            try reader.forEach(0..<count, column: 0) { place in
                do throws(StorageError) {
                    try check(place, isBehind: last, in: declaration)
                    coldByteBudget -= place.leaf.coldByteCount(place.index)
                    guard coldByteBudget >= 0 else {
                        throw damage(place.leaf, "its values are larger than their blocks")
                    }
                    last = place
                    try append(place, to: &tree, &writer, &cold)
                    done += 1
                    if done % 4096 == 0 { try progress(Double(done) / Double(max(total, 1))) }
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            if let last, last.index != last.leaf.count - 1 { throw miscounted(declaration) }
            try checkCount(of: tree.record, reader)
            try writer.endTree(tree)
        }
        try progress(1)
    }

    /// Positions lead from leaf to leaf: with a count that is not its leaf's, a scan would pass over entries.
    private func check(
        _ place: TreeReader.Place, isBehind last: TreeReader.Place?, in tree: TreeDeclaration
    ) throws(StorageError) {
        let isNext =
            switch last {
            case nil: place.index == 0
            case let last? where last.leaf.reference == place.leaf.reference: place.index == last.index + 1
            case let last?: last.index == last.leaf.count - 1 && place.index == 0
            }
        guard isNext else { throw miscounted(tree) }
    }

    /// What is written out is what the root counts and, where the log has not touched the tree, what the superblock says.
    private func checkCount(of written: Superblock.Tree, _ reader: TreeReader) throws(StorageError) {
        guard try written.entryCount == UInt64(reader.count(column: 0)) else { throw miscounted(written.declaration) }
        let old = version.generation.file.superblock.trees.first { $0.declaration.number == written.declaration.number }
        guard let old, old.root == reader.root else { return }
        guard old.entryCount == written.entryCount else { throw miscounted(written.declaration) }
    }

    private func miscounted(_ tree: TreeDeclaration) -> StorageError {
        .damaged(
            Damage(
                file: version.generation.file.path, byteOffset: 0, page: 0,
                finding: "tree \(tree.name) holds other entries than its branches and the superblock count"))
    }

    private func append(
        _ place: TreeReader.Place, to tree: inout SnapshotWriter.OpenTree, _ writer: inout SnapshotWriter,
        _ cold: inout ColdReader
    ) throws(StorageError) {
        let leaf = place.leaf
        let facets = leaf.facets(place.index)
        try leaf.withKey(place.index) { (key) throws(StorageError) in
            guard tree.isBehindAll(key) else {
                throw damage(leaf, "key \(place.index) does not sort after the one before it")
            }
            try leaf.withCell(place.index) { (word, cell) throws(StorageError) in
                try cold.value(word: word, cell: cell) { (value) throws(StorageError) in
                    try writer.append(key: key, value: value, facets: facets, to: &tree)
                }
            }
        }
    }

    /// What a new snapshot must not take over.
    private func damage(_ leaf: Node, _ finding: String) -> StorageError {
        let page = leaf.isInMemory ? 0 : Int(leaf.pageNumber)
        return .damaged(
            Damage(
                file: version.generation.file.path, byteOffset: page * NodeLayout.pageByteCount, page: page,
                finding: finding))
    }
}

extension Node {
    /// The length of a value that lies in the cold region; 0 for any other.
    fileprivate func coldByteCount(_ index: Int) -> Int {
        withCell(index) { word, cell in word == NodeLayout.coldValue ? Int(ColdReference(cell: cell).count) : 0 }
    }
}
