/// Fills leaf pages from entries in key order, as full as they get: packed where that is allowed and smaller, with slots otherwise.
struct LeafPageBuilder {
    private struct Pending {
        let keyOffset: Int
        let keyCount: Int
        let cellCount: Int
        let codes: Range<Int>
        let word: UInt16
        let facets: UInt16
        /// Where the value ends as that of another pending entry does.
        let sharedEnd: SharedEnds.SharedEnd?
    }

    let tree: TreeDeclaration
    private let entryLimit: Int
    private var pending: [Pending] = []
    /// Key and cell of each pending entry, one after the other.
    private var bytes: [UInt8] = []
    /// Their values in symbols, where there are some.
    private var codes: [UInt8] = []
    /// The pending entries as a page with slots.
    private var slotted: SlottedPage
    private var sharedEnds = SharedEnds()
    /// Of the pending entries.
    private(set) var totals: PageTotals
    private let packs: Bool
    /// Not in trees with amounts: whatever sums them up reads a value for each entry, which is faster where it lies whole.
    private let sharesEnds: Bool
    private let symbols: SymbolEncoder?
    /// Of the pending entries, when they can be packed.
    private var shape: PackedShape?

    /// - Parameters:
    ///   - packs: whether pages may be packed.
    ///   - sharesEnds: whether values may share their ends.
    ///   - symbols: what values of packed pages may be written in.
    init(
        _ tree: TreeDeclaration, entryLimit: Int, packs: Bool, sharesEnds: Bool = true, symbols: SymbolEncoder? = nil
    ) {
        self.tree = tree
        self.entryLimit = entryLimit
        self.packs = packs
        self.sharesEnds = sharesEnds && tree.columns.amountCount == 0
        self.symbols = symbols
        totals = PageTotals(tree)
        slotted = SlottedPage(facetCount: tree.facetCount)
        bytes.reserveCapacity(4 * NodeLayout.pageByteCount)
    }

    var count: Int { pending.count }

    /// What the pending entries fill of a page, as `Node.filledByteCount` does.
    var filledByteCount: Int {
        packed?.byteCount ?? slotted.filledByteCount
    }

    /// The pending entries as a packed page, where that is smaller than one with slots.
    private var packed: (byteCount: Int, values: PackedShape.ValueForm)? {
        packedPage(count, shape?.sizes).flatMap { $0.byteCount < slotted.byteCount ?? .max ? $0 : nil }
    }

    /// What so many entries fill as a packed page, and how their values lie in it; `nil` where they do not fit one.
    private func packedPage(
        _ count: Int, _ sizes: PackedShape.Sizes?
    ) -> (byteCount: Int, values: PackedShape.ValueForm)? {
        guard let sizes, count <= NodeLayout.leafEntryLimit else { return nil }
        return sizes.page(count, facetCount: tree.facetCount)
    }

    /// What the shape of the pending entries comes to with one more, which is the last of `bytes`, and the codes of its value, which are put
    /// behind those of the others; `nil` where they cannot be packed.
    private mutating func sizes(withEntryAt start: Int, keyByteCount: Int, word: UInt16) -> PackedShape.Sizes? {
        guard packs, word & 0x8000 == 0, pending.isEmpty || shape != nil else { return nil }
        let codesStart = codes.count
        if let symbols {
            bytes.withBytes { symbols.encode($0.extracting((start + keyByteCount)...), to: &codes) }
        }
        // The codes of bytes that are in no symbol are twice as long, and no page holds more than a value's length of them.
        let isCoded = symbols != nil && codes.count - codesStart <= Limits.hotValueByteCount
        let codesByteCount = isCoded ? codes.count - codesStart : nil
        if pending.isEmpty {
            shape = bytes.withBytes {
                PackedShape($0.extracting(start...), keyByteCount: keyByteCount, codesByteCount: codesByteCount)
            }
            return shape?.sizes
        }
        return bytes.withBytes {
            shape?.sizes(with: $0.extracting(start...), keyByteCount: keyByteCount, codesByteCount: codesByteCount)
        }
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
            pending.isEmpty ? key.byteCount : min(slotted.prefixLength, withKey(0) { $0.commonPrefixLength(with: key) })
        let sharedEnd = sharedEnd(of: cell, word)
        let storedByteCount = cell.byteCount - (sharedEnd.map { $0.byteCount - SharedEndField.end } ?? 0)
        var slotted = slotted
        slotted.count += 1
        slotted.prefixLength = shared
        slotted.keyByteCount += key.byteCount
        slotted.cellByteCount += cell.byteCount
        slotted.storedCellByteCount += storedByteCount
        let (start, codesStart) = (bytes.count, codes.count)
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: cell)
        let sizes = sizes(withEntryAt: start, keyByteCount: key.byteCount, word: word)
        guard count < entryLimit, slotted.byteCount != nil || packedPage(count + 1, sizes) != nil else {
            bytes.removeLast(bytes.count - start)
            codes.removeLast(codes.count - codesStart)
            return false
        }
        if let sizes {
            if !pending.isEmpty { bytes.withBytes { shape?.add($0.extracting(start...), sizes) } }
        } else {
            shape = nil
        }
        self.slotted = slotted
        if sharesEnds, word & 0x8000 == 0 {
            sharedEnds.add(count, sharing: sharedEnd, at: start + key.byteCount..<bytes.count)
        }
        pending.append(
            Pending(
                keyOffset: start, keyCount: key.byteCount, cellCount: cell.byteCount,
                codes: codesStart..<codes.count, word: word, facets: facets, sharedEnd: sharedEnd))
        totals.counts[0] += 1
        totals.add(facets)
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

