/// A memory leaf that the commit being made owns, changed in place.
struct LeafNode {
    private let memory: NodeMemory

    /// `nil` when the commit being made has not made the leaf.
    init?(own node: Node, heap: NodeHeap) {
        guard let memory = heap.memory(of: node) else { return nil }
        self.memory = memory
    }

    /// A copy of `source` with room for a few more entries and `extraByteCount`: entries are taken over in one piece, and of a page
    /// none at all, since its copy is a patch. `nil` when too much of the leaf is no longer used: compose a new one then.
    init?(copying source: Node, extraByteCount: Int, heap: NodeHeap) {
        guard source.garbageByteCount <= Self.garbageByteCount else { return nil }
        let count = source.count
        let ownByteCount = source.isInMemory ? source.used - source.entriesOffset : 0
        let capacity = count + 2 + count / 8
        let start =
            NodeLayout.headerByteCount
            + NodeLayout.leafArraysByteCount(capacity: capacity, facetCount: source.facetCount)
        guard start + ownByteCount + extraByteCount <= NodeLayout.offsetLimit else { return nil }
        let amendsPage = source.isPatch || !source.isInMemory
        let room = extraByteCount + 64 + ownByteCount / 8
        memory = heap.allocateNode(
            byteCount: (start + ownByteCount + room + 15) & ~15,
            kind: amendsPage ? NodeLayout.patchLeaf : NodeLayout.leaf, facetCount: source.facetCount, capacity: capacity
        )
        memory.store(UInt16(count), at: 2)
        memory.store(UInt16(source.prefixLength), at: 6)
        memory.store(UInt32(start + ownByteCount), at: 12)
        memory.store(UInt32(source.leafPageByteCount), at: 24)
        let distance = start - source.entriesOffset
        if amendsPage {
            memory.store(UInt16(source.prefixOffset), at: 8)
            memory.store(source.baseReference, at: 16)
        } else {
            memory.store(UInt16(source.prefixLength == 0 ? start : source.prefixOffset + distance), at: 8)
        }
        if source.isInMemory {
            source.withBytes(source.entriesOffset..<source.used) { memory.copy($0, to: start) }
            // Where the entry lies in the page, it stays there.
            let distance = UInt64(bitPattern: Int64(distance))
            copySlots(of: source) { $0 & NodeLayout.inBase == 0 ? $0 &+ distance : $0 }
        } else {
            copySlots(of: source) { $0 | NodeLayout.inBase }
        }
        guard source.facetCount > 0 else { return }
        source.withBytes(source.facetsOffset..<source.facetsOffset + count * 2) {
            memory.copy($0, to: node.facetsOffset)
        }
    }

    /// Bytes of entries that are no longer there, tolerated in a copy.
    private static let garbageByteCount = 512

    var node: Node { memory.node }

    /// Bytes the entries fill as a page; when they no longer fit one, the leaf is split.
    private var pageByteCount: Int {
        get { Int(node.pageNumber) }
        nonmutating set { memory.store(UInt32(newValue), at: 24) }
    }

    /// Whether the leaf, or its copy, may take the entry, in place of the one at `index` when given: they still fit a page, and the
    /// key shares the prefix.
    static func hasRoom(in leaf: Node, for entry: LeafEntry, replacing index: Int?) -> Bool {
        let byteCount = leaf.leafPageByteCount
        if let index { return byteCount + entry.cellByteCount - leaf.cellByteCount(index) <= NodeLayout.pageByteCount }
        return entry.sharesPrefix(of: leaf) && byteCount + entry.pageByteCount(in: leaf) <= NodeLayout.pageByteCount
    }

    /// `false` when the node has no room: compose a new leaf then. Precondition: the leaf `hasRoom`.
    func insert(_ entry: LeafEntry, at index: Int) -> Bool {
        let node = node
        guard node.count < node.capacity, let slot = append(entry) else { return false }
        shift(node.slotOffset, from: index, by: 1, stride: 8)
        memory.store(slot, at: node.slotOffset + index * 8)
        if node.facetCount > 0 {
            shift(node.facetsOffset, from: index, by: 1, stride: 2)
            memory.store(entry.facets, at: node.facetsOffset + index * 2)
        }
        memory.store(UInt16(node.count + 1), at: 2)
        pageByteCount += entry.pageByteCount(in: node)
        return true
    }

    /// The same for the entry at `index`.
    func replace(_ entry: LeafEntry, at index: Int) -> Bool {
        let node = node
        let slot = node.slot(index)
        let oldByteCount = node.cellByteCount(index)
        if slot & NodeLayout.inBase == 0, oldByteCount == entry.cellByteCount {
            let start = Int(slot & 0x7FFF)
            memory.store(entry.word, at: start)
            entry.copyCell(to: memory, at: start + 2 + node.suffixByteCount(index))
        } else {
            let grown = entry.cellByteCount - oldByteCount
            guard let slot = append(entry) else { return false }
            memory.store(slot, at: node.slotOffset + index * 8)
            pageByteCount += grown
        }
        if node.facetCount > 0 { memory.store(entry.facets, at: node.facetsOffset + index * 2) }
        return true
    }

    /// The entry's bytes stay behind until the leaf is composed anew.
    func remove(at index: Int) {
        let node = node
        let removed =
            NodeLayout.leafArraysByteCount(capacity: 1, facetCount: node.facetCount) + 2 + node.suffixByteCount(index)
            + node.cellByteCount(index)
        shift(node.slotOffset, from: index + 1, by: -1, stride: 8)
        if node.facetCount > 0 { shift(node.facetsOffset, from: index + 1, by: -1, stride: 2) }
        memory.store(UInt16(node.count - 1), at: 2)
        pageByteCount -= removed
    }

    @inline(__always)
    private func copySlots(of source: Node, _ slot: (UInt64) -> UInt64) {
        for index in 0..<source.count {
            memory.store(slot(source.slot(index)), at: NodeLayout.headerByteCount + index * 8)
        }
    }

    /// Moves the elements of an array from `index` on.
    private func shift(_ array: Int, from index: Int, by places: Int, stride: Int) {
        memory.move(array + index * stride..<array + node.count * stride, to: array + (index + places) * stride)
    }

    /// Writes the entry's bytes behind those there are and gives its slot; `nil` when there is no room.
    private func append(_ entry: LeafEntry) -> UInt64? {
        let used = node.used
        let suffixByteCount = entry.keyByteCount - node.prefixLength
        let end = used + 2 + suffixByteCount + entry.cellByteCount
        guard end <= memory.byteCount, used < NodeLayout.offsetLimit else { return nil }
        memory.store(entry.word, at: used)
        entry.copyKey(from: node.prefixLength, to: memory, at: used + 2)
        entry.copyCell(to: memory, at: used + 2 + suffixByteCount)
        memory.store(UInt32(end), at: 12)
        return entry.slot(prefixLength: node.prefixLength, offset: used)
    }
}
