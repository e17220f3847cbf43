/// A stretch of a tree that is to be written: entries that stay and entries that a load adds, laid out by one thread while others lay out others.
///
/// Where a tree is cut depends on its entries alone: equal trees are written as equal pages, on however many cores.
struct TreeStretch: Sendable {
    /// The leaves of the version: `nil` for none.
    let kept: KeyRange?
    /// The entries that a load adds.
    let added: KeyRange
    /// Of its pages, about; 0 for a few.
    var expectedByteCount = 0

    /// Of pages; about so many.
    static let byteCount = 2 << 20
    /// A tree is cut into no more: one of a tree of 10 GB fills some 40 MB.
    private static let countLimit = 256

    /// What an entry takes beside its key and value, in a page as in memory.
    private static let entryByteCount = 6

    /// - Parameters:
    ///   - keptCount: entries of the version that stay; `nil` for a tree that is made anew.
    ///   - sample: of what a load adds.
    ///   - byteCount: of pages that a stretch fills, about.
    static func all(
        of declaration: TreeDeclaration, in version: Version, keptCount: Int?, added sample: EntrySample?,
        byteCount: Int
    ) throws(StorageError) -> [TreeStretch] {
        let added = sample?.entries ?? []
        let addedCount = sample?.estimatedCount ?? 0
        let isAnew = keptCount == nil
        let keptCount = keptCount ?? 0
        let keptByteCount = keptCount * entryByteCount(of: declaration, in: version)
        let addedByteCount = addedCount * entryByteCount(of: declaration, added)
        let count = min(countLimit, (keptByteCount + addedByteCount) / byteCount + 1)
        guard count > 1 else {
            return [TreeStretch(kept: isAnew ? nil : .all, added: .all)]
        }
        let share = Double(keptByteCount) / Double(keptByteCount + addedByteCount)
        let cutsOfKept = Int((Double(count) * share).rounded())
        let reader = version.source(of: declaration.number).reader
        var cuts: [[UInt8]] = []
        for cut in 1..<max(2, cutsOfKept) where cutsOfKept > 1 {
            if let key = try reader.separator(ofLeafAt: cut * keptCount / cutsOfKept) { cuts.append(key) }
        }
        let keys = added.map(\.key).sorted { $0.lexicographicallyPrecedes($1) }
        let end = keptCount > 0 ? try lastKey(in: reader, keptCount) : []
        let cutsOfAdded = min(count - cutsOfKept, keys.count)
        for cut in 1..<max(2, cutsOfAdded) where cutsOfAdded > 1 {
            let key = keys[cut * keys.count / cutsOfAdded]
            if end.lexicographicallyPrecedes(key) {
                cuts.append(key)
            } else if let separator = try reader.separator(ofLeafWith: key) {
                // A leaf is not cut.
                cuts.append(separator)
            }
        }
        return stretches(cuts, isAnew: isAnew, end: end, expectedByteCount: byteCount)
    }

    /// - Parameter end: the last key that stays.
    private static func stretches(_ cuts: [[UInt8]], isAnew: Bool, end: [UInt8], expectedByteCount: Int)
        -> [TreeStretch]
    {
        var sorted = cuts.sorted { $0.lexicographicallyPrecedes($1) }
        var last: [UInt8]?
        sorted.removeAll { cut in
            defer { last = cut }
            return cut == last
        }
        let starts = [nil] + sorted.map(Optional.some)
        let ends = sorted.map(Optional.some) + [nil]
        return zip(starts, ends).map { start, next in
            var kept: KeyRange? = KeyRange(start: start, end: next)
            // Behind the last key that stays there is no leaf, and the stretch before has all that are left.
            if let next, end.lexicographicallyPrecedes(next) { kept?.end = nil }
            if isAnew || start.map({ end.lexicographicallyPrecedes($0) }) == true { kept = nil }
            return TreeStretch(
                kept: kept, added: KeyRange(start: start, end: next), expectedByteCount: expectedByteCount)
        }
    }

    private static func lastKey(in reader: TreeReader, _ count: Int) throws(StorageError) -> [UInt8] {
        guard let (place, _) = try reader.select(count - 1, column: 0) else { return [] }
        return try reader.pages.key(of: place.leaf, place.index)
    }

    /// What an entry of the version fills, by what the old snapshot counts.
    private static func entryByteCount(of declaration: TreeDeclaration, in version: Version) -> Int {
        let tree = version.generation.file.superblock.trees.first { $0.declaration.number == declaration.number }
        guard let tree, tree.entryCount > 0 else { return 64 }
        let byteCount = (tree.keyByteCount + tree.valueByteCount) / tree.entryCount
        return Int(clamping: byteCount) + entryByteCount
    }

    /// The same of what is added. Of a key only what comes before that of the home.
    private static func entryByteCount(of declaration: TreeDeclaration, _ added: [EntrySample.Taken]) -> Int {
        guard !added.isEmpty else { return 0 }
        let byteCount = added.reduce(0) { sum, entry in
            sum + entry.valueByteCount + entry.key.withBytes { declaration.countedByteCount(of: $0) }
        }
        return byteCount / added.count + entryByteCount
    }
}
