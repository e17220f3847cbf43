/// Writes a version out as the next generation's snapshot: every tree scanned in order, laid out afresh, and what a load adds
/// merged into it.
struct SnapshotBuild {
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
            path: path, superblock: superblock, trees: version.declarations,
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
    ///
    /// - Parameter proves: reads the whole file back, while the companion is being made.
    func write(
        with companion: Companion?, proves: Bool = false, isCancelled: @escaping @Sendable () -> Bool
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
            if proves { try file.prove() }
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
        var cold = OldColdValues(version.generation.file)
        for declaration in version.declarations {
            let reader = version.source(of: declaration.number).reader
            let count = try keptCount(of: declaration)
            var added = try SortedEntries(additions[declaration.number] ?? [], of: declaration)
            let symbols = writer.takesSymbols(declaration) ? self.symbols(of: declaration, keptCount: count) : nil
            var tree = try writer.beginTree(
                declaration, expectedCount: count + (added.isAtEnd ? 0 : counter.total), symbols: symbols)
            // A tree that counts no entries is visited, too: what is found there is one entry too many.
            if !replaced.contains(declaration.number) {
                try reader.forEachLeaf(&readAhead) { (leaf) throws(StorageError) in
                    try append(leaf, &added, to: &tree, &writer, &counter, &cold)
                    return true
                }
            }
            while !added.isAtEnd { try append(&added, to: &tree, &writer, &counter) }
            try checkCount(of: tree.record, reader, kept: count, added: counter.takeAddedCount())
            try writer.endTree(tree)
            try didWrite(declaration, &writer)
        }
        try progress(1)
    }

    /// A tree keeps its symbols, and with them its pages, while it has less than so many times the entries that they were chosen for, and more
    /// than that part of them.
    private static let growthOfSymbols: UInt64 = 4

    /// What the values of a tree are to be written in: the symbols that it has, or new ones.
    private func symbols(of tree: TreeDeclaration, keptCount: Int) -> SnapshotWriter.TreeSymbols? {
        let added = samples[tree.number] ?? EntrySample()
        // Not how many the runs have: an entry may be in several.
        let count = UInt64(keptCount + added.estimatedCount)
        if keptCount > 0, let known = knownSymbols(of: tree.number),
            count / Self.growthOfSymbols < max(known.entryCount, 1), known.entryCount / Self.growthOfSymbols <= count
        {
            return known
        }
        // Whatever is damaged is met once more as the tree is written, and told then.
        let sample = try? SymbolSample(of: tree.number, in: version, keptCount: keptCount, added)
        return sample?.symbols().map { SnapshotWriter.TreeSymbols(encoder: $0, entryCount: count) }
    }

    /// Those of the old snapshot; `nil` where it has none, and where they are damaged. A leaf that cannot be read without them says so itself,
    /// and a tree that was made anew has none left.
    private func knownSymbols(of tree: TreeNumber) -> SnapshotWriter.TreeSymbols? {
        guard let page = version.generation.file.superblock.symbols(of: tree)?.page,
            let (encoder, entryCount) = try? pages.symbols(on: page, of: tree)
        else { return nil }
        return SnapshotWriter.TreeSymbols(encoder: encoder, entryCount: entryCount, oldPage: page)
    }

    /// What stays of a leaf, and what a load adds up to its last key.
    private func append(
        _ leaf: Node, _ added: inout SortedEntries, to tree: inout SnapshotWriter.OpenTree,
        _ writer: inout SnapshotWriter, _ counter: inout Counter, _ cold: inout OldColdValues
    ) throws(StorageError) {
        let isUntouched = added.isAtEnd ? true : try !added.precedesOrIsIn(leaf, pages)
        if isUntouched, try writer.copy(leaf, pages, to: &tree) { return try counter.add(leaf.count) }
        let origins = tree.isHome ? leaf.origins : nil
        for index in 0..<leaf.count {
            guard cold.take(leaf.coldByteCount(index)) else {
                throw damage(leaf, "its values are larger than their blocks")
            }
            let place = TreeReader.Place(leaf: leaf, index: index)
            if !added.isAtEnd, try append(&added, before: place, to: &tree, &writer, &counter) {
                counter.addReplaced()
            } else {
                try append(place, origins?[index], to: &tree, &writer, &cold)
            }
        }
        try counter.add(leaf.count)
    }

    /// The cold region that values are taken over from.
    private struct OldColdValues {
        var reader: ColdReader
        /// Values of a sound file do not overlap in their blocks, and a block holds at most so many bytes.
        private var byteBudget: Int

        init(_ file: SnapshotFile) {
            reader = ColdReader(file, readsAll: true)
            byteBudget = file.cold.byteCount * 256
        }

        /// `false` when more was taken than there can be.
        mutating func take(_ byteCount: Int) -> Bool {
            byteBudget -= byteCount
            return byteBudget >= 0
        }
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

        /// An entry of the load came in the place of one that was there.
        mutating func addReplaced() { addedCount -= 1 }

