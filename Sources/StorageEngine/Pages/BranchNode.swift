/// A memory branch that the commit being made owns.
///
/// Branches are copied whole: they are about one page in a hundred, and every commit changes their counts anyway.
struct BranchNode {
    /// More children than this are split in two. A branch in memory may be larger than a page: compaction lays pages out
    /// afresh.
    static let childLimit = 128
    static let byteLimit = 24 << 10

    private var address: UnsafeMutableRawPointer
    private let heap: NodeHeap

    var node: Node { Node(address) }

    /// Precondition: a branch that the commit being made has made.
    init(own node: Node, heap: NodeHeap) {
        self.init(address: UnsafeMutableRawPointer(mutating: node.address), heap: heap)
    }

    /// A branch of two children, the new root after a split.
    init(left: UInt64, separator: [UInt8], right: UInt64, level: Int, facetCount: Int, heap: NodeHeap) {
        self.heap = heap
        address = Self.allocate(
            heap, capacity: 8, facetCount: facetCount, level: level, keyByteCount: separator.count + 128)
        append(child: left, checksum: 0)
        recount(0)
        _ = insert(child: right, separator: separator, at: 1)
    }

    /// A copy of `node` with room to grow; of only `range` of its children when given. The separators keep the node's
    /// prefix.
    init(copying node: Node, range: Range<Int>? = nil, heap: NodeHeap) {
        let keyStart =
            NodeLayout.headerByteCount
            + NodeLayout.branchArraysByteCount(capacity: node.capacity, facetCount: node.facetCount)
        let keyByteCount = node.used - keyStart
        // Removals leave separators behind; what is copied again and again must not carry them along for ever.
        guard range == nil, keyByteCount - node.liveKeyByteCount <= Self.garbageByteCount else {
            self.init(
                layingOut: node, range: range ?? 0..<node.count, prefixLength: node.prefixLength, extraSlots: 4,
                extraKeyByteCount: 128, heap: heap)
            return
        }
        self.init(
            address: Self.allocate(
                heap, capacity: node.count + 4 + node.count / 8, facetCount: node.facetCount, level: node.level,
                keyByteCount: keyByteCount + 128),
            heap: heap)
        let copy = self.node
        // The keys are taken over in one piece, so every offset moves by the same distance.
        let start = copy.used
        let distance = UInt64(bitPattern: Int64(start - keyStart))
        (address + start).copyMemory(from: node.address + keyStart, byteCount: keyByteCount)
        address.storeBytes(of: UInt32(start + keyByteCount), toByteOffset: 12, as: UInt32.self)
        address.storeBytes(of: UInt16(node.count), toByteOffset: 2, as: UInt16.self)
        address.storeBytes(of: UInt16(node.prefixLength), toByteOffset: 6, as: UInt16.self)
        let prefixOffset = node.prefixLength == 0 ? start : node.prefixOffset - keyStart + start
        address.storeBytes(of: UInt16(prefixOffset), toByteOffset: 8, as: UInt16.self)
        for index in 0..<node.count {
            slots.storeBytes(of: node.slot(index) &+ distance, toByteOffset: index * 8, as: UInt64.self)
        }
        children.copyMemory(from: node.children, byteCount: node.count * 8)
        checksums.copyMemory(from: node.checksums, byteCount: node.count * 4)
        for column in 0...node.facetCount {
            counts(column).copyMemory(from: node.counts(column), byteCount: node.count * 4)
        }
        precondition(
            self.node.used <= NodeLayout.offsetLimit, "a branch's separators lie within reach of a slot's offset")
    }

    /// Separator bytes that no child uses, tolerated in a copy.
    private static let garbageByteCount = 1024

