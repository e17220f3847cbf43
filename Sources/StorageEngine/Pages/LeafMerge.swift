/// A leaf and a sorted run of entries that belong into it, composed into as many new memory nodes as they need.
///
/// Nodes that only take what comes behind their last entry are left full; others have room for a fifth more.
struct LeafMerge {
    let source: Node
    let run: EntryRun
    let heap: NodeHeap
    /// An entry of the leaf by its index, or one of the run by the complement of its own. By key.
    private var items: [Int] = []
    private var isAppending = true

    /// - Parameter replaced: hears of entries of the leaf that one of the run replaces.
    init(_ source: Node, _ run: EntryRun, _ range: Range<Int>, heap: NodeHeap, replaced: (Int) -> Void) {
        self.source = source
        self.run = run
        self.heap = heap
        items.reserveCapacity(source.count + range.count)
        var next = 0
        for index in range {
            let (place, isEqual) = run.withEntry(index) { $0.lowerBound(in: source) }
            items += next..<place
            items.append(~index)
            isAppending = isAppending && place == source.count
            next = isEqual ? place + 1 : place
            if isEqual { replaced(place) }
        }
        items += next..<source.count
    }

    /// The nodes, each with the key that it begins with, shortened as far as the one before it allows; the first with none.
    func compose() -> [(separator: [UInt8], node: Node)] {
        var nodes: [(separator: [UInt8], node: Node)] = []
        var start = 0
        for end in ends() {
            nodes.append((start == 0 ? [] : separator(at: start), compose(start..<end)))
            start = end
        }
        return nodes
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
        let slot = NodeLayout.leafArraysByteCount(capacity: 1, facetCount: source.facetCount) + NodeLayout.wordByteCount
        guard item < 0 else { return slot + source.keyByteCount(item) + source.cellByteCount(item) }
        return run.withEntry(~item) { slot + $0.keyByteCount + $0.cellByteCount }
    }

    private func key(_ position: Int) -> [UInt8] {
        let item = items[position]
        return item < 0 ? run.withEntry(~item) { $0.copyKey() } : source.key(item)
    }

    /// The shortest key that sorts after the entry before `position` and not after the one at it.
    private func separator(at position: Int) -> [UInt8] {
        key(position).separator(behind: key(position - 1))
    }

    // MARK: Composing

    private func compose(_ range: Range<Int>) -> Node {
        let (first, last) = (key(range.lowerBound), key(range.upperBound - 1))
        let prefixLength = first.commonPrefixLength(with: last)
        let slot = NodeLayout.leafArraysByteCount(capacity: 1, facetCount: source.facetCount)
        let own = range.reduce(prefixLength) { $0 + byteCount(items[$1]) - slot - prefixLength }
        var writer = LeafWriter(
            heap: heap, count: range.count, source.shape, ownByteCount: own, kind: NodeLayout.leaf, isGrowing: false)
        writer.setPrefix(Array(first.prefix(prefixLength)))
        for position in range {
            let item = items[position]
            if item < 0 {
                run.withEntry(~item) { writer.append($0, prefixLength: prefixLength) }
            } else {
                writer.append(item, of: source, prefixLength: prefixLength)
            }
        }
        return writer.finish(
            pageByteCount: NodeLayout.headerByteCount
                + NodeLayout.leafArraysByteCount(capacity: range.count, facetCount: source.facetCount) + own)
    }
}
