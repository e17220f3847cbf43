/// A leaf and the changes of a sorted run that belong to it, composed into as many new memory nodes as they need.
///
/// Where the leaf is or amends a page and most entries are still the page's, the result is a patch, as of a single change (`LeafEdit`).
/// Otherwise nodes that only take what comes behind their last entry are left full; others have room for a fifth more.
struct LeafMerge {
    private let source: Node
    private let run: EntryRun
    private let heap: NodeHeap
    /// An entry of the leaf by its index, or one of the run by the complement of its own. By key.
    private var items: [Int] = []
    /// The first entry of the leaf that is not among the items yet.
    private var next = 0
    /// References to the values that lie outside of their leaf, by their index in the run.
    private var largeCells: [Int: [UInt8]] = [:]
    /// Of the entries of the leaf that go, or are replaced: what they fill as a page.
    private var goneByteCount = 0
    private var isAppending = true
    private(set) var changesAnything = false

    init(_ source: Node, _ run: EntryRun, heap: NodeHeap) {
        (self.source, self.run, self.heap) = (source, run, heap)
        items.reserveCapacity(source.count + source.count / 4 + 8)
    }

    // MARK: Changes, in the order of their keys

    /// An entry of the run comes before that of the leaf at `place`, or in place of it.
    mutating func put(_ index: Int, largeCell: [UInt8]?, at place: Int, replacing isReplaced: Bool) {
        items += next..<place
        items.append(~index)
        if let largeCell { largeCells[index] = largeCell }
        if isReplaced { goneByteCount += slotByteCount + entryByteCount(place) }
        next = isReplaced ? place + 1 : place
        isAppending = isAppending && place == source.count
        changesAnything = true
    }

    /// An entry of the leaf goes.
    mutating func remove(_ place: Int) {
        items += next..<place
        goneByteCount += slotByteCount + entryByteCount(place)
        next = place + 1
        isAppending = false
        changesAnything = true
    }

    func withEntry<Result>(_ index: Int, _ body: (LeafEntry) -> Result) -> Result {
        run.withEntry(index, largeCell: largeCells.isEmpty ? nil : largeCells[index], body)
    }

    // MARK: Composing

    /// The nodes, each with the key that it begins with, shortened as far as the one before it allows; the first with none. No node
    /// where no entry is left.
    mutating func compose() -> [(separator: [UInt8], node: Node)] {
        items += next..<source.count
        guard !items.isEmpty else { return [] }
        if let patch = composePatch() { return [([], patch)] }
        var nodes: [(separator: [UInt8], node: Node)] = []
        var start = 0
        for end in ends() {
            nodes.append((start == 0 ? [] : separator(at: start), composeStandalone(start..<end)))
            start = end
        }
        return nodes
    }

    /// All of it as one patch; `nil` where too little of the page is left, a key does not share its prefix, or it does not fit.
    ///
    /// Entries that stay in the page are not looked at: each would be a line of memory that nobody has at hand.
    private func composePatch() -> Node? {
        guard source.isPatch || !source.isInMemory, items.count <= heap.entryLimit else { return nil }
        let prefixLength = source.prefixLength
        var (inBaseCount, ownByteCount, pageByteCount) = (0, 0, source.leafPageByteCount - goneByteCount)
        for item in items {
            if item < 0 {
                let (shares, byteCount) = withEntry(~item) {
                    ($0.sharesPrefix(of: source), $0.keyByteCount - prefixLength + $0.cellByteCount)
                }
                guard shares else { return nil }
                ownByteCount += NodeLayout.wordByteCount + byteCount
                pageByteCount += slotByteCount + NodeLayout.wordByteCount + byteCount
            } else if isInBase(item) {
                inBaseCount += 1
            } else {
                ownByteCount += entryByteCount(item)
            }
        }
        guard inBaseCount * 2 >= items.count, pageByteCount <= NodeLayout.patchByteLimit else { return nil }
        var writer = LeafWriter(
            heap: heap, count: items.count, source.shape, ownByteCount: ownByteCount, kind: NodeLayout.patchLeaf,
            isGrowing: false)
        writer.setBase(of: source)
        for item in items {
            if item < 0 {
                withEntry(~item) { writer.append($0, prefixLength: prefixLength) }
            } else if isInBase(item) {
                writer.append(baseSlot: source.slot(item), facets: source.facets(item))
            } else {
                writer.append(item, of: source, prefixLength: prefixLength)
            }
        }
        return writer.finish(pageByteCount: pageByteCount)
    }

