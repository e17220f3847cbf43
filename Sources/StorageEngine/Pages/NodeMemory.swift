/// Memory of one node or large value, which a heap has allocated, and the header in front of it.
///
/// Safe because only `NodeHeap` makes and frees them, because each knows how large it is, and because every write is
/// checked against that: arithmetic that is wrong stops the program instead of changing another node.
@safe struct NodeMemory {
    private struct Header {
        let born: UInt64
        /// Behind the header.
        let byteCount: Int
        var newer: NodeMemory?
        var older: NodeMemory?
    }

    private let header: UnsafeMutablePointer<Header>

    // MARK: Allocations

    static let headerByteCount = MemoryLayout<Header>.stride

    init(allocating byteCount: Int, in slabs: inout NodeSlabs, born: UInt64, older: NodeMemory?) {
        let memory = unsafe slabs.allocate(byteCount: Self.headerByteCount + byteCount)
        unsafe header = memory.bindMemory(to: Header.self, capacity: 1)
        unsafe header.initialize(to: Header(born: born, byteCount: byteCount, newer: nil, older: older))
    }

    /// Safe only for what lies in such memory: a memory node or a large value.
    @unsafe @inline(__always) init(at address: UnsafeRawPointer) {
        unsafe header = UnsafeMutableRawPointer(mutating: address).assumingMemoryBound(to: Header.self) - 1
    }

    /// Safe only when nothing reads it any more.
    @unsafe func deallocate(in slabs: inout NodeSlabs) {
        unsafe slabs.deallocate(UnsafeMutableRawPointer(header), byteCount: Self.headerByteCount + byteCount)
    }

    /// The addresses it lies at, with its header.
    var addresses: Range<UInt> {
        let start = unsafe UInt(bitPattern: header)
        return start..<start + UInt(Self.headerByteCount + byteCount)
    }

    @inline(__always) private var address: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(header + 1) }

    /// The commit that allocated it.
    @inline(__always) var born: UInt64 { unsafe header.pointee.born }
    @inline(__always) var byteCount: Int { unsafe header.pointee.byteCount }
    @inline(__always) var node: Node { unsafe Node(UnsafeRawPointer(address)) }

    /// As a child reference, or as a leaf refers to a large value.
    var reference: UInt64 { unsafe UInt64(UInt(bitPattern: address)) }

    /// Neighbours in the heap's list of all allocations.
    var newer: NodeMemory? {
        get { unsafe header.pointee.newer }
        nonmutating set { unsafe header.pointee.newer = newValue }
    }
    var older: NodeMemory? {
        get { unsafe header.pointee.older }
        nonmutating set { unsafe header.pointee.older = newValue }
    }

    // MARK: Writing

    @inline(__always)
    func store<Value: BitwiseCopyable>(_ value: Value, at byteOffset: Int) {
        check(byteOffset, MemoryLayout<Value>.size)
        unsafe address.storeBytes(of: value, toByteOffset: byteOffset, as: Value.self)
    }

    @inline(__always)
    func store<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, in field: Field<Value>) {
        store(value, at: field.offset)
    }

    @inline(__always)
    func copy(_ bytes: RawSpan, to byteOffset: Int) {
        check(byteOffset, bytes.byteCount)
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe (address + byteOffset).copyMemory(from: start, byteCount: source.count)
        }
    }

    /// Writes the first slots, each made of the one that stands there in another node.
    func storeSlots(_ count: Int, of source: Node, _ slot: (UInt64) -> UInt64) {
        check(NodeArrays.slotsOffset, count * MemoryLayout<UInt64>.size)
        for index in 0..<count {
            unsafe address.storeBytes(
                of: slot(source.slot(index)), toByteOffset: NodeArrays.slotsOffset + index * 8, as: UInt64.self)
        }
    }

    /// Moves elements of an array by some places, up or down.
    @inline(__always)
    func move<Element>(_ elements: Range<Int>, of array: FieldArray<Element>, by places: Int) {
        move(array.range(of: elements), to: array[elements.lowerBound + places].offset)
    }

    /// Moves bytes within the node; the places may overlap.
    @inline(__always)
    private func move(_ range: Range<Int>, to byteOffset: Int) {
        check(range.lowerBound, range.count)
        check(byteOffset, range.count)
        unsafe (address + byteOffset).copyMemory(from: address + range.lowerBound, byteCount: range.count)
    }

    @inline(__always)
    private func check(_ byteOffset: Int, _ count: Int) {
        precondition(byteOffset >= 0 && count <= byteCount - byteOffset, "a node is written within its memory")
    }
}
