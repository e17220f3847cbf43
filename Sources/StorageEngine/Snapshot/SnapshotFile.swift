import Synchronization

/// An opened snapshot: the mapping, which pages of it have been verified, and the superblock.
///
/// Safe because the mapping is at least as long as the superblock says that pages and cold region reach, and because the
/// words of bits, two for every 64 pages, live as long as this object.
@safe final class SnapshotFile: @unchecked Sendable {
    // Safe to share because everything is immutable but the verification bits, which are atomic.
    let path: String
    let superblock: Superblock
    /// The first superblock could not be read and the copy at the end served.
    let usedSpareSuperblock: Bool
    private let mapping: Mapping
    private let origin: PageOrigin
    /// Of the pages that were verified, and behind those of the pages that were replaced.
    private let verified: UnsafeMutablePointer<Atomic<UInt64>>
    private let verifiedWordCount: Int

    /// Maps the file and reads its superblock and its catalogue. Touches one page, and one for every 25 trees.
    ///
    /// `generation` is the one in the file's name. The first superblock that is sound and speaks of this file serves: of
    /// the two, the one at the end when it is `preferringSpare`.
    ///
    /// - Parameter part: where in the file the snapshot lies, from a page's beginning on; `nil` where it is the whole file.
    convenience init(
        opening path: String, part: Range<Int>? = nil, generation: UInt64, preferringSpare: Bool = false,
        _ fileSystem: any FileSystem
    ) throws(StorageError) {
        let file = try fileSystem.openFile(path, .reading)
        defer { file.close() }
        let byteCount = try file.byteCount()
        let part = part ?? 0..<byteCount
        guard part.count >= 2 * NodeLayout.pageByteCount, part.upperBound <= byteCount else {
            throw .damaged(Damage(file: path, byteOffset: 0, finding: "the file is too short for a snapshot"))
        }
        let whole = try file.map()
        guard part.upperBound <= whole.byteCount else {
            throw .damaged(Damage(file: path, byteOffset: 0, finding: "the file was cut while it was opened"))
        }
        let mapping = part.count == whole.byteCount ? whole : whole.part(part)
        let last = mapping.byteCount / NodeLayout.pageByteCount * NodeLayout.pageByteCount - NodeLayout.pageByteCount
        let places = preferringSpare ? [last, 0] : [0, last]
        let isCold = mapping.isWaitLikely(at: [0])
        if isCold { mapping.prefetch(0..<min(Self.frontByteCount, mapping.byteCount)) }
        let superblock: Superblock
        let usedSpareSuperblock: Bool
        do throws(StorageError) {
            superblock = try Self.superblock(in: mapping, at: places[0], path, generation)
            usedSpareSuperblock = preferringSpare
        } catch {
            // Its checksum is right, and a copy that does not say so may not be believed.
            if case .unknownFeatures = error, !preferringSpare { throw error }
            // A sound copy also tells a rotten version number from a newer format, and an old page from this file's.
            do throws(StorageError) {
                superblock = try Self.superblock(in: mapping, at: places[1], path, generation)
            } catch let other {
                if case .unknownFeatures = other { throw other }
                throw error
            }
            usedSpareSuperblock = !preferringSpare
        }
        self.init(path, mapping, superblock, usedSpareSuperblock: usedSpareSuperblock, isCold: isCold)
        if isCold { pages.ask(for: superblock.trees.map { Int($0.rootPage) }.filter { $0 > 0 }) }
    }

    /// Where superblock, catalogue and the first screen lie.
    private static let frontByteCount = 64 << 10

    /// Maps what there is of a file that is still being written: the trees that `superblock` names so far, of which no value may
    /// lie in the cold region.
    convenience init(
        unfinished path: String, _ superblock: Superblock, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        let file = try fileSystem.openFile(path, .reading)
        defer { file.close() }
        let mapping = try file.map()
        precondition(mapping.byteCount >= Int(superblock.pageCount) * NodeLayout.pageByteCount, "its pages are written")
        self.init(path, mapping, superblock, usedSpareSuperblock: false)
    }

    /// Stands for a file that could not be mapped, or not yet: to read any page of it throws `reason`.
    convenience init(absent path: String, _ reason: StorageError) {
        let superblock = Superblock(
            store: StoreIdentifier(bytes: [UInt8](repeating: 0, count: 16)), generation: 0, commitNumber: 0, created: 0,
            logSequence: 0, logChecksum: 0)
        self.init(path, Mapping(copying: []), superblock, usedSpareSuperblock: false, absence: reason)
    }

    private init(
        _ path: String, _ mapping: Mapping, _ superblock: Superblock, usedSpareSuperblock: Bool,
        isCold: Bool = false, absence: StorageError? = nil
    ) {
        self.path = path
        self.mapping = mapping
        self.superblock = superblock
        self.usedSpareSuperblock = usedSpareSuperblock
        origin = PageOrigin(
            path, mapping, isCold: isCold, coldByteCount: superblock.coldByteCount,
            PageSeal(store: superblock.store, generation: superblock.generation), absence: absence)
        verifiedWordCount = (Int(superblock.pageCount) + 63) / 64
        // Two bits a page: 44 KB at a million works, the only thing at opening that grows with the store.
        unsafe verified = Self.zeros(2 * verifiedWordCount)
    }