    /// Of an entry of the leaf: its word, its key without the prefix, and its cell as it lies there.
    private func entryByteCount(_ index: Int) -> Int {
        NodeLayout.wordByteCount + source.suffixByteCount(index) + source.storedCellByteCount(index)
    }

    private func isInBase(_ index: Int) -> Bool { !source.isPatch || source.slot(index) & NodeLayout.inBase != 0 }

    private func composeStandalone(_ range: Range<Int>) -> Node {
        let (first, last) = (key(range.lowerBound), key(range.upperBound - 1))
        let prefixLength = first.commonPrefixLength(with: last)
        let own = range.reduce(prefixLength) { $0 + byteCount(items[$1]) - slotByteCount - prefixLength }
        var writer = LeafWriter(
            heap: heap, count: range.count, source.shape, ownByteCount: own, kind: NodeLayout.leaf, isGrowing: false)
        writer.setPrefix(Array(first.prefix(prefixLength)))
        for position in range {
            let item = items[position]
            if item < 0 {
                withEntry(~item) { writer.append($0, prefixLength: prefixLength) }
            } else {
                writer.append(item, of: source, prefixLength: prefixLength)
            }
        }
        return writer.finish(pageByteCount: pageByteCount(count: range.count, own))
    }

    // MARK: Sizes

    /// Where the nodes end.
    private func ends() -> [Int] {
        let shared = key(0).commonPrefixLength(with: key(items.count - 1))
        let sizes = items.map { byteCount($0) - shared }
        let room = NodeLayout.pageByteCount - NodeLayout.headerByteCount - shared
        let sum = sizes.reduce(0, +)
        if sum <= room, items.count <= heap.entryLimit { return [items.count] }
        let target = isAppending ? room : sum / (sum * 5 / 4 / room + 1)
        let limit = isAppending ? heap.entryLimit : heap.entryLimit - heap.entryLimit / 5
        var ends: [Int] = []
        var (filled, start) = (0, 0)
        for index in items.indices {
            let isFull = filled + sizes[index] > target || index - start >= limit
            if isFull, index > start {
                ends.append(index)
                (filled, start) = (0, index)
            }
            filled += sizes[index]
        }
        return ends + [items.count]
    }

    /// What an entry adds to a page without a prefix.
    private func byteCount(_ item: Int) -> Int {
        let byteCount =
            item < 0
            ? withEntry(~item) { $0.keyByteCount + $0.cellByteCount }
            : source.keyByteCount(item) + source.cellByteCount(item)
        return slotByteCount + NodeLayout.wordByteCount + byteCount
    }

    private var slotByteCount: Int { NodeLayout.leafArraysByteCount(capacity: 1, facetCount: source.facetCount) }

    private func pageByteCount(count: Int, _ entriesByteCount: Int) -> Int {
        NodeLayout.headerByteCount
            + NodeLayout.leafArraysByteCount(capacity: count, facetCount: source.facetCount) + entriesByteCount
    }

    private func key(_ position: Int) -> [UInt8] {
        let item = items[position]
        return item < 0 ? withEntry(~item) { $0.copyKey() } : source.key(item)
    }

    /// The shortest key that sorts after the entry before `position` and not after the one at it.
    private func separator(at position: Int) -> [UInt8] {
        key(position).separator(behind: key(position - 1))
    }
}
