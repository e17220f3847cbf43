/// Finds the pages of a damaged snapshot file that can be proved.
///
/// From the head down, a page is proved by the checksum its parent holds. Below a page that is lost, and everywhere when both
/// heads are, a page is proved by its seal: that of this store, this generation and one of its trees. A stale page passes
/// neither. Keeps the number and first key of each leaf: a few MiB at a million works.
struct SnapshotSalvage {
    let file: SalvageFile
    let store: StoreIdentifier
    let generation: UInt64
    /// `nil` when neither copy can be read.
    let superblock: Superblock?

    private(set) var trees: [SalvagedTree] = []
    private(set) var places: [SalvagedPlace] = []
    private var reached: [Bool]
    private var homes: SalvagedHomes
    /// While pages are proved by their seals, a leaf must fill a stretch that was lost.
    private var isFillingStretches = false

    init(
        _ file: SalvageFile, store: StoreIdentifier, generation: UInt64, superblock: Superblock?
    ) throws(StorageError) {
        self.file = file
        self.store = store
        self.generation = generation
        self.superblock = superblock
        reached = Array(repeating: false, count: file.byteCount / NodeLayout.pageByteCount + 1)
        homes = SalvagedHomes(
            file, PageSeal(store: store, generation: generation),
            pageCount: superblock.map { Int($0.pageCount) } ?? file.byteCount / NodeLayout.pageByteCount,
            coldByteCount: superblock?.coldByteCount ?? UInt64(file.byteCount))
        for tree in superblock?.trees ?? [] {
            trees.append(SalvagedTree(tree.declaration, expectedCount: Int(tree.entryCount)))
            guard tree.rootPage > 0 else { continue }
            let root = Reference(page: tree.rootPage, checksum: tree.rootChecksum, entryCount: Int(tree.entryCount))
            try visit(root, trees.count - 1)
        }
        try checkSymbols()
        try fillStretches()
        for index in trees.indices { trees[index].sortLeaves() }
        settleCounts()
    }

    /// Pages before the cold region; without a head any page of the file may be one.
    var pageCount: Int { superblock.map { Int($0.pageCount) } ?? file.byteCount / NodeLayout.pageByteCount }

    var coldByteCount: UInt64 { superblock?.coldByteCount ?? UInt64(file.byteCount) }

    private struct Reference {
        let page: UInt32
        let checksum: UInt32
        var level: Int?
        var low: [UInt8]?
        var high: [UInt8]?
        var entryCount: Int?
    }

    /// Takes in a page and what is below it. Levels descend, and a page is reached once, so this ends.
    private mutating func visit(_ reference: Reference, _ tree: Int) throws(StorageError) {
        let number = Int(reference.page)
        guard number > 0, number < reached.count, !reached[number] else {
            return lose(
                reference, tree, number < reached.count ? "the page is reached twice" : "the file ends before it")
        }
        reached[number] = true
        guard let bytes = try file.page(number) else { return lose(reference, tree, "the page cannot be read") }
        let checksum = CRC32C.checksum(bytes)
        guard checksum == reference.checksum else {
            let finding = "checksum is \(checksum.hexadecimal), its parent says \(reference.checksum.hexadecimal)"
            return lose(reference, tree, finding)
        }
        guard let page = page(bytes), page.shape == trees[tree].shape,
            reference.level.map({ $0 == page.level }) ?? true
        else { return lose(reference, tree, "the bytes have no layout of a page in its place") }
        guard !page.isLeaf else { return try add(page, checksum, reference, tree) }
        for index in 0..<page.count {
            let child = page.child(index)
            let below = Reference(
                page: child.page, checksum: child.checksum, level: page.level - 1,
                low: index == 0 ? reference.low : page.key(index),
                high: index + 1 < page.count ? page.key(index + 1) : reference.high, entryCount: child.entryCount)
            try visit(below, tree)
        }
    }

    private func page(_ bytes: [UInt8]) -> SalvagedPage? {
        SalvagedPage(bytes, pageCount: pageCount, coldByteCount: coldByteCount)
    }

    private mutating func add(
        _ page: SalvagedPage, _ checksum: UInt32, _ reference: Reference, _ tree: Int
    ) throws(StorageError) {
        var firstKey: [UInt8]?
        var count = 0
        for index in 0..<page.count {
            guard let key = try homes.key(index, of: page) else { continue }
            if firstKey == nil { firstKey = key }
            count += 1
            // Keys that lie in the page are all there, and so are those of a home tree of which nothing was lost.
            guard page.isPermuted, mayLack(page.placedEntry(index).homeTree) else {
                count = page.count
                break
            }
        }
        guard let firstKey else {
            return lose(reference, tree, "the pages that hold the ends of its keys cannot be read")
        }
        let leaf = SalvagedTree.Leaf(page: page.number, checksum: checksum, count: count, firstKey: firstKey)
        trees[tree].add(leaf, inStretchesOnly: isFillingStretches)
    }

