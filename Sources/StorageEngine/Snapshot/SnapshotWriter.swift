/// Writes a snapshot file from trees whose entries arrive in key order. One pass, sequential but for the first screen.
///
/// The first tree given is the one lists open with. Its leftmost branches are placed before its leaves, right
/// behind the catalogue or its symbols, so that the first screen of a cold file lies within one stretch of the disk.
struct SnapshotWriter {
    static let bufferByteCount = 1 << 20
    /// Pages kept free for the leftmost branches of the first tree.
    static let frontPageCount = 3

    private let file: any File
    private let path: String
    private var buffer: [UInt8] = []
    /// Where the buffer's bytes belong.
    private var bufferOffset = 0
    private(set) var pageCount: UInt32
    private var superblock: Superblock
    private var cold: ColdWriter
    /// Pages for the leftmost branches, from level 1 up.
    private var front: Range<UInt32> = 0..<0
    private var page = PageWriter()
    /// Of a page.
    private let entryLimit: Int
    /// Of the trees that are home to others and complete.
    private var homes: [TreeNumber: HomePlaces] = [:]
    private let homeTrees: Set<TreeNumber>
    /// Of the trees so far that have some, in their order.
    private var symbols: [WrittenSymbols] = []

    /// `path` is a temporary name; the cold region grows beside it and is appended at the end.
    ///
    /// - Parameter trees: those that are to come.
    init(
        path: String, superblock: Superblock, trees: [TreeDeclaration], entryLimit: Int = .max,
        _ fileSystem: any FileSystem
    ) throws(StorageError) {
        pageCount = UInt32(1 + CatalogueField.pageCount(treeCount: trees.count))
        homeTrees = Set(trees.compactMap { $0.home?.tree })
        self.path = path
        self.entryLimit = entryLimit
        self.superblock = superblock
        file = try fileSystem.openFile(path, .creating)
        cold = try ColdWriter(path: path + ".cold", identity: ColdIdentity(superblock), fileSystem)
        buffer.reserveCapacity(Self.bufferByteCount + NodeLayout.pageByteCount)
        // The superblock and the catalogue are written last, when everything they name is there.
        buffer.append(zeros: Int(pageCount) * NodeLayout.pageByteCount)
    }

    // MARK: Trees

    struct OpenTree {
        var record: Superblock.Tree
        fileprivate let seal: PageSeal
        fileprivate var leaves: LeafPageBuilder
        fileprivate var symbols: TreeSymbols?
        /// Of a tree whose entries can be given places.
        fileprivate var permutation: PermutationPageBuilder?
        /// Where the entries of its home lie.
        fileprivate var home: HomePlaces?
        fileprivate var levels: [BranchPageBuilder] = []
        /// Of the leaf that was finished last, when it holds keys.
        fileprivate var lastKey: [UInt8] = []
        /// The entry that was appended last, when it has a place.
        fileprivate var lastPlaced: PlacedKey?
        /// Its key, when it came with one.
        fileprivate var placedKey: [UInt8] = []
        /// Of the page with places that is being filled.
        fileprivate var firstKey: [UInt8] = []
        /// Of a home tree, the entries of its finished leaves, and where the pending ones come from.
        fileprivate var entries: HomePlaces?
        fileprivate var origins: [HomePlaces.Origin] = []
        fileprivate var hasFront = false
        fileprivate var frontLevels: Set<Int> = []

        /// The shortest key that sorts behind the last finished leaf, and not behind the first key of the next. Behind a page with places
        /// the whole first key: what it shares with the last is not at hand.
        fileprivate func separator(before first: RawSpan) -> [UInt8] {
            guard record.leafPages > 0 else { return [] }
            let shared =
                lastKey.isEmpty ? first.byteCount - 1 : lastKey.withBytes { $0.commonPrefixLength(with: first) }
            return first.copyBytes(0..<shared + 1)
        }

