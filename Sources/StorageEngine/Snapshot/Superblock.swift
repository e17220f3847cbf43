/// The first page of a snapshot file, and again its last: what the file is and where its trees begin.
/// `Formats/SNAPSHOT.md` draws it.
struct Superblock: Sendable, Equatable {
    static let magic: [UInt8] = Array("BOOKDBSN".utf8)
    static let formatVersion: UInt32 = 1
    static let treesOffset = 128
    static let treeByteCount = 96
    static let checksumOffset = NodeLayout.pageByteCount - 4

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
    }

    func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.formatVersion)
        bytes.append(littleEndian: UInt32(NodeLayout.pageByteCount))
        bytes.append(contentsOf: store.bytes)
        bytes.append(littleEndian: generation)
        bytes.append(littleEndian: commitNumber)
        bytes.append(littleEndian: fileByteCount)
        bytes.append(littleEndian: pageCount)
        bytes.append(littleEndian: UInt32(trees.count))
        bytes.append(littleEndian: coldOffset)
        bytes.append(littleEndian: coldByteCount)
        bytes.append(littleEndian: created)
        bytes.append(littleEndian: logSequence)
        bytes.append(littleEndian: logChecksum)
        bytes.append(zeros: Self.treesOffset - bytes.count)
        for tree in trees {
            bytes.append(tree.declaration.number.rawValue)
            bytes.append(UInt8(tree.declaration.facetCount))
            bytes.append(tree.declaration.placement.rawValue)
            bytes.append(tree.height)
            bytes.append(littleEndian: tree.rootPage)
            bytes.append(littleEndian: tree.rootChecksum)
            bytes.append(littleEndian: tree.leafPages)
            bytes.append(littleEndian: tree.branchPages)
            bytes.append(littleEndian: UInt32(0))
            bytes.append(littleEndian: tree.entryCount)
            bytes.append(littleEndian: tree.keyByteCount)
            bytes.append(littleEndian: tree.valueByteCount)
            bytes.append(littleEndian: tree.usedByteCount)
            let name = Array(tree.declaration.name.utf8)
            bytes.append(contentsOf: name)
            bytes.append(zeros: Self.treeByteCount - 56 - name.count)
        }
        bytes.append(zeros: Self.checksumOffset - bytes.count)
        bytes.append(littleEndian: CRC32C.checksum(bytes))
        return bytes
    }

    /// What the log segment that a load or rescue begins names.
    var checksum: UInt32 { encoded().loadLittleEndian(at: Self.checksumOffset, as: UInt32.self) }

    /// Reads a superblock from one page of hostile bytes.
    init(decoding page: RawSpan, path: String, at byteOffset: Int) throws(StorageError) {
        func damage(_ finding: String) -> StorageError {
            .damaged(
                Damage(
                    file: path, byteOffset: byteOffset, page: byteOffset / NodeLayout.pageByteCount, finding: finding))
        }
        guard page.byteCount == NodeLayout.pageByteCount else { throw damage("the file ends within the superblock") }
        guard page.starts(with: Self.magic) else { throw damage("this is no superblock") }
        let version = page.loadLittleEndian(at: 8, as: UInt32.self)
        guard version <= Self.formatVersion else {
            throw .newerFormat(path: path, found: version, supported: Self.formatVersion)
        }
        let checksum = page.loadLittleEndian(at: Self.checksumOffset, as: UInt32.self)
        let computed = CRC32C.checksum(page.extracting(0..<Self.checksumOffset))
        guard checksum == computed else {
            throw damage(
                "the superblock's checksum is \(computed.hexadecimal), it says \(checksum.hexadecimal)"
            )
        }
        guard version == Self.formatVersion, page.loadLittleEndian(at: 12, as: UInt32.self) == NodeLayout.pageByteCount
        else {
            throw damage(
                "format \(version) with pages of \(page.loadLittleEndian(at: 12, as: UInt32.self)) bytes is unknown")
        }
        store = StoreIdentifier(bytes: page.copyBytes(16..<32))
        generation = page.loadLittleEndian(at: 32, as: UInt64.self)
        commitNumber = page.loadLittleEndian(at: 40, as: UInt64.self)
        fileByteCount = page.loadLittleEndian(at: 48, as: UInt64.self)
        pageCount = page.loadLittleEndian(at: 56, as: UInt32.self)
        let treeCount = Int(page.loadLittleEndian(at: 60, as: UInt32.self))
        coldOffset = page.loadLittleEndian(at: 64, as: UInt64.self)
        coldByteCount = page.loadLittleEndian(at: 72, as: UInt64.self)
        created = page.loadLittleEndian(at: 80, as: UInt64.self)
        logSequence = page.loadLittleEndian(at: 88, as: UInt64.self)
        logChecksum = page.loadLittleEndian(at: 96, as: UInt32.self)
        guard max(generation, commitNumber, logSequence) < Limits.numberLimit else {
            throw damage("its numbers are larger than a store gives out")
        }
        guard treeCount <= Limits.treeCount else { throw damage("\(treeCount) trees are more than a store has") }
        for index in 0..<treeCount {
            let start = Self.treesOffset + index * Self.treeByteCount
            let name = page.copyBytes(start + 56..<start + 56 + Limits.treeNameByteCount).prefix { $0 != 0 }
            guard let placement = ValuePlacement(rawValue: page.byte(at: start + 2)) else {
                throw damage("tree \(index) has an unknown placement")
            }
            guard let name = String(validating: name, as: UTF8.self) else {
                throw damage("the name of tree \(index) is not UTF-8")
            }
            let declaration = TreeDeclaration(
                TreeNumber(page.byte(at: start)), name,
                facetCount: Int(page.byte(at: start + 1)),
                placement: placement)
            if let objection = declaration.objection { throw damage(objection) }
            let tree = Tree(
                declaration: declaration, rootPage: page.loadLittleEndian(at: start + 4, as: UInt32.self),
                rootChecksum: page.loadLittleEndian(at: start + 8, as: UInt32.self), height: page.byte(at: start + 3),
                leafPages: page.loadLittleEndian(at: start + 12, as: UInt32.self),
                branchPages: page.loadLittleEndian(at: start + 16, as: UInt32.self),
                entryCount: page.loadLittleEndian(at: start + 24, as: UInt64.self),
                keyByteCount: page.loadLittleEndian(at: start + 32, as: UInt64.self),
                valueByteCount: page.loadLittleEndian(at: start + 40, as: UInt64.self),
                usedByteCount: page.loadLittleEndian(at: start + 48, as: UInt64.self))
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