    private func mayLack(_ home: UInt32) -> Bool {
        superblock == nil || trees.contains { $0.declaration.number.rawValue == home && !$0.stretches.isEmpty }
    }

    private mutating func lose(_ reference: Reference, _ tree: Int, _ finding: String) {
        trees[tree].add(
            SalvagedTree.Stretch(
                place: places.count, low: reference.low, high: reference.high, expectedCount: reference.entryCount,
                isWithinAnother: isFillingStretches))
        places.append(
            place(
                Int(reference.page), finding, tree: trees[tree].declaration.number, low: reference.low,
                high: reference.high))
    }

    private func place(
        _ page: Int, _ finding: String, tree: TreeNumber? = nil, low: [UInt8]? = nil, high: [UInt8]? = nil
    ) -> SalvagedPlace {
        let damage = Damage(
            file: file.path, byteOffset: page * NodeLayout.pageByteCount, page: page, finding: finding)
        return SalvagedPlace(
            tree == nil ? .unproved : .tree, damage, byteCount: NodeLayout.pageByteCount, tree: tree, firstKey: low,
            endKey: high)
    }

    // MARK: Symbols

    /// Both pages of symbols of each tree. Entries are lost with both only, and then nobody knows how many before they are read.
    private mutating func checkSymbols() throws(StorageError) {
        guard let superblock else { return }
        let symbols = SalvagedSymbols(file, PageSeal(store: store, generation: generation), pageCount: pageCount)
        for tree in superblock.trees.map(\.declaration.number) {
            guard let both = superblock.symbols(of: tree) else { continue }
            let findings = try [Int(both.page), Int(both.copy)].map { (page) throws(StorageError) in
                if page < reached.count { reached[page] = true }
                return (page, try symbols.finding(page, of: tree))
            }
            for case (let page, let finding?) in findings {
                var lost = place(page, finding, tree: tree)
                if findings.contains(where: { $0.1 == nil }) { lost.lostEntryCount = 0 }
                places.append(lost)
            }
        }
    }

    // MARK: Seals

    private struct Orphan {
        let page: UInt32
        let checksum: UInt32
        let level: Int
        let tree: Int
    }

    /// Looks at every page that no tree reaches. When nothing was lost there is nothing to look for.
    private mutating func fillStretches() throws(StorageError) {
        guard superblock == nil || trees.contains(where: { !$0.stretches.isEmpty }) else { return }
        isFillingStretches = true
        var orphans: [Orphan] = []
        var unproved: [Int] = []
        let seal = PageSeal(store: store, generation: generation)
        // A file of less than a page has none but the head's.
        let first = superblock?.headPageCount ?? 1
        for number in first..<max(first, min(pageCount, reached.count)) where !reached[number] {
            guard let bytes = try file.page(number) else {
                unproved.append(number)
                continue
            }
            // Pages kept free for branches that were not needed.
            guard bytes.contains(where: { $0 != 0 }) else { continue }
            // Symbols, which no head tells of.
            if bytes.load(NodeField.kind) == NodeLayout.symbols, bytes.withBytes(seal.isOn) { continue }
            if bytes.withBytes(seal.isOn), let page = page(bytes), page.number == UInt32(number),
                let index = place(of: page)
            {
                orphans.append(
                    Orphan(page: page.number, checksum: CRC32C.checksum(bytes), level: page.level, tree: index))
            } else {
                unproved.append(number)
            }
        }
        // A branch proves its children, and tells what is missing below it: from the top down.
        for orphan in orphans.sorted(by: { $0.level > $1.level }) where !reached[Int(orphan.page)] {
            try visit(Reference(page: orphan.page, checksum: orphan.checksum, level: orphan.level), orphan.tree)
        }
        // Without a head what follows the pages looks like this, too.
        for number in unproved where superblock != nil && !reached[number] {
            places.append(place(number, "the page can be proved to belong to no tree"))
        }
    }

    /// The place of a page's tree among those found; `nil` when nothing of the tree was lost, or the page contradicts what is known
    /// of it.
    private mutating func place(of page: SalvagedPage) -> Int? {
        if let index = trees.firstIndex(where: { $0.declaration.number == page.tree }) {
            let isLossy = superblock == nil || !trees[index].stretches.isEmpty
            return isLossy && trees[index].shape == page.shape ? index : nil
        }
        guard superblock == nil, trees.count < Limits.treeCount else { return nil }
        var found = SalvagedTree(page.tree, page.shape)
        found.add(
            SalvagedTree.Stretch(place: nil, low: nil, high: nil, expectedCount: nil, isWithinAnother: false))
        trees.append(found)
        return trees.count - 1
    }

    private mutating func settleCounts() {
        for tree in trees {
            for (stretch, lostCount) in zip(tree.stretches, tree.lostCounts()) {
                guard let place = stretch.place else { continue }
                places[place].lostEntryCount = lostCount
            }
        }
    }
}
