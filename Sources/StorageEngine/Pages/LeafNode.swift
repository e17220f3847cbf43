/// A memory leaf that the commit being made owns, changed in place.
struct LeafNode {
    private let memory: NodeMemory

    /// `nil` when the commit being made has not made the leaf.
    init?(own node: Node, heap: NodeHeap) {
        guard let memory = heap.memory(of: node) else { return nil }
        self.memory = memory
    }

    private var node: Node { memory.node }

    /// Bytes the entries fill as a page; when they no longer fit one, the leaf is split.
    private var pageByteCount: Int {
        get { Int(node.pageNumber) }
        nonmutating set { memory.store(UInt32(newValue), at: 24) }
    }

    /// `false` when there is no room, or the key does not share the leaf's prefix: compose a new leaf then.
    func insert(_ entry: LeafEntry, at index: Int) -> Bool {
        let node = node
        let prefixLength = node.prefixLength
        guard node.count < node.capacity, entry.sharesPrefix(of: node) else { return false }
        let added =
            NodeLayout.leafArraysByteCount(capacity: 1, facetCount: node.facetCount) + 2 + entry.keyByteCount
            - prefixLength + entry.cellByteCount
        guard pageByteCount + added <= NodeLayout.pageByteCount, let slot = append(entry) else { return false }
        shift(node.slotOffset, from: index, by: 1, stride: 8)
        memory.store(slot, at: node.slotOffset + index * 8)
        if node.facetCount > 0 {
            shift(node.facetsOffset, from: index, by: 1, stride: 2)
            memory.store(entry.facets, at: node.facetsOffset + index * 2)
        }
        memory.store(UInt16(node.count + 1), at: 2)
        pageByteCount += added
        return true
    }

    /// `false` when there is no room.
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
            guard pageByteCount + grown <= NodeLayout.pageByteCount, let slot = append(entry) else { return false }
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