        /// Whether the key sorts behind all that were appended.
        func isBehindAll(_ key: RawSpan) throws(StorageError) -> Bool {
            if let lastPlaced {
                return try self.key(of: lastPlaced).withBytes { $0.order(relativeTo: key) < 0 }
            }
            guard leaves.count == 0 else {
                return leaves.withKey(leaves.count - 1) { $0.order(relativeTo: key) < 0 }
            }
            return lastKey.isEmpty || lastKey.withBytes { $0.order(relativeTo: key) < 0 }
        }

        fileprivate func key(of placed: PlacedKey) throws(StorageError) -> [UInt8] {
            switch placed {
            case .appended: placedKey
            case .entry(let pages, let leaf, let index): try pages.key(of: leaf, index)
            }
        }

        /// The place that an entry of the home has now which the old snapshot had on a page; `nil` when it was not taken over from there.
        func place(ofPage page: UInt32, _ index: Int) -> UInt32? { home?.place(ofPage: page, index) }

        /// The same of an entry of a page with places, as that of the home's entry it leads to; `nil` also for a tree that takes no places.
        func place(of index: Int, in page: PermutationPage) -> UInt32? { home?.place(of: index, in: page) }

        /// The place of what a key ends with, where that was in memory or added; `nil` also for a tree that takes no places.
        func place(ofKey key: RawSpan) -> UInt32? {
            guard let home, let count = leadByteCount(of: key) else { return nil }
            return home.place(ofKey: key.extracting(count...))
        }

        /// Whether a page of the old snapshot can be taken over: its values are written in symbols that the tree still has, or in none, as
        /// they would be again.
        fileprivate func takes(symbolsOf leaf: Node) -> Bool {
            let page = leaf.isPacked ? leaf.packed.symbolsPage : 0
            guard let symbols else { return page == 0 }
            return symbols.oldPage.map { page == 0 || page == Int($0) } ?? false
        }

        /// Whether entries can be given places in the tree's home.
        var takesPlaces: Bool { permutation != nil }
        var isHome: Bool { entries != nil }

        /// Before the key of the home tree.
        func leadByteCount(of key: RawSpan) -> Int? { record.declaration.home?.lead.byteCount(in: key) }
    }

    /// Where the whole key of an entry with a place is, should it be asked for.
    enum PlacedKey {
        /// It came with the entry.
        case appended
        case entry(PageSource, Node, Int)
    }

    /// What values of a tree are written in.
    struct TreeSymbols {
        let encoder: SymbolEncoder
        /// Of the tree when they were chosen.
        let entryCount: UInt64
        /// Where the old snapshot has them, when they are taken over from there.
        var oldPage: UInt32?
    }

    private struct WrittenSymbols {
        let symbols: TreeSymbols
        let tree: TreeDeclaration
    }

    /// Whether values of a tree can be written in symbols: those of packed pages.
    func takesSymbols(_ tree: TreeDeclaration) -> Bool { tree.mayBePacked && !homeTrees.contains(tree.number) }

    /// - Parameter symbols: only of a tree that takes some.
    mutating func beginTree(
        _ declaration: TreeDeclaration, expectedCount: Int, symbols: TreeSymbols? = nil
    ) throws(StorageError) -> OpenTree {
        var record = Superblock.Tree(declaration: declaration)
        if let symbols {
            self.symbols.append(WrittenSymbols(symbols: symbols, tree: declaration))
            record.symbolsPage = pageCount
            try appendSymbols(symbols, of: declaration)
        }
        var tree = OpenTree(
            record: record, seal: seal,
            leaves: LeafPageBuilder(
                declaration, entryLimit: entryLimit, packs: takesSymbols(declaration),
                symbols: symbols.map { .init(encoder: $0.encoder, page: record.symbolsPage) }),
            symbols: symbols)
        // A place names an entry of a leaf with whole keys. A tree that has a home itself has no such leaves.
        if homeTrees.contains(declaration.number), declaration.home == nil {
            tree.entries = HomePlaces(declaration.number)
        }
        if let home = declaration.home, let places = homes[home.tree], let root = places.root {
            tree.home = places
            tree.permutation = PermutationPageBuilder(declaration, root, entryLimit: entryLimit)
        }
        if superblock.trees.isEmpty, expectedCount > 64 {
            tree.hasFront = true
            front = pageCount..<pageCount + UInt32(Self.frontPageCount)
            for _ in front { buffer.append(zeros: NodeLayout.pageByteCount) }
            pageCount = front.upperBound
        }
        return tree
    }

