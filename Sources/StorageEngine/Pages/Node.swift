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

    /// A field, which lies at an offset that is a multiple of its size.
    @inline(__always) func load<Value: BitwiseCopyable>(_ byteOffset: Int, _ type: Value.Type) -> Value {
        unsafe address.load(fromByteOffset: byteOffset, as: type)
    }

    @inline(__always) var kind: UInt8 { load(0, UInt8.self) }
    @inline(__always) var facetCount: Int { Int(load(1, UInt8.self)) }
    @inline(__always) var count: Int { Int(load(2, UInt16.self)) }
    @inline(__always) var capacity: Int { Int(load(4, UInt16.self)) }
    @inline(__always) var prefixLength: Int { Int(load(6, UInt16.self)) }
    @inline(__always) var prefixOffset: Int { Int(load(8, UInt16.self)) }
    @inline(__always) var level: Int { Int(load(10, UInt16.self)) }
    @inline(__always) var used: Int { Int(load(12, UInt32.self)) }
    @inline(__always) var baseWord: UInt64 { load(16, UInt64.self) }
    @inline(__always) var pageNumber: UInt32 { load(24, UInt32.self) }
    @inline(__always) var isLeaf: Bool { kind != NodeLayout.branch }
    @inline(__always) var isPatch: Bool { kind == NodeLayout.patchLeaf }

    /// A mapped page has 0 in its base word; every memory node has something else.
    @inline(__always) var isInMemory: Bool { baseWord != 0 }
    @inline(__always) var reference: UInt64 { unsafe UInt64(UInt(bitPattern: address)) }

    /// The page whose entries a patch leaf keeps; the node itself otherwise.
    @inline(__always) var base: UnsafeRawPointer {
        unsafe isPatch ? UnsafeRawPointer(bitPattern: UInt(baseWord))! : address
    }

    /// A patch's reference to its page.
    var baseReference: UInt64 { unsafe UInt64(UInt(bitPattern: base)) }

    @inline(__always) var slotOffset: Int { NodeLayout.headerByteCount }

    @inline(__always) func slot(_ index: Int) -> UInt64 {
        assert(index >= 0 && index < count, "a slot in use")
        return load(slotOffset + index * 8, UInt64.self)
    }

    /// Where the entry of a slot begins: in a leaf its value word, in a branch its key suffix.
    @inline(__always) func entry(_ slot: UInt64) -> UnsafeRawPointer {
        let offset = Int(slot & 0x7FFF)
        guard slot & NodeLayout.inBase != 0 else { return unsafe address + offset }
        return unsafe UnsafeRawPointer(bitPattern: UInt(baseWord))! + offset
    }

    @inline(__always) var prefix: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base + prefixOffset, count: prefixLength)
    }

    /// The key's bytes after the prefix.
    @inline(__always) func suffix(_ index: Int) -> UnsafeRawBufferPointer {
        let slot = slot(index)
        return unsafe UnsafeRawBufferPointer(
            start: isLeaf ? entry(slot) + 2 : entry(slot), count: Int((slot >> 16) & 0xFFFF))
    }

    @inline(__always) func keyByteCount(_ index: Int) -> Int { prefixLength + Int((slot(index) >> 16) & 0xFFFF) }

    /// Copies a whole key; the target has room for `keyByteCount(index)` bytes.
    @inline(__always) func copyKey(_ index: Int, to target: UnsafeMutableRawPointer) {
        let prefix = unsafe prefix
        let suffix = unsafe suffix(index)
        if prefix.count > 0 { unsafe target.copyMemory(from: prefix.baseAddress!, byteCount: prefix.count) }
        if suffix.count > 0 {
            unsafe (target + prefix.count).copyMemory(from: suffix.baseAddress!, byteCount: suffix.count)
        }
    }

    func key(_ index: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: keyByteCount(index)) { buffer, count in
            count = keyByteCount(index)
            if count > 0 { unsafe copyKey(index, to: UnsafeMutableRawPointer(buffer.baseAddress!)) }
        }
    }

    // MARK: Leaves

    @inline(__always) var facetsOffset: Int { slotOffset + capacity * 8 }

    @inline(__always) func facets(_ index: Int) -> UInt16 {
        guard facetCount > 0 else { return 0 }
        assert(index >= 0 && index < count, "an entry in use")
        return load(facetsOffset + index * 2, UInt16.self)
    }

    /// The value word and the bytes behind it: the value, or a reference of 16 bytes.
    @inline(__always) func cell(_ index: Int) -> (word: UInt16, bytes: UnsafeRawBufferPointer) {
        let slot = slot(index)
        let entry = unsafe entry(slot)
        let word = unsafe entry.loadUnaligned(as: UInt16.self)
        let count = word & 0x8000 == 0 ? Int(word) : NodeLayout.referenceByteCount
        return unsafe (word, UnsafeRawBufferPointer(start: entry + 2 + Int((slot >> 16) & 0xFFFF), count: count))
    }

    // MARK: Branches

    /// Bytes of the prefix and of the separators that children use.
    var liveKeyByteCount: Int {
        var sum = prefixLength
        for index in 0..<count { sum += Int((slot(index) >> 16) & 0xFFFF) }
        return sum
    }

    @inline(__always) var childrenOffset: Int { slotOffset + capacity * 8 }
    @inline(__always) var checksumsOffset: Int { childrenOffset + capacity * 8 }

    @inline(__always) func child(_ index: Int) -> UInt64 {
        assert(index >= 0 && index < count, "a child in use")
        return load(childrenOffset + index * 8, UInt64.self)
    }

    @inline(__always) func checksum(_ index: Int) -> UInt32 { load(checksumsOffset + index * 4, UInt32.self) }

    /// Counts of the entries below each child: column 0 all of them, column 1 + f those of facet f.
    @inline(__always) func countsOffset(_ column: Int) -> Int {
        assert(column >= 0 && column <= facetCount, "a column the node counts")
        return childrenOffset + capacity * (12 + 4 * column)
    }

    @inline(__always) func childCount(_ index: Int, column: Int) -> Int {
        Int(load(countsOffset(column) + index * 4, UInt32.self))
    }

    /// Entries in or below this node: all (column 0) or one facet's (1 + facet).
    func total(column: Int) -> Int {
        if isLeaf {
            return column == 0 ? count : facetCount(below: count, facet: column - 1)
        }
        let counts = countsOffset(column)
        var sum = 0
        for index in 0..<count { sum += Int(load(counts + index * 4, UInt32.self)) }
        return sum
    }

    /// Entries of a facet among the first `end` of a leaf.
    @inline(__always) func facetCount(below end: Int, facet: Int) -> Int {
        guard facetCount > facet else { return 0 }
        let masks = facetsOffset
        var sum = 0
        for index in 0..<end { sum += Int((load(masks + index * 2, UInt16.self) >> UInt16(facet)) & 1) }
        return sum
    }

    /// Entries before child or entry `end`.
    @inline(__always) func total(before end: Int, column: Int) -> Int {
        if isLeaf { return column == 0 ? end : facetCount(below: end, facet: column - 1) }
        let counts = countsOffset(column)
        var sum = 0
        for index in 0..<end { sum += Int(load(counts + index * 4, UInt32.self)) }
        return sum
    }
}
