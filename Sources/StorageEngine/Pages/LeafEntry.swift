/// One entry as a leaf stores it, lent for the time of a call.
///
/// Safe because `with` is the only way to one, and nothing that receives one keeps it.
@safe struct LeafEntry {
    private let key: UnsafeRawBufferPointer
    /// What `Node.withCell` gives: the value word and the value, or a reference to it.
    let word: UInt16
    private let cell: UnsafeRawBufferPointer
    let facets: UInt16

    static func with<Result, Failure>(
        key: RawSpan, word: UInt16, cell: RawSpan, facets: UInt16, _ body: (LeafEntry) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe key.withUnsafeBytes { (key) throws(Failure) in
            try unsafe cell.withUnsafeBytes { (cell) throws(Failure) in
                try body(unsafe LeafEntry(key: key, word: word, cell: cell, facets: facets))
            }
        }
    }

    private init(key: UnsafeRawBufferPointer, word: UInt16, cell: UnsafeRawBufferPointer, facets: UInt16) {
        unsafe self.key = key
        self.word = word
        unsafe self.cell = cell
        self.facets = facets
    }

    var keyByteCount: Int { unsafe key.count }
    var cellByteCount: Int { unsafe cell.count }

    /// What the entry adds to a page with the leaf's prefix, which its key shares.
    func pageByteCount(in leaf: Node) -> Int {
        NodeLayout.leafArraysByteCount(capacity: 1, facetCount: leaf.facetCount) + NodeLayout.wordByteCount
            + keyByteCount - leaf.prefixLength + cellByteCount
    }

    var amounts: EntryAmounts { word & 0x8000 == 0 ? EntryAmounts(unsafe cell.bytes) : EntryAmounts() }
    var identifier: UInt64 { unsafe key.bytes.trailingInteger }
    var entryHash: UInt64 { EntryHash.ofEntry(key: unsafe key.bytes, word: word, cell: unsafe cell.bytes) }

    func withKey<Result, Failure>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(unsafe key.bytes)
    }

    func copyKey() -> [UInt8] { unsafe [UInt8](key) }

    func copyKey(from start: Int, to memory: NodeMemory, at byteOffset: Int) {
        unsafe memory.copy(UnsafeRawBufferPointer(rebasing: key[start...]).bytes, to: byteOffset)
    }

    func copyCell(to memory: NodeMemory, at byteOffset: Int) { unsafe memory.copy(cell.bytes, to: byteOffset) }

    /// The slot of the entry in a leaf with so long a prefix, its bytes at `offset`.
    func slot(prefixLength: Int, offset: Int) -> UInt64 {
        let suffix = unsafe UnsafeRawBufferPointer(rebasing: key[prefixLength...])
        return unsafe NodeLayout.slot(head: suffix.keyHead, count: suffix.count, offset: offset)
    }

    func sharesPrefix(of node: Node) -> Bool {
        unsafe key.commonPrefixLength(with: node.prefix) == node.prefixLength
    }

    @inline(__always)
    func lowerBound(in node: Node) -> (index: Int, isEqual: Bool) { unsafe node.lowerBound(of: key) }
    @inline(__always)
    func childIndex(in branch: Node) -> Int { unsafe branch.childIndex(of: key) }
}