    /// Children of `node`, their separators laid out exactly, with a shorter prefix when one is given.
    private init(
        layingOut node: Node, range: Range<Int>, prefixLength: Int, extraSlots: Int, extraKeyByteCount: Int,
        heap: NodeHeap
    ) {
        var keyByteCount = prefixLength
        for index in range { keyByteCount += node.keyByteCount(index) - prefixLength }
        self.init(
            address: Self.allocate(
                heap, capacity: range.count + extraSlots + range.count / 8, facetCount: node.facetCount,
                level: node.level, keyByteCount: max(0, keyByteCount) + prefixLength + extraKeyByteCount),
            heap: heap)
        setPrefix(UnsafeRawBufferPointer(rebasing: node.prefix[..<prefixLength]))
        for index in range {
            append(child: node.child(index), checksum: node.checksum(index))
            let last = index - range.lowerBound
            if last > 0 { node.withKeySuffix(index, from: prefixLength) { setSlot(last, suffix: $0) } }
        }
        for column in 0...node.facetCount {
            counts(column).copyMemory(from: node.counts(column) + range.lowerBound * 4, byteCount: range.count * 4)
        }
        precondition(
            self.node.used <= NodeLayout.offsetLimit, "a branch's separators lie within reach of a slot's offset")
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
        let child = Node(reference: node.child(index))
        for column in 0...node.facetCount { setCount(index, column: column, child.total(column: column)) }
    }

    /// A child to the left of which all keys are less than `separator`. `false` when there is no room or the separator
    /// does not share the prefix: `grow` first.
    func insert(child: UInt64, separator: [UInt8], at index: Int) -> Bool {
        let node = node
        let prefixLength = node.prefixLength
        let count = node.count
        guard count < node.capacity, sharedPrefixLength(with: separator) == prefixLength,
            node.used + separator.count - prefixLength <= min(heap.allocationByteCount(node), NodeLayout.offsetLimit)
        else { return false }
        let after = count - index
        shift(slots, index, after, 8)
        shift(children, index, after, 8)
        shift(checksums, index, after, 4)
        for column in 0...node.facetCount { shift(counts(column), index, after, 4) }
        address.storeBytes(of: UInt16(count + 1), toByteOffset: 2, as: UInt16.self)
        separator.withUnsafeBytes { setSlot(index, suffix: UnsafeRawBufferPointer(rebasing: $0[prefixLength...])) }
        setChild(index, child)
        recount(index)
        return true
    }

    /// Whether all separators still lie within reach when `separator` joins them, which may shorten the prefix.
    func canGrow(forSeparator separator: [UInt8]) -> Bool {
        let shared = sharedPrefixLength(with: separator)
        let keys = node.liveKeyByteCount + node.count * (node.prefixLength - shared) + separator.count
        let arrays = NodeLayout.branchArraysByteCount(
            capacity: node.count + 8 + node.count / 8, facetCount: node.facetCount)
        return NodeLayout.headerByteCount + arrays + keys + 256 <= NodeLayout.offsetLimit
    }

    /// Makes room for one more child with that separator. The old node is given back.
    mutating func grow(forSeparator separator: [UInt8]) {
        let old = node
        let larger = BranchNode(
            layingOut: old, range: 0..<old.count, prefixLength: sharedPrefixLength(with: separator), extraSlots: 8,
            extraKeyByteCount: separator.count + 256, heap: heap)
        heap.retire(old)
        self = larger
    }

    /// Bytes of the prefix that `separator` begins with.
    private func sharedPrefixLength(with separator: [UInt8]) -> Int {
        separator.withUnsafeBytes { $0.commonPrefixLength(with: node.prefix) }
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
    mutating func split(at middle: Int) -> (separator: [UInt8], right: BranchNode) {
        let node = node
        let separator = node.key(middle)
        let right = BranchNode(copying: node, range: middle..<node.count, heap: heap)
        let left = BranchNode(copying: node, range: 0..<middle, heap: heap)
        heap.retire(node)
        address = left.address
        return (separator, right)
    }

    var reference: UInt64 { node.reference }

    // MARK: Layout

    private init(address: UnsafeMutableRawPointer, heap: NodeHeap) {
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
