/// Where a leaf's cold value lies: 16 bytes in the leaf.
///
///     0  block    u64  offset of the block within the cold region
///     8  offset   u32  within the decoded block
///     12 count    u32  bytes
struct ColdReference: Hashable {
    let block: UInt64
    let offset: UInt32
    let count: UInt32

    init(block: UInt64, offset: UInt32, count: UInt32) {
        self.block = block
        self.offset = offset
        self.count = count
    }

    init(cell: RawSpan) {
        block = cell.loadLittleEndian(at: 0, as: UInt64.self)
        offset = cell.loadLittleEndian(at: 8, as: UInt32.self)
        count = cell.loadLittleEndian(at: 12, as: UInt32.self)
    }
}
