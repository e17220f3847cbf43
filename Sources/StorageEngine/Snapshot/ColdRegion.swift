/// The header of a cold block, 16 bytes; the stored bytes follow.
///
///     0  magic         "BDCB"
///     4  storedCount   u32
///     8  rawCount      u32  equal to storedCount when the bytes are not compressed
///     12 checksum      u32  over bytes 0..<12, the block's offset (u64), the store identifier and the stored bytes
enum ColdBlock {
    static let magic: UInt32 = 0x4243_4442
    static let headerByteCount = 16
    /// A block is closed when it holds this much; a longer value has a block of its own.
    static let targetByteCount = 16 << 10

    static func checksum(
        header: UnsafeRawBufferPointer, block: UInt64, store: StoreIdentifier, stored: UnsafeRawBufferPointer
    ) -> UInt32 {
        var seed = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: header[..<12]))
        var place: [UInt8] = []
        place.append(littleEndian: block)
        seed = CRC32C.checksum(place + store.bytes, seed: seed)
        return CRC32C.checksum(stored, seed: seed)
    }
}

/// The compressed part of a snapshot file. Each block is checked every time it is decoded.
struct ColdRegion {
    let bytes: UnsafeRawBufferPointer
    let path: String
    let fileOffset: Int
    let store: StoreIdentifier

    /// Decodes a whole block.
    func block(at start: UInt64) throws(StorageError) -> (bytes: [UInt8], next: UInt64) {
        let offset = Int(start)
        guard start <= UInt64(bytes.count), bytes.count - offset >= ColdBlock.headerByteCount else {
            throw damage(offset, "the block lies outside the cold region")
        }
        let header = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + ColdBlock.headerByteCount])
        let stored = Int(header.littleEndian(4, UInt32.self))
        let raw = Int(header.littleEndian(8, UInt32.self))
        guard header.littleEndian(0, UInt32.self) == ColdBlock.magic else {
            throw damage(offset, "this is no cold block")
        }
        guard stored <= bytes.count - offset - ColdBlock.headerByteCount,
            raw <= Limits.valueByteCount + ColdBlock.targetByteCount, raw >= stored, raw > 0,
            raw <= max(1, stored) * 256
        else { throw damage(offset, "the block's lengths \(stored) and \(raw) do not fit") }
        let body = UnsafeRawBufferPointer(
            rebasing: bytes[(offset + ColdBlock.headerByteCount)..<(offset + ColdBlock.headerByteCount + stored)])
        let computed = ColdBlock.checksum(header: header, block: start, store: store, stored: body)
        guard computed == header.littleEndian(12, UInt32.self) else {
            throw damage(
                offset,
                "the block's checksum is \(computed.hexadecimal), it says "
                    + header.littleEndian(12, UInt32.self).hexadecimal)
        }
        let next = start + UInt64(ColdBlock.headerByteCount + stored)
        if stored == raw { return ([UInt8](body), next) }
        var isWhole = false
        let decoded = [UInt8](unsafeUninitializedCapacity: raw) { buffer, count in
            isWhole = LZ4Block.decompress(body, into: UnsafeMutableRawBufferPointer(buffer))
            count = isWhole ? raw : 0
        }
        guard isWhole else { throw damage(offset, "the block does not decompress to \(raw) bytes") }
        return (decoded, next)
    }

    /// How many bytes the header at `start` says its block has, true or not, within the region.
    func claimedByteCount(at start: UInt64) -> Int {
        guard start + UInt64(ColdBlock.headerByteCount) <= UInt64(bytes.count) else { return 0 }
        return min(Int(bytes.littleEndian(Int(start) + 4, UInt32.self)), bytes.count)
    }

    func damage(_ offset: Int, _ finding: String) -> StorageError {
        .damaged(Damage(file: path, byteOffset: fileOffset + offset, finding: finding))
    }
}

/// Reads cold values, keeping the block last decoded: values that follow each other usually share it.
struct ColdReader {
    let region: ColdRegion
    private var last: (start: UInt64, bytes: [UInt8])?

    init(_ region: ColdRegion) { self.region = region }

    mutating func value<Result>(
        _ reference: ColdReference, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(StorageError) -> Result {
        if last?.start != reference.block {
            last = (reference.block, try region.block(at: reference.block).bytes)
        }
        let block = last!.bytes
        guard UInt64(reference.offset) + UInt64(reference.count) <= UInt64(block.count) else {
            throw region.damage(Int(reference.block), "a value lies outside its block")
        }
        let start = Int(reference.offset)
        // Only so does the work stay in proportion to the values: a large block has one value and is decoded once for it.
        guard block.count <= ColdBlock.targetByteCount || Int(reference.count) == block.count else {
            throw region.damage(Int(reference.block), "a value is part of a block that is too large for several")
        }
        return block.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[start..<start + Int(reference.count)]))
        }
    }
}
