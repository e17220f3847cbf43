/// Writes a version out as the next generation's snapshot: every tree scanned in order, laid out afresh, and what a load adds
/// merged into it.
struct SnapshotBuild {
    let version: Version
    /// Sorted entries by tree. Of a key that the version has too, these stay.
    var additions: [TreeNumber: [SortedRun]] = [:]
    /// Trees of which nothing stays but what is added.
    var replaced: Set<TreeNumber> = []
    /// The commit that the snapshot is as of: the version's, or the next when a load changes something.
    var commitNumber: UInt64 { version.commitNumber + (additions.isEmpty && replaced.isEmpty ? 0 : 1) }
    let generation: UInt64
    let logSequence: UInt64
    /// Of the last frame before that segment; 0 when the segment names the snapshot instead.
    var logChecksum: UInt32 = 0
    /// Whose snapshot it is, when not the version's store's: a restored library begins a line of its own.
    var store: StoreIdentifier?
    let files: StoreFiles
    let fileSystem: any FileSystem
    /// Called with the share of entries done; throws to stop.
    let progress: (Double) throws(StorageError) -> Void

    /// Leaves a complete, flushed file under its temporary name, or nothing.
    ///
    /// - Parameter didWrite: called behind each tree; throws to stop.
    func write(
        didWrite: (TreeDeclaration, inout SnapshotWriter) throws(StorageError) -> Void = { _, _ in }
    ) throws(StorageError) {
        let path = files.temporarySnapshot(generation)
        let superblock = Superblock(
            store: store ?? version.generation.file.superblock.store, generation: generation,
            commitNumber: commitNumber,
            created: fileSystem.now(), logSequence: logSequence, logChecksum: logChecksum)
        var writer = try SnapshotWriter(
            path: path, superblock: superblock, treeCount: version.declarations.count,
            entryLimit: version.generation.heap.entryLimit, fileSystem)
        do throws(StorageError) {
            try writeTrees(&writer, didWrite)
            _ = try writer.finish()
        } catch {
            writer.abandon(fileSystem)
            throw error
        }
    }

    /// The same, opened, and with its companion beside it when that can be made.
    func write(
        with companion: Companion?, isCancelled: @escaping @Sendable () -> Bool
    ) throws(StorageError) -> SnapshotFile {
        var concurrent: CompanionBuild?
        func build(_ companion: Companion, of file: SnapshotFile) -> CompanionBuild {
            CompanionBuild(companion, of: file, files, fileSystem, isCancelled: isCancelled)
        }
        do throws(StorageError) {
            try write { (tree, writer) throws(StorageError) in
                guard let companion, tree.number == companion.tree,
                    try count(of: tree) >= companion.leastConcurrentCount,
                    let file = try writer.unfinishedFile(fileSystem)
                else { return }
                concurrent = build(companion, of: file)
                concurrent?.start()
            }
            let file = try SnapshotFile(
                opening: files.temporarySnapshot(generation), generation: generation, fileSystem)
            guard let companion else { return file }
            // One that failed, maybe for values in the cold region, has another chance.
            if concurrent?.finish(file.identity) != true {
                let build = build(companion, of: file)
                build.run()
                _ = build.finish(file.identity)
            }
            return file
        } catch {
            concurrent?.abandon()
            throw error
        }
    }

    /// Entries of a tree that stay, and those that are added.
    private func count(of tree: TreeDeclaration) throws(StorageError) -> Int {
        try keptCount(of: tree) + (additions[tree.number] ?? []).reduce(0) { $0 + $1.entryCount }
    }

    private func keptCount(of tree: TreeDeclaration) throws(StorageError) -> Int {
        replaced.contains(tree.number) ? 0 : try version.count(in: tree.number)
    }

