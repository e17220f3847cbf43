/// The cold region of a damaged snapshot file, read block by block.
struct SalvagedCold: Sendable {
    let file: SalvageFile
    let identity: ColdIdentity
    /// Where the region begins; `nil` when that is unknown.
    let byteOffset: Int?
    let byteCount: Int

    init(_ file: SalvageFile, _ identity: ColdIdentity, _ superblock: Superblock) {
        self.file = file
        self.identity = identity
        byteOffset = Int(superblock.coldOffset)
        byteCount = Int(superblock.coldByteCount)
    }

    /// With both heads lost: looks for the region behind the last page.
    ///
    /// It begins where a page would, and a block's checksum includes its offset within the region: one block that proves
    /// sound under an assumed beginning confirms it.
    static func search(
        _ file: SalvageFile, _ identity: ColdIdentity, behind page: Int
    ) throws(StorageError) -> SalvagedCold {
        let first = (page + 1) * NodeLayout.pageByteCount
        let starts = stride(from: first, to: file.byteCount, by: NodeLayout.pageByteCount).prefix(searchedPages)
        for start in starts {
            let candidate = SalvagedCold(file, identity, byteOffset: start, byteCount: file.byteCount - start)
            for block in try candidate.likelyBlocks() where try candidate.block(at: block) != nil { return candidate }
        }
        return SalvagedCold(file, identity, byteOffset: nil, byteCount: 0)
    }

    /// Lost pages may lie between the last one that was proved and the region.
    private static let searchedPages = 64
    private static let searchedBlocks = 8

    private init(_ file: SalvageFile, _ identity: ColdIdentity, byteOffset: Int?, byteCount: Int) {
        self.file = file
        self.identity = identity
        self.byteOffset = byteOffset
        self.byteCount = byteCount
    }

    /// The first few places that begin like a block.
    private func likelyBlocks() throws(StorageError) -> [UInt64] {
        guard let byteOffset else { return [] }
        let bytes = try file.bytes(byteOffset..<byteOffset + min(byteCount, Self.searchedBlocks * 32 << 10))
        return bytes.withBytes { bytes in
            var blocks: [UInt64] = []
            var position = 0
            while blocks.count < Self.searchedBlocks,
                let block = bytes.firstOccurrence(of: ColdBlock.magic, from: position)
            {
                blocks.append(UInt64(block))
                position = block + 1
            }
            return blocks
        }
    }

    /// A whole block, decoded; `nil` when its bytes are not what was written.
    func block(at start: UInt64) throws(StorageError) -> [UInt8]? {
        guard let byteOffset, byteOffset <= file.byteCount else { return nil }
        // Of a file that was cut what is left of the region.
        let heldByteCount = min(byteCount, file.byteCount - byteOffset)
        guard start <= UInt64(heldByteCount), heldByteCount - Int(start) >= ColdBlock.headerByteCount else {
            return nil
        }
        let place = byteOffset + Int(start)
        let header = try file.bytes(place..<place + ColdBlock.headerByteCount)
        guard let stored = header.withBytes({ try? ColdBlock.counts($0, of: identity) })?.stored else { return nil }
        // As many bytes as it claims, when there are as many.
        let count = min(ColdBlock.headerByteCount + stored, heldByteCount - Int(start))
        let bytes = try file.bytes(place..<place + count)
        return bytes.withBytes { try? ColdBlock.decode($0, at: start, of: identity).bytes }
    }

    func damage(_ reference: ColdReference) -> Damage {
        damage(
            reference,
            byteOffset == nil ? "the cold region cannot be found" : "the block is not what was written, or is not there"
        )
    }

    func damage(_ reference: ColdReference, _ finding: String) -> Damage {
        Damage(file: file.path, byteOffset: (byteOffset ?? 0) + Int(clamping: reference.block), finding: finding)
    }
}

/// Reads cold values, keeping the block last decoded: values that follow each other usually share it.
struct SalvagedColdReader: Sendable {
    private let region: SalvagedCold
    private var last: (start: UInt64, bytes: [UInt8]?)?

    init(_ region: SalvagedCold) { self.region = region }

    mutating func value(_ reference: ColdReference) throws(StorageError) -> (value: [UInt8]?, damage: Damage?) {
        if last?.start != reference.block { last = (reference.block, try region.block(at: reference.block)) }
        guard let block = last?.bytes,
            UInt64(reference.offset) + UInt64(reference.count) <= UInt64(block.count)
        else { return (nil, region.damage(reference)) }
        let start = Int(reference.offset)
        let value = Array(block[start..<start + Int(reference.count)])
        guard value.withBytes({ EntryHash.hash($0) }) == reference.hash else {
            return (
                nil,
                region.damage(reference, "the value at \(start) of the block has another hash than its reference says")
            )
        }
        return (value, nil)
    }
}
