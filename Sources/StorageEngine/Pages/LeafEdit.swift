/// A leaf with one change applied, composed into new memory nodes.
///
/// Where the leaf amends a mapped page and most entries are still the page's, the result is a *patch*: slots plus only
/// the new entries, the other slots pointing into the page. That needs 3 to 6 times less memory than a copied page.
/// Otherwise the result stands alone and its prefix is computed afresh.
struct LeafEdit {
    enum Change {
        case insert(LeafEntry)
        case replace(LeafEntry)
        case remove
    }

    let source: Node
    /// Where the change happens.
    let index: Int
    let change: Change
    let heap: NodeHeap

    private enum Item {
        case old(Int)
        case new(LeafEntry)
    }

    /// Entries after the change.
    var count: Int {
        switch change {
        case .replace: source.count
        case .insert: source.count + 1
        case .remove: source.count - 1
        }
    }

    private func item(_ position: Int) -> Item {
        switch change {
        case .insert(let entry):
            if position == index { return .new(entry) }
            return .old(position < index ? position : position - 1)
        case .replace(let entry): return position == index ? .new(entry) : .old(position)
        case .remove: return .old(position < index ? position : position + 1)
        }
    }

    // MARK: Sizes

    /// Bytes the entries fill as a page, with the prefix the composed node will have, and how many they may fill: a newcomer that does not
    /// share the old prefix makes every other key longer.
    func pageByteCount(_ range: Range<Int>) -> (count: Int, limit: Int) {
        let isPatch = canPatch(range)
        let prefixLength = isPatch ? source.prefixLength : commonPrefixLength(range)
        var sum = NodeLayout.headerByteCount + prefixLength
        for position in range {
            sum += entryByteCount(position, inPatch: isPatch) + source.prefixLength - prefixLength
        }
        return (sum, isPatch ? NodeLayout.patchByteLimit : NodeLayout.pageByteCount)
    }

    /// Keys ascend, so what the first and the last share, all share.
    private func commonPrefixLength(_ range: Range<Int>) -> Int {
        guard let first = range.first, let last = range.last else { return 0 }
        return key(first).commonPrefixLength(with: key(last))
    }

    /// Values that share their ends go on doing so in a patch.
    private func entryByteCount(_ position: Int, inPatch: Bool) -> Int {
        let slot = NodeLayout.leafArraysByteCount(capacity: 1, facetCount: source.facetCount) + NodeLayout.wordByteCount
        switch item(position) {
        case .old(let index):
            return slot + source.keyByteCount(index) - source.prefixLength
                + (inPatch ? source.storedCellByteCount(index) : source.cellByteCount(index))
        case .new(let entry): return slot + entry.keyByteCount - source.prefixLength + entry.cellByteCount
        }
    }

    /// Where to cut in two: at the end when the change appends, so that ascending inserts leave full leaves behind;
    /// behind a newcomer at the front that does not share the prefix; in the middle of the bytes otherwise.
    func splitPosition(of pageByteCount: Int) -> Int {
        if case .insert(let entry) = change {
            if index == count - 1 { return count - 1 }
            if index == 0, !entry.sharesPrefix(of: source) { return 1 }
        }
        let half = pageByteCount / 2
        let inPatch = canPatch(0..<count)
        var sum = 0
        for position in 0..<count - 1 {
            sum += entryByteCount(position, inPatch: inPatch)
            if sum >= half { return position + 1 }
        }
        return count - 1
    }

    /// The shortest key that sorts after the entry before `position` and not after the one at it.
    func separator(at position: Int) -> [UInt8] {
        key(position).separator(behind: key(position - 1))
    }

    private func key(_ position: Int) -> [UInt8] {
        switch item(position) {
        case .old(let index): source.key(index)
        case .new(let entry): entry.copyKey()
        }
    }

    // MARK: Composing

    private var isGrowing: Bool {
        guard case .insert = change else { return false }
        return heap.isOwn(source)
    }

    func compose(_ range: Range<Int>) -> Node {
        canPatch(range) ? composePatch(range) : composeStandalone(range)
    }

    private func canPatch(_ range: Range<Int>) -> Bool {
        guard source.isPatch || !heapOwnsSource else { return false }
        var inBase = 0
        for position in range {
            switch item(position) {
            case .old(let index): if isInBase(index) { inBase += 1 }
            case .new(let entry):
                guard entry.sharesPrefix(of: source) else { return false }
            }
        }
        return inBase * 2 >= range.count && inBase > 0
    }

    private var heapOwnsSource: Bool { source.baseWord == NodeHeap.memoryMark }

    private func isInBase(_ index: Int) -> Bool {
        source.isPatch ? source.slot(index) & NodeLayout.inBase != 0 : !heapOwnsSource
    }

    private func composePatch(_ range: Range<Int>) -> Node {
        let prefixLength = source.prefixLength
        var own = 0
        var inBase = 0
        for position in range {
            switch item(position) {
            case .old(let index):
                let byteCount =
                    NodeLayout.wordByteCount + source.suffixByteCount(index) + source.storedCellByteCount(index)
                if isInBase(index) { inBase += byteCount } else { own += byteCount }
            case .new(let entry):
                own += NodeLayout.wordByteCount + entry.keyByteCount - prefixLength + entry.cellByteCount
            }
        }
        var writer = LeafWriter(
            heap: heap, count: range.count, source.shape, ownByteCount: own,
            kind: NodeLayout.patchLeaf,
            isGrowing: isGrowing
        )
        writer.setBase(of: source)
        for position in range {
            switch item(position) {
            case .old(let index):
                if isInBase(index) {
                    writer.append(baseSlot: source.slot(index), facets: source.facets(index))
                } else {
                    writer.append(index, of: source, prefixLength: prefixLength)
                }
            case .new(let entry): writer.append(entry, prefixLength: prefixLength)
            }
        }
        return writer.finish(pageByteCount: pageByteCount(count: range.count, prefixLength + inBase + own))
    }

    private func composeStandalone(_ range: Range<Int>) -> Node {
        let first = range.isEmpty ? [] : key(range.lowerBound)
        let last = range.isEmpty ? [] : key(range.upperBound - 1)
        let prefixLength = first.commonPrefixLength(with: last)
        var own = prefixLength
        for position in range {
            switch item(position) {
            case .old(let index):
                own +=
                    NodeLayout.wordByteCount + source.keyByteCount(index) - prefixLength + source.cellByteCount(index)
            case .new(let entry):
                own += NodeLayout.wordByteCount + entry.keyByteCount - prefixLength + entry.cellByteCount
            }
        }
        var writer = LeafWriter(
            heap: heap, count: range.count, source.shape, ownByteCount: own, kind: NodeLayout.leaf,
            isGrowing: isGrowing)
        writer.setPrefix(Array(first.prefix(prefixLength)))
        for position in range {
            switch item(position) {
            case .old(let index): writer.append(index, of: source, prefixLength: prefixLength)
            case .new(let entry): writer.append(entry, prefixLength: prefixLength)
            }
        }
        return writer.finish(pageByteCount: pageByteCount(count: range.count, own))
    }

    private func pageByteCount(count: Int, _ entriesByteCount: Int) -> Int {
        NodeLayout.headerByteCount
            + NodeLayout.leafArraysByteCount(capacity: count, facetCount: source.facetCount) + entriesByteCount
    }
}
