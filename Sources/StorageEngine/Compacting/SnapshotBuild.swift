/// Writes a version out as the next generation's snapshot: what has changed laid out afresh, pages that have not copied, and what a load adds merged into both. A tree is cut into
/// stretches that are laid out side by side, and written in their order.
struct SnapshotBuild: Sendable {
    let version: Version
    /// Sorted entries by tree. Of a key that the version has too, these stay.
    var additions: [TreeNumber: [SortedRun]] = [:]
    /// Some of what is added.
    var samples: [TreeNumber: EntrySample] = [:]
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
    /// So many stretches are laid out side by side; `nil` for one on each core, where there is enough to do.
    var threadCount: Int?
    /// Called with the share of entries done; throws to stop.
    let progress: @Sendable (Double) throws(StorageError) -> Void

    /// Leaves a complete, flushed file under its temporary name, or nothing.
    ///
    /// - Parameter didWrite: called behind each tree; throws to stop.
    func write(
        didWrite: @escaping @Sendable (TreeDeclaration, inout SnapshotWriter) throws(StorageError) -> Void = { _, _ in }
    ) throws(StorageError) {
        let path = files.temporarySnapshot(generation)
        let superblock = Superblock(
            store: store ?? version.generation.file.superblock.store, generation: generation,
            commitNumber: commitNumber,
            created: fileSystem.now(), logSequence: logSequence, logChecksum: logChecksum)
        var writer = try SnapshotWriter(
            path: path, superblock: superblock, trees: version.declarations,
            entryLimit: version.generation.heap.entryLimit, layouts: version.generation.layouts, fileSystem)
        do throws(StorageError) {
            let trees = try TreesInWork(self, writer, didWrite)
            writer = try OrderedJobs.run(trees, threadCount: threadCount ?? trees.threadCount).writer
            try progress(1)
            _ = try writer.finish()
        } catch {
            writer.abandon(fileSystem)
            throw error
        }
    }

    /// The same, opened, and with its companion beside it when that can be made.
    ///
    /// - Parameter proves: reads the whole file back, while the companion is being made.
    func write(
        with companion: Companion?, proves: Bool = false, isCancelled: @escaping @Sendable () -> Bool
    ) throws(StorageError) -> SnapshotFile {
        let concurrent = Lock<CompanionBuild?>(nil)
        @Sendable func build(_ companion: Companion, of file: SnapshotFile) -> CompanionBuild {
            CompanionBuild(companion, of: file, files, fileSystem, isCancelled: isCancelled)
        }
        do throws(StorageError) {
            try write { (tree, writer) throws(StorageError) in
                guard let companion, tree.number == companion.tree,
                    try count(of: tree) >= companion.leastConcurrentCount,
                    let file = try writer.unfinishedFile(fileSystem)
                else { return }
                let build = build(companion, of: file)
                build.start()
                concurrent.withLock { $0 = build }
            }
            let file = try SnapshotFile(
                opening: files.temporarySnapshot(generation), generation: generation, fileSystem)
            if proves { try file.prove() }
            guard let companion else { return file }
            // One that failed, maybe for values in the cold region, has another chance.
            if concurrent.withLock({ $0 })?.finish(file.identity) != true {
                let build = build(companion, of: file)
                build.run()
                _ = build.finish(file.identity)
            }
            return file
        } catch {
            concurrent.withLock { $0 }?.abandon()
            try? fileSystem.remove(files.temporarySnapshot(generation))
            throw error
        }
    }

    /// Entries of a tree that stay, and those that are added.
    func count(of tree: TreeDeclaration) throws(StorageError) -> Int {
        try keptCount(of: tree) + runsEntryCount(of: tree)
    }

    /// Entries that are added, about: one that was put again is in several runs, and whoever chooses keys can make an estimate any number.
    func addedCount(of tree: TreeDeclaration) -> Int {
        min(samples[tree.number]?.estimatedCount ?? 0, runsEntryCount(of: tree))
    }

    private func runsEntryCount(of tree: TreeDeclaration) -> Int {
        (additions[tree.number] ?? []).reduce(0) { $0 + $1.entryCount }
    }

    func keptCount(of tree: TreeDeclaration) throws(StorageError) -> Int {
        replaced.contains(tree.number) ? 0 : try version.count(in: tree.number)
    }

    /// A tree keeps its symbols, and with them its pages, while it has less than so many times the entries that they were chosen for, and more
    /// than that part of them.
    private static let growthOfSymbols: UInt64 = 4

    /// What the values of a tree are to be written in: the symbols that it has, or new ones.
    func symbols(of tree: TreeDeclaration, keptCount: Int) -> TreeSymbols? {
        let added = samples[tree.number] ?? .empty
        // Not how many the runs have: an entry may be in several.
        let count = UInt64(keptCount + added.estimatedCount)
        if keptCount > 0, let known = knownSymbols(of: tree.number),
            count / Self.growthOfSymbols < max(known.entryCount, 1), known.entryCount / Self.growthOfSymbols <= count
        {
            return known
        }
        // Whatever is damaged is met once more as the tree is written, and told then.
        let sample = try? SymbolSample(of: tree.number, in: version, keptCount: keptCount, added)
        return sample?.symbols().map { TreeSymbols(encoder: $0, entryCount: count) }
    }

    /// Those of the old snapshot; `nil` where it has none, and where they are damaged. A leaf that cannot be read without them says so itself,
    /// and a tree that was made anew has none left.
    private func knownSymbols(of tree: TreeNumber) -> TreeSymbols? {
        guard let page = version.generation.file.superblock.symbols(of: tree)?.page,
            let (encoder, entryCount) = try? pages.symbols(on: page, of: tree)
        else { return nil }
        return TreeSymbols(encoder: encoder, entryCount: entryCount, oldPage: page)
    }

    /// What is written out is what the root counts and, where the log has not touched the tree, what the superblock says, but
    /// for what a load added.
    func checkCount(of written: Superblock.Tree, kept: Int, added: Int) throws(StorageError) {
        let count = written.entryCount - UInt64(added)
        guard count == UInt64(kept) else { throw miscounted(written.declaration) }
        guard !replaced.contains(written.declaration.number) else { return }
        let old = version.generation.file.superblock.trees.first { $0.declaration.number == written.declaration.number }
        guard let old, old.root == version.source(of: written.declaration.number).reader.root else { return }
        guard old.entryCount == count else { throw miscounted(written.declaration) }
    }

    private func miscounted(_ tree: TreeDeclaration) -> StorageError {
        .damaged(
            Damage(
                file: version.generation.file.path, byteOffset: 0, page: 0,
                finding: "tree \(tree.name) holds other entries than its branches and the superblock count"))
    }

    func disordered(_ tree: TreeDeclaration) -> StorageError {
        .damaged(
            Damage(
                file: version.generation.file.path, byteOffset: 0, page: 0,
                finding: "the keys of tree \(tree.name) do not ascend from one stretch of leaves to the next"))
    }

    /// Of pages that a stretch fills. A store whose nodes hold few entries is cut into short stretches, so that tests meet many.
    var stretchByteCount: Int {
        let limit = version.generation.heap.entryLimit
        return limit == .max ? TreeStretch.byteCount : min(TreeStretch.byteCount, 128 * limit)
    }

    private var pages: PageSource { version.generation.file.pages }
}
