/// A value too long to lie beside its key, in memory of its own until the next snapshot takes it over. A leaf holds its
/// address and length; it lives and is retired as nodes are.
struct LargeValue {
    private let address: UnsafeMutableRawPointer
    private let byteCount: Int

    /// Reads the reference of a cell with the word `NodeLayout.largeValue`, which only memory nodes hold.
    init(cell: RawSpan) {
        address = UnsafeMutableRawPointer(bitPattern: UInt(cell.loadLittleEndian(at: 0, as: UInt64.self)))!
        byteCount = Int(cell.loadLittleEndian(at: 8, as: UInt64.self))
    }

    init(copying value: RawSpan, heap: NodeHeap) {
        let copy = heap.allocate(byteCount: max(value.byteCount, 1))
        value.withUnsafeBytes { if $0.count > 0 { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) } }
        address = copy
        byteCount = value.byteCount
    }

    func withBytes<Result, Failure>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: address, count: byteCount).bytes)
    }

    /// The 16 bytes a leaf keeps.
    func withCell<Result, Failure>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        let words = (UInt64(UInt(bitPattern: address)).littleEndian, UInt64(byteCount).littleEndian)
        return try withUnsafeBytes(of: words) { (cell) throws(Failure) in try body(cell.bytes) }
    }

    func retire(from heap: NodeHeap) { heap.retire(address) }
}