    private func writeTrees(
        _ writer: inout SnapshotWriter,
        _ didWrite: (TreeDeclaration, inout SnapshotWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        var counter = Counter(total: 0, progress: progress)
        for declaration in version.declarations { counter.total += try count(of: declaration) }
        var readAhead = version.generation.file.readAhead
        var cold = ColdReader(version.generation.file, readsAll: true)
        // Values of a sound file do not overlap in their blocks, and a block holds at most so many bytes.
        var coldByteBudget = version.generation.file.cold.byteCount * 256
        for declaration in version.declarations {
            let reader = version.source(of: declaration.number).reader
            let count = try keptCount(of: declaration)
            var added = try SortedEntries(additions[declaration.number] ?? [], of: declaration)
            var tree = try writer.beginTree(declaration, expectedCount: count + (added.isAtEnd ? 0 : counter.total))
            var failure: StorageError?
            var replacedCount = 0
            func visit(_ leaf: Node) -> Bool {
                do throws(StorageError) {
                    let isUntouched = added.isAtEnd ? true : try !added.precedesOrIsIn(leaf)
                    if isUntouched, try writer.copy(leaf, to: &tree) {
                        try counter.add(leaf.count)
                        return true
                    }
                    for index in 0..<leaf.count {
                        let place = TreeReader.Place(leaf: leaf, index: index)
                        coldByteBudget -= leaf.coldByteCount(index)
                        guard coldByteBudget >= 0 else {
                            throw damage(leaf, "its values are larger than their blocks")
                        }
                        if !added.isAtEnd, try append(&added, before: place, to: &tree, &writer, &counter) {
                            replacedCount += 1
                        } else {
                            try append(place, to: &tree, &writer, &cold)
                        }
                    }
                    try counter.add(leaf.count)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            // Also where none is counted: what is there then is found to be one too many.
            if !replaced.contains(declaration.number) { try reader.forEachLeaf(&readAhead, visit) }
            if let failure { throw failure }
            while !added.isAtEnd { try append(&added, to: &tree, &writer, &counter) }
            try checkCount(of: tree.record, reader, kept: count, added: counter.takeAddedCount() - replacedCount)
            try writer.endTree(tree)
            try didWrite(declaration, &writer)
        }
        try progress(1)
    }

    /// Entries written, of how many.
    private struct Counter {
        var total: Int
        let progress: (Double) throws(StorageError) -> Void
        private var done = 0
        private var told = 0
        private var addedCount = 0

        init(total: Int, progress: @escaping (Double) throws(StorageError) -> Void) {
            self.total = total
            self.progress = progress
        }

        mutating func add(_ count: Int) throws(StorageError) {
            done += count
            if done - told >= 4096 {
                told = done
                try progress(min(1, Double(done) / Double(max(total, 1))))
            }
        }

        mutating func addNew() throws(StorageError) {
            addedCount += 1
            try add(1)
        }

        /// Entries of the load since this was last asked.
        mutating func takeAddedCount() -> Int {
            defer { addedCount = 0 }
            return addedCount
        }
    }

    /// Appends what a load adds up to a place of the version. `true` when its key is among that: the place is passed over.
    private func append(
        _ added: inout SortedEntries, before place: TreeReader.Place, to tree: inout SnapshotWriter.OpenTree,
        _ writer: inout SnapshotWriter, _ counter: inout Counter
    ) throws(StorageError) -> Bool {
        try place.leaf.withKey(place.index) { (key) throws(StorageError) in
            while !added.isAtEnd {
                let order = try added.withEntry { (next, _, _) throws(StorageError) in next.order(relativeTo: key) }
                guard order <= 0 else { return false }
                try append(&added, to: &tree, &writer, &counter)
                if order == 0 { return true }
            }
            return false
        }
    }

    private func append(
        _ added: inout SortedEntries, to tree: inout SnapshotWriter.OpenTree, _ writer: inout SnapshotWriter,
        _ counter: inout Counter
    ) throws(StorageError) {
        let declaration = tree.record.declaration
        try added.withEntry { (key, facets, value) throws(StorageError) in
            try writer.append(key: key, value: value, facets: facets, to: &tree) {
                .damaged(
                    Damage(
                        file: files.temporarySnapshot(generation), byteOffset: 0,
                        finding: "an added key of tree \(declaration.name) does not sort after the one before it"))
            }
        }
        try counter.addNew()
        try added.advance()
    }

    /// What is written out is what the root counts and, where the log has not touched the tree, what the superblock says, but
    /// for what a load added.
    private func checkCount(
        of written: Superblock.Tree, _ reader: TreeReader, kept: Int, added: Int
    ) throws(StorageError) {
        let count = written.entryCount - UInt64(added)
        guard count == UInt64(kept) else { throw miscounted(written.declaration) }
        guard !replaced.contains(written.declaration.number) else { return }
        let old = version.generation.file.superblock.trees.first { $0.declaration.number == written.declaration.number }
        guard let old, old.root == reader.root else { return }
        guard old.entryCount == count else { throw miscounted(written.declaration) }
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
            try leaf.withCell(place.index) { (word, cell) throws(StorageError) in
                try cold.value(word: word, cell: cell) { (value) throws(StorageError) in
                    try writer.append(key: key, value: value, facets: facets, to: &tree) {
                        damage(leaf, "key \(place.index) does not sort after the one before it")
                    }
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

extension SortedEntries {
    /// Whether the next entry sorts before the last of a leaf, or with it.
    fileprivate func precedesOrIsIn(_ leaf: Node) throws(StorageError) -> Bool {
        try leaf.withKey(leaf.count - 1) { (last) throws(StorageError) in
            try withEntry { (key, _, _) throws(StorageError) in key.order(relativeTo: last) <= 0 }
        }
    }
}
