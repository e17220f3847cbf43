/// A stretch of a tree that is to be written: entries that stay and entries that a load adds, laid out by one thread while others lay out others.
///
/// Where a tree is cut depends on the version and on what is added alone: the same are written as the same pages, on however many cores.
struct TreeStretch: Sendable {
    let keys: KeyRange
    /// Of its pages, about; 0 for a few.
    let expectedByteCount: Int

    /// Of pages; about so many.
    static let byteCount = 2 << 20
    /// A tree is cut into no more: one of 10 GB into stretches of 10 MB.
    private static let countLimit = 1024

    /// What an entry takes beside its key and value, in a page as in memory.
    private static let entryByteCount = 6

    /// - Parameters:
    ///   - keptCount: entries of the version that stay.
    ///   - sample: of what a load adds.
    ///   - byteCount: of pages that a stretch fills, about.
    static func all(
        of declaration: TreeDeclaration, in version: Version, keptCount: Int, added sample: EntrySample?,
        byteCount: Int
    ) throws(StorageError) -> [TreeStretch] {
        let added = sample?.entries ?? []
        // Numbers of a file may be any.
        let keptByteCount = Double(keptCount) * entryByteCount(of: declaration, in: version, keptCount)
        let addedByteCount = Double(sample?.estimatedCount ?? 0) * entryByteCount(of: declaration, added)
        let (whole, part) = (keptByteCount + addedByteCount, Double(byteCount))
        let count = Int(min(Double(countLimit), whole / part)) + 1
        guard count > 1 else { return [TreeStretch(keys: .all, expectedByteCount: 0)] }
        let cutsOfKept = Int((Double(count) * keptByteCount / whole).rounded())
        let reader = version.source(of: declaration.number).reader
        var cuts: [[UInt8]] = []
        for cut in 1..<max(2, cutsOfKept) where cutsOfKept > 1 {
            if let key = try reader.separator(ofLeafAt: cut * keptCount / cutsOfKept) { cuts.append(key) }
        }
        let keys = added.map(\.key).sorted { $0.lexicographicallyPrecedes($1) }
        let cutsOfAdded = min(count - cutsOfKept, keys.count)
        for cut in 1..<max(2, cutsOfAdded) where cutsOfAdded > 1 {
            cuts.append(keys[cut * keys.count / cutsOfAdded])
        }
        return stretches(cuts, expectedByteCount: byteCount)
    }

    private static func stretches(_ cuts: [[UInt8]], expectedByteCount: Int) -> [TreeStretch] {
        var sorted = cuts.sorted { $0.lexicographicallyPrecedes($1) }
        var last: [UInt8]?
        sorted.removeAll { cut in
            defer { last = cut }
            return cut == last
        }
        let starts = [nil] + sorted.map(Optional.some)
        let ends = sorted.map(Optional.some) + [nil]
        return zip(starts, ends).map { start, end in
            TreeStretch(keys: KeyRange(start: start, end: end), expectedByteCount: expectedByteCount)
        }
    }

    /// What an entry of the version fills: by what the old snapshot counts, or by some entries where most have come since.
    private static func entryByteCount(
        of declaration: TreeDeclaration, in version: Version, _ count: Int
    ) -> Double {
        let tree = version.generation.file.superblock.trees.first { $0.declaration.number == declaration.number }
        guard let tree, tree.entryCount > 0, UInt64(count) / 2 <= tree.entryCount else {
            return averageByteCount(of: declaration, in: version, count)
        }
        let byteCount = (Double(tree.keyByteCount) + Double(tree.valueByteCount)) / Double(tree.entryCount)
        return min(byteCount, Double(Limits.valueByteCount)) + Double(entryByteCount)
    }

    private static let lookCount = 32

    /// Of some entries, at even distances. What is damaged is met once more as the tree is written, and told then.
    private static func averageByteCount(
        of declaration: TreeDeclaration, in version: Version, _ count: Int
    ) -> Double {
        let wantedCount = min(count, lookCount)
        var byteCount = 0
        for number in 0..<wantedCount {
            guard let entry = try? version.entry(at: number * (count / wantedCount), in: declaration.number) else {
                continue
            }
            let key = try? entry.withKey { declaration.countedByteCount(of: $0) }
            byteCount += (key ?? 0) + ((try? entry.withValue { $0.byteCount }) ?? 0)
        }
        return Double(byteCount) / Double(max(wantedCount, 1)) + Double(entryByteCount)
    }

    /// The same of what is added. Of a key only what comes before that of the home.
    private static func entryByteCount(of declaration: TreeDeclaration, _ added: [EntrySample.Taken]) -> Double {
        guard !added.isEmpty else { return 0 }
        let byteCount = added.reduce(0) { sum, entry in
            sum + entry.valueByteCount + entry.key.withBytes { declaration.countedByteCount(of: $0) }
        }
        return Double(byteCount) / Double(added.count) + Double(entryByteCount)
    }
}
