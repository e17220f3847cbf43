@testable import StorageEngine

/// Puts right checksums and seals on a snapshot file that was changed: superblocks, every page from the leaves up, homes before the pages whose places
/// lead there, symbols, cold blocks. What was changed then stands behind them, as an enemy's bytes would.
struct SnapshotSealing {
    private(set) var bytes: [UInt8]
    private var visited: Set<Int> = []

    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var sealing = SnapshotSealing(bytes: bytes)
        sealing.run()
        return sealing.bytes
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func run() {
        guard bytes.count >= 2 * page else { return }
        sealColdBlocks()
        let catalogue = CataloguePages(of: bytes.span.bytes)
        let place = catalogue.bytes(ofSuperblockAt: 0)
        let isThere = place.upperBound + place.count + page <= bytes.count
        if isThere {
            for tree in 0..<catalogue.treeCount {
                let start = place.lowerBound + CatalogueField.start(ofTree: tree)
                let root = Int(bytes.load(CatalogueField.rootPage, at: start))
                if root > 0, let checksum = seal(root, depth: 0) {
                    bytes.store(checksum, in: CatalogueField.rootChecksum, at: start)
                }
            }
            bytes.store(CRC32C.checksum(Array(bytes[place])), in: SuperblockField.catalogueChecksum)
        }
        bytes.store(CRC32C.checksum(bytes, before: SuperblockField.checksum), in: SuperblockField.checksum)
        let spare = bytes.count - page
        if isThere { bytes.replaceSubrange(catalogue.bytes(ofSuperblockAt: spare), with: bytes[place]) }
        bytes.replaceSubrange(spare..<bytes.count, with: bytes[..<page])
    }

    private var page: Int { NodeLayout.pageByteCount }

    /// The checksum of a page whose children have theirs. A page that is its own ancestor cannot have one.
    private mutating func seal(_ number: Int, depth: Int) -> UInt32? {
        let start = number * page
        guard number > 0, start + page <= bytes.count - page else { return nil }
        guard visited.insert(number).inserted, depth < 16 else { return checksum(ofPageAt: start) }
        switch bytes[start] {
        case NodeLayout.branch: sealChildren(ofPageAt: start, depth: depth)
        case NodeLayout.permutationLeaf:
            let home = Int(bytes.load(PermutationField.homeRoot, at: start))
            if let checksum = seal(home, depth: depth + 1) {
                bytes.store(checksum, in: PermutationField.homeRootChecksum, at: start)
            }
        case NodeLayout.packedLeaf: _ = seal(Int(bytes.load(PackedField.symbolsPage, at: start)), depth: depth + 1)
        default: break
        }
        var sealed = Array(bytes[start..<start + page])
        PageSeal(store: SnapshotImage.store, generation: SnapshotImage.generation).put(on: &sealed)
        bytes.replaceSubrange(start..<start + page, with: sealed)
        return checksum(ofPageAt: start)
    }

    private func checksum(ofPageAt start: Int) -> UInt32 { CRC32C.checksum(Array(bytes[start..<start + page])) }

    private mutating func sealChildren(ofPageAt start: Int, depth: Int) {
        let count = Int(bytes.load(NodeField.count, at: start))
        let arrays = NodeArrays(
            capacity: count, columnCount: min(Int(bytes.load(NodeField.columnCount, at: start)), Limits.columnCount))
        for index in 0..<count where arrays.checksums.end <= page {
            let child = bytes.load(arrays.children[index], at: start) >> 1
            guard let checksum = seal(Int(clamping: child & 0xFFFF_FFFF), depth: depth + 1) else { continue }
            bytes.store(checksum, in: arrays.checksums[index], at: start)
        }
    }

    private mutating func sealColdBlocks() {
        let identity = ColdIdentity(
            Superblock(
                store: SnapshotImage.store, generation: SnapshotImage.generation, commitNumber: 1, created: 0,
                logSequence: 2))
        let region = Int(clamping: bytes.load(SuperblockField.coldOffset))
        var start = region
        while start >= 0, start <= bytes.count - ColdBlock.headerByteCount - page,
            bytes.load(ColdBlockField.magic, at: start) == ColdBlock.magic
        {
            let stored = Int(bytes.load(ColdBlockField.storedCount, at: start))
            guard stored <= bytes.count - start - ColdBlock.headerByteCount else { return }
            let body = start + ColdBlock.headerByteCount
            let checksum = ColdBlock.checksum(
                header: bytes.span.bytes.extracting(start..<body), block: UInt64(start - region),
                of: identity,
                stored: bytes.span.bytes.extracting(body..<body + stored))
            bytes.store(checksum, in: ColdBlockField.checksum, at: start)
            start += ColdBlock.headerByteCount + stored
        }
    }
}
