/// A memory leaf that the commit being made owns, changed in place.
struct LeafNode {
    private let address: UnsafeMutableRawPointer
    private let byteCount: Int

    /// Precondition: a leaf that the commit being made has made.
    init(own node: Node, heap: NodeHeap) {
        address = UnsafeMutableRawPointer(mutating: node.address)
        byteCount = heap.allocationByteCount(node)
    }

    private var node: Node { Node(address) }
    private var masks: UnsafeMutableRawPointer { address + NodeLayout.headerByteCount + node.capacity * 8 }

    /// Bytes the entries fill as a page; when they no longer fit one, the leaf is split.
    private var pageByteCount: Int {
        get { Int(node.pageNumber) }
        nonmutating set { address.storeBytes(of: UInt32(newValue), toByteOffset: 24, as: UInt32.self) }
    }

    /// `false` when there is no room, or the key does not share the leaf's prefix: compose a new leaf then.
    func insert(_ entry: LeafEntry, at index: Int) -> Bool {
        let node = node
        let prefix = node.prefix
        guard node.count < node.capacity, entry.key.count >= prefix.count,
            entry.key.commonPrefixLength(with: prefix) == prefix.count
        else { return false }
        let suffix = UnsafeRawBufferPointer(rebasing: entry.key[prefix.count...])
        let added =
            NodeLayout.leafArraysByteCount(capacity: 1, facetCount: node.facetCount) + 2 + suffix.count
            + entry.cell.count
        guard pageByteCount + added <= NodeLayout.pageByteCount, let slot = append(suffix, entry) else { return false }
        let slots = address + NodeLayout.headerByteCount
        let after = node.count - index
        // Safe because count < capacity, so the arrays have room for one more.
        (slots + (index + 1) * 8).copyMemory(from: slots + index * 8, byteCount: after * 8)
        slots.storeBytes(of: slot, toByteOffset: index * 8, as: UInt64.self)
        if node.facetCount > 0 {
            (masks + (index + 1) * 2).copyMemory(from: masks + index * 2, byteCount: after * 2)
            masks.storeBytes(of: entry.facets, toByteOffset: index * 2, as: UInt16.self)
        }
        address.storeBytes(of: UInt16(node.count + 1), toByteOffset: 2, as: UInt16.self)
        pageByteCount += added
        return true
    }

    /// `false` when there is no room.
    func replace(_ entry: LeafEntry, at index: Int) -> Bool {
        let node = node
        let old = node.cell(index)
        let isOwn = node.slot(index) & NodeLayout.inBase == 0
        if isOwn, old.bytes.count == entry.cell.count {
            // Safe because the entry is this node's own memory and the value keeps its length.
            let cell = UnsafeMutableRawPointer(mutating: old.bytes.baseAddress)
            if let cell, entry.cell.count > 0 {
                cell.copyMemory(from: entry.cell.baseAddress!, byteCount: entry.cell.count)
            }
            UnsafeMutableRawPointer(mutating: node.entry(node.slot(index))).storeBytes(of: entry.word, as: UInt16.self)
        } else {
            let grown = entry.cell.count - old.bytes.count
            guard pageByteCount + grown <= NodeLayout.pageByteCount,
                let slot = append(UnsafeRawBufferPointer(rebasing: entry.key[node.prefixLength...]), entry)
            else { return false }
            address.storeBytes(of: slot, toByteOffset: NodeLayout.headerByteCount + index * 8, as: UInt64.self)
            pageByteCount += grown
        }
        if node.facetCount > 0 { masks.storeBytes(of: entry.facets, toByteOffset: index * 2, as: UInt16.self) }
        return true
    }

    /// The entry's bytes stay behind until the leaf is composed anew.
    func remove(at index: Int) {
        let node = node
        let slots = address + NodeLayout.headerByteCount
        let removed =
            NodeLayout.leafArraysByteCount(capacity: 1, facetCount: node.facetCount) + 2 + node.suffixByteCount(index)
            + node.cellByteCount(index)
        let after = node.count - index - 1
        (slots + index * 8).copyMemory(from: slots + (index + 1) * 8, byteCount: after * 8)
        if node.facetCount > 0 { (masks + index * 2).copyMemory(from: masks + (index + 1) * 2, byteCount: after * 2) }
        address.storeBytes(of: UInt16(node.count - 1), toByteOffset: 2, as: UInt16.self)
        pageByteCount -= removed
    }

    private func append(_ suffix: UnsafeRawBufferPointer, _ entry: LeafEntry) -> UInt64? {
        var used = node.used
        guard used + 2 + suffix.count + entry.cell.count <= byteCount, used < 0x7FFF else { return nil }
        let slot = UInt64(suffix.keyHead) << 32 | UInt64(suffix.count) << 16 | UInt64(used)
        address.storeBytes(of: entry.word, toByteOffset: used, as: UInt16.self)
        used += 2
        if suffix.count > 0 { (address + used).copyMemory(from: suffix.baseAddress!, byteCount: suffix.count) }
        used += suffix.count
        if entry.cell.count > 0 {
            (address + used).copyMemory(from: entry.cell.baseAddress!, byteCount: entry.cell.count)
        }
        used += entry.cell.count
        address.storeBytes(of: UInt32(used), toByteOffset: 12, as: UInt32.self)
        return slot
    }
}
