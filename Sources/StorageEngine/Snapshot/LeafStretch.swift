/// Leaves of a tree that lie side by side in a snapshot which is being written.
///
/// They are laid out but for what only their place in the file tells: numbers and seals, where the tree's symbols are, and where in the cold
/// region their values come to lie. So stretches are made side by side, and `SnapshotWriter` puts one behind the other.
struct LeafStretch: Sendable {
    struct FinishedLeaf: Sendable {
        /// The shortest key that sorts behind the leaf before and not behind this one's first. Of the first leaf all of its first key.
        let separator: [UInt8]
        let totals: PageTotals
        /// Bytes in use.
        let used: Int
        /// Whether the page has to say where the tree's symbols are.
        let isInSymbols: Bool
        /// Where in the page references to cold values lie. Their blocks are counted from the first of the stretch.
        let coldCells: [Int]
        /// Where its entries come from; of a home tree only.
        let origins: [HomePlaces.Origin]
    }

    private(set) var leaves: [FinishedLeaf] = []
    /// Those of the leaves.
    private(set) var pages: [UInt8] = []
    /// The values that do not lie in the leaves.
    var cold = ColdBlocks()

    var entryCount = 0
    /// As the catalogue counts them.
    var keyByteCount = 0
    var valueByteCount = 0
    /// Of the last entry: the whole key.
    var lastKey: [UInt8] = []
    /// Whether the last leaf has places. The separator behind such a leaf is the whole next key.
    var endsWithPlaces = false

    /// Makes room for so many bytes of pages, and some more.
    mutating func reserve(byteCount: Int) {
        if byteCount > 0 { pages.reserveCapacity(byteCount + byteCount / 8) }
    }

    mutating func append(_ leaf: FinishedLeaf, _ page: PageWriter) {
        leaves.append(leaf)
        pages.append(contentsOf: page.bytes)
    }
}
