/// A page or a memory node, read in place. One word; nothing to retain.
///
/// Safe because a `Node` is made only from a page that was verified and validated against `NodeLayout` when it was first
/// touched, or from memory the engine composed itself, and is used while the version that holds it is alive.
@safe struct Node {
    let address: UnsafeRawPointer

    @inline(__always) init(_ address: UnsafeRawPointer) { unsafe self.address = address }

    /// The memory node behind a child reference, which is its address. Safe only while that node lives.
    @unsafe @inline(__always) init(reference: UInt64) {
        unsafe address = UnsafeRawPointer(bitPattern: UInt(reference))!
    }

    /// A field, which lies at an offset that is a multiple of its size. Once for each size there is: an unoptimised build takes three times as long
    /// for a generic one.
    @inline(__always) func load(_ field: Field<UInt8>) -> UInt8 {
        unsafe address.load(fromByteOffset: field.offset, as: UInt8.self)
    }
    @inline(__always) func load(_ field: Field<UInt16>) -> UInt16 {
        unsafe address.load(fromByteOffset: field.offset, as: UInt16.self)
    }
    @inline(__always) func load(_ field: Field<UInt32>) -> UInt32 {
        unsafe address.load(fromByteOffset: field.offset, as: UInt32.self)
    }
    @inline(__always) func load(_ field: Field<UInt64>) -> UInt64 {
        unsafe address.load(fromByteOffset: field.offset, as: UInt64.self)
    }

    @inline(__always) var kind: UInt8 { load(NodeField.kind) }
    @inline(__always) var facetCount: Int { Int(load(NodeField.facetCount)) }
    @inline(__always) var count: Int { Int(load(NodeField.count)) }
    @inline(__always) var capacity: Int { Int(load(NodeField.capacity)) }
    @inline(__always) var prefixLength: Int { Int(load(NodeField.prefixLength)) }
    @inline(__always) var prefixOffset: Int { Int(load(NodeField.prefixOffset)) }
    @inline(__always) var level: Int { Int(load(NodeField.level)) }
    @inline(__always) var used: Int { Int(load(NodeField.used)) }
    @inline(__always) var baseWord: UInt64 { load(NodeField.base) }
    @inline(__always) var pageNumber: UInt32 { load(NodeField.pageNumber) }
    @inline(__always) var isLeaf: Bool { kind != NodeLayout.branch }
    @inline(__always) var isPatch: Bool { kind == NodeLayout.patchLeaf }

    /// Every memory node has the mark in its base word. A mapped page has the number of its tree there, which is less.
    @inline(__always) var isInMemory: Bool { baseWord >= NodeHeap.memoryMark }
    @inline(__always) var reference: UInt64 { unsafe UInt64(UInt(bitPattern: address)) }

    /// Whether the node, one in memory, keeps entries of a page.
    @inline(__always) var amendsPage: Bool { isPatch || isDensePatch }

    /// The page that a patch leaf amends. Precondition: the node is one.
    @inline(__always) private var basePage: UnsafeRawPointer {
        unsafe UnsafeRawPointer(bitPattern: UInt(baseWord & ~NodeHeap.memoryMark))!
    }

    /// The same; the node itself when it is no patch.
    @inline(__always) var basePageNode: Node { amendsPage ? unsafe Node(basePage) : self }

    /// The page whose entries a patch leaf keeps; the node itself otherwise.
    @inline(__always) var base: UnsafeRawPointer {
        unsafe isPatch ? basePage : address
    }

    /// A patch's reference to its page; a page's to itself.
    var baseReference: UInt64 { basePageNode.reference }
    /// What a patch of the page that this is, or amends, has in its base word.
    var patchWord: UInt64 { baseReference | NodeHeap.memoryMark }

    @inline(__always) var arrays: NodeArrays { NodeArrays(capacity: capacity, columnCount: columnCount) }

    @inline(__always) func slot(_ index: Int) -> UInt64 {
        assert(index >= 0 && index < count, "a slot in use")
        return unsafe address.load(fromByteOffset: NodeArrays.slotsOffset + index * 8, as: UInt64.self)
    }

    /// Where the entry of a slot begins: in a leaf its value word, in a branch its key suffix.
    @inline(__always) func entry(_ slot: UInt64) -> UnsafeRawPointer {
        let offset = Int(slot & 0x7FFF)
        guard slot & NodeLayout.inBase != 0 else { return unsafe address + offset }
        return unsafe basePage + offset
    }

