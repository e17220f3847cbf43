/// Lays out one page of a snapshot file.
struct PageWriter {
    private let page: UnsafeMutableRawBufferPointer
    private var used: Int

    init(
        _ page: UnsafeMutableRawBufferPointer, kind: UInt8, facetCount: Int, count: Int, level: Int, pageNumber: UInt32,
        arraysByteCount: Int
    ) {
        precondition(page.count == NodeLayout.pageByteCount, "a page has 4,096 bytes")
        self.page = page
        used = NodeLayout.headerByteCount + arraysByteCount
        page.initializeMemory(as: UInt8.self, repeating: 0)
        page.storeBytes(of: kind, toByteOffset: 0, as: UInt8.self)
        page.storeBytes(of: UInt8(facetCount), toByteOffset: 1, as: UInt8.self)
        page.storeBytes(of: UInt16(count).littleEndian, toByteOffset: 2, as: UInt16.self)
        page.storeBytes(of: UInt16(count).littleEndian, toByteOffset: 4, as: UInt16.self)
        page.storeBytes(of: UInt16(level).littleEndian, toByteOffset: 10, as: UInt16.self)
        page.storeBytes(of: pageNumber.littleEndian, toByteOffset: 24, as: UInt32.self)
    }

    mutating func setPrefix(_ prefix: UnsafeRawBufferPointer) {
        guard prefix.count > 0 else { return }
        page.storeBytes(of: UInt16(prefix.count).littleEndian, toByteOffset: 6, as: UInt16.self)
        page.storeBytes(of: UInt16(used).littleEndian, toByteOffset: 8, as: UInt16.self)
        append(prefix)
    }

    /// Points a slot at what is appended next.
    func setSlot(_ index: Int, suffix: UnsafeRawBufferPointer) {
        let slot = UInt64(suffix.keyHead) << 32 | UInt64(suffix.count) << 16 | UInt64(used)
        page.storeBytes(of: slot.littleEndian, toByteOffset: NodeLayout.headerByteCount + index * 8, as: UInt64.self)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        UnsafeMutableRawBufferPointer(rebasing: page[used..<used + bytes.count]).copyMemory(from: bytes)
        used += bytes.count
    }

    mutating func append(word: UInt16) {
        page.storeBytes(of: word.littleEndian, toByteOffset: used, as: UInt16.self)
        used += 2
    }

    func finish() -> Int {
        page.storeBytes(of: UInt32(used).littleEndian, toByteOffset: 12, as: UInt32.self)
        return used
    }
}
