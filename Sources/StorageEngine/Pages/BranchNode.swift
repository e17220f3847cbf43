/// A memory branch that the commit being made owns.
///
/// Branches are copied whole: they are about one page in a hundred, and every commit changes their counts anyway.
struct BranchNode {
    /// More children than this are split in two. A branch in memory may be larger than a page: compaction lays pages out
    /// afresh.
    static let childLimit = 128
    static let byteLimit = 24 << 10

    private var memory: NodeMemory
    private let heap: NodeHeap

    var node: Node { memory.node }

    /// `nil` when the commit being made has not made the branch.
    init?(own node: Node, heap: NodeHeap) {
        guard let memory = heap.memory(of: node) else { return nil }
        self.init(memory: memory, heap: heap)
    }

    /// A branch of two children, the new root after a split.
    init(left: UInt64, separator: [UInt8], right: UInt64, level: Int, facetCount: Int, heap: NodeHeap) {
        self.heap = heap
        memory = Self.allocate(
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
            memory: Self.allocate(
                heap, capacity: node.count + 4 + node.count / 8, facetCount: node.facetCount, level: node.level,
                keyByteCount: keyByteCount + 128),
            heap: heap)
        let copy = self.node
        // The keys are taken over in one piece, so every offset moves by the same distance.
        let start = copy.used
        let distance = UInt64(bitPattern: Int64(start - keyStart))
        node.withBytes(keyStart..<node.used) { memory.copy($0, to: start) }
        memory.store(UInt32(start + keyByteCount), at: 12)
        memory.store(UInt16(node.count), at: 2)
        memory.store(UInt16(node.prefixLength), at: 6)
        let prefixOffset = node.prefixLength == 0 ? start : node.prefixOffset - keyStart + start
        memory.store(UInt16(prefixOffset), at: 8)
        for index in 0..<node.count {
            memory.store(node.slot(index) &+ distance, at: copy.slotOffset + index * 8)
        }
        copyArrays(of: node, 0..<node.count)
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
            memory: Self.allocate(
                heap, capacity: range.count + extraSlots + range.count / 8, facetCount: node.facetCount,
                level: node.level, keyByteCount: max(0, keyByteCount) + prefixLength + extraKeyByteCount),
            heap: heap)
        node.withPrefix { setPrefix($0.extracting(0..<prefixLength)) }
        for index in range {
            append(child: node.child(index), checksum: node.checksum(index))
            let last = index - range.lowerBound
            if last > 0 { node.withKeySuffix(index, from: prefixLength) { setSlot(last, suffix: $0) } }
        }
        copyArrays(of: node, range)
        precondition(
            self.node.used <= NodeLayout.offsetLimit, "a branch's separators lie within reach of a slot's offset")
    }

    var needsSplit: Bool {
        node.count > min(Self.childLimit, heap.entryLimit) || (node.used > Self.byteLimit && node.count >= 4)
    }

    func setChild(_ index: Int, _ child: UInt64) {
        let checksums = node.checksumsOffset
        memory.store(child, at: node.childrenOffset + index * 8)
        memory.store(UInt32(0), at: checksums + index * 4)
    }

    func setCount(_ index: Int, column: Int, _ count: Int) {
        memory.store(UInt32(truncatingIfNeeded: count), at: node.countsOffset(column) + index * 4)
    }

    func addCount(_ index: Int, column: Int, _ change: Int) {
        let place = node.countsOffset(column) + index * 4
        memory.store(UInt32(truncatingIfNeeded: Int(node.load(place, UInt32.self)) + change), at: place)
    }

    /// Reads the child's own counts into its slot.
    func recount(_ index: Int) {
        // Safe because the child was made or adopted by this commit, so it is in memory and alive.
        let child = unsafe Node(reference: node.child(index))
        for column in 0...node.facetCount { setCount(index, column: column, child.total(column: column)) }
    }

    /// A child to the left of which all keys are less than `separator`. `false` when there is no room or the separator
    /// does not share the prefix: `grow` first.
    func insert(child: UInt64, separator: [UInt8], at index: Int) -> Bool {
        let node = node
        let prefixLength = node.prefixLength
        let count = node.count
        guard count < node.capacity, sharedPrefixLength(with: separator) == prefixLength,
            node.used + separator.count - prefixLength <= min(memory.byteCount, NodeLayout.offsetLimit)
        else { return false }
        shiftArrays(from: index, by: 1)
        memory.store(UInt16(count + 1), at: 2)
        separator.withBytes { setSlot(index, suffix: $0.extracting(prefixLength...)) }
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
        separator.withBytes { separator in node.withPrefix { separator.commonPrefixLength(with: $0) } }
    }

    func remove(at index: Int) {
        shiftArrays(from: index + 1, by: -1)
        memory.store(UInt16(node.count - 1), at: 2)
    }

    /// Cuts the branch in two and gives the right half and the separator between them.
    mutating func split(at middle: Int) -> (separator: [UInt8], right: BranchNode) {
        let node = node
        let separator = node.key(middle)
        let right = BranchNode(copying: node, range: middle..<node.count, heap: heap)
        let left = BranchNode(copying: node, range: 0..<middle, heap: heap)
        heap.retire(node)
        memory = left.memory
        return (separator, right)
    }

    var reference: UInt64 { node.reference }

    // MARK: Layout

    private init(memory: NodeMemory, heap: NodeHeap) {
        self.memory = memory
        self.heap = heap
    }

    private static func allocate(
        _ heap: NodeHeap, capacity: Int, facetCount: Int, level: Int, keyByteCount: Int
    ) -> NodeMemory {
        let arrays = NodeLayout.branchArraysByteCount(capacity: capacity, facetCount: facetCount)
        let start = NodeLayout.headerByteCount + arrays
        let memory = heap.allocateNode(
            byteCount: (start + keyByteCount + 15) & ~15, kind: NodeLayout.branch, facetCount: facetCount,
            capacity: capacity)
        memory.store(UInt16(level), at: 10)
        memory.store(UInt32(start), at: 12)
        return memory
    }

    private func setPrefix(_ prefix: RawSpan) {
        let used = node.used
        memory.store(UInt16(prefix.byteCount), at: 6)
        memory.store(UInt16(used), at: 8)
        memory.copy(prefix, to: used)
        memory.store(UInt32(used + prefix.byteCount), at: 12)
    }

    /// Child 0 keeps an empty suffix: every key that is less than separator 1 belongs to it.
    private func append(child: UInt64, checksum: UInt32) {
        let node = node
        let count = node.count
        precondition(count < node.capacity, "a branch has a slot for every child")
        memory.store(UInt16(count + 1), at: 2)
        memory.store(UInt64(node.used), at: node.slotOffset + count * 8)
        memory.store(child, at: node.childrenOffset + count * 8)
        memory.store(checksum, at: node.checksumsOffset + count * 4)
    }

    private func setSlot(_ index: Int, suffix: RawSpan) {
        let used = node.used
        memory.store(
            NodeLayout.slot(head: suffix.keyHead, count: suffix.byteCount, offset: used),
            at: node.slotOffset + index * 8)
        memory.copy(suffix, to: used)
        memory.store(UInt32(used + suffix.byteCount), at: 12)
    }

    /// Takes over children, checksums and counts. Precondition: `count` is set, and `range` has as many.
    private func copyArrays(of source: Node, _ range: Range<Int>) {
        let node = node
        func copy(_ from: Int, _ to: Int, stride: Int) {
            source.withBytes(from + range.lowerBound * stride..<from + range.upperBound * stride) {
                memory.copy($0, to: to)
            }
        }
        copy(source.childrenOffset, node.childrenOffset, stride: 8)
        copy(source.checksumsOffset, node.checksumsOffset, stride: 4)
        for column in 0...node.facetCount {
            copy(source.countsOffset(column), node.countsOffset(column), stride: 4)
        }
    }

    /// Moves the elements of every array from `index` on. Precondition: there is room.
    private func shiftArrays(from index: Int, by places: Int) {
        let node = node
        func shift(_ array: Int, stride: Int) {
            memory.move(array + index * stride..<array + node.count * stride, to: array + (index + places) * stride)
        }
        shift(node.slotOffset, stride: 8)
        shift(node.childrenOffset, stride: 8)
        shift(node.checksumsOffset, stride: 4)
        for column in 0...node.facetCount { shift(node.countsOffset(column), stride: 4) }
    }
}
