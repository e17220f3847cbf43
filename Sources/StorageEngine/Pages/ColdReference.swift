/// Where a leaf's cold value lies: the cell that the leaf holds in its place. `Formats/SNAPSHOT.md` draws it.
struct ColdReference: Hashable {
    /// Offset of the block within the cold region.
    let block: UInt64
    /// Within the decoded block.
    let offset: UInt32
    /// Bytes of the value.
    let count: UInt32
    /// `EntryHash` of the value, so that the hash sum of a leaf is made without reading it.
    let hash: UInt64

    init(block: UInt64, offset: UInt32, count: UInt32, hash: UInt64) {
        self.block = block
        self.offset = offset
        self.count = count
        self.hash = hash
    }

    /// Reads the cell that begins at `start`. Precondition: it lies within the bytes.
    init(cell: RawSpan, at start: Int = 0) {
        block = cell.load(ColdReferenceField.block, at: start)
        offset = cell.load(ColdReferenceField.offset, at: start)
        count = cell.load(ColdReferenceField.count, at: start)
        hash = cell.load(ColdReferenceField.hash, at: start)
    }

    /// The cell, of `NodeLayout.referenceByteCount` bytes.
    func encoded() -> [UInt8] {
        var cell = [UInt8](repeating: 0, count: NodeLayout.referenceByteCount)
        cell.store(block, in: ColdReferenceField.block)
        cell.store(offset, in: ColdReferenceField.offset)
        cell.store(count, in: ColdReferenceField.count)
        cell.store(hash, in: ColdReferenceField.hash)
        return cell
    }
}
