/// A value too long to lie beside its key, in memory of its own until the next snapshot takes it over. A leaf holds its
/// address, length and hash; it lives and is retired as nodes are.
///
/// Safe because a leaf gets such a reference from `cell(copying:heap:)` only, and the leaf goes before the value does.
@safe struct LargeValue {
    private let start: UnsafeRawPointer
    private let byteCount: Int

    /// Reads the reference of a cell with the word `NodeLayout.largeValue`, which only memory nodes hold. Safe for no other.
    @unsafe init(cell: RawSpan) {
        unsafe start = UnsafeRawPointer(bitPattern: UInt(cell.load(LargeValueField.address)))!
        byteCount = Int(cell.load(LargeValueField.byteCount))
    }

    var memory: NodeMemory { unsafe NodeMemory(at: start) }

    func withBytes<Result, Failure>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(unsafe UnsafeRawBufferPointer(start: start, count: byteCount).bytes)
    }

    /// Copies a value into memory of its own and gives the cell that a leaf keeps.
    static func cell(copying value: RawSpan, heap: NodeHeap) -> [UInt8] {
        let memory = heap.allocate(byteCount: max(value.byteCount, 1))
        memory.copy(value, to: 0)
        var cell = [UInt8](repeating: 0, count: NodeLayout.referenceByteCount)
        cell.store(memory.reference, in: LargeValueField.address)
        cell.store(UInt64(value.byteCount), in: LargeValueField.byteCount)
        cell.store(EntryHash.hash(value), in: LargeValueField.hash)
        return cell
    }
}

extension Node {
    /// The memory of a large value to which an entry of a leaf refers; `nil` for any other value.
    func largeValue(_ index: Int) -> NodeMemory? {
        guard !isHot(index) else { return nil }
        // Safe because a memory node that holds this word holds a large value's reference, and no page holds it.
        return withCell(index) { word, cell in
            word == NodeLayout.largeValue ? unsafe LargeValue(cell: cell).memory : nil
        }
    }
}
