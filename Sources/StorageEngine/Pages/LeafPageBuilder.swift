/// Fills leaf pages from entries in key order, as full as they get.
struct LeafPageBuilder {
    private struct Pending {
        let keyOffset: Int
        let keyCount: Int
        let cellCount: Int
        let word: UInt16
        let facets: UInt16
    }

    let tree: TreeDeclaration
    private let entryLimit: Int
    private var pending: [Pending] = []
    /// Key and cell of each pending entry, one after the other.
    private var bytes: [UInt8] = []
    private var prefixLength = 0
    private var keyByteCount = 0
    private var cellByteCount = 0
    /// Of the pending entries.
    private(set) var totals: PageTotals

    init(_ tree: TreeDeclaration, entryLimit: Int) {
        self.tree = tree
        self.entryLimit = entryLimit
        totals = PageTotals(tree)
        bytes.reserveCapacity(4 * NodeLayout.pageByteCount)
    }

    var count: Int { pending.count }

    /// What the pending entries fill of a page.
    var byteCount: Int {
        byteCount(entries: count, prefix: prefixLength, keys: keyByteCount, cells: cellByteCount)
    }

    /// The key of the first or last pending entry.
    func withKey<Result>(_ index: Int, _ body: (RawSpan) -> Result) -> Result {
        let entry = pending[index]
        return bytes.withBytes { body($0.extracting(entry.keyOffset..<entry.keyOffset + entry.keyCount)) }
    }

    /// `false` when the page is full: finish it and start the next.
    mutating func append(key: RawSpan, word: UInt16, cell: RawSpan, facets: UInt16) -> Bool {
        // Keys ascend, so what the first and the last share, all share.
        let shared =
            pending.isEmpty ? key.byteCount : min(prefixLength, withKey(0) { $0.commonPrefixLength(with: key) })
        let size = byteCount(
            entries: count + 1, prefix: shared, keys: keyByteCount + key.byteCount,
            cells: cellByteCount + cell.byteCount)
        guard size <= NodeLayout.pageByteCount, count < entryLimit else { return false }
        prefixLength = shared
        keyByteCount += key.byteCount
        cellByteCount += cell.byteCount
        pending.append(
            Pending(
                keyOffset: bytes.count, keyCount: key.byteCount, cellCount: cell.byteCount, word: word, facets: facets))
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: cell)
        totals.counts[0] += 1
        for facet in 0..<tree.facetCount { totals.counts[1 + facet] += UInt32((facets >> UInt16(facet)) & 1) }
        for column in totals.columns.indices {
            switch totals.columns[column].column {
            case .fingerprint: totals.columns[column].add(hash: ColumnTotal.hash(key.trailingInteger))
            case .hashSum:
                totals.columns[column].add(hash: EntryHash.ofEntry(key: key, word: word, cell: cell))
            case .sum(let amount), .bounds(let amount), .highest(let amount), .lowest(let amount):
                totals.columns[column].add(amount: word & 0x8000 == 0 ? cell.amount(amount) : nil)
            }
        }
        return true
    }

    private func byteCount(entries: Int, prefix: Int, keys: Int, cells: Int) -> Int {
        NodeLayout.headerByteCount + NodeLayout.leafArraysByteCount(capacity: entries, facetCount: tree.facetCount)
            + prefix
            + entries * (NodeLayout.wordByteCount - prefix) + keys + cells
    }

    /// Writes the page and forgets the entries. Gives what they come to and the bytes in use.
    mutating func finish(
        into page: inout PageWriter, pageNumber: UInt32, _ seal: PageSeal
    ) -> (totals: PageTotals, used: Int) {
        page.begin(
            kind: NodeLayout.leaf, tree, count: count, level: 0, pageNumber: pageNumber,
            arraysByteCount: NodeLayout.leafArraysByteCount(capacity: count, facetCount: tree.facetCount))
        let arrays = NodeArrays(capacity: count, columnCount: 0)
        bytes.withBytes { bytes in
            if let first = pending.first {
                page.setPrefix(bytes.extracting(first.keyOffset..<first.keyOffset + prefixLength))
            }
            for (index, entry) in pending.enumerated() {
                let suffixStart = entry.keyOffset + prefixLength
                let keyEnd = entry.keyOffset + entry.keyCount
                let suffix = bytes.extracting(suffixStart..<keyEnd)
                page.setSlot(arrays.slots[index], suffix: suffix)
                page.append(word: entry.word)
                page.append(suffix)
                page.append(bytes.extracting(keyEnd..<keyEnd + entry.cellCount))
                if tree.facetCount > 0 { page.store(entry.facets, in: arrays.facets[index]) }
            }
        }
        let used = page.finish(seal)
        pending.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        prefixLength = 0
        keyByteCount = 0
        cellByteCount = 0
        defer { totals = PageTotals(tree) }
        return (totals, used)
    }
}
