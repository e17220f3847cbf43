/// Lays out a stretch of a tree's leaves from entries that arrive in key order.
struct StretchWriter {
    let layout: TreeLayout
    private var stretch = LeafStretch()
    private var page = PageWriter()
    private var leaves: LeafPageBuilder
    /// Of a tree whose entries can be given places.
    private var permutation: PermutationPageBuilder?
    /// Of the leaf that was finished last, when it holds keys.
    private var lastKey: [UInt8] = []
    /// The entry that was appended last, when it has a place.
    private var lastPlaced: PlacedKey?
    /// Its key, when it came with one.
    private var placedKey: [UInt8] = []
    /// Of the page with places that is being filled.
    private var firstKey: [UInt8] = []
    /// Which of the stretch's leaves was a badly filled page of the old snapshot, the last of these; 0 before there was one.
    private var lastBadlyFilled = 0
    /// Of a home tree, where the pending entries come from.
    private var origins: [HomePlaces.Origin] = []

    /// - Parameter expectedByteCount: of its pages, about.
    init(_ layout: TreeLayout, expectedByteCount: Int = 0) {
        stretch.reserve(byteCount: expectedByteCount)
        self.layout = layout
        leaves = LeafPageBuilder(
            layout.declaration, entryLimit: layout.entryLimit, packs: layout.packs, sharesEnds: layout.sharesEnds,
            symbols: layout.symbols?.encoder)
        permutation = layout.home?.root.map {
            PermutationPageBuilder(layout.declaration, $0, entryLimit: layout.entryLimit)
        }
    }

    /// Whether entries can be given places in the tree's home.
    var takesPlaces: Bool { permutation != nil }

    private var declaration: TreeDeclaration { layout.declaration }

    // MARK: Order

    /// Where the whole key of an entry with a place is, should it be asked for.
    enum PlacedKey {
        /// It came with the entry.
        case appended
        case entry(PageSource, Node, Int)
    }

    private func key(of placed: PlacedKey) throws(StorageError) -> [UInt8] {
        switch placed {
        case .appended: placedKey
        case .entry(let pages, let leaf, let index): try pages.key(of: leaf, index)
        }
    }

    /// Whether the key sorts behind all that were appended.
    private func isBehindAll(_ key: RawSpan) throws(StorageError) -> Bool {
        if let lastPlaced {
            return try self.key(of: lastPlaced).withBytes { $0.order(relativeTo: key) < 0 }
        }
        guard leaves.count == 0 else {
            return leaves.withKey(leaves.count - 1) { $0.order(relativeTo: key) < 0 }
        }
        return lastKey.isEmpty || lastKey.withBytes { $0.order(relativeTo: key) < 0 }
    }

    /// The shortest key that sorts behind the last finished leaf, and not behind the first key of the next. The whole first key where there is no
    /// such leaf, and behind a page with places: what it shares with the last is not at hand.
    private func separator(before first: RawSpan) -> [UInt8] {
        guard !lastKey.isEmpty else { return first.copyBytes() }
        return lastKey.withBytes { $0.separator(before: first) }
    }

    // MARK: Entries

    /// - Parameters:
    ///   - origin: of an entry of a home tree that a page of the old snapshot holds.
    ///   - place: of what the key ends with, in the tree's home; `nil` when it has none.
    /// - Returns: `false`, and nothing is appended, for a key that does not sort behind all before it.
    mutating func append(
        key: RawSpan, value: RawSpan, facets: UInt16, origin: HomePlaces.Origin? = nil, place: UInt32? = nil
    ) throws(StorageError) -> Bool {
        if let place, let count = layout.leadByteCount(of: key), takesPlaces,
            PermutationPageBuilder.takes(lead: key.extracting(0..<count), value: value)
        {
            placedKey.removeAll(keepingCapacity: true)
            placedKey.append(contentsOf: key)
            return try append(
                lead: key.extracting(0..<count), value: value, facets: facets, place: place, .appended)
        }
        guard try isBehindAll(key) else { return false }
        if let permutation, permutation.count > 0 { try finishPermutation() }
        lastPlaced = nil
        count(1, keyByteCount: declaration.countedByteCount(of: key), valueByteCount: value.byteCount)
        if value.byteCount <= declaration.inlineByteCount {
            append(key, UInt16(value.byteCount), value, facets)
        } else {
            stretch.cold.append(value).encoded().withBytes { append(key, NodeLayout.coldValue, $0, facets) }
        }
        if let origin = origin ?? layout.ownPlaces?.origin(ofKey: key) { origins.append(origin) }
        return true
    }

