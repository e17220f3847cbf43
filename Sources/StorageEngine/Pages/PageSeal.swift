/// What a page says of itself: that it belongs to this generation of this store, and so to the tree that its header names.
///
/// Reading trusts the checksum that the *parent* holds, which also finds a page that is old or in another's place. The seal
/// is for pages that no parent speaks of: those below a branch that is lost, those of a home that places lead to, and pages of symbols.
struct PageSeal {
    private let seed: UInt32

    init(store: StoreIdentifier, generation: UInt64) {
        var bytes = store.bytes
        bytes.append(littleEndian: generation)
        seed = CRC32C.checksum(bytes)
    }

    /// Over the whole page, with zeros in place of the seal itself.
    func checksum(of page: RawSpan) -> UInt32 {
        var checksum = CRC32C.checksum(page.extracting(0..<NodeField.seal.offset), seed: seed)
        checksum = CRC32C.checksum([0, 0, 0, 0], seed: checksum)
        return CRC32C.checksum(page.extracting(NodeField.seal.end...), seed: checksum)
    }

    func isOn(_ page: RawSpan) -> Bool {
        page.load(NodeField.seal) == checksum(of: page)
    }

    func put(on page: inout [UInt8]) { put(onPageAt: 0, of: &page) }

    /// Gives a page that lies among others its number, and seals it.
    func put(_ pageNumber: UInt32, onPageAt start: Int, of pages: inout [UInt8]) {
        pages.store(pageNumber, in: NodeField.pageNumber, at: start)
        put(onPageAt: start, of: &pages)
    }

    private func put(onPageAt start: Int, of pages: inout [UInt8]) {
        let checksum = pages.withBytes {
            self.checksum(of: $0.extracting(start..<start + NodeLayout.pageByteCount))
        }
        pages.store(checksum, in: NodeField.seal, at: start)
    }
}
