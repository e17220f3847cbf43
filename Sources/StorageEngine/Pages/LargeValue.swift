/// A value too long to lie beside its key, in memory of its own until the next snapshot takes it over. A leaf holds its
/// address and length; it lives and is retired as nodes are.
struct LargeValue {
    let bytes: UnsafeRawBufferPointer

    /// Reads the reference of a cell with the word `NodeLayout.largeValue`, which only memory nodes hold.
    init(cell: UnsafeRawBufferPointer) {
        // Safe because only `init(copying:heap:)` writes such references.
        let address = UInt(cell.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        let count = Int(cell.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count)
    }

    init(copying value: UnsafeRawBufferPointer, heap: NodeHeap) {
        let copy = heap.allocate(byteCount: max(value.count, 1))
        if value.count > 0 { copy.copyMemory(from: value.baseAddress!, byteCount: value.count) }
        bytes = UnsafeRawBufferPointer(start: copy, count: value.count)
    }

    /// The 16 bytes a leaf keeps.
    var reference: (UInt64, UInt64) { (UInt64(UInt(bitPattern: bytes.baseAddress!)), UInt64(bytes.count)) }
}
