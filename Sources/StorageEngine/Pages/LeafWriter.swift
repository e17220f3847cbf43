/// Lays out a memory leaf, entry by entry in key order.
struct LeafWriter {
    private let node: UnsafeMutableRawPointer
    private let capacity: Int
    private let facetCount: Int
    private let byteCount: Int
    private var count = 0
    private var used: Int

    /// `isGrowing` leaves more room: a leaf that outgrew its node within one commit will do so again.
    init(heap: NodeHeap, count: Int, facetCount: Int, ownByteCount: Int, kind: UInt8, isGrowing: Bool) {
        // Room for a few more entries, so that neighbours that follow soon need no new node.
        capacity = count + 2 + (isGrowing ? count / 2 : count / 8)
        self.facetCount = facetCount
        let arrays = NodeLayout.leafArraysByteCount(capacity: capacity, facetCount: facetCount)
        used = NodeLayout.headerByteCount + arrays
        let slack = 64 + (isGrowing ? ownByteCount / 2 : ownByteCount / 4)
        byteCount = (used + ownByteCount + slack + 15) & ~15
        node = heap.allocate(byteCount: byteCount)
        // Safe because the header and the arrays lie within the allocation.
        node.initializeMemory(as: UInt8.self, repeating: 0, count: NodeLayout.headerByteCount)
        node.storeBytes(of: kind, toByteOffset: 0, as: UInt8.self)
        node.storeBytes(of: UInt8(facetCount), toByteOffset: 1, as: UInt8.self)
        node.storeBytes(of: UInt16(capacity), toByteOffset: 4, as: UInt16.self)
        node.storeBytes(of: NodeHeap.memoryMark, toByteOffset: 16, as: UInt64.self)
    }

    /// Amends the page that `source` is or amends, and shares its prefix.
    mutating func setBase(of source: Node) {
        node.storeBytes(of: UInt64(UInt(bitPattern: source.base)), toByteOffset: 16, as: UInt64.self)
        node.storeBytes(of: UInt16(source.prefixLength), toByteOffset: 6, as: UInt16.self)
        node.storeBytes(of: UInt16(source.prefixOffset), toByteOffset: 8, as: UInt16.self)
    }

    mutating func setPrefix(_ prefix: RawSpan) {
        node.storeBytes(of: UInt16(prefix.byteCount), toByteOffset: 6, as: UInt16.self)
        node.storeBytes(of: UInt16(used), toByteOffset: 8, as: UInt16.self)
        prefix.withUnsafeBytes { write($0) }
    }

    mutating func append(baseSlot slot: UInt64, facets: UInt16) {
        store(slot | NodeLayout.inBase, facets)
    }

    mutating func append(suffix: UnsafeRawBufferPointer, word: UInt16, cell: UnsafeRawBufferPointer, facets: UInt16) {
        let slot = UInt64(suffix.keyHead) << 32 | UInt64(suffix.count) << 16 | UInt64(used)
        node.storeBytes(of: word, toByteOffset: used, as: UInt16.self)
        used += 2
        write(suffix)
        write(cell)
        store(slot, facets)
    }

    func finish(pageByteCount: Int) -> Node {
        node.storeBytes(of: UInt16(count), toByteOffset: 2, as: UInt16.self)
        node.storeBytes(of: UInt32(used), toByteOffset: 12, as: UInt32.self)
        node.storeBytes(of: UInt32(pageByteCount), toByteOffset: 24, as: UInt32.self)
        precondition(used <= byteCount && used <= 0x8000, "a leaf's entries lie within reach of a slot's offset")
        return Node(node)
    }

    private mutating func store(_ slot: UInt64, _ facets: UInt16) {
        node.storeBytes(of: slot, toByteOffset: NodeLayout.headerByteCount + count * 8, as: UInt64.self)
        if facetCount > 0 {
            node.storeBytes(
                of: facets, toByteOffset: NodeLayout.headerByteCount + capacity * 8 + count * 2, as: UInt16.self)
        }
        count += 1
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count > 0 { (node + used).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count) }
        used += bytes.count
    }
}
