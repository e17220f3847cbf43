/// Writes a snapshot file from trees whose entries arrive in key order. One pass, sequential but for the first screen.
///
/// The first tree given is the one lists open with. Its leftmost branches are placed right behind the superblock and its
/// leaves follow, so that the first screen of a cold file lies within one stretch of the disk.
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

    /// `path` is a temporary name; the cold region grows beside it and is appended at the end.
    ///
    /// - Parameter treeCount: how many trees are to come.
    init(
        path: String, superblock: Superblock, treeCount: Int, entryLimit: Int = .max, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        pageCount = UInt32(1 + CatalogueField.pageCount(treeCount: treeCount))
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
        fileprivate var levels: [BranchPageBuilder] = []
        fileprivate var lastKey: [UInt8] = []
        fileprivate var hasFront = false
        fileprivate var frontLevels: Set<Int> = []

        /// The shortest key that sorts behind the last finished leaf, and not behind the first key of the next.
        fileprivate func separator(before first: RawSpan) -> [UInt8] {
            guard !lastKey.isEmpty else { return [] }
            let shared = lastKey.withBytes { $0.commonPrefixLength(with: first) }
            return first.copyBytes(0..<shared + 1)
        }

        /// Whether the key sorts behind all that were appended.
        func isBehindAll(_ key: RawSpan) -> Bool {
            guard leaves.count == 0 else {
                return leaves.withKey(leaves.count - 1) { $0.order(relativeTo: key) < 0 }
            }
            return lastKey.isEmpty || lastKey.withBytes { $0.order(relativeTo: key) < 0 }
        }
    }

    mutating func beginTree(_ declaration: TreeDeclaration, expectedCount: Int) throws(StorageError) -> OpenTree {
        var tree = OpenTree(
            record: Superblock.Tree(declaration: declaration),
            seal: PageSeal(store: superblock.store, generation: superblock.generation),
            leaves: LeafPageBuilder(declaration, entryLimit: entryLimit))
        if superblock.trees.isEmpty, expectedCount > 64 {
            tree.hasFront = true
            front = pageCount..<pageCount + UInt32(Self.frontPageCount)
            for _ in front { buffer.append(zeros: NodeLayout.pageByteCount) }
            pageCount = front.upperBound
        }
        return tree
    }

    /// - Parameter disorder: the error for a key that does not sort behind all before it, which names where it is from.
    mutating func append(
        key: RawSpan, value: RawSpan, facets: UInt16, to tree: inout OpenTree, orThrow disorder: () -> StorageError
    ) throws(StorageError) {
        guard tree.isBehindAll(key) else { throw disorder() }
        tree.record.entryCount += 1
        tree.record.keyByteCount += UInt64(key.byteCount)
        tree.record.valueByteCount += UInt64(value.byteCount)
        if value.byteCount <= tree.record.declaration.inlineByteCount {
            try append(key, UInt16(value.byteCount), value, facets, to: &tree)
            return
        }
        let cell = try cold.append(value).encoded()
        try cell.withBytes { (cell) throws(StorageError) in
            try append(key, NodeLayout.coldValue, cell, facets, to: &tree)
        }
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
    /// one by one: it is no page, holds references into the cold region, or full pages would not come of it.
    mutating func copy(_ leaf: Node, to tree: inout OpenTree) throws(StorageError) -> Bool {
        guard !leaf.isInMemory, leaf.count > 0, leaf.used >= Self.wellFilledByteCount,
            tree.leaves.count == 0 || tree.leaves.byteCount >= Self.wellFilledByteCount,
            let sizes = leaf.sizesOfHotEntries
        else { return false }
        let isBehind = leaf.withKey(0) { tree.isBehindAll($0) }
        guard isBehind else { return false }
        if tree.leaves.count > 0 { try finishLeaf(of: &tree) }
        let separator = leaf.withKey(0) { tree.separator(before: $0) }
        tree.lastKey = leaf.key(leaf.count - 1)
        let totals = PageTotals(of: leaf, tree.record.declaration)
        let number = pageCount
        leaf.withPage { page.copy($0, used: leaf.used, pageNumber: number, tree.seal) }
        let checksum = try appendPage()
        tree.record.entryCount += UInt64(leaf.count)
        tree.record.keyByteCount += UInt64(sizes.keyByteCount)
        tree.record.valueByteCount += UInt64(sizes.valueByteCount)
        tree.record.leafPages += 1
        tree.record.usedByteCount += UInt64(leaf.used)
        try add(ChildPage(separator: separator, page: number, checksum: checksum, totals: totals), level: 0, to: &tree)
        return true
    }

    /// Pages are taken over from three quarters on, so that a snapshot stays dense.
    private static let wellFilledByteCount = NodeLayout.pageByteCount * 3 / 4

    mutating func endTree(_ tree: OpenTree) throws(StorageError) {
        var tree = tree
        if tree.leaves.count > 0 { try finishLeaf(of: &tree) }
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
    }

    private mutating func finishLeaf(of tree: inout OpenTree) throws(StorageError) {
        let separator = tree.leaves.withKey(0) { tree.separator(before: $0) }
        tree.lastKey = tree.leaves.withKey(tree.leaves.count - 1) { $0.copyBytes() }
        let number = pageCount
        let (totals, used) = tree.leaves.finish(into: &page, pageNumber: number, tree.seal)
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
