/// The first page of a snapshot file, and again its last: what the file is and where its trees begin.
/// `Formats/SNAPSHOT.md` draws it.
struct Superblock: Sendable, Equatable {
    static let magic: [UInt8] = Array("BOOKDBSN".utf8)
    static let formatVersion: UInt32 = 1

    var store: StoreIdentifier
    var generation: UInt64
    /// The newest commit the snapshot contains.
    var commitNumber: UInt64
    var fileByteCount: UInt64 = 0
    /// Pages before the cold region, the superblock included.
    var pageCount: UInt32 = 1
    var coldOffset: UInt64 = 0
    var coldByteCount: UInt64 = 0
    /// Milliseconds since 1970.
    var created: UInt64
    /// The first log segment that is not contained in the snapshot.
    var logSequence: UInt64
    /// The chain value that segment continues: of the last frame before it. 0 when it names this superblock's checksum.
    var logChecksum: UInt32
    var trees: [Tree] = []

    struct Tree: Sendable, Equatable {
        var declaration: TreeDeclaration
        var rootPage: UInt32 = 0
        var rootChecksum: UInt32 = 0
        var height: UInt8 = 0
        var leafPages: UInt32 = 0
        var branchPages: UInt32 = 0
        var entryCount: UInt64 = 0
        var keyByteCount: UInt64 = 0
        var valueByteCount: UInt64 = 0
        /// Bytes in use within the pages.
        var usedByteCount: UInt64 = 0

        var root: TreeRoot {
            rootPage == 0 ? .empty : TreeRoot(reference: UInt64(rootPage) << 1 | 1, checksum: rootChecksum)
        }