    deinit { unsafe verified.deinitialize(count: 2 * verifiedWordCount).deallocate() }

    private static func zeros(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        let words = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: count)
        for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
        return unsafe words
    }

    /// Pages that were verified since the file was opened.
    var touchedPageCount: Int {
        (0..<verifiedWordCount).reduce(0) {
            unsafe $0 + (verified + $1).pointee.load(ordering: .relaxed).nonzeroBitCount
        }
    }

    /// The superblock at `byteOffset`, when it is one of this file: of its length and of the generation in its name.
    private static func superblock(
        in mapping: Mapping, at byteOffset: Int, _ path: String, _ generation: UInt64
    ) throws(StorageError) -> Superblock {
        let page = byteOffset..<byteOffset + NodeLayout.pageByteCount
        var superblock = try mapping.withBytes { (bytes) throws(StorageError) in
            try Superblock(decoding: bytes.extracting(page), path: path, at: byteOffset)
        }
        guard superblock.generation == generation else {
            throw .damaged(
                Damage(
                    file: path, byteOffset: byteOffset, page: byteOffset / NodeLayout.pageByteCount,
                    finding:
                        "the superblock is of generation \(superblock.generation), the file's name says \(generation)"
                ))
        }
        guard superblock.fileByteCount == UInt64(mapping.byteCount) else {
            throw .damaged(
                Damage(
                    file: path, byteOffset: min(mapping.byteCount, Int(superblock.fileByteCount)),
                    finding: "the file has \(mapping.byteCount) bytes, its superblock says \(superblock.fileByteCount)")
            )
        }
        try mapping.withBytes { (bytes) throws(StorageError) in
            try superblock.readCatalogue(of: bytes.extracting(page), path: path, at: byteOffset) { place in
                bytes.copyBytes(place.clamped(to: 0..<bytes.byteCount))
            }
        }
        return superblock
    }

    var pages: PageSource {
        unsafe PageSource(
            base: mapping.base, pageCount: Int(superblock.pageCount), verified: verified,
            replaced: verified + verifiedWordCount, origin: origin)
    }

    /// The tree cannot be read: commits behind the snapshot change a page that is damaged.
    func note(_ damage: Damage, of tree: TreeNumber) { origin.note(damage, of: tree.rawValue) }
    func damage(of tree: TreeNumber) -> Damage { origin.damage(of: tree.rawValue) }

    /// What was met by reading so far.
    var metDamages: [Damage] { origin.metDamages }
    func noteMet(_ damage: Damage) { origin.noteMet(damage) }
    func whenDamageIsMet(_ body: @escaping @Sendable (Damage) -> Void) { origin.whenMet(body) }

    /// The tree that a page which cannot be read is of, as those beside it say: the pages of a tree lie together. At the end of a tree, the one of both
    /// that the page itself names. `nil` when they do not tell.
    func tree(ofDamagedPage page: Int) -> TreeNumber? {
        let beside = Set([page - 1, page + 1].compactMap(sealedTree))
        if beside.count == 1 { return beside.first }
        guard (1..<Int(superblock.pageCount)).contains(page) else { return nil }
        let named = pages.withPage(UInt32(page)) { TreeNumber($0.load(NodeField.tree)) }
        return beside.contains(named) ? named : nil
    }

    /// The tree of a page that is proved to be this file's.
    private func sealedTree(of page: Int) -> TreeNumber? {
        guard (1..<Int(superblock.pageCount)).contains(page) else { return nil }
        let seal = PageSeal(store: superblock.store, generation: superblock.generation)
        let tree = pages.withPage(UInt32(page)) { seal.isOn($0) ? $0.load(NodeField.tree) : 0 }
        return tree == 0 ? nil : TreeNumber(tree)
    }

    /// The whole file.
    func withBytes<Result, Failure>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try mapping.withBytes(body)
    }

    var byteCount: Int { mapping.byteCount }

    /// Whether the mapping is a file's: pages of the system, which it can drop.
    var isOfFile: Bool { mapping.isOfFile }

    /// Of the bits that remember which pages were verified, and which were replaced.
    var markByteCount: Int { 2 * verifiedWordCount * 8 }

    /// For one who is about to read the file from front to back.
    var readAhead: ReadAhead { ReadAhead(mapping) }

    /// What a companion is bound to: the superblock holds the checksums of the roots, those of the pages below, and so on.
    var identity: SnapshotIdentity {
        let checksum = withBytes { $0.load(SuperblockField.checksum, at: superblockOffset) }
        return SnapshotIdentity(store: superblock.store, generation: superblock.generation, checksum: checksum)
    }

    /// Of the superblock that serves.
    private var superblockOffset: Int { usedSpareSuperblock ? mapping.byteCount - NodeLayout.pageByteCount : 0 }

    /// As that superblock knows its catalogue.
    var cataloguePages: CataloguePages {
        withBytes {
            CataloguePages(of: $0.extracting(superblockOffset..<superblockOffset + NodeLayout.pageByteCount))
        }
    }

    var cold: ColdRegion { ColdRegion(superblock, path: path) }
}
