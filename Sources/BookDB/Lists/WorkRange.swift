import StorageEngine

/// A stretch of a tree under one filter, and which way a list runs through it: how the indices of a list become positions.
///
/// Backwards, the works that have the value come in reverse and those without it behind them, as they do forwards:
///
///     positions   a b c d | y z          (y and z have no rating)
///     forward     a b c d   y z
///     reverse     d c b a   y z
struct WorkRange: Equatable, Sendable {
    let index: WorkIndex
    let filter: WorkFilter
    /// What the keys of the stretch begin with; nothing in a whole order.
    let prefix: [UInt8]
    let positions: Range<Int>
    /// How many entries at the beginning of the list come in reverse.
    let reversedCount: Int

    init(
        _ index: WorkIndex, _ filter: WorkFilter, prefix: [UInt8] = [], positions: Range<Int>, reversedCount: Int = 0
    ) {
        self.index = index
        self.filter = filter
        self.prefix = prefix
        self.positions = positions
        self.reversedCount = reversedCount
    }

    var facet: Facet? { filter.facet }

    /// The position of an index, and the index of a position: the same function.
    func mirrored(_ number: Int) -> Int {
        number < reversedCount ? reversedCount - 1 - number : number
    }

    func position(ofIndex index: Int) -> Int { positions.lowerBound + mirrored(index) }

    func index(ofPosition position: Int) -> Int { mirrored(position - positions.lowerBound) }

    /// The entries of some indices, in their order. O(log n + their number).
    func entries(_ indices: Range<Int>, in version: Version) throws(StorageError) -> [Entry] {
        let split = min(max(reversedCount, indices.lowerBound), indices.upperBound)
        var entries: [Entry] = []
        entries.reserveCapacity(indices.count)
        if indices.lowerBound < split {
            try collect(reversedCount - split..<reversedCount - indices.lowerBound, version, &entries)
            entries.reverse()
        }
        if split < indices.upperBound { try collect(split..<indices.upperBound, version, &entries) }
        return entries
    }

    private func collect(
        _ offsets: Range<Int>, _ version: Version, _ entries: inout [Entry]
    ) throws(StorageError) {
        let start = positions.lowerBound
        try version.forEachEntry(
            in: index.tree, facet: facet, positions: start + offsets.lowerBound..<start + offsets.upperBound
        ) { entry in
            entries.append(entry)
            return true
        }
    }

    func item(_ entry: Entry) throws(StorageError) -> WorkListItem {
        index == WorkOrder.title.index
            ? try WorkListItem(row: entry) : try WorkListItem(WorkReference(entry: entry, index: index))
    }
}
