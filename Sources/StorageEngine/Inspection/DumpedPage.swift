/// A page of a snapshot file whose layout fits, taken apart without pointers.
struct DumpedPage {
    let bytes: DumpedBytes
    let isLeaf: Bool
    let facetCount: Int
    let count: Int
    let level: Int
    let used: Int
    let prefix: ArraySlice<UInt8>

    enum Value {
        case hot(Range<Int>)
        case cold(ColdReference)
    }

    /// Why the bytes cannot be read as a page; `nil` when they can.
    static func finding(in bytes: DumpedBytes, _ superblock: Superblock?) -> String? {
        guard bytes.count == NodeLayout.pageByteCount else { return "the file ends within the page" }
        return bytes.withSpan { page in
            PageValidation.layoutFinding(
                in: page, pageCount: superblock.map { Int($0.pageCount) } ?? .max,
                coldByteCount: superblock?.coldByteCount ?? .max)
        }
    }

    init?(_ bytes: DumpedBytes, _ superblock: Superblock?) {
        guard Self.finding(in: bytes, superblock) == nil else { return nil }
        self.bytes = bytes
        isLeaf = bytes.checked(0, UInt8.self) == NodeLayout.leaf
        facetCount = bytes.checked(1, UInt8.self)
        count = bytes.checked(2, UInt16.self)
        level = bytes.checked(10, UInt16.self)
        used = bytes.checked(12, UInt32.self)
        let offset = bytes.checked(8, UInt16.self)
        prefix = bytes.slice(offset..<offset + bytes.checked(6, UInt16.self))
    }

    // MARK: Where things lie

    var arraysOffset: Int { NodeLayout.headerByteCount + count * 8 }
    var checksumsOffset: Int { arraysOffset + count * 8 }
    func countsOffset(_ column: Int) -> Int { checksumsOffset + count * 4 * (1 + column) }

    /// Where the entry of a slot begins.
    func offset(_ index: Int) -> Int { bytes.checked(NodeLayout.headerByteCount + index * 8, UInt16.self) }

    private func suffix(_ index: Int) -> Range<Int> {
        let start = offset(index) + (isLeaf ? 2 : 0)
        return start..<start + bytes.checked(NodeLayout.headerByteCount + index * 8 + 2, UInt16.self)
    }

    // MARK: What they say

    func key(_ index: Int) -> [UInt8] { Array(prefix + bytes.slice(suffix(index))) }

    func facets(_ index: Int) -> UInt16 {
        facetCount == 0 ? 0 : bytes.number(arraysOffset + index * 2, UInt16.self) ?? 0
    }

    /// The whole entry: value word, suffix and cell in a leaf, the suffix in a branch.
    func entryRange(_ index: Int) -> Range<Int> {
        guard isLeaf else { return suffix(index) }
        let end: Int =
            switch value(index) {
            case .hot(let range): range.upperBound
            case .cold: suffix(index).upperBound + NodeLayout.referenceByteCount
            }
        return offset(index)..<end
    }

    func value(_ index: Int) -> Value {
        let word = bytes.number(offset(index), UInt16.self) ?? 0
        let start = suffix(index).upperBound
        guard word == NodeLayout.coldValue else { return .hot(start..<start + Int(word)) }
        return .cold(
            ColdReference(
                block: bytes.number(start, UInt64.self) ?? 0, offset: bytes.number(start + 8, UInt32.self) ?? 0,
                count: bytes.number(start + 12, UInt32.self) ?? 0))
    }

    func child(_ index: Int) -> (page: Int, checksum: UInt32) {
        let reference = bytes.number(arraysOffset + index * 8, UInt64.self) ?? 0
        return (Int(reference >> 1), bytes.number(checksumsOffset + index * 4, UInt32.self) ?? 0)
    }

    func counts(_ index: Int) -> [UInt32] {
        (0...facetCount).map { bytes.number(countsOffset($0) + index * 4, UInt32.self) ?? 0 }
    }

    /// The slot that holds the key, or leads to it.
    func slot(for key: [UInt8]) -> Int? {
        if isLeaf { return (0..<count).first { self.key($0) == key } }
        return (1..<max(1, count)).last { !key.lexicographicallyPrecedes(self.key($0)) } ?? 0
    }
}