    private mutating func append(_ key: RawSpan, _ word: UInt16, _ cell: RawSpan, _ facets: UInt16) {
        if leaves.append(key: key, word: word, cell: cell, facets: facets) { return }
        finishLeaf()
        let fits = leaves.append(key: key, word: word, cell: cell, facets: facets)
        precondition(fits, "any one entry within the limits fits an empty page")
    }

    /// Appends an entry with a place in the tree's home. Precondition: the tree takes places, and a page takes the lead and the value.
    mutating func append(
        lead: RawSpan, value: RawSpan, facets: UInt16, place: UInt32, _ key: PlacedKey
    ) throws(StorageError) -> Bool {
        // Behind entries that have none, places say nothing of the order.
        let isBehind =
            lastPlaced == nil && stretch.entryCount > 0
            ? try self.key(of: key).withBytes { (key) throws(StorageError) in try isBehindAll(key) }
            : permutation?.isBehindAll(lead: lead, place) ?? false
        guard isBehind else { return false }
        if leaves.count > 0 { finishLeaf() }
        count(1, keyByteCount: lead.byteCount, valueByteCount: value.byteCount)
        lastPlaced = key
        if permutation?.append(lead: lead, value: value, facets: facets, place: place) != true {
            try finishPermutation()
            let fits = permutation?.append(lead: lead, value: value, facets: facets, place: place)
            precondition(fits == true, "any one entry within the limits fits an empty page")
        }
        if permutation?.count == 1 { firstKey = try self.key(of: key) }
        return true
    }

    /// The same for an entry of a leaf that has the lead and the value of the one before it there. `false` when that is not what was appended
    /// last, the entry does not fit behind it, or is out of order: append it with both then.
    mutating func appendToGroup(
        facets: UInt16, place: UInt32, _ pages: PageSource, _ leaf: Node, _ index: Int
    ) -> Bool {
        guard case .entry(_, let last, let lastIndex) = lastPlaced, last.reference == leaf.reference,
            lastIndex == index - 1, let counts = permutation?.appendToGroup(facets: facets, place: place)
        else { return false }
        count(1, keyByteCount: counts.lead, valueByteCount: counts.value)
        lastPlaced = .entry(pages, leaf, index)
        return true
    }

    private mutating func count(_ entryCount: Int, keyByteCount: Int, valueByteCount: Int) {
        stretch.entryCount += entryCount
        stretch.keyByteCount += keyByteCount
        stretch.valueByteCount += valueByteCount
    }

    // MARK: Pages of the old snapshot

    /// Takes over a page of the old snapshot as it is, but for its number and its seal. `false` when its entries are to be appended
    /// one by one: it is no page, or says that it is one of another tree, holds references into the cold region, or too few full pages would
    /// come of it.
    mutating func copy(
        _ leaf: Node, _ parent: TreeReader.ParentPlace?, _ pages: PageSource
    ) throws(StorageError) -> Bool {
        guard !leaf.isInMemory, leaf.count > 0, leaf.baseWord == UInt64(declaration.number.rawValue),
            Self.isWellFilled(leaf.filledByteCount, count: leaf.count) || mayCopyBadlyFilled,
            leaves.count == 0 || Self.isWellFilled(leaves.filledByteCount, count: leaves.count)
        else { return false }
        if leaf.isPermuted { return try copyPermuted(leaf, parent, pages) }
        guard layout.takes(symbolsOf: leaf) else { return false }
        guard declaration.home == nil, !leaf.isPacked || !layout.isHome, let sizes = leaf.sizesOfHotEntries
        else {
            return false
        }
        let isBehind = try leaf.withKey(0) { (key) throws(StorageError) in try isBehindAll(key) }
        guard isBehind else { return false }
        if leaves.count > 0 { finishLeaf() }
        let separator = leaf.withKey(0) { self.separator(before: $0) }
        lastKey = leaf.key(leaf.count - 1)
        leaf.withPage { page.begin(copying: $0, used: leaf.used) }
        count(leaf.count, keyByteCount: sizes.keyByteCount, valueByteCount: sizes.valueByteCount)
        let origins =
            layout.isHome
            ? (0..<leaf.count).map {
                HomePlaces.Origin.page(leaf.pageNumber, count: leaf.count, index: $0)
            } : []
        appendCopy(of: leaf, parent, separator, isInSymbols: leaf.isPacked && leaf.packed.symbolsPage > 0, origins)
        return true
    }

