/// One page of a snapshot file, copied out and found to have a layout that keeps every access within it.
struct SalvagedPage {
    private let bytes: [UInt8]

    let shape: NodeShape
    let tree: TreeNumber
    let level: Int
    /// Entries, or children.
    let count: Int
    let number: UInt32
    /// Whether the ends of its keys lie in the home tree.
    let isPermuted: Bool
    private let isPacked: Bool
    private let prefix: Range<Int>

    /// A child as its parent describes it.
    struct Child {
        let page: UInt32
        let checksum: UInt32
        let entryCount: Int
    }

    enum Cell {
        case value([UInt8])
        /// In symbols.
        case coded(PackedEntry)
        case cold(ColdReference)
    }

    /// `nil` when the bytes have no page's layout. Whether they are the right page is for a checksum or a seal to say.
    init?(_ bytes: [UInt8], pageCount: Int, coldByteCount: UInt64) {
        let finding = bytes.withBytes {
            PageValidation.layoutFinding(in: $0, pageCount: pageCount, coldByteCount: coldByteCount)
        }
        guard finding == nil else { return nil }
        self.bytes = bytes
        shape = NodeShape(
            facetCount: Int(bytes.load(NodeField.facetCount)), columnCount: Int(bytes.load(NodeField.columnCount)))
        tree = TreeNumber(bytes.load(NodeField.tree))
        count = Int(bytes.load(NodeField.count))
        level = Int(bytes.load(NodeField.level))
        number = bytes.load(NodeField.pageNumber)
        isPermuted = bytes.load(NodeField.kind) == NodeLayout.permutationLeaf
        isPacked = bytes.load(NodeField.kind) == NodeLayout.packedLeaf
        let prefixLength = Int(bytes.load(NodeField.prefixLength))
        let prefixOffset = Int(bytes.load(NodeField.prefixOffset))
        prefix = prefixLength == 0 ? 0..<0 : prefixOffset..<prefixOffset + prefixLength
    }

    var isLeaf: Bool { level == 0 }
    var hasSlots: Bool { !isPermuted && !isPacked }
    private var arrays: NodeArrays { NodeArrays(capacity: count, columnCount: shape.columnCount) }

    /// Precondition: the page `isPermuted`.
    func placedEntry(_ index: Int) -> PlacedEntry { PlacedEntry(index, ofPage: bytes) }

    /// In a branch the separator before child `index`; child 0 has none. Precondition: the page is not permuted.
    func key(_ index: Int) -> [UInt8] {
        if isPacked { return packedEntry(index).key }
        let (offset, length) = suffix(index)
        return Array(bytes[prefix] + bytes[offset..<offset + length])
    }

    private func packedEntry(_ index: Int) -> PackedEntry { PackedEntry(index, ofPage: bytes) }

    private func suffix(_ index: Int) -> (offset: Int, length: Int) {
        let slot = bytes.load(arrays.slots[index])
        let offset = Int(slot & 0xFFFF)
        return (isLeaf ? offset + NodeLayout.wordByteCount : offset, NodeLayout.suffixByteCount(slot))
    }

    // MARK: Leaves

    func facets(_ index: Int) -> FacetSet {
        guard shape.facetCount > 0 else { return [] }
        if isPermuted { return FacetSet(rawValue: placedEntry(index).facets) }
        if isPacked { return FacetSet(rawValue: packedEntry(index).facets) }
        return FacetSet(rawValue: bytes.load(arrays.facets[index]))
    }

    func cell(_ index: Int) -> Cell {
        if isPermuted { return .value(placedEntry(index).value) }
        if isPacked {
            let entry = packedEntry(index)
            return entry.symbolsPage == 0 ? .value(entry.storedValue) : .coded(entry)
        }
        let (offset, length) = suffix(index)
        return bytes.withBytes { page in
            let cell = StoredCell(ofEntryAt: offset - NodeLayout.wordByteCount, keyByteCount: length, in: page)
            guard cell.isHot else { return .cold(ColdReference(cell: page, at: cell.range.lowerBound)) }
            return .value(cell.value(in: page))
        }
    }

    // MARK: Branches

    func child(_ index: Int) -> Child {
        Child(
            page: UInt32(bytes.load(arrays.children[index]) >> 1), checksum: bytes.load(arrays.checksums[index]),
            entryCount: Int(bytes.load(arrays.counts(0)[index])))
    }
}
