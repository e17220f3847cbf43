@testable import StorageEngine

/// Puts right checksums on a snapshot file that was changed: superblocks, every page from the leaves up, cold blocks. What was
/// changed then stands behind them, as an enemy's bytes would.
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
        let treeCount = min(Int(number(60, UInt32.self)), Limits.treeCount)
        for tree in 0..<treeCount {
            let start = Superblock.treesOffset + tree * Superblock.treeByteCount
            let root = Int(number(start + 4, UInt32.self))
            if root > 0, let checksum = seal(root, depth: 0) { bytes.set(littleEndian: checksum, at: start + 8) }
        }
        bytes.set(
            littleEndian: CRC32C.checksum(Array(bytes[..<Superblock.checksumOffset])), at: Superblock.checksumOffset)
        bytes.replaceSubrange(bytes.count - page..<bytes.count, with: bytes[..<page])
    }

    private var page: Int { NodeLayout.pageByteCount }

    private func number<Integer: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: Integer.Type) -> Integer {
        bytes.span.bytes.loadLittleEndian(at: offset, as: type)
    }

    /// The checksum of a page whose children have theirs. A page that is its own ancestor cannot have one.
    private mutating func seal(_ number: Int, depth: Int) -> UInt32? {
        let start = number * page
        guard number > 0, start + page <= bytes.count - page else { return nil }
        if visited.insert(number).inserted, bytes[start] == NodeLayout.branch, depth < 16 {
            let count = Int(self.number(start + 2, UInt16.self))
            let children = start + NodeLayout.headerByteCount + count * 8
            for index in 0..<count where children + count * 12 <= start + page {
                let child = self.number(children + index * 8, UInt64.self) >> 1
                guard let checksum = seal(Int(clamping: child & 0xFFFF_FFFF), depth: depth + 1) else { continue }
                bytes.set(littleEndian: checksum, at: children + count * 8 + index * 4)
            }
        }
        return CRC32C.checksum(Array(bytes[start..<start + page]))
    }

    private mutating func sealColdBlocks() {
        let identity = ColdIdentity(
            Superblock(
                store: SnapshotImage.store, generation: SnapshotImage.generation, commitNumber: 1, created: 0,
                logSequence: 2))
        let region = Int(clamping: number(64, UInt64.self))
        var start = region
        while start >= 0, start <= bytes.count - ColdBlock.headerByteCount - page,
            number(start, UInt32.self) == ColdBlock.magic
        {
            let stored = Int(number(start + 4, UInt32.self))
            guard stored <= bytes.count - start - ColdBlock.headerByteCount else { return }
            let body = start + ColdBlock.headerByteCount
            let checksum = ColdBlock.checksum(
                header: bytes.span.bytes.extracting(start..<body), block: UInt64(start - region),
                of: identity,
                stored: bytes.span.bytes.extracting(body..<body + stored))
            bytes.set(littleEndian: checksum, at: start + 12)
            start += ColdBlock.headerByteCount + stored
        }
    }
}