    /// The page that was laid out is a copy of a leaf. What it comes to stands in its parent; to work it out would be a fourth of the copy.
    private mutating func appendCopy(
        of leaf: Node, _ parent: TreeReader.ParentPlace?, _ separator: [UInt8], isInSymbols: Bool,
        _ origins: [HomePlaces.Origin]
    ) {
        let totals =
            parent.map { PageTotals(ofChild: $0.index, of: $0.branch, declaration) }
            ?? PageTotals(of: leaf, declaration)
        if !Self.isWellFilled(leaf.filledByteCount, count: leaf.count) { lastBadlyFilled = stretch.leaves.count }
        stretch.append(
            LeafStretch.FinishedLeaf(
                separator: separator, totals: totals, used: leaf.used,
                isInSymbols: isInSymbols, coldCells: [], origins: origins),
            page)
    }

    /// The same for a page with places all of whose entries lead to ones that were taken over: it gets their new places. Keys are read of
    /// its first entry and of the one before, of no others.
    private mutating func copyPermuted(
        _ leaf: Node, _ parent: TreeReader.ParentPlace?, _ pages: PageSource
    ) throws(StorageError) -> Bool {
        let permuted = leaf.permutation
        guard permutation?.canCopy(permuted, onceFilledTo: Self.wellFilledByteCount) == true,
            let lead = declaration.home?.lead,
            (0..<permuted.groupCount).allSatisfy({ permuted.withLead(ofGroup: $0) { lead.isAll(of: $0) } }),
            let places = layout.home?.places(of: permuted)
        else { return false }
        let key = try pages.key(of: leaf, 0)
        let isBehind = try key.withBytes { (key) throws(StorageError) in try isBehindAll(key) }
        guard isBehind else { return false }
        if leaves.count > 0 { finishLeaf() }
        if let permutation, permutation.count > 0 { try finishPermutation() }
        let separator = key.withBytes { self.separator(before: $0) }
        permutation?.copy(permuted, places, into: &page)
        for group in 0..<permuted.groupCount {
            let count = permuted.end(ofGroup: group) - permuted.start(ofGroup: group)
            self.count(
                count, keyByteCount: count * permuted.leadByteCount(ofGroup: group),
                valueByteCount: count * permuted.withValue(ofGroup: group) { $0.byteCount })
        }
        (lastKey, lastPlaced) = ([], .entry(pages, leaf, leaf.count - 1))
        appendCopy(of: leaf, parent, separator, isInSymbols: false, [])
        return true
    }

    private static func isWellFilled(_ byteCount: Int, count: Int) -> Bool {
        byteCount >= wellFilledByteCount || count >= NodeLayout.leafEntryLimit * 3 / 4
    }

    /// Pages are taken over from three quarters on, others only where they are few, so that a snapshot stays dense.
    private static let wellFilledByteCount = NodeLayout.pageByteCount * 3 / 4

    /// The last page of an earlier stretch is seldom full. It is taken over, too, where there are few of them: merging it with the next would
    /// lay out dozens anew, until what is left over fills a page again.
    private var mayCopyBadlyFilled: Bool {
        stretch.leaves.count - lastBadlyFilled >= Self.badlyFilledDistance
    }

    /// As many pages lie between two such, and before the first of a stretch.
    private static let badlyFilledDistance = 64

    // MARK: Leaves

    private mutating func finishLeaf() {
        let separator = leaves.withKey(0) { self.separator(before: $0) }
        lastKey = leaves.withKey(leaves.count - 1) { $0.copyBytes() }
        let count = leaves.count
        let finished = leaves.finish(into: &page)
        // The entry that did not fit any more is not among them.
        let origins = Array(self.origins.prefix(count))
        self.origins.removeFirst(origins.count)
        stretch.append(
            LeafStretch.FinishedLeaf(
                separator: separator, totals: finished.totals, used: finished.used, isInSymbols: finished.isInSymbols,
                coldCells: finished.coldCells, origins: origins),
            page)
    }

    private mutating func finishPermutation() throws(StorageError) {
        let separator = firstKey.withBytes { self.separator(before: $0) }
        guard let (totals, used) = permutation?.finish(into: &page) else { return }
        lastKey = []
        stretch.append(
            LeafStretch.FinishedLeaf(
                separator: separator, totals: totals, used: used, isInSymbols: false, coldCells: [], origins: []),
            page)
    }

    /// The stretch, when all its entries are appended.
    consuming func finish() throws(StorageError) -> LeafStretch {
        if leaves.count > 0 { finishLeaf() }
        if let permutation, permutation.count > 0 { try finishPermutation() }
        stretch.endsWithPlaces = lastPlaced != nil
        stretch.lastKey = try lastPlaced.map { (placed) throws(StorageError) in try key(of: placed) } ?? lastKey
        stretch.cold.close()
        return stretch
    }
}

extension RawSpan {
    /// The shortest key that sorts behind this one, and not behind a greater one.
    func separator(before next: RawSpan) -> [UInt8] { next.copyBytes(0..<commonPrefixLength(with: next) + 1) }
}