    /// - Parameters:
    ///   - origin: of an entry of a home tree that a page of the old snapshot holds.
    ///   - place: of what the key ends with, in the tree's home; `nil` when it has none.
    /// - Returns: `false`, and nothing is appended, for a key that does not sort behind all before it.
    mutating func append(
        key: RawSpan, value: RawSpan, facets: UInt16, to tree: inout OpenTree, origin: HomePlaces.Origin? = nil,
        place: UInt32? = nil
    ) throws(StorageError) -> Bool {
        if let place, let count = tree.leadByteCount(of: key), tree.takesPlaces,
            PermutationPageBuilder.takes(lead: key.extracting(0..<count), value: value)
        {
            tree.placedKey.removeAll(keepingCapacity: true)
            tree.placedKey.append(contentsOf: key)
            return try append(
                lead: key.extracting(0..<count), value: value, facets: facets, place: place, .appended, to: &tree)
        }
        guard try tree.isBehindAll(key) else { return false }
        if let permutation = tree.permutation, permutation.count > 0 { try finishPermutation(of: &tree) }
        tree.lastPlaced = nil
        tree.record.entryCount += 1
        tree.record.keyByteCount += UInt64(tree.record.declaration.countedByteCount(of: key))
        tree.record.valueByteCount += UInt64(value.byteCount)
        if value.byteCount <= tree.record.declaration.inlineByteCount {
            try append(key, UInt16(value.byteCount), value, facets, to: &tree)
        } else {
            let cell = try cold.append(value).encoded()
            try cell.withBytes { (cell) throws(StorageError) in
                try append(key, NodeLayout.coldValue, cell, facets, to: &tree)
            }
        }
        if let origin = origin ?? tree.entries?.origin(ofKey: key) { tree.origins.append(origin) }
        return true
    }

    /// Appends an entry with a place in the tree's home. Precondition: the tree `takesPlaces`, and a page takes the lead and the value.
    mutating func append(
        lead: RawSpan, value: RawSpan, facets: UInt16, place: UInt32, _ key: PlacedKey, to tree: inout OpenTree
    ) throws(StorageError) -> Bool {
        // Behind entries that have none, places say nothing of the order.
        let isBehind =
            tree.lastPlaced == nil && tree.record.entryCount > 0
            ? try tree.key(of: key).withBytes { (key) throws(StorageError) in try tree.isBehindAll(key) }
            : tree.permutation?.isBehindAll(lead: lead, place) ?? false
        guard isBehind else { return false }
        if tree.leaves.count > 0 { try finishLeaf(of: &tree) }
        tree.record.entryCount += 1
        tree.record.keyByteCount += UInt64(lead.byteCount)
        tree.record.valueByteCount += UInt64(value.byteCount)
        tree.lastPlaced = key
        if tree.permutation?.append(lead: lead, value: value, facets: facets, place: place) != true {
            try finishPermutation(of: &tree)
            let fits = tree.permutation?.append(lead: lead, value: value, facets: facets, place: place)
            precondition(fits == true, "any one entry within the limits fits an empty page")
        }
        if tree.permutation?.count == 1 { tree.firstKey = try tree.key(of: key) }
        return true
    }

    /// The same for an entry of a leaf that has the lead and the value of the one before it there. `false` when that is not what was appended
    /// last, the entry does not fit behind it, or is out of order: append it with both then.
    func appendToGroup(
        facets: UInt16, place: UInt32, _ pages: PageSource, _ leaf: Node, _ index: Int, to tree: inout OpenTree
    ) -> Bool {
        guard case .entry(_, let last, let lastIndex) = tree.lastPlaced, last.reference == leaf.reference,
            lastIndex == index - 1, let counts = tree.permutation?.appendToGroup(facets: facets, place: place)
        else { return false }
        tree.record.entryCount += 1
        tree.record.keyByteCount += UInt64(counts.lead)
        tree.record.valueByteCount += UInt64(counts.value)
        tree.lastPlaced = .entry(pages, leaf, index)
        return true
    }

