/// A memory branch that the commit being made owns.
///
/// Branches are copied whole: they are about one page in a hundred, and every commit changes their counts anyway.
struct BranchNode {
    /// More children than this are split in two. A branch in memory may be larger than a page: compaction lays pages out
    /// afresh.
    static let childLimit = 128
    static let byteLimit = 24 << 10

    private(set) var address: UnsafeMutableRawPointer
    private let heap: NodeHeap

    var node: Node { Node(address) }

    /// A branch of two children, the new root after a split.
    init(left: UInt64, separator: [UInt8], right: UInt64, level: Int, facetCount: Int, heap: NodeHeap) {
        self.heap = heap
        address = Self.allocate(
            heap, capacity: 8, facetCount: facetCount, level: level, keyByteCount: separator.count + 128)
        append(child: left, checksum: 0)
        recount(0)
        separator.withUnsafeBytes { _ = insert(child: right, separator: $0, at: 1) }
    }

    /// A copy of `node` with room to grow; of only `range` of its children when given. The separators keep the node's
    /// prefix.
    init(copying node: Node, range: Range<Int>? = nil, heap: NodeHeap) {
        self.heap = heap
        let range = range ?? 0..<node.count
        let keyStart =
            NodeLayout.headerByteCount
            + NodeLayout.branchArraysByteCount(capacity: node.capacity, facetCount: node.facetCount)
        let keyByteCount = node.used - keyStart
        address = Self.allocate(
            heap, capacity: range.count + 4 + range.count / 8, facetCount: node.facetCount, level: node.level,
            keyByteCount: keyByteCount + 128)
        let copy = self.node
        // The keys are taken over in one piece, so every offset moves by the same distance.
        let start = copy.used
        let distance = UInt64(bitPattern: Int64(start - keyStart))
        (address + start).copyMemory(from: node.address + keyStart, byteCount: keyByteCount)
        address.storeBytes(of: UInt32(start + keyByteCount), toByteOffset: 12, as: UInt32.self)
        address.storeBytes(of: UInt16(range.count), toByteOffset: 2, as: UInt16.self)
        address.storeBytes(of: UInt16(node.prefixLength), toByteOffset: 6, as: UInt16.self)
        let prefixOffset = node.prefixLength == 0 ? start : node.prefixOffset - keyStart + start
        address.storeBytes(of: UInt16(prefixOffset), toByteOffset: 8, as: UInt16.self)
        for index in 0..<range.count {
            let slot = node.slot(range.lowerBound + index) &+ distance
            slots.storeBytes(of: slot, toByteOffset: index * 8, as: UInt64.self)
        }
        children.copyMemory(from: node.children + range.lowerBound * 8, byteCount: range.count * 8)
        checksums.copyMemory(from: node.checksums + range.lowerBound * 4, byteCount: range.count * 4)
        for column in 0...node.facetCount {
            counts(column).copyMemory(from: node.counts(column) + range.lowerBound * 4, byteCount: range.count * 4)
        }
    }

    var needsSplit: Bool {
        node.count > Self.childLimit || (node.used > Self.byteLimit && node.count >= 4)
    }

    func setChild(_ index: Int, _ child: UInt64) {
        children.storeBytes(of: child, toByteOffset: index * 8, as: UInt64.self)
        checksums.storeBytes(of: 0, toByteOffset: index * 4, as: UInt32.self)
    }

    func setCount(_ index: Int, column: Int, _ count: Int) {
        counts(column).storeBytes(of: UInt32(truncatingIfNeeded: count), toByteOffset: index * 4, as: UInt32.self)
    }

    func addCount(_ index: Int, column: Int, _ change: Int) {
        setCount(index, column: column, node.childCount(index, column: column) + change)
    }

    /// Reads the child's own counts into its slot.
    func recount(_ index: Int) {
        let child = Node(UnsafeRawPointer(bitPattern: UInt(node.child(index)))!)
        for column in 0...node.facetCount { setCount(index, column: column, child.total(column: column)) }
    }

    /// A child to the left of which all keys are less than `separator`. `false` when there is no room or the separator
    /// does not share the prefix: `grow` first.
    func insert(child: UInt64, separator: UnsafeRawBufferPointer, at index: Int) -> Bool {
        let node = node
        let prefix = node.prefix
        let count = node.count
        guard count < node.capacity, separator.count >= prefix.count,
            separator.commonPrefixLength(with: prefix) == prefix.count,
            node.used + separator.count - prefix.count <= min(heap.allocationByteCount(address), 0x7FFF)
        else { return false }
        let after = count - index
        shift(slots, index, after, 8)
        shift(children, index, after, 8)
        shift(checksums, index, after, 4)
        for column in 0...node.facetCount { shift(counts(column), index, after, 4) }
        address.storeBytes(of: UInt16(count + 1), toByteOffset: 2, as: UInt16.self)
        setSlot(index, suffix: UnsafeRawBufferPointer(rebasing: separator[prefix.count...]))
        setChild(index, child)
        recount(index)
        return true
    }

    /// Makes room for one more child with any separator. The old node is given back.
    mutating func grow(forSeparator separator: UnsafeRawBufferPointer) {
        let old = node
        let larger = BranchNode(
            address: Self.allocate(
                heap, capacity: old.count + 8 + old.count / 4, facetCount: old.facetCount, level: old.level,
                keyByteCount: keyByteCountWithoutPrefix + separator.count + 256),
            heap: heap)
        let shared = min(old.prefixLength, separator.commonPrefixLength(with: old.prefix))
        larger.setPrefix(UnsafeRawBufferPointer(rebasing: old.prefix[..<shared]))
        for index in 0..<old.count {
            larger.append(child: old.child(index), checksum: old.checksum(index))
            if index > 0 { old.withKeySuffix(index, from: shared) { larger.setSlot(index, suffix: $0) } }
        }
        for column in 0...old.facetCount {
            larger.counts(column).copyMemory(from: old.counts(column), byteCount: old.count * 4)
        }
        heap.retire(address)
        self = larger
    }

