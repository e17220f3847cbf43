/// Lays out pages of a snapshot file, one after the other, in the same 4,096 bytes. Every write is bounds checked.
///
/// A page is laid out without its number and its seal: `PageSeal.put` gives it both, once its place in the file is known.
struct PageWriter {
    private(set) var bytes = [UInt8](repeating: 0, count: NodeLayout.pageByteCount)
    /// Where the next entry goes.
    private(set) var used = 0

    mutating func begin(
        kind: UInt8, _ tree: TreeDeclaration, count: Int, level: Int, arraysByteCount: Int
    ) {
        bytes.zero(from: 0)
        used = NodeLayout.headerByteCount + arraysByteCount
        store(kind, in: NodeField.kind)
        store(UInt8(tree.facetCount), in: NodeField.facetCount)
        store(UInt16(count), in: NodeField.count)
        store(UInt16(count), in: NodeField.capacity)
        store(UInt8(level), in: NodeField.level)
        store(UInt8(tree.columns.count), in: NodeField.columnCount)
        store(tree.number.rawValue, in: NodeField.tree)
    }

    /// Takes over the page of another file.
    mutating func begin(copying other: RawSpan, used: Int) {
        bytes.set(other.extracting(0..<used), at: 0)
        bytes.zero(from: used)
        self.used = used
    }

    mutating func setPrefix(_ prefix: RawSpan) {
        guard prefix.byteCount > 0 else { return }
        store(UInt16(prefix.byteCount), in: NodeField.prefixLength)
        store(UInt16(used), in: NodeField.prefixOffset)
        append(prefix)
    }

    /// Points a slot at what is appended next.
    mutating func setSlot(_ slot: Field<UInt64>, suffix: RawSpan) {
        store(NodeLayout.slot(head: suffix.keyHead, count: suffix.byteCount, offset: used), in: slot)
    }

    mutating func zero(_ range: Range<Int>) { bytes.zero(range) }

    mutating func append(_ entry: RawSpan) {
        bytes.set(entry, at: used)
        used += entry.byteCount
    }

    mutating func append(byte: UInt8) {
        bytes[used] = byte
        used += 1
    }

    /// Sets bits that are zero.
    mutating func set(_ bits: UInt64, at byteOffset: Int) {
        bytes.set(littleEndian: bytes.loadLittleEndian(at: byteOffset, as: UInt64.self) | bits, at: byteOffset)
    }

    mutating func append(word: UInt16) {
        bytes.set(littleEndian: word, at: used)
        used += NodeLayout.wordByteCount
    }

    /// Says where in the page the rest of a value lies.
    mutating func appendSharedEnd(at offset: Int, byteCount: Int) {
        let start = used
        used += SharedEndField.end
        bytes.store(UInt16(offset), in: SharedEndField.offset, at: start)
        bytes.store(UInt8(byteCount), in: SharedEndField.count, at: start)
    }

    mutating func store<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, in field: Field<Value>) {
        bytes.store(value, in: field)
    }

    /// Gives the bytes in use.
    mutating func finish() -> Int {
        store(UInt32(used), in: NodeField.used)
        return used
    }

    /// Gives the finished page its number and seal.
    mutating func put(_ pageNumber: UInt32, _ seal: PageSeal) { seal.put(pageNumber, onPageAt: 0, of: &bytes) }
}