    private mutating func finishPermutation(of tree: inout OpenTree) throws(StorageError) {
        let separator = tree.firstKey.withBytes { tree.separator(before: $0) }
        let number = pageCount
        guard let (totals, used) = tree.permutation?.finish(into: &page, pageNumber: number, tree.seal) else { return }
        let checksum = try appendPage()
        tree.lastKey = []
        tree.record.leafPages += 1
        tree.record.usedByteCount += UInt64(used)
        try add(ChildPage(separator: separator, page: number, checksum: checksum, totals: totals), level: 0, to: &tree)
    }

    private mutating func append(
        _ key: RawSpan, _ word: UInt16, _ cell: RawSpan, _ facets: UInt16, to tree: inout OpenTree
    ) throws(StorageError) {
        if tree.leaves.append(key: key, word: word, cell: cell, facets: facets) { return }
        try finishLeaf(of: &tree)
        let fits = tree.leaves.append(key: key, word: word, cell: cell, facets: facets)
        precondition(fits, "any one entry within the limits fits an empty page")
    }

    /// Takes over a page of the old snapshot as it is, but for its number and its seal. `false` when its entries are to be appended
    /// one by one: it is no page, or says that it is one of another tree, holds references into the cold region, or full pages would not
    /// come of it.
    mutating func copy(_ leaf: Node, _ pages: PageSource, to tree: inout OpenTree) throws(StorageError) -> Bool {
        guard !leaf.isInMemory, leaf.count > 0, leaf.baseWord == UInt64(tree.record.declaration.number.rawValue),
            Self.isWellFilled(leaf.filledByteCount, count: leaf.count),
            tree.leaves.count == 0 || Self.isWellFilled(tree.leaves.filledByteCount, count: tree.leaves.count)
        else { return false }
        if leaf.isPermuted { return try copyPermuted(leaf, pages, to: &tree) }
        guard tree.takes(symbolsOf: leaf) else { return false }
        guard tree.record.declaration.home == nil, !leaf.isPacked || !tree.isHome, let sizes = leaf.sizesOfHotEntries
        else {
            return false
        }
        let isBehind = try leaf.withKey(0) { (key) throws(StorageError) in try tree.isBehindAll(key) }
        guard isBehind else { return false }
        if tree.leaves.count > 0 { try finishLeaf(of: &tree) }
        let separator = leaf.withKey(0) { tree.separator(before: $0) }
        tree.lastKey = leaf.key(leaf.count - 1)
        leaf.withPage { page.begin(copying: $0, used: leaf.used, pageNumber: pageCount) }
        if leaf.isPacked, leaf.packed.symbolsPage > 0 {
            page.store(tree.record.symbolsPage, in: PackedField.symbolsPage)
        }
        _ = page.finish(tree.seal)
        tree.entries?.add(
            leafOn: pageCount, (0..<leaf.count).lazy.map { .page(leaf.pageNumber, count: leaf.count, index: $0) })
        tree.record.keyByteCount += UInt64(sizes.keyByteCount)
        tree.record.valueByteCount += UInt64(sizes.valueByteCount)
        try appendCopy(of: leaf, separator, to: &tree)
        return true
    }

    /// The page that was laid out is a copy of a leaf.
    private mutating func appendCopy(
        of leaf: Node, _ separator: [UInt8], to tree: inout OpenTree
    ) throws(StorageError) {
        let number = pageCount
        let checksum = try appendPage()
        tree.record.entryCount += UInt64(leaf.count)
        tree.record.leafPages += 1
        tree.record.usedByteCount += UInt64(leaf.used)
        let totals = PageTotals(of: leaf, tree.record.declaration)
        try add(ChildPage(separator: separator, page: number, checksum: checksum, totals: totals), level: 0, to: &tree)
    }