    func remove(at index: Int) {
        let node = node
        let after = node.count - index - 1
        close(slots, index, after, 8)
        close(children, index, after, 8)
        close(checksums, index, after, 4)
        for column in 0...node.facetCount { close(counts(column), index, after, 4) }
        address.storeBytes(of: UInt16(node.count - 1), toByteOffset: 2, as: UInt16.self)
    }

    /// Cuts the branch in two and gives the right half and the separator between them.
    /// `appending` keeps the left half nearly full, for keys that arrive in order.
    mutating func split(appending: Bool) -> (separator: [UInt8], right: UInt64) {
        let node = node
        let middle = appending ? node.count - 2 : node.count / 2
        let separator = node.key(middle)
        let right = BranchNode(copying: node, range: middle..<node.count, heap: heap)
        let left = BranchNode(copying: node, range: 0..<middle, heap: heap)
        heap.retire(address)
        address = left.address
        return (separator, UInt64(UInt(bitPattern: right.address)))
    }

    var reference: UInt64 { UInt64(UInt(bitPattern: address)) }

    // MARK: Layout

    init(address: UnsafeMutableRawPointer, heap: NodeHeap) {
        self.address = address
        self.heap = heap
    }

    private static func allocate(
        _ heap: NodeHeap, capacity: Int, facetCount: Int, level: Int, keyByteCount: Int
    ) -> UnsafeMutableRawPointer {
        let arrays = NodeLayout.branchArraysByteCount(capacity: capacity, facetCount: facetCount)
        let start = NodeLayout.headerByteCount + arrays
        let address = heap.allocate(byteCount: (start + keyByteCount + 15) & ~15)
        // Safe because the header and the arrays lie within the allocation.
        address.initializeMemory(as: UInt8.self, repeating: 0, count: NodeLayout.headerByteCount)
        address.storeBytes(of: NodeLayout.branch, toByteOffset: 0, as: UInt8.self)
        address.storeBytes(of: UInt8(facetCount), toByteOffset: 1, as: UInt8.self)
        address.storeBytes(of: UInt16(capacity), toByteOffset: 4, as: UInt16.self)
        address.storeBytes(of: UInt16(level), toByteOffset: 10, as: UInt16.self)
        address.storeBytes(of: UInt32(start), toByteOffset: 12, as: UInt32.self)
        address.storeBytes(of: NodeHeap.memoryMark, toByteOffset: 16, as: UInt64.self)
        return address
    }

    private var keyByteCountWithoutPrefix: Int {
        let node = node
        var sum = node.prefixLength
        for index in 0..<node.count { sum += node.keyByteCount(index) }
        return sum
    }

    private var slots: UnsafeMutableRawPointer { address + NodeLayout.headerByteCount }
    private var children: UnsafeMutableRawPointer { slots + node.capacity * 8 }
    private var checksums: UnsafeMutableRawPointer { children + node.capacity * 8 }
    private func counts(_ column: Int) -> UnsafeMutableRawPointer { children + node.capacity * (12 + 4 * column) }

    private func setPrefix(_ prefix: UnsafeRawBufferPointer) {
        let used = node.used
        address.storeBytes(of: UInt16(prefix.count), toByteOffset: 6, as: UInt16.self)
        address.storeBytes(of: UInt16(used), toByteOffset: 8, as: UInt16.self)
        if prefix.count > 0 { (address + used).copyMemory(from: prefix.baseAddress!, byteCount: prefix.count) }
        address.storeBytes(of: UInt32(used + prefix.count), toByteOffset: 12, as: UInt32.self)
    }

    /// Child 0 keeps an empty suffix: every key that is less than separator 1 belongs to it.
    private func append(child: UInt64, checksum: UInt32) {
        let count = node.count
        address.storeBytes(of: UInt16(count + 1), toByteOffset: 2, as: UInt16.self)
        slots.storeBytes(of: UInt64(node.used), toByteOffset: count * 8, as: UInt64.self)
        children.storeBytes(of: child, toByteOffset: count * 8, as: UInt64.self)
        checksums.storeBytes(of: checksum, toByteOffset: count * 4, as: UInt32.self)
    }

    private func setSlot(_ index: Int, suffix: UnsafeRawBufferPointer) {
        let used = node.used
        slots.storeBytes(
            of: UInt64(suffix.keyHead) << 32 | UInt64(suffix.count) << 16 | UInt64(used), toByteOffset: index * 8,
            as: UInt64.self)
        if suffix.count > 0 { (address + used).copyMemory(from: suffix.baseAddress!, byteCount: suffix.count) }
        address.storeBytes(of: UInt32(used + suffix.count), toByteOffset: 12, as: UInt32.self)
    }

    private func shift(_ array: UnsafeMutableRawPointer, _ index: Int, _ after: Int, _ stride: Int) {
        (array + (index + 1) * stride).copyMemory(from: array + index * stride, byteCount: after * stride)
    }

    private func close(_ array: UnsafeMutableRawPointer, _ index: Int, _ after: Int, _ stride: Int) {
        (array + index * stride).copyMemory(from: array + (index + 1) * stride, byteCount: after * stride)
    }
}
