/// Writes a snapshot file from trees whose leaves arrive in key order, a stretch at a time. One pass, sequential but for the first screen.
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
    /// With the trees that are complete.
    private(set) var superblock: Superblock
    private var cold: ColdWriter
    /// Pages for the leftmost branches, from level 1 up.
    private var front: Range<UInt32> = 0..<0
    private var page = PageWriter()
    /// Of a page.
    private let entryLimit: Int
    private let layouts: PageLayouts
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
        layouts: PageLayouts = .all, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        pageCount = UInt32(1 + CatalogueField.pageCount(treeCount: trees.count))
        homeTrees = Set(trees.compactMap { $0.home?.tree })
        self.path = path
        self.entryLimit = entryLimit
        self.layouts = layouts
        self.superblock = superblock
        file = try fileSystem.openFile(path, .creating)
        do throws(StorageError) {
            cold = try ColdWriter(path: path + ".cold", identity: ColdIdentity(superblock), fileSystem)
        } catch {
            try? fileSystem.remove(path)
            throw error
        }
        buffer.reserveCapacity(Self.bufferByteCount + NodeLayout.pageByteCount)
        // The superblock and the catalogue are written last, when everything they name is there.
        buffer.append(zeros: Int(pageCount) * NodeLayout.pageByteCount)
    }

    // MARK: Trees

    struct OpenTree {
        fileprivate(set) var record: Superblock.Tree
        /// Of a tree that is home to others and whose entries can be given places.
        fileprivate var places: HomePlaces?
        fileprivate var levels: [BranchPageBuilder] = []
        /// Of the stretch that came last.
        fileprivate var lastKey: [UInt8] = []
        fileprivate var endsWithPlaces = false
        fileprivate var hasFront = false
        fileprivate var frontLevels: Set<Int> = []

        fileprivate init(_ declaration: TreeDeclaration, symbolsPage: UInt32) {
            record = Superblock.Tree(declaration: declaration)
            record.symbolsPage = symbolsPage
        }

        /// The shortest key that sorts behind the last leaf, and not behind the first key of the next.
        fileprivate func separator(before first: [UInt8]) -> [UInt8] {
            guard record.leafPages > 0 else { return [] }
            guard !endsWithPlaces else { return first }
            return lastKey.withBytes { last in first.withBytes { last.separator(before: $0) } }
        }

        fileprivate mutating func count(_ stretch: LeafStretch) {
            record.entryCount += UInt64(stretch.entryCount)
            record.keyByteCount += UInt64(stretch.keyByteCount)
            record.valueByteCount += UInt64(stretch.valueByteCount)
            (lastKey, endsWithPlaces) = (stretch.lastKey, stretch.endsWithPlaces)
        }
    }

    /// Whether values of a tree can be written in symbols: those of packed pages.
    func takesSymbols(_ tree: TreeDeclaration) -> Bool { layouts.contains(.symbols) && packs(tree) }

    private func packs(_ tree: TreeDeclaration) -> Bool {
        layouts.contains(.packed) && tree.mayBePacked && !homeTrees.contains(tree.number)
    }

    /// Of a tree that has a home, when that is complete: else its entries get no places.
    ///
    /// - Parameter symbols: only of a tree that takes some.
    func layout(of declaration: TreeDeclaration, symbols: TreeSymbols?) -> TreeLayout {
        // A place names an entry of a leaf with whole keys. A tree that has a home itself has no such leaves.
        let isHome =
            layouts.contains(.places) && homeTrees.contains(declaration.number) && declaration.home == nil
        let home = declaration.home.flatMap { homes[$0.tree] }
        return TreeLayout(
            declaration: declaration, entryLimit: entryLimit, packs: packs(declaration),
            sharesEnds: layouts.contains(.sharedEnds), symbols: symbols,
            home: home?.root == nil ? nil : home, ownPlaces: isHome ? HomePlaces(declaration.number) : nil)
    }

    /// - Parameters:
    ///   - keptCount: so many entries are taken over.
    ///   - addedCount: so many are added, about.
    mutating func beginTree(
        _ layout: TreeLayout, keptCount: Int, addedCount: Int
    ) throws(StorageError) -> OpenTree {
        let symbolsPage = layout.symbols == nil ? 0 : pageCount
        if let symbols = layout.symbols {
            self.symbols.append(WrittenSymbols(symbols: symbols, tree: layout.declaration))
            try appendSymbols(symbols, of: layout.declaration)
        }
        var tree = OpenTree(layout.declaration, symbolsPage: symbolsPage)
        tree.places = layout.ownPlaces
        if addedCount > 0 { tree.places?.reserve(addedCount) }
        if superblock.trees.isEmpty, keptCount + addedCount > 64 {
            tree.hasFront = true
            front = pageCount..<pageCount + UInt32(Self.frontPageCount)
            for _ in front { buffer.append(zeros: NodeLayout.pageByteCount) }
            pageCount = front.upperBound
        }
        return tree
    }

    /// Puts a stretch behind those that came before.
    ///
    /// - Returns: `false`, and nothing is appended, when its first key does not sort behind their last.
    mutating func append(_ stretch: LeafStretch, to tree: inout OpenTree) throws(StorageError) -> Bool {
        guard let first = stretch.leaves.first else { return true }
        let isBehindAll =
            tree.record.leafPages == 0
            || tree.lastKey.withBytes { last in first.separator.withBytes { last.order(relativeTo: $0) < 0 } }
        guard isBehindAll else { return false }
        let coldStart = try cold.append(stretch.cold)
        for (index, leaf) in stretch.leaves.enumerated() {
            let separator = index == 0 ? tree.separator(before: leaf.separator) : leaf.separator
            let number = pageCount
            tree.places?.add(leafOn: number, leaf.origins)
            let checksum = try append(
                leaf, index, of: stretch, coldStart: coldStart, symbolsPage: tree.record.symbolsPage)
            tree.record.leafPages += 1
            tree.record.usedByteCount += UInt64(leaf.used)
            try add(
                ChildPage(separator: separator, page: number, checksum: checksum, totals: leaf.totals), level: 0,
                to: &tree)
        }
        tree.count(stretch)
        return true
    }

    /// A leaf of a stretch, with what only its place in the file tells.
    private mutating func append(
        _ leaf: LeafStretch.FinishedLeaf, _ index: Int, of stretch: LeafStretch, coldStart: UInt64, symbolsPage: UInt32
    ) throws(StorageError) -> UInt32 {
        let (start, page) = (buffer.count, index * NodeLayout.pageByteCount)
        stretch.pages.withBytes { buffer.append(contentsOf: $0.extracting(page..<page + NodeLayout.pageByteCount)) }
        if leaf.isInSymbols { buffer.store(symbolsPage, in: PackedField.symbolsPage, at: start) }
        for cell in leaf.coldCells {
            let block = buffer.load(ColdReferenceField.block, at: start + cell)
            buffer.store(coldStart + block, in: ColdReferenceField.block, at: start + cell)
        }
        return try finishPage(at: start)
    }

    mutating func endTree(_ tree: OpenTree) throws(StorageError) {
        var tree = tree
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
        tree.places?.end(tree.record)
        homes[tree.record.declaration.number] = tree.places
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
        let (totals, used) = tree.levels[level].finish(into: &page)
        let checksum = isFront ? try writePage(number) : try appendPage()
        tree.record.branchPages += 1
        tree.record.usedByteCount += UInt64(used)
        try add(
            ChildPage(separator: separator, page: number, checksum: checksum, totals: totals), level: level + 1,
            to: &tree)
    }

    private var seal: PageSeal { PageSeal(store: superblock.store, generation: superblock.generation) }

    // MARK: Symbols

    private struct WrittenSymbols {
        let symbols: TreeSymbols
        let tree: TreeDeclaration
    }

    private mutating func appendSymbols(_ symbols: TreeSymbols, of tree: TreeDeclaration) throws(StorageError) {
        symbols.encoder.write(for: tree, entryCount: symbols.entryCount, into: &page)
        _ = try appendPage()
    }

    /// Once more, in the order of their trees: without them no value of a tree can be read.
    private mutating func appendCopiesOfSymbols() throws(StorageError) {
        for written in symbols { try appendSymbols(written.symbols, of: written.tree) }
    }

    // MARK: Bytes

    /// The page that was laid out, behind all others.
    private mutating func appendPage() throws(StorageError) -> UInt32 {
        let start = buffer.count
        buffer.append(contentsOf: page.bytes)
        return try finishPage(at: start)
    }

    /// Numbers and seals the last page of the buffer. Gives its checksum.
    private mutating func finishPage(at start: Int) throws(StorageError) -> UInt32 {
        seal.put(pageCount, onPageAt: start, of: &buffer)
        pageCount += 1
        let checksum = try buffer.withBytes { (bytes) throws(StorageError) in
            let page = bytes.extracting(start...)
            try requireReadable(page)
            return CRC32C.checksum(page)
        }
        if buffer.count >= Self.bufferByteCount { try flushBuffer() }
        return checksum
    }

    /// The page that was laid out, in a place that was kept free.
    private mutating func writePage(_ number: UInt32) throws(StorageError) -> UInt32 {
        page.put(number, seal)
        try page.bytes.withBytes { (bytes) throws(StorageError) in try requireReadable(bytes) }
        let offset = Int(number) * NodeLayout.pageByteCount
        if offset >= bufferOffset {
            let start = offset - bufferOffset
            buffer.replaceSubrange(start..<start + NodeLayout.pageByteCount, with: page.bytes)
        } else {
            try file.write(page.bytes, at: offset)
        }
        return CRC32C.checksum(page.bytes)
    }

    /// A page that no reader would take is not written, whoever made it so: what is being made is given up, and the store goes on as it was.
    private func requireReadable(_ page: RawSpan) throws(StorageError) {
        let finding =
            page.load(NodeField.kind) == NodeLayout.symbols
            ? SymbolValidation.layoutFinding(in: page)
            : PageValidation.layoutFinding(in: page, pageCount: Int(UInt32.max), coldByteCount: .max)
        guard let finding else { return }
        let number = Int(page.load(NodeField.pageNumber))
        throw .damaged(
            Damage(
                file: path, byteOffset: number * NodeLayout.pageByteCount, page: number,
                finding: "it was not written, since it could not be read: \(finding)"))
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
