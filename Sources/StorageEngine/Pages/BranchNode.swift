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
    private let columns: TreeColumns

    var node: Node { memory.node }

    /// `nil` when the commit being made has not made the branch.
    init?(own node: Node, _ columns: TreeColumns, heap: NodeHeap) {
        guard let memory = heap.memory(of: node) else { return nil }
        self.init(memory: memory, columns, heap: heap)
    }

    /// A branch of two children, the new root after a split.
    init(
        left: UInt64, separator: [UInt8], right: UInt64, level: Int, facetCount: Int, _ columns: TreeColumns,
        heap: NodeHeap
    ) {
        self.heap = heap
        self.columns = columns
        memory = Self.allocate(
            heap, capacity: 8, NodeShape(facetCount: facetCount, columnCount: columns.count), level: level,
            keyByteCount: separator.count + 128)
        append(child: left, checksum: 0)
        recount(0)
        _ = insert(child: right, separator: separator, at: 1)
    }

    /// A copy of `node` with room to grow; of only `range` of its children when given. The separators keep the node's
    /// prefix.
    init(copying node: Node, range: Range<Int>? = nil, _ columns: TreeColumns, heap: NodeHeap) {
        let keyStart =
            NodeLayout.headerByteCount
            + NodeLayout.branchArraysByteCount(capacity: node.capacity, node.shape)
        let keyByteCount = node.used - keyStart
        // Removals leave separators behind; what is copied again and again must not carry them along for ever.
        guard range == nil, keyByteCount - node.liveKeyByteCount <= Self.garbageByteCount else {
            self.init(
                layingOut: node, range: range ?? 0..<node.count, prefixLength: node.prefixLength, extraSlots: 4,
                extraKeyByteCount: 128, columns, heap: heap)
            return
        }
        self.init(
            memory: Self.allocate(
                heap, capacity: node.count + 4 + node.count / 8, node.shape, level: node.level,
                keyByteCount: keyByteCount + 128),
            columns, heap: heap)
        let copy = self.node
        // The keys are taken over in one piece, so every offset moves by the same distance.
        let start = copy.used
        let distance = UInt64(bitPattern: Int64(start - keyStart))
        node.withBytes(keyStart..<node.used) { memory.copy($0, to: start) }
        memory.store(UInt32(start + keyByteCount), in: NodeField.used)
        memory.store(UInt16(node.count), in: NodeField.count)
        memory.store(UInt16(node.prefixLength), in: NodeField.prefixLength)
        let prefixOffset = node.prefixLength == 0 ? start : node.prefixOffset - keyStart + start
        memory.store(UInt16(prefixOffset), in: NodeField.prefixOffset)
        memory.storeSlots(node.count, of: node) { $0 &+ distance }
        copyArrays(of: node, 0..<node.count)
        precondition(
            self.node.used <= NodeLayout.offsetLimit, "a branch's separators lie within reach of a slot's offset")
    }

    /// Separator bytes that no child uses, tolerated in a copy.
    private static let garbageByteCount = 1024

    /// Children of `node`, their separators laid out exactly, with a shorter prefix when one is given.
    private init(
        layingOut node: Node, range: Range<Int>, prefixLength: Int, extraSlots: Int, extraKeyByteCount: Int,
        _ columns: TreeColumns, heap: NodeHeap
    ) {
        var keyByteCount = prefixLength
        for index in range { keyByteCount += node.keyByteCount(index) - prefixLength }
        self.init(
            memory: Self.allocate(
                heap, capacity: range.count + extraSlots + range.count / 8, node.shape, level: node.level,
                keyByteCount: max(0, keyByteCount) + prefixLength + extraKeyByteCount),
            columns, heap: heap)
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
        memory.store(child, in: node.arrays.children[index])
        memory.store(0, in: node.arrays.checksums[index])
    }

    func setCount(_ index: Int, column: Int, _ count: Int) {
        memory.store(UInt32(truncatingIfNeeded: count), in: node.counts(column)[index])
    }

    func addCount(_ index: Int, column: Int, _ change: Int) {
        setCount(index, column: column, node.childCount(index, column: column) + change)
    }

    /// Reads the child's own counts into its slot.
    func recount(_ index: Int) {
        // Safe because the child was made or adopted by this commit, so it is in memory and alive.
        let child = unsafe Node(reference: node.child(index))
        for column in 0...node.facetCount { setCount(index, column: column, child.total(column: column)) }
        for column in 0..<columns.count { retotal(index, column: column) }
    }

    /// Reads what a column holds of the child into its slot.
    func retotal(_ index: Int, column: Int) {
        // Safe because the child was made or adopted by this commit, so it is in memory and alive.
        let child = unsafe Node(reference: node.child(index))
        setColumn(index, column: column, child.total(ofColumn: column, of: columns).bits)
    }

    /// The same for the highest and the lowest running sum of an amount, whichever of them the tree has.
    func retotalRunningSums(_ index: Int, ofAmount amount: Int) {
        // Safe because the child was made or adopted by this commit, so it is in memory and alive.
        let child = unsafe Node(reference: node.child(index))
        let sums = child.runningSums(ofAmount: amount, columns)
        if let highest = columns.index(of: .highest(amount: amount)) {
            setColumn(index, column: highest, UInt128(bitPattern: sums.highest))
        }
        if let lowest = columns.index(of: .lowest(amount: amount)) {
            setColumn(index, column: lowest, UInt128(bitPattern: sums.lowest))
        }
    }

    func setColumn(_ index: Int, column: Int, _ bits: UInt128) {
        memory.store(bits, in: node.arrays.column(column)[index])
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
        memory.store(UInt16(count + 1), in: NodeField.count)
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
            capacity: node.count + 8 + node.count / 8, node.shape)
        return NodeLayout.headerByteCount + arrays + keys + 256 <= NodeLayout.offsetLimit
    }

    /// Makes room for one more child with that separator. The old node is given back.
    mutating func grow(forSeparator separator: [UInt8]) {
        let old = node
        let larger = BranchNode(
            layingOut: old, range: 0..<old.count, prefixLength: sharedPrefixLength(with: separator), extraSlots: 8,
            extraKeyByteCount: separator.count + 256, columns, heap: heap)
        heap.retire(old)
        self = larger
    }

    /// Bytes of the prefix that `separator` begins with.
    private func sharedPrefixLength(with separator: [UInt8]) -> Int {
        separator.withBytes { separator in node.withPrefix { separator.commonPrefixLength(with: $0) } }
    }

    func remove(at index: Int) {
        shiftArrays(from: index + 1, by: -1)
        memory.store(UInt16(node.count - 1), in: NodeField.count)
    }

    /// Cuts the branch in two and gives the right half and the separator between them.
    mutating func split(at middle: Int) -> (separator: [UInt8], branch: BranchNode) {
        let node = node
        let separator = node.key(middle)
        let right = BranchNode(copying: node, range: middle..<node.count, columns, heap: heap)
        let left = BranchNode(copying: node, range: 0..<middle, columns, heap: heap)
        heap.retire(node)
        memory = left.memory
        return (separator, right)
    }

    var reference: UInt64 { node.reference }

    // MARK: Layout

    private init(memory: NodeMemory, _ columns: TreeColumns, heap: NodeHeap) {
        self.memory = memory
        self.columns = columns
        self.heap = heap
    }

    private static func allocate(
        _ heap: NodeHeap, capacity: Int, _ shape: NodeShape, level: Int, keyByteCount: Int
    ) -> NodeMemory {
        let arrays = NodeLayout.branchArraysByteCount(capacity: capacity, shape)
        let start = NodeLayout.headerByteCount + arrays
        let memory = heap.allocateNode(
            byteCount: (start + keyByteCount + 15) & ~15, kind: NodeLayout.branch, shape, capacity: capacity)
        memory.store(UInt8(level), in: NodeField.level)
        memory.store(UInt32(start), in: NodeField.used)
        return memory
    }

    private func setPrefix(_ prefix: RawSpan) {
        let used = node.used
        memory.store(UInt16(prefix.byteCount), in: NodeField.prefixLength)
        memory.store(UInt16(used), in: NodeField.prefixOffset)
        memory.copy(prefix, to: used)
        memory.store(UInt32(used + prefix.byteCount), in: NodeField.used)
    }

    /// Child 0 keeps an empty suffix: every key that is less than separator 1 belongs to it.
    private func append(child: UInt64, checksum: UInt32) {
        let node = node
        let count = node.count
        precondition(count < node.capacity, "a branch has a slot for every child")
        memory.store(UInt16(count + 1), in: NodeField.count)
        memory.store(UInt64(node.used), in: node.arrays.slots[count])
        memory.store(child, in: node.arrays.children[count])
        memory.store(checksum, in: node.arrays.checksums[count])
    }

    private func setSlot(_ index: Int, suffix: RawSpan) {
        let used = node.used
        memory.store(
            NodeLayout.slot(head: suffix.keyHead, count: suffix.byteCount, offset: used),
            in: node.arrays.slots[index])
        memory.copy(suffix, to: used)
        memory.store(UInt32(used + suffix.byteCount), in: NodeField.used)
    }

    /// Takes over children, columns, checksums and counts. Precondition: `count` is set, and `range` has as many.
    private func copyArrays(of source: Node, _ range: Range<Int>) {
        let node = node
        func copy<Element>(_ from: FieldArray<Element>, _ to: FieldArray<Element>) {
            source.withBytes(from.range(of: range)) { memory.copy($0, to: to.offset) }
        }
        copy(source.arrays.children, node.arrays.children)
        copy(source.arrays.checksums, node.arrays.checksums)
        for column in 0..<node.columnCount { copy(source.arrays.column(column), node.arrays.column(column)) }
        for column in 0...node.facetCount { copy(source.counts(column), node.counts(column)) }
    }

    /// Moves the elements of every array from `index` on. Precondition: there is room.
    private func shiftArrays(from index: Int, by places: Int) {
        let node = node
        let elements = index..<node.count
        memory.move(elements, of: node.arrays.slots, by: places)
        memory.move(elements, of: node.arrays.children, by: places)
        memory.move(elements, of: node.arrays.checksums, by: places)
        for column in 0..<node.columnCount { memory.move(elements, of: node.arrays.column(column), by: places) }
        for column in 0...node.facetCount { memory.move(elements, of: node.counts(column), by: places) }
    }
}
