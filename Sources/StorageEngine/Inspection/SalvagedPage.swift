/// One page of a snapshot file, copied out and found to have a layout that keeps every access within it.
struct SalvagedPage {
    private let bytes: [UInt8]

    let facetCount: Int
    let level: Int
    /// Entries, or children.
    let count: Int
    let number: UInt32
    private let prefix: Range<Int>

    /// A child as its parent describes it.
    struct Child {
        let page: UInt32
        let checksum: UInt32
        let entryCount: Int
    }

    enum Cell {
        case value([UInt8])
        case cold(ColdReference)
    }

    /// `nil` when the bytes have no page's layout. Whether they are the right page is for a checksum or a seal to say.
    init?(_ bytes: [UInt8], pageCount: Int, coldByteCount: UInt64) {
        let finding = bytes.withBytes {
            PageValidation.layoutFinding(in: $0, pageCount: pageCount, coldByteCount: coldByteCount)
        }
        guard finding == nil else { return nil }
        self.bytes = bytes
        facetCount = Int(bytes.loadLittleEndian(at: 1, as: UInt8.self))
        count = Int(bytes.loadLittleEndian(at: 2, as: UInt16.self))
        level = Int(bytes.loadLittleEndian(at: 10, as: UInt16.self))
        number = bytes.loadLittleEndian(at: 24, as: UInt32.self)
        let prefixLength = Int(bytes.loadLittleEndian(at: 6, as: UInt16.self))
        let prefixOffset = Int(bytes.loadLittleEndian(at: 8, as: UInt16.self))
        prefix = prefixLength == 0 ? 0..<0 : prefixOffset..<prefixOffset + prefixLength
    }

    var isLeaf: Bool { level == 0 }

    /// In a branch the separator before child `index`; child 0 has none.
    func key(_ index: Int) -> [UInt8] {
        let (offset, length) = suffix(index)
        return Array(bytes[prefix] + bytes[offset..<offset + length])
    }

    private func suffix(_ index: Int) -> (offset: Int, length: Int) {
        let slot = bytes.loadLittleEndian(at: NodeLayout.headerByteCount + index * 8, as: UInt64.self)
        let offset = Int(slot & 0xFFFF)
        return (isLeaf ? offset + 2 : offset, Int((slot >> 16) & 0xFFFF))
    }

    // MARK: Leaves

    func facets(_ index: Int) -> FacetSet {
        guard facetCount > 0 else { return [] }
        let offset = NodeLayout.headerByteCount + count * 8 + index * 2
        return FacetSet(rawValue: bytes.loadLittleEndian(at: offset, as: UInt16.self))
    }

    func cell(_ index: Int) -> Cell {
        let (offset, length) = suffix(index)
        let word = bytes.loadLittleEndian(at: offset - 2, as: UInt16.self)
        let start = offset + length
        guard word == NodeLayout.coldValue else { return .value(Array(bytes[start..<start + Int(word)])) }
        return .cold(
            ColdReference(
                block: bytes.loadLittleEndian(at: start, as: UInt64.self),
                offset: bytes.loadLittleEndian(at: start + 8, as: UInt32.self),
                count: bytes.loadLittleEndian(at: start + 12, as: UInt32.self)))
    }

    // MARK: Branches

    func child(_ index: Int) -> Child {
        let children = NodeLayout.headerByteCount + count * 8
        return Child(
            page: UInt32(bytes.loadLittleEndian(at: children + index * 8, as: UInt64.self) >> 1),
            checksum: bytes.loadLittleEndian(at: children + count * 8 + index * 4, as: UInt32.self),
            entryCount: Int(bytes.loadLittleEndian(at: children + count * 12 + index * 4, as: UInt32.self)))
    }
}