        fileprivate func store(in bytes: inout [UInt8], at start: Int) {
            bytes.store(declaration.number.rawValue, in: SuperblockTreeField.number, at: start)
            bytes.store(UInt8(declaration.facetCount), in: SuperblockTreeField.facetCount, at: start)
            bytes.store(declaration.placement.rawValue, in: SuperblockTreeField.placement, at: start)
            bytes.store(height, in: SuperblockTreeField.height, at: start)
            bytes.store(rootPage, in: SuperblockTreeField.rootPage, at: start)
            bytes.store(rootChecksum, in: SuperblockTreeField.rootChecksum, at: start)
            bytes.store(leafPages, in: SuperblockTreeField.leafPages, at: start)
            bytes.store(branchPages, in: SuperblockTreeField.branchPages, at: start)
            bytes.store(entryCount, in: SuperblockTreeField.entryCount, at: start)
            bytes.store(keyByteCount, in: SuperblockTreeField.keyByteCount, at: start)
            bytes.store(valueByteCount, in: SuperblockTreeField.valueByteCount, at: start)
            bytes.store(usedByteCount, in: SuperblockTreeField.usedByteCount, at: start)
            bytes.store(Array(declaration.name.utf8), in: SuperblockTreeField.name, at: start)
        }
    }

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: NodeLayout.pageByteCount)
        bytes.store(Self.magic, in: SuperblockField.magic)
        bytes.store(Self.formatVersion, in: SuperblockField.formatVersion)
        bytes.store(UInt32(NodeLayout.pageByteCount), in: SuperblockField.pageByteCount)
        bytes.store(store.bytes, in: SuperblockField.store)
        bytes.store(generation, in: SuperblockField.generation)
        bytes.store(commitNumber, in: SuperblockField.commitNumber)
        bytes.store(fileByteCount, in: SuperblockField.fileByteCount)
        bytes.store(pageCount, in: SuperblockField.pageCount)
        bytes.store(UInt32(trees.count), in: SuperblockField.treeCount)
        bytes.store(coldOffset, in: SuperblockField.coldOffset)
        bytes.store(coldByteCount, in: SuperblockField.coldByteCount)
        bytes.store(created, in: SuperblockField.created)
        bytes.store(logSequence, in: SuperblockField.logSequence)
        bytes.store(logChecksum, in: SuperblockField.logChecksum)
        for (index, tree) in trees.enumerated() {
            tree.store(in: &bytes, at: SuperblockTreeField.start(ofTree: index))
        }
        let checksum = CRC32C.checksum(bytes, before: SuperblockField.checksum)
        bytes.store(checksum, in: SuperblockField.checksum)
        return bytes
    }

    /// What the log segment that a load or rescue begins names.
    var checksum: UInt32 { encoded().load(SuperblockField.checksum) }

    /// Reads a superblock from one page of hostile bytes.
    init(decoding page: RawSpan, path: String, at byteOffset: Int) throws(StorageError) {
        func damage(_ finding: String) -> StorageError {
            .damaged(
                Damage(
                    file: path, byteOffset: byteOffset, page: byteOffset / NodeLayout.pageByteCount, finding: finding))
        }
        guard page.byteCount == NodeLayout.pageByteCount else { throw damage("the file ends within the superblock") }
        guard page.has(Self.magic, in: SuperblockField.magic) else { throw damage("this is no superblock") }
        let version = page.load(SuperblockField.formatVersion)
        guard version <= Self.formatVersion else {
            throw .newerFormat(path: path, found: version, supported: Self.formatVersion)
        }
        let checksum = page.load(SuperblockField.checksum)
        let computed = CRC32C.checksum(page, before: SuperblockField.checksum)
        guard checksum == computed else {
            throw damage(
                "the superblock's checksum is \(computed.hexadecimal), it says \(checksum.hexadecimal)"
            )
        }
        let pageByteCount = page.load(SuperblockField.pageByteCount)
        guard version == Self.formatVersion, pageByteCount == NodeLayout.pageByteCount else {
            throw damage("format \(version) with pages of \(pageByteCount) bytes is unknown")
        }
        store = StoreIdentifier(bytes: page.load(SuperblockField.store))
        generation = page.load(SuperblockField.generation)
        commitNumber = page.load(SuperblockField.commitNumber)
        fileByteCount = page.load(SuperblockField.fileByteCount)
        pageCount = page.load(SuperblockField.pageCount)
        let treeCount = Int(page.load(SuperblockField.treeCount))
        coldOffset = page.load(SuperblockField.coldOffset)
        coldByteCount = page.load(SuperblockField.coldByteCount)
        created = page.load(SuperblockField.created)
        logSequence = page.load(SuperblockField.logSequence)
        logChecksum = page.load(SuperblockField.logChecksum)
        guard max(generation, commitNumber, logSequence) < Limits.numberLimit else {
            throw damage("its numbers are larger than a store gives out")
        }
        guard treeCount <= Limits.treeCount else { throw damage("\(treeCount) trees are more than a store has") }
        for index in 0..<treeCount {
            let start = SuperblockTreeField.start(ofTree: index)
            let name = page.load(SuperblockTreeField.name, at: start).prefix { $0 != 0 }
            guard let placement = ValuePlacement(rawValue: page.load(SuperblockTreeField.placement, at: start)) else {
                throw damage("tree \(index) has an unknown placement")
            }
            guard let name = String(validating: name, as: UTF8.self) else {
                throw damage("the name of tree \(index) is not UTF-8")
            }
            let declaration = TreeDeclaration(
                TreeNumber(page.load(SuperblockTreeField.number, at: start)), name,
                facetCount: Int(page.load(SuperblockTreeField.facetCount, at: start)),
                placement: placement)
            if let objection = declaration.objection { throw damage(objection) }
            let tree = Tree(
                declaration: declaration, rootPage: page.load(SuperblockTreeField.rootPage, at: start),
                rootChecksum: page.load(SuperblockTreeField.rootChecksum, at: start),
                height: page.load(SuperblockTreeField.height, at: start),
                leafPages: page.load(SuperblockTreeField.leafPages, at: start),
                branchPages: page.load(SuperblockTreeField.branchPages, at: start),
                entryCount: page.load(SuperblockTreeField.entryCount, at: start),
                keyByteCount: page.load(SuperblockTreeField.keyByteCount, at: start),
                valueByteCount: page.load(SuperblockTreeField.valueByteCount, at: start),
                usedByteCount: page.load(SuperblockTreeField.usedByteCount, at: start))
            guard max(tree.entryCount, tree.keyByteCount, tree.valueByteCount, tree.usedByteCount) < Limits.numberLimit
            else { throw damage("the totals of tree \(declaration.name) are larger than a store holds") }
            guard tree.rootPage < pageCount else {
                throw damage("the root of tree \(declaration.name) is no page of this file")
            }
            guard !trees.contains(where: { $0.declaration.number == tree.declaration.number }) else {
                throw damage("tree \(tree.declaration.number.rawValue) is there twice")
            }
            guard tree.rootPage == 0 || !trees.contains(where: { $0.rootPage == tree.rootPage }) else {
                throw damage("two trees begin at page \(tree.rootPage)")
            }
            trees.append(tree)
        }
        let pages = UInt64(pageCount) * UInt64(NodeLayout.pageByteCount)
        guard pageCount > 0, coldOffset >= pages, max(coldOffset, coldByteCount, fileByteCount) <= 1 << 48,
            fileByteCount % UInt64(NodeLayout.pageByteCount) == 0,
            coldOffset + coldByteCount + UInt64(NodeLayout.pageByteCount) <= fileByteCount
        else { throw damage("the regions do not fit the file") }
    }

    init(
        store: StoreIdentifier, generation: UInt64, commitNumber: UInt64, created: UInt64, logSequence: UInt64,
        logChecksum: UInt32 = 0
    ) {
        self.store = store
        self.generation = generation
        self.commitNumber = commitNumber
        self.created = created
        self.logSequence = logSequence
        self.logChecksum = logChecksum
    }
}