    /// The same for a page with places all of whose entries lead to ones that were taken over: it gets their new places. Keys are read of
    /// its first entry and of the one before, of no others.
    private mutating func copyPermuted(
        _ leaf: Node, _ pages: PageSource, to tree: inout OpenTree
    ) throws(StorageError) -> Bool {
        let permuted = leaf.permutation
        guard tree.permutation?.canCopy(permuted, onceFilledTo: Self.wellFilledByteCount) == true,
            let places = tree.home?.places(of: permuted)
        else { return false }
        let key = try pages.key(of: leaf, 0)
        let isBehind = try key.withBytes { (key) throws(StorageError) in try tree.isBehindAll(key) }
        guard isBehind else { return false }
        if tree.leaves.count > 0 { try finishLeaf(of: &tree) }
        if let permutation = tree.permutation, permutation.count > 0 { try finishPermutation(of: &tree) }
        let separator = key.withBytes { tree.separator(before: $0) }
        tree.permutation?.copy(permuted, places, into: &page, pageNumber: pageCount, tree.seal)
        for group in 0..<permuted.groupCount {
            let count = permuted.end(ofGroup: group) - permuted.start(ofGroup: group)
            tree.record.keyByteCount += UInt64(count * permuted.leadByteCount(ofGroup: group))
            tree.record.valueByteCount += UInt64(count * permuted.withValue(ofGroup: group) { $0.byteCount })
        }
        (tree.lastKey, tree.lastPlaced) = ([], .entry(pages, leaf, leaf.count - 1))
        try appendCopy(of: leaf, separator, to: &tree)
        return true
    }

    private static func isWellFilled(_ byteCount: Int, count: Int) -> Bool {
        byteCount >= wellFilledByteCount || count >= NodeLayout.leafEntryLimit * 3 / 4
    }

    /// Pages are taken over from three quarters on, so that a snapshot stays dense.
    private static let wellFilledByteCount = NodeLayout.pageByteCount * 3 / 4

    mutating func endTree(_ tree: OpenTree) throws(StorageError) {
        var tree = tree
        if tree.leaves.count > 0 { try finishLeaf(of: &tree) }
        if let permutation = tree.permutation, permutation.count > 0 { try finishPermutation(of: &tree) }
        var level = 0
        while level < tree.levels.count {
            // The topmost level with a single child has no need of a page of its own.
            if level == tree.levels.count - 1, tree.levels[level].children.count == 1,
                let root = tree.levels[level].children.first
            {
                tree.record.rootPage = root.page
                tree.record.rootChecksum = root.checksum
                tree.record.height = UInt8(level + 1)
                break
            }
            try finishBranch(level, of: &tree)
            level += 1
        }
        superblock.trees.append(tree.record)
        tree.entries?.end(tree.record)
        homes[tree.record.declaration.number] = tree.entries
    }

    private mutating func finishLeaf(of tree: inout OpenTree) throws(StorageError) {
        let separator = tree.leaves.withKey(0) { tree.separator(before: $0) }
        tree.lastKey = tree.leaves.withKey(tree.leaves.count - 1) { $0.copyBytes() }
        let number = pageCount
        let count = tree.leaves.count
        let (totals, used) = tree.leaves.finish(into: &page, pageNumber: number, tree.seal)
        // The entry that did not fit any more is not among them.
        tree.entries?.add(leafOn: number, tree.origins.prefix(count))
        tree.origins.removeFirst(min(count, tree.origins.count))
        let checksum = try appendPage()
        tree.record.leafPages += 1
        tree.record.usedByteCount += UInt64(used)
        try add(ChildPage(separator: separator, page: number, checksum: checksum, totals: totals), level: 0, to: &tree)
    }

    /// Hands a finished page of `level` to the branches above it.
    private mutating func add(_ child: ChildPage, level: Int, to tree: inout OpenTree) throws(StorageError) {
        if level == tree.levels.count {
            tree.levels.append(
                BranchPageBuilder(tree.record.declaration, level: level + 1, childLimit: entryLimit))
        }
        if tree.levels[level].append(child) { return }
        try finishBranch(level, of: &tree)
        let fits = tree.levels[level].append(child)
        precondition(fits, "any one child fits an empty branch")
    }

