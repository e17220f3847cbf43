/// A dense leaf and the changes that belong to it, composed into as many new memory nodes as they need.
///
/// What stays in the page stays there, unseen: the cost is that of the own entries and of the changes. Nodes are cut beside own entries only,
/// whose keys are at hand, so that no key of the page has to be put together; one in which nothing of the page is left is an ordinary leaf.
struct DenseMerge {
    private let source: Node
    private let heap: NodeHeap
    private var owns: [Own] = []
    private var removed: [Int] = []
    /// The first own entry of the source that is not among them yet.
    private var next = 0

    /// An own entry of a node to come.
    private struct Own {
        /// One of the source, or a new one by the complement of its number.
        let item: Int
        /// The first entry of the page that does not sort before it.
        let base: Int
        let byteCount: Int
    }

    /// Own entries of a node come to so many bytes, or half as many more.
    static let ownByteCount = 2560
    static let ownByteLimit = ownByteCount * 3 / 2

    init(_ source: Node, heap: NodeHeap) { (self.source, self.heap) = (source, heap) }

    // MARK: Changes, in the order of their keys

    /// A new entry comes where it belongs, or in place of the one there.
    mutating func put(_ number: Int, byteCount: Int, at place: DensePlace) {
        takeOwns(before: place.index)
        if place.isEqual { drop(place.index) }
        owns.append(Own(item: ~number, base: place.base, byteCount: byteCount))
    }

    /// An entry of the leaf goes.
    mutating func remove(_ index: Int) {
        takeOwns(before: index)
        drop(index)
    }

    private mutating func drop(_ index: Int) {
        if let inPage = source.indexInPage(index) { removed.append(inPage) } else { next += 1 }
    }

    private mutating func takeOwns(before index: Int) {
        guard source.isDensePatch else { return }
        let end = source.ownCount(before: index)
        while next < end {
            owns.append(Own(item: next, base: source.base(ofOwn: next), byteCount: source.ownEntryByteCount(next)))
            next += 1
        }
    }

    // MARK: Composing

    /// Lends new entries by their numbers.
    typealias NewEntries = (_ number: Int, _ body: (LeafEntry) -> Void) -> Void
    typealias Piece = (separator: [UInt8], node: Node)

    /// The nodes, each with a key that sorts not after its first and after the last of the one before; the first with none. No node where
    /// no entry is left.
    ///
    /// - Parameter limit: how many there may be; the last is larger then.
    mutating func compose(_ limit: Int = .max, _ entries: NewEntries) -> [Piece] {
        takeOwns(before: source.count)
        takeRemoved()
        let page = source.isDensePatch ? source.firstInPage..<source.endInPage : 0..<source.count
        let sum = owns.reduce(0) { $0 + $1.byteCount }
        let share = sum > Self.ownByteLimit ? sum / (sum / Self.ownByteCount + 1) + 64 : .max
        var pieces: [Piece] = []
        var separator: [UInt8] = []
        var (own, first, filled) = (0, page.lowerBound, 0)
        for index in owns.indices {
            let count = owns[index].base - first - removedCount(in: first..<owns[index].base) + index - own
            let isFull = filled + owns[index].byteCount > share || count >= heap.entryLimit
            if isFull, count > 0, pieces.count + 1 < limit {
                pieces += piece(separator, own..<index, first..<owns[index].base, entries)
                (separator, own, first, filled) = (key(index, entries), index, owns[index].base, 0)
            }
            filled += owns[index].byteCount
        }
        return pieces + piece(separator, own..<owns.count, first..<page.upperBound, entries)
    }

    /// Those of the source, too, in order.
    private mutating func takeRemoved() {
        guard source.isDensePatch, source.removedCount > 0 else { return }
        let array = source.patchArrays.removed
        removed += (0..<source.removedCount).map { Int(source.load(array[$0])) }
        removed.sort()
    }

    private func removedCount(in range: Range<Int>) -> Int {
        place(ofRemoved: range.upperBound) - place(ofRemoved: range.lowerBound)
    }

    private func place(ofRemoved index: Int) -> Int {
        removed.indices.partitionPoint { removed[$0] < index }
    }

    private func key(_ index: Int, _ entries: NewEntries) -> [UInt8] {
        var key: [UInt8] = []
        withEntry(index, entries) { key = $0.copyKey() }
        return key
    }

    private func withEntry(_ index: Int, _ entries: NewEntries, _ body: (LeafEntry) -> Void) {
        let item = owns[index].item
        // An escaping body is never kept: whoever lends an entry lends it for the time of the call.
        withoutActuallyEscaping(body) { body in
            if item < 0 { entries(~item, body) } else { source.withEntry(ofOwn: item, body) }
        }
    }

    /// No piece where no entry is left.
    private func piece(
        _ separator: [UInt8], _ owns: Range<Int>, _ page: Range<Int>, _ entries: NewEntries
    ) -> [Piece] {
        let removed = place(ofRemoved: page.lowerBound)..<place(ofRemoved: page.upperBound)
        guard page.count > removed.count else {
            return owns.isEmpty ? [] : [(separator, composeAlone(owns, entries))]
        }
        let patch = DensePatch(
            amending: source, page, ownCount: owns.count, removedCount: removed.count,
            ownByteCount: owns.reduce(0) { $0 + self.owns[$1].byteCount }, heap: heap)
        for place in removed { patch.append(removed: self.removed[place]) }
        for own in owns {
            let item = self.owns[own].item
            if item < 0 {
                entries(~item) { patch.append($0, base: self.owns[own].base) }
            } else {
                patch.append(item, of: source)
            }
        }
        return [(separator, patch.node)]
    }

    /// A leaf of own entries alone.
    private func composeAlone(_ range: Range<Int>, _ entries: NewEntries) -> Node {
        let first = key(range.lowerBound, entries)
        let prefixLength = first.commonPrefixLength(with: key(range.upperBound - 1, entries))
        var ownByteCount = prefixLength
        for index in range {
            withEntry(index, entries) {
                ownByteCount += NodeLayout.wordByteCount + $0.keyByteCount - prefixLength + $0.cellByteCount
            }
        }
        var writer = LeafWriter(
            heap: heap, count: range.count, source.shape, ownByteCount: ownByteCount, kind: NodeLayout.leaf,
            isGrowing: false)
        writer.setPrefix(Array(first.prefix(prefixLength)))
        for index in range { withEntry(index, entries) { writer.append($0, prefixLength: prefixLength) } }
        return writer.finish(
            pageByteCount: NodeLayout.headerByteCount
                + NodeLayout.leafArraysByteCount(capacity: range.count, facetCount: source.facetCount) + ownByteCount)
    }
}