        /// Entries that the load has added since this was last asked.
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
        try pages.withKey(of: place.leaf, place.index) { (key) throws(StorageError) in
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
            let place = tree.place(ofKey: key)
            guard try writer.append(key: key, value: value, facets: facets, to: &tree, place: place) else {
                throw .damaged(
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
        _ place: TreeReader.Place, _ origin: HomePlaces.Origin?, to tree: inout SnapshotWriter.OpenTree,
        _ writer: inout SnapshotWriter, _ cold: inout OldColdValues
    ) throws(StorageError) {
        let (leaf, index) = (place.leaf, place.index)
        let isInOrder =
            if leaf.isPermuted, let inPage = leaf.indexInPage(index),
                let newPlace = tree.place(of: inPage, in: leaf.permutation)
            {
                try append(leaf, index, inPage, newPlace, to: &tree, &writer)
            } else {
                try appendWithKey(place, origin, to: &tree, &writer, &cold)
            }
        guard isInOrder else { throw damage(leaf, "key \(index) does not sort after the one before it") }
    }

    /// `false` for a key that does not sort after the one before it.
    private func appendWithKey(
        _ place: TreeReader.Place, _ origin: HomePlaces.Origin?, to tree: inout SnapshotWriter.OpenTree,
        _ writer: inout SnapshotWriter, _ cold: inout OldColdValues
    ) throws(StorageError) -> Bool {
        let (leaf, index) = (place.leaf, place.index)
        let facets = leaf.facets(index)
        return try pages.withKey(of: leaf, index) { (key) throws(StorageError) in
            try leaf.withCell(index) { (word, cell) throws(StorageError) in
                try cold.reader.value(word: word, cell: cell) { (value) throws(StorageError) in
                    var place = tree.place(ofKey: key)
                    if place == nil { place = try oldPlace(of: key, in: tree) }
                    return try writer.append(
                        key: key, value: value, facets: facets, to: &tree, origin: origin, place: place)
                }
            }
        }
    }

    /// The same for an entry of a page with places whose key in the home tree is taken over: it gets the new place of that, and nobody reads
    /// the key.
    private func append(
        _ leaf: Node, _ index: Int, _ inPage: Int, _ place: UInt32, to tree: inout SnapshotWriter.OpenTree,
        _ writer: inout SnapshotWriter
    ) throws(StorageError) -> Bool {
        let page = leaf.permutation
        let group = page.group(of: inPage)
        let facets = leaf.facets(index)
        if inPage > page.start(ofGroup: group), index > 0, leaf.indexInPage(index - 1) == inPage - 1,
            writer.appendToGroup(facets: facets, place: place, pages, leaf, index, to: &tree)
        {
            return true
        }
        return try page.withLead(ofGroup: group) { (lead) throws(StorageError) in
            try page.withValue(ofGroup: group) { (value) throws(StorageError) in
                try writer.append(
                    lead: lead, value: value, facets: facets, place: place, .entry(pages, leaf, index), to: &tree)
            }
        }
    }

    /// The new place of what a key ends with, where the old snapshot has that on a page: of an entry that had no place yet.
    private func oldPlace(
        of key: RawSpan, in tree: SnapshotWriter.OpenTree
    ) throws(StorageError) -> UInt32? {
        guard tree.takesPlaces, let home = tree.record.declaration.home?.tree, let count = tree.leadByteCount(of: key),
            let old = version.generation.file.superblock.trees.first(where: { $0.declaration.number == home })
        else { return nil }
        let reader = TreeReader(pages: pages, root: old.root, old.declaration)
        guard let place = try reader.find(key.extracting(count...)), let page = pages.number(of: place.leaf) else {
            return nil
        }
        return tree.place(ofPage: page, place.index)
    }

    private var pages: PageSource { version.generation.file.pages }

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
    /// Of each entry of a leaf with keys, where it lies in the page that the leaf is or amends; `nil` for one that is in memory. Both have their
    /// entries in the same order.
    fileprivate var origins: [HomePlaces.Origin?]? {
        guard !isDense, isPatch || !isInMemory else { return nil }
        let page = basePageNode
        var next = 0
        return (0..<count).map { index in
            let slot = slot(index)
            guard !isPatch || slot & NodeLayout.inBase != 0 else { return nil }
            while next < page.count, page.slot(next) & 0x7FFF != slot & 0x7FFF { next += 1 }
            defer { next += 1 }
            return next < page.count ? .page(page.pageNumber, count: page.count, index: next) : nil
        }
    }

    /// The length of a value that lies in the cold region; 0 for any other.
    fileprivate func coldByteCount(_ index: Int) -> Int {
        guard !isHot(index) else { return 0 }
        return withCell(index) { word, cell in
            word == NodeLayout.coldValue ? Int(ColdReference(cell: cell).count) : 0
        }
    }
}

extension SortedEntries {
    /// Whether the next entry sorts before the last of a leaf, or with it.
    fileprivate func precedesOrIsIn(_ leaf: Node, _ pages: PageSource) throws(StorageError) -> Bool {
        try pages.withKey(of: leaf, leaf.count - 1) { (last) throws(StorageError) in
            try withEntry { (key, _, _) throws(StorageError) in key.order(relativeTo: last) <= 0 }
        }
    }
}