    private mutating func finishBranch(_ level: Int, of tree: inout OpenTree) throws(StorageError) {
        guard let separator = tree.levels[level].children.first?.separator else { return }
        let isFront = tree.hasFront && level < Self.frontPageCount && tree.frontLevels.insert(level).inserted
        let number = isFront ? front.lowerBound + UInt32(level) : pageCount
        let (totals, used) = tree.levels[level].finish(into: &page, pageNumber: number, tree.seal)
        let checksum = isFront ? try writePage(number) : try appendPage()
        tree.record.branchPages += 1
        tree.record.usedByteCount += UInt64(used)
        try add(
            ChildPage(separator: separator, page: number, checksum: checksum, totals: totals), level: level + 1,
            to: &tree)
    }

    private var seal: PageSeal { PageSeal(store: superblock.store, generation: superblock.generation) }

    // MARK: Symbols

    private mutating func appendSymbols(_ symbols: TreeSymbols, of tree: TreeDeclaration) throws(StorageError) {
        symbols.encoder.write(
            for: tree, entryCount: symbols.entryCount, into: &page, pageNumber: pageCount, seal)
        _ = try appendPage()
    }

    /// Once more, in the order of their trees: without them no value of a tree can be read.
    private mutating func appendCopiesOfSymbols() throws(StorageError) {
        for written in symbols { try appendSymbols(written.symbols, of: written.tree) }
    }

    // MARK: Bytes

    private mutating func appendPage() throws(StorageError) -> UInt32 {
        pageCount += 1
        buffer.append(contentsOf: page.bytes)
        if buffer.count >= Self.bufferByteCount { try flushBuffer() }
        return CRC32C.checksum(page.bytes)
    }

    /// A page whose place was kept free.
    private mutating func writePage(_ number: UInt32) throws(StorageError) -> UInt32 {
        let offset = Int(number) * NodeLayout.pageByteCount
        if offset >= bufferOffset {
            let start = offset - bufferOffset
            buffer.replaceSubrange(start..<start + NodeLayout.pageByteCount, with: page.bytes)
        } else {
            try file.write(page.bytes, at: offset)
        }
        return CRC32C.checksum(page.bytes)
    }

    private mutating func flushBuffer() throws(StorageError) {
        try file.write(buffer, at: bufferOffset)
        bufferOffset += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// The file with the trees that are complete, to be read while others are being written; `nil` when it cannot be.
    mutating func unfinishedFile(_ fileSystem: any FileSystem) throws(StorageError) -> SnapshotFile? {
        try flushBuffer()
        var unfinished = superblock
        unfinished.pageCount = pageCount
        return try? SnapshotFile(unfinished: path, unfinished, fileSystem)
    }

    /// Appends the cold region, writes both superblocks and their catalogues, and flushes. The file is then ready to be renamed.
    mutating func finish() throws(StorageError) -> Superblock {
        try appendCopiesOfSymbols()
        try flushBuffer()
        superblock.pageCount = pageCount
        superblock.coldOffset = UInt64(bufferOffset)
        var region = cold
        var end = bufferOffset
        superblock.coldByteCount = try region.finish { (piece) throws(StorageError) in
            try file.write(piece, at: end)
            end += piece.count
        }
        bufferOffset = end
        let padding = (NodeLayout.pageByteCount - bufferOffset % NodeLayout.pageByteCount) % NodeLayout.pageByteCount
        let catalogue = superblock.encodedCatalogue()
        superblock.fileByteCount = UInt64(bufferOffset + padding + catalogue.count + NodeLayout.pageByteCount)
        let encoded = superblock.encoded()
        try file.write([UInt8](repeating: 0, count: padding) + catalogue + encoded, at: bufferOffset)
        try file.write(encoded + catalogue, at: 0)
        try file.flush(.durable)
        file.close()
        return superblock
    }

    /// Removes what was written so far.
    func abandon(_ fileSystem: any FileSystem) {
        file.close()
        cold.close()
        // Best effort: what stays behind is removed at the next opening.
        try? fileSystem.remove(path)
        try? fileSystem.remove(path + ".cold")
    }
}
