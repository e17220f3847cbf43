/// Lays out pages of a snapshot file, one after the other, in the same 4,096 bytes. Every write is bounds checked.
struct PageWriter {
    private(set) var bytes = [UInt8](repeating: 0, count: NodeLayout.pageByteCount)
    /// Where the next entry goes.
    private var used = 0

    mutating func begin(
        kind: UInt8, facetCount: Int, count: Int, level: Int, pageNumber: UInt32, arraysByteCount: Int
    ) {
        bytes.zero(from: 0)
        used = NodeLayout.headerByteCount + arraysByteCount
        bytes[0] = kind
        bytes[1] = UInt8(facetCount)
        set(UInt16(count), at: 2)
        set(UInt16(count), at: 4)
        set(UInt16(level), at: 10)
        set(pageNumber, at: 24)
    }

    /// The page of another file, under a new number and seal.
    mutating func copy(_ other: RawSpan, used: Int, pageNumber: UInt32, _ seal: PageSeal) {
        bytes.set(other.extracting(0..<used), at: 0)
        bytes.zero(from: used)
        set(pageNumber, at: 24)
        set(UInt32(0), at: PageSeal.byteOffset)
        seal.put(on: &bytes)
    }

    mutating func setPrefix(_ prefix: RawSpan) {
        guard prefix.byteCount > 0 else { return }
        set(UInt16(prefix.byteCount), at: 6)
        set(UInt16(used), at: 8)
        append(prefix)
    }

    /// Points a slot at what is appended next.
    mutating func setSlot(_ index: Int, suffix: RawSpan) {
        set(
            NodeLayout.slot(head: suffix.keyHead, count: suffix.byteCount, offset: used),
            at: NodeLayout.headerByteCount + index * 8)
    }

    mutating func append(_ entry: RawSpan) {
        bytes.set(entry, at: used)
        used += entry.byteCount
    }

    mutating func append(word: UInt16) {
        set(word, at: used)
        used += 2
    }

    mutating func set<Integer: FixedWidthInteger & BitwiseCopyable>(_ value: Integer, at byteOffset: Int) {
        bytes.set(littleEndian: value, at: byteOffset)
    }

    /// Gives the bytes in use.
    mutating func finish(_ seal: PageSeal) -> Int {
        set(UInt32(used), at: 12)
        seal.put(on: &bytes)
        return used
    }
}
