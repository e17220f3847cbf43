/// A page of a snapshot file whose layout fits, taken apart without pointers.
struct DumpedPage {
    let bytes: DumpedBytes
    let isLeaf: Bool
    /// Whether the ends of its keys lie in the home tree.
    let isPermuted: Bool
    let isPacked: Bool
    let facetCount: Int
    let columnCount: Int
    let count: Int
    let level: Int
    let used: Int
    let prefix: ArraySlice<UInt8>

    enum Value {
        /// The whole value, and where its end lies when that is elsewhere in the page.
        case hot([UInt8], sharedEnd: Range<Int>?)
        case cold(ColdReference)
    }

    /// Why the bytes cannot be read as a page; `nil` when they can.
    static func finding(in bytes: DumpedBytes, _ superblock: Superblock?) -> String? {
        guard bytes.count == NodeLayout.pageByteCount else { return "the file ends within the page" }
        return bytes.withSpan { page in
            PageValidation.layoutFinding(
                in: page, pageCount: superblock.map { Int($0.pageCount) } ?? Int(UInt32.max),
                coldByteCount: superblock?.coldByteCount ?? .max)
        }
    }

    init?(_ bytes: DumpedBytes, _ superblock: Superblock?) {
        guard Self.finding(in: bytes, superblock) == nil else { return nil }
        self.bytes = bytes
        isLeaf = bytes.checked(NodeField.kind) != NodeLayout.branch
        isPermuted = bytes.checked(NodeField.kind) == NodeLayout.permutationLeaf
        isPacked = bytes.checked(NodeField.kind) == NodeLayout.packedLeaf
        facetCount = bytes.checked(NodeField.facetCount)
        columnCount = bytes.checked(NodeField.columnCount)
        count = bytes.checked(NodeField.count)
        level = bytes.checked(NodeField.level)
        used = bytes.checked(NodeField.used)
        let offset = bytes.checked(NodeField.prefixOffset)
        prefix = bytes.slice(offset..<offset + bytes.checked(NodeField.prefixLength))
    }

    var hasSlots: Bool { !isPermuted && !isPacked }

    // MARK: Where things lie

    var arrays: NodeArrays { NodeArrays(capacity: count, columnCount: columnCount) }

    private func slot(_ index: Int) -> UInt64 { bytes.number(arrays.slots[index]) ?? 0 }

    /// Where the entry of a slot begins.
    func offset(_ index: Int) -> Int { Int(slot(index) & 0xFFFF) }

    /// The key's bytes after the prefix.
    func suffix(_ index: Int) -> Range<Int> {
        let start = offset(index) + (isLeaf ? NodeLayout.wordByteCount : 0)
        return start..<start + NodeLayout.suffixByteCount(slot(index))
    }

    // MARK: What they say

    func key(_ index: Int) -> [UInt8] { Array(prefix + bytes.slice(suffix(index))) }

    func facets(_ index: Int) -> UInt16 {
        facetCount == 0 ? 0 : bytes.number(arrays.facets[index]) ?? 0
    }

    /// The whole entry: value word, suffix and cell in a leaf, the suffix in a branch.
    func entryRange(_ index: Int) -> Range<Int> {
        guard isLeaf else { return suffix(index) }
        return offset(index)..<bytes.withSpan { cell(index, in: $0).range.upperBound }
    }

    func value(_ index: Int) -> Value {
        bytes.withSpan { page in
            let cell = cell(index, in: page)
            guard cell.isHot else { return .cold(ColdReference(cell: page, at: cell.range.lowerBound)) }
            return .hot(cell.value(in: page), sharedEnd: cell.sharedEnd(in: page))
        }
    }

    private func cell(_ index: Int, in page: RawSpan) -> StoredCell {
        StoredCell(ofEntryAt: offset(index), keyByteCount: suffix(index).count, in: page)
    }

    func child(_ index: Int) -> (page: Int, checksum: UInt32) {
        let reference = bytes.number(arrays.children[index]) ?? 0
        return (Int(reference >> 1), bytes.number(arrays.checksums[index]) ?? 0)
    }

    func counts(_ index: Int) -> [UInt32] {
        (0...facetCount).map { bytes.number(arrays.counts($0)[index]) ?? 0 }
    }

    /// The slot that holds the key, or leads to it. Precondition: the page has slots.
    func slot(for key: [UInt8]) -> Int? {
        if isLeaf { return (0..<count).first { self.key($0) == key } }
        return (1..<max(1, count)).last { !key.lexicographicallyPrecedes(self.key($0)) } ?? 0
    }
}
