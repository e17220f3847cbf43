/// A memory leaf that the commit being made owns, changed in place.
struct LeafNode {
    private let memory: NodeMemory

    /// `nil` when the commit being made has not made the leaf.
    init?(own node: Node, heap: NodeHeap) {
        guard let memory = heap.memory(of: node) else { return nil }
        self.memory = memory
    }

    /// A copy of `source` with room for `extraCount` entries of `extraByteCount`, and a few more. Entries are taken over in one piece, and
    /// of a page none at all, since its copy is a patch. `nil` when too much of the leaf is no longer used: compose a new one then.
    init?(copying source: Node, extraByteCount: Int, extraCount: Int, heap: NodeHeap) {
        guard source.garbageByteCount <= Self.garbageByteCount else { return nil }
        let count = source.count
        let ownByteCount = source.isInMemory ? source.used - source.entriesOffset : 0
        let capacity = count + 2 + extraCount + count / 8
        let start =
            NodeLayout.headerByteCount
            + NodeLayout.leafArraysByteCount(capacity: capacity, facetCount: source.facetCount)
        guard start + ownByteCount + extraByteCount <= NodeLayout.offsetLimit else { return nil }
        let amendsPage = source.isPatch || !source.isInMemory
        let room = extraByteCount + 64 + ownByteCount / 8
        memory = heap.allocateNode(
            byteCount: (start + ownByteCount + room + 15) & ~15,
            kind: amendsPage ? NodeLayout.patchLeaf : NodeLayout.leaf, source.shape, capacity: capacity)
        memory.store(UInt16(count), in: NodeField.count)
        memory.store(UInt16(source.prefixLength), in: NodeField.prefixLength)
        memory.store(UInt32(start + ownByteCount), in: NodeField.used)
        memory.store(UInt32(source.leafPageByteCount), in: NodeField.pageNumber)
        let distance = start - source.entriesOffset
        if amendsPage {
            memory.store(UInt16(source.prefixOffset), in: NodeField.prefixOffset)
            memory.store(source.patchWord, in: NodeField.base)
        } else {
            memory.store(
                UInt16(source.prefixLength == 0 ? start : source.prefixOffset + distance), in: NodeField.prefixOffset)
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
        source.withBytes(source.arrays.facets.range(of: 0..<count)) { memory.copy($0, to: node.arrays.facets.offset) }
    }

    /// Bytes of entries that are no longer there, tolerated in a copy.
    private static let garbageByteCount = 512

    var node: Node { memory.node }

    /// Bytes the entries fill as a page; with more than the limit of its kind the leaf is split.
    private var pageByteCount: Int {
        get { Int(node.pageNumber) }
        nonmutating set { memory.store(UInt32(newValue), in: NodeField.pageNumber) }
    }

    /// Whether the leaf, or its copy, may take the entry, in place of the one at `index` when given, without being split, and the
    /// key shares the prefix.
    static func hasRoom(in leaf: Node, for entry: LeafEntry, replacing index: Int?) -> Bool {
        let (byteCount, limit) = (leaf.leafPageByteCount, leaf.leafByteLimit)
        if let index { return byteCount + entry.cellByteCount - leaf.storedCellByteCount(index) <= limit }
        return entry.sharesPrefix(of: leaf) && byteCount + entry.pageByteCount(in: leaf) <= limit
    }

    /// `false` when the node has no room: compose a new leaf then. Precondition: the leaf `hasRoom`.
    func insert(_ entry: LeafEntry, at index: Int) -> Bool {
        let node = node
        guard node.count < node.capacity, let slot = append(entry) else { return false }
        memory.move(index..<node.count, of: node.arrays.slots, by: 1)
        memory.store(slot, in: node.arrays.slots[index])
        if node.facetCount > 0 {
            memory.move(index..<node.count, of: node.arrays.facets, by: 1)
            memory.store(entry.facets, in: node.arrays.facets[index])
        }
        memory.store(UInt16(node.count + 1), in: NodeField.count)
        pageByteCount += entry.pageByteCount(in: node)
        return true
    }

    /// The same for the entry at `index`.
    func replace(_ entry: LeafEntry, at index: Int) -> Bool {
        let node = node
        let slot = node.slot(index)
        let oldByteCount = node.storedCellByteCount(index)
        if slot & NodeLayout.inBase == 0, oldByteCount == entry.cellByteCount {
            let start = Int(slot & 0x7FFF)
            memory.store(entry.word, at: start)
            entry.copyCell(to: memory, at: start + NodeLayout.wordByteCount + node.suffixByteCount(index))
        } else {
            let grown = entry.cellByteCount - oldByteCount
            guard let slot = append(entry) else { return false }
            memory.store(slot, in: node.arrays.slots[index])
            pageByteCount += grown
        }
        if node.facetCount > 0 { memory.store(entry.facets, in: node.arrays.facets[index]) }
        return true
    }

    /// The entry's bytes stay behind until the leaf is composed anew.
    func remove(at index: Int) {
        let node = node
        let removed =
            NodeLayout.leafArraysByteCount(capacity: 1, facetCount: node.facetCount) + NodeLayout.wordByteCount
            + node.suffixByteCount(index) + node.storedCellByteCount(index)
        memory.move(index + 1..<node.count, of: node.arrays.slots, by: -1)
        if node.facetCount > 0 { memory.move(index + 1..<node.count, of: node.arrays.facets, by: -1) }
        memory.store(UInt16(node.count - 1), in: NodeField.count)
        pageByteCount -= removed
    }

    @inline(__always)
    private func copySlots(of source: Node, _ slot: (UInt64) -> UInt64) {
        memory.storeSlots(source.count, of: source, slot)
    }

    /// Writes the entry's bytes behind those there are and gives its slot; `nil` when there is no room.
    private func append(_ entry: LeafEntry) -> UInt64? {
        let used = node.used
        let suffixByteCount = entry.keyByteCount - node.prefixLength
        let suffix = used + NodeLayout.wordByteCount
        let cell = suffix + suffixByteCount
        let end = cell + entry.cellByteCount
        guard end <= memory.byteCount, used < NodeLayout.offsetLimit else { return nil }
        memory.store(entry.word, at: used)
        entry.copyKey(from: node.prefixLength, to: memory, at: suffix)
        entry.copyCell(to: memory, at: cell)
        memory.store(UInt32(end), in: NodeField.used)
        return entry.slot(prefixLength: node.prefixLength, offset: used)
    }
}
