/// Lays out a memory leaf, entry by entry in key order.
struct LeafWriter {
    private let memory: NodeMemory
    private let capacity: Int
    private let shape: NodeShape
    private var count = 0
    private var used: Int

    /// `isGrowing` leaves more room: a leaf that outgrew its node within one commit will do so again.
    init(heap: NodeHeap, count: Int, _ shape: NodeShape, ownByteCount: Int, kind: UInt8, isGrowing: Bool) {
        // Room for a few more entries, so that neighbours that follow soon need no new node.
        capacity = count + 2 + (isGrowing ? count / 2 : count / 8)
        self.shape = shape
        let arrays = NodeLayout.leafArraysByteCount(capacity: capacity, facetCount: shape.facetCount)
        used = NodeLayout.headerByteCount + arrays
        let slack = 64 + (isGrowing ? ownByteCount / 2 : ownByteCount / 4)
        memory = heap.allocateNode(
            byteCount: (used + ownByteCount + slack + 15) & ~15, kind: kind, shape, capacity: capacity)
    }

    /// Amends the page that `source` is or amends, and shares its prefix.
    mutating func setBase(of source: Node) {
        memory.store(source.patchWord, in: NodeField.base)
        memory.store(UInt16(source.prefixLength), in: NodeField.prefixLength)
        memory.store(UInt16(source.prefixOffset), in: NodeField.prefixOffset)
    }

    mutating func setPrefix(_ prefix: [UInt8]) {
        memory.store(UInt16(prefix.count), in: NodeField.prefixLength)
        memory.store(UInt16(used), in: NodeField.prefixOffset)
        prefix.withBytes { memory.copy($0, to: used) }
        used += prefix.count
    }

    /// An entry that stays in the page.
    mutating func append(baseSlot slot: UInt64, facets: UInt16) { append(slot | NodeLayout.inBase, facets) }

    /// An entry of another leaf. Precondition: its key begins with the prefix, which has so many bytes.
    mutating func append(_ index: Int, of source: Node, prefixLength: Int) {
        let start = used
        var head: UInt32 = 0
        source.withKeySuffix(index, from: prefixLength) { suffix in
            memory.copy(suffix, to: start + NodeLayout.wordByteCount)
            head = suffix.keyHead
        }
        let suffixByteCount = source.keyByteCount(index) - prefixLength
        used = start + NodeLayout.wordByteCount + suffixByteCount
        source.withCell(index) { word, cell in
            memory.store(word, at: start)
            memory.copy(cell, to: used)
            used += cell.byteCount
        }
        append(NodeLayout.slot(head: head, count: suffixByteCount, offset: start), source.facets(index))
    }

    /// Precondition: the entry's key begins with the prefix, which has so many bytes.
    mutating func append(_ entry: LeafEntry, prefixLength: Int) {
        let start = used
        memory.store(entry.word, at: start)
        entry.copyKey(from: prefixLength, to: memory, at: start + NodeLayout.wordByteCount)
        used = start + NodeLayout.wordByteCount + entry.keyByteCount - prefixLength
        entry.copyCell(to: memory, at: used)
        used += entry.cellByteCount
        append(entry.slot(prefixLength: prefixLength, offset: start), entry.facets)
    }

    func finish(pageByteCount: Int) -> Node {
        memory.store(UInt16(count), in: NodeField.count)
        memory.store(UInt32(used), in: NodeField.used)
        memory.store(UInt32(pageByteCount), in: NodeField.pageNumber)
        precondition(used <= 0x8000, "a leaf's entries lie within reach of a slot's offset")
        return memory.node
    }

    private mutating func append(_ slot: UInt64, _ facets: UInt16) {
        precondition(count < capacity, "a leaf has a slot for every entry")
        let arrays = NodeArrays(capacity: capacity, columnCount: 0)
        memory.store(slot, in: arrays.slots[count])
        if shape.facetCount > 0 { memory.store(facets, in: arrays.facets[count]) }
        count += 1
    }
}
