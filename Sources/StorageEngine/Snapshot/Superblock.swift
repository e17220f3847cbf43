/// The first page of a snapshot file, and again its last: what the file is. The catalogue behind the first, and again before the
/// last, says where its trees begin. `Formats/SNAPSHOT.md` draws them.
struct Superblock: Sendable, Equatable {
    static let magic: [UInt8] = Array("BOOKDBSN".utf8)
    static let formatVersion: UInt32 = 1

    var store: StoreIdentifier
    var generation: UInt64
    /// The newest commit the snapshot contains.
    var commitNumber: UInt64
    var fileByteCount: UInt64 = 0
    /// Pages before the cold region, the superblock and the catalogue included.
    var pageCount: UInt32 = 1
    var coldOffset: UInt64 = 0
    var coldByteCount: UInt64 = 0
    /// Milliseconds since 1970.
    var created: UInt64
    /// The first log segment that is not contained in the snapshot.
    var logSequence: UInt64
    /// The chain value that segment continues: of the last frame before it. 0 when it names this superblock's checksum.
    var logChecksum: UInt32
    /// Whether it was written by a load, a rescue or a restore: the segment behind it names it, and continues no other.
    var hasLogOfItsOwn: Bool { logChecksum == 0 && generation > 1 }
    /// What a later version has added to this file, or to the log behind it.
    var features = FormatFeatures()
    /// Bytes at the end of each page of a tree that are not the tree's: room for an authentication tag.
    var pageTrailerByteCount: UInt8 = 0
    /// The same of the bytes that a cold block stores.
    var blockTrailerByteCount: UInt8 = 0
    /// What the catalogue says. Read apart, so none behind decoding a superblock alone.
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
        /// Where the symbols lie that values of packed pages are written in; 0 without any.
        var symbolsPage: UInt32 = 0

        var root: TreeRoot {
            rootPage == 0 ? .empty : TreeRoot(reference: UInt64(rootPage) << 1 | 1, checksum: rootChecksum)
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
        bytes.store(CRC32C.checksum(encodedCatalogue()), in: SuperblockField.catalogueChecksum)
        bytes.store(coldOffset, in: SuperblockField.coldOffset)
        bytes.store(coldByteCount, in: SuperblockField.coldByteCount)
        bytes.store(created, in: SuperblockField.created)
        bytes.store(logSequence, in: SuperblockField.logSequence)
        bytes.store(logChecksum, in: SuperblockField.logChecksum)
        bytes.store(features.compatible, in: SuperblockField.compatible)
        bytes.store(features.readOnly, in: SuperblockField.readOnly)
        bytes.store(features.incompatible, in: SuperblockField.incompatible)
        bytes.store(pageTrailerByteCount, in: SuperblockField.pageTrailerCount)
        bytes.store(blockTrailerByteCount, in: SuperblockField.blockTrailerCount)
        let checksum = CRC32C.checksum(bytes, before: SuperblockField.checksum)
        bytes.store(checksum, in: SuperblockField.checksum)
        return bytes
    }

    /// Reads a superblock from one page of hostile bytes, without the trees.
    ///
    /// - Throws: `.damaged`, `.newerFormat`; `.unknownFeatures` only for one whose checksum is right.
    init(
        decoding page: RawSpan, path: String, at byteOffset: Int
    ) throws(StorageError) {
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
        features = FormatFeatures(
            compatible: page.load(SuperblockField.compatible), readOnly: page.load(SuperblockField.readOnly),
            incompatible: page.load(SuperblockField.incompatible))
        // Before anything else, which may mean something else then.
        try features.requireReadable(path)
        pageTrailerByteCount = page.load(SuperblockField.pageTrailerCount)
        blockTrailerByteCount = page.load(SuperblockField.blockTrailerCount)
        let pageByteCount = page.load(SuperblockField.pageByteCount)
        guard version == Self.formatVersion, pageByteCount == NodeLayout.pageByteCount else {
            throw damage("format \(version) with pages of \(pageByteCount) bytes is unknown")
        }
        store = StoreIdentifier(bytes: page.load(SuperblockField.store))
        generation = page.load(SuperblockField.generation)
        commitNumber = page.load(SuperblockField.commitNumber)
        fileByteCount = page.load(SuperblockField.fileByteCount)
        pageCount = page.load(SuperblockField.pageCount)
        coldOffset = page.load(SuperblockField.coldOffset)
        coldByteCount = page.load(SuperblockField.coldByteCount)
        created = page.load(SuperblockField.created)
        logSequence = page.load(SuperblockField.logSequence)
        logChecksum = page.load(SuperblockField.logChecksum)
        guard max(generation, commitNumber, logSequence) < Limits.numberLimit else {
            throw damage("its numbers are larger than a store gives out")
        }
        let treeCount = page.load(SuperblockField.treeCount)
        guard treeCount <= Limits.treeCount else { throw damage("\(treeCount) trees are more than a store has") }
        let headPageCount = 1 + CataloguePages(of: page).count
        let pages = UInt64(pageCount) * UInt64(NodeLayout.pageByteCount)
        let head = UInt64(headPageCount * NodeLayout.pageByteCount)
        guard pageCount >= headPageCount, coldOffset >= pages,
            max(coldOffset, coldByteCount, fileByteCount) <= 1 << 48,
            fileByteCount % UInt64(NodeLayout.pageByteCount) == 0, coldOffset + coldByteCount + head <= fileByteCount
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