    private func sharedEnd(of cell: RawSpan, _ word: UInt16) -> SharedEnds.SharedEnd? {
        guard sharesEnds, word & 0x8000 == 0 else { return nil }
        return bytes.withBytes { sharedEnds.end(of: cell, among: $0) }
    }

    private struct SlottedPage {
        let facetCount: Int
        var count = 0
        var prefixLength = 0
        /// Of whole keys.
        var keyByteCount = 0
        /// Of all cells, and of what they fill where values share their ends.
        var cellByteCount = 0
        var storedCellByteCount = 0

        init(facetCount: Int) { self.facetCount = facetCount }

        /// What it fills; `nil` where it does not fit a page, or stands for more bytes than one may.
        var byteCount: Int? {
            let byteCount = byteCount(withCells: storedCellByteCount)
            let isSound =
                byteCount <= NodeLayout.pageByteCount
                && self.byteCount(withCells: cellByteCount) <= NodeLayout.unsharedByteLimit
            return isSound ? byteCount : nil
        }

        var filledByteCount: Int {
            Node.filledByteCount(
                used: byteCount(withCells: storedCellByteCount), unshared: byteCount(withCells: cellByteCount))
        }

        private func byteCount(withCells cellByteCount: Int) -> Int {
            NodeLayout.headerByteCount + NodeLayout.leafArraysByteCount(capacity: count, facetCount: facetCount)
                + prefixLength + count * (NodeLayout.wordByteCount - prefixLength) + keyByteCount + cellByteCount
        }
    }

    /// What a page holds that was laid out.
    struct Finished {
        let totals: PageTotals
        /// Bytes in use.
        let used: Int
        /// Whether values are written in symbols, so that the page has to say where those lie.
        var isInSymbols = false
        /// Where references into the cold region lie.
        var coldCells: [Int] = []
    }

    /// Writes the page and forgets the entries.
    mutating func finish(into page: inout PageWriter) -> Finished {
        var isInSymbols = false
        var coldCells: [Int] = []
        if let shape, let packed {
            isInSymbols = packed.values == .coded
            let entries = pending.map {
                PackedShape.Piece(
                    offset: $0.keyOffset, valueByteCount: $0.cellCount, codes: $0.codes, facets: $0.facets)
            }
            bytes.withBytes { bytes in
                codes.withBytes { codes in
                    shape.write(entries, bytes, codes, packed.values, of: tree, into: &page)
                }
            }
        } else {
            coldCells = writeSlotted(into: &page)
        }
        let used = page.finish()
        pending.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        codes.removeAll(keepingCapacity: true)
        slotted = SlottedPage(facetCount: tree.facetCount)
        sharedEnds.removeAll()
        shape = nil
        defer { totals = PageTotals(tree) }
        return Finished(totals: totals, used: used, isInSymbols: isInSymbols, coldCells: coldCells)
    }

    /// Gives where references into the cold region lie.
    private func writeSlotted(into page: inout PageWriter) -> [Int] {
        page.begin(
            kind: NodeLayout.leaf, tree, count: count, level: 0,
            arraysByteCount: NodeLayout.leafArraysByteCount(capacity: count, facetCount: tree.facetCount))
        let arrays = NodeArrays(capacity: count, columnCount: 0)
        var ends: [Int] = []
        var coldCells: [Int] = []
        bytes.withBytes { bytes in
            if let first = pending.first {
                page.setPrefix(bytes.extracting(first.keyOffset..<first.keyOffset + slotted.prefixLength))
            }
            for (index, entry) in pending.enumerated() {
                let suffixStart = entry.keyOffset + slotted.prefixLength
                let keyEnd = entry.keyOffset + entry.keyCount
                let suffix = bytes.extracting(suffixStart..<keyEnd)
                page.setSlot(arrays.slots[index], suffix: suffix)
                let cell = bytes.extracting(keyEnd..<keyEnd + entry.cellCount)
                if let end = entry.sharedEnd {
                    let own = cell.extracting(0..<entry.cellCount - end.byteCount)
                    page.append(word: UInt16(own.byteCount) | NodeLayout.sharedEnd)
                    page.append(suffix)
                    page.append(own)
                    page.appendSharedEnd(at: ends[end.entry] - end.byteCount, byteCount: end.byteCount)
                } else {
                    page.append(word: entry.word)
                    page.append(suffix)
                    if entry.word == NodeLayout.coldValue { coldCells.append(page.used) }
                    page.append(cell)
                }
                ends.append(page.used)
                if tree.facetCount > 0 { page.store(entry.facets, in: arrays.facets[index]) }
            }
        }
        return coldCells
    }
}
