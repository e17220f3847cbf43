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

    init(cell: UnsafeRawBufferPointer) {
        block = cell.littleEndian(0, UInt64.self)
        offset = cell.littleEndian(8, UInt32.self)
        count = cell.littleEndian(12, UInt32.self)
    }
}