    @inline(__always) var prefix: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base + prefixOffset, count: prefixLength)
    }

    /// The key's bytes after the prefix.
    @inline(__always) func suffix(_ index: Int) -> UnsafeRawBufferPointer {
        let slot = slot(index)
        return unsafe UnsafeRawBufferPointer(
            start: isLeaf ? entry(slot) + NodeLayout.wordByteCount : entry(slot),
            count: NodeLayout.suffixByteCount(slot))
    }

    @inline(__always) func keyByteCount(_ index: Int) -> Int {
        if isPacked { return packedKeyByteCount(index) }
        return prefixLength + NodeLayout.suffixByteCount(slot(index))
    }

    /// Copies a whole key; the target has room for `keyByteCount(index)` bytes.
    @inline(__always) func copyKey(_ index: Int, to target: UnsafeMutableRawPointer) {
        unsafe copyPrefix(to: target)
        unsafe copySuffix(index, to: target)
    }

    /// The bytes that all keys begin with.
    @inline(__always) func copyPrefix(to target: UnsafeMutableRawPointer) {
        let prefix = unsafe prefix
        if prefix.count > 0 { unsafe target.copyMemory(from: prefix.baseAddress!, byteCount: prefix.count) }
    }

    /// The rest of a key, behind the prefix that lies at the target.
    @inline(__always) func copySuffix(_ index: Int, to target: UnsafeMutableRawPointer) {
        let suffix = unsafe suffix(index)
        if suffix.count > 0 {
            unsafe (target + prefixLength).copyMemory(from: suffix.baseAddress!, byteCount: suffix.count)
        }
    }

    func key(_ index: Int) -> [UInt8] {
        if isPacked { return withPackedKey(index) { $0.copyBytes() } }
        return unsafe [UInt8](unsafeUninitializedCapacity: keyByteCount(index)) { buffer, count in
            count = keyByteCount(index)
            if count > 0 { unsafe copyKey(index, to: UnsafeMutableRawPointer(buffer.baseAddress!)) }
        }
    }

    // MARK: Leaves

    @inline(__always) func facets(_ index: Int) -> UInt16 {
        guard facetCount > 0 else { return 0 }
        if isDense { return denseFacets(index) }
        assert(index >= 0 && index < count, "an entry in use")
        return load(arrays.facets[index])
    }

    /// An entry's value, or a reference to it, as it lies in a leaf with slots.
    // Safe because it is used while the node is.
    @safe struct Cell {
        /// The length of the whole value, or of what kind the reference is.
        let word: UInt16
        let bytes: UnsafeRawBufferPointer
        /// What the value ends with, where that lies elsewhere; empty where nothing does.
        let end: UnsafeRawBufferPointer
    }

    /// Precondition: the leaf has slots.
    @inline(__always) func cell(_ index: Int) -> Cell {
        assert(!isDense, "a leaf without slots is read by its page")
        let slot = slot(index)
        let entry = unsafe entry(slot)
        let word = unsafe entry.loadUnaligned(as: UInt16.self)
        let start = unsafe entry + NodeLayout.wordByteCount + NodeLayout.suffixByteCount(slot)
        guard word >= NodeLayout.sharedEnd else {
            return unsafe Cell(
                word: word, bytes: UnsafeRawBufferPointer(start: start, count: Int(word)),
                end: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        guard word & 0x8000 == 0 else {
            return unsafe Cell(
                word: word, bytes: UnsafeRawBufferPointer(start: start, count: NodeLayout.referenceByteCount),
                end: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return unsafe cell(start, ownByteCount: Int(word - NodeLayout.sharedEnd), of: basePageNode)
    }

    /// One that shares its end. Only pages have such.
    private func cell(_ start: UnsafeRawPointer, ownByteCount: Int, of page: Node) -> Cell {
        let reference = unsafe start + ownByteCount
        let offset = unsafe reference.loadUnaligned(fromByteOffset: SharedEndField.offset.offset, as: UInt16.self)
        let count = unsafe reference.load(fromByteOffset: SharedEndField.count.offset, as: UInt8.self)
        return unsafe Cell(
            word: UInt16(ownByteCount) + UInt16(count),
            bytes: UnsafeRawBufferPointer(start: start, count: ownByteCount),
            end: UnsafeRawBufferPointer(start: page.address + Int(offset), count: Int(count)))
    }

    // MARK: Branches

    /// Bytes of the prefix and of the separators that children use.
    var liveKeyByteCount: Int {
        var sum = prefixLength
        for index in 0..<count { sum += NodeLayout.suffixByteCount(slot(index)) }
        return sum
    }

    @inline(__always) func child(_ index: Int) -> UInt64 {
        assert(index >= 0 && index < count, "a child in use")
        return load(arrays.children[index])
    }

    @inline(__always) func checksum(_ index: Int) -> UInt32 { load(arrays.checksums[index]) }

    /// Counts of the entries below each child: column 0 all of them, column 1 + f those of facet f.
    @inline(__always) func counts(_ column: Int) -> FieldArray<UInt32> {
        assert(column >= 0 && column <= facetCount, "a column the node counts")
        return arrays.counts(column)
    }

    @inline(__always) func childCount(_ index: Int, column: Int) -> Int {
        Int(load(counts(column)[index]))
    }

    /// Entries in or below this node: all (column 0) or one facet's (1 + facet).
    func total(column: Int) -> Int {
        if isLeaf {
            return column == 0 ? count : facetCount(below: count, facet: column - 1)
        }
        let counts = counts(column)
        var sum = 0
        for index in 0..<count { sum += Int(load(counts[index])) }
        return sum
    }

    /// Entries of a facet among the first `end` of a leaf.
    @inline(__always) func facetCount(below end: Int, facet: Int) -> Int {
        guard facetCount > facet else { return 0 }
        if isDense { return denseFacetCount(below: end, facet: facet) }
        let facets = arrays.facets
        var sum = 0
        for index in 0..<end { sum += Int((load(facets[index]) >> UInt16(facet)) & 1) }
        return sum
    }

    /// Entries before child or entry `end`.
    @inline(__always) func total(before end: Int, column: Int) -> Int {
        if isLeaf { return column == 0 ? end : facetCount(below: end, facet: column - 1) }
        let counts = counts(column)
        var sum = 0
        for index in 0..<end { sum += Int(load(counts[index])) }
        return sum
    }
}
