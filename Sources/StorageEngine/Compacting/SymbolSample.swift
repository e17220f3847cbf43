/// Values of a tree that is about to be written, from all over it: what its symbols are chosen by.
struct SymbolSample {
    /// Bytes that are enough: more make symbols no better.
    private static let byteCount = 64 << 10
    /// Trees with less have no symbols: they take two pages, and choosing them a few milliseconds.
    private static let leastByteCount = 64 << 10
    /// As many values are looked at to tell whether a tree has as much.
    private static let firstCount = 32
    /// No more values are taken.
    private static let countLimit = 4096

    private var values: [[UInt8]] = []

    /// Of what a snapshot is to hold in a tree: entries of a version, and those that a load adds. Empty where symbols would not pay.
    init(
        of tree: TreeNumber, in version: Version, keptCount: Int, _ runs: [SortedRun]
    ) throws(StorageError) {
        let stretches = try runs.map { (run) throws(StorageError) in (run.entryCount, try run.firstStretch()) }
        let count = runs.reduce(keptCount) { $0 + $1.entryCount }
        guard count > 0 else { return }
        var average = try Self.look(at: tree, version, keptCount).average * Double(keptCount) / Double(count)
        for (runCount, stretch) in stretches {
            average += Self.look(at: stretch).average * Double(runCount) / Double(count)
        }
        guard average * Double(count) >= Double(Self.leastByteCount) else { return }
        let wantedCount = min(Self.countLimit, Int(Double(Self.byteCount) / average))
        let wantedOfKept = min(keptCount, wantedCount * keptCount / count)
        try Self.forEach(wantedOfKept, of: tree, version, keptCount) { entry throws(StorageError) in
            try entry.withValue { add($0) }
        }
        for (runCount, stretch) in stretches { add(stretch, wantedCount * runCount / count) }
    }

    /// Those chosen by the sample; `nil` where they would not pay.
    func symbols() -> SymbolEncoder? { values.isEmpty ? nil : SymbolTraining(values).encoder() }

    private mutating func add(_ value: RawSpan) {
        // A longer one lies in the cold region.
        if value.byteCount <= Limits.hotValueByteCount { values.append(value.copyBytes()) }
    }

    /// What values in symbols would come to of a few entries: those whose keys have one length, so that they can be packed.
    private struct Look {
        private var byteCount = 0
        private var count = 0
        private var keyByteCount: Int?

        var average: Double { Double(byteCount) / Double(max(count, 1)) }
        var isComplete: Bool { count == SymbolSample.firstCount }

        mutating func add(keyByteCount: Int, valueByteCount: Int) {
            count += 1
            let isPacked =
                PackedArrays.byteCounts.contains(keyByteCount) && self.keyByteCount ?? keyByteCount == keyByteCount
            if isPacked, valueByteCount <= Limits.hotValueByteCount { byteCount += valueByteCount }
            self.keyByteCount = keyByteCount
        }
    }

    // MARK: Entries of a version

    private static func look(at tree: TreeNumber, _ version: Version, _ count: Int) throws(StorageError) -> Look {
        var look = Look()
        try forEach(min(count, firstCount), of: tree, version, count) { entry throws(StorageError) in
            let keyByteCount = try entry.keyByteCount
            try entry.withValue { look.add(keyByteCount: keyByteCount, valueByteCount: $0.byteCount) }
        }
        return look
    }

    /// At even distances.
    private static func forEach(
        _ wantedCount: Int, of tree: TreeNumber, _ version: Version, _ count: Int,
        _ body: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) {
        for number in 0..<wantedCount {
            if let entry = try version.entry(at: number * count / wantedCount, in: tree) { try body(entry) }
        }
    }

    // MARK: Entries of a load

    /// At the first.
    private static func look(at stretch: [UInt8]) -> Look {
        var look = Look()
        stretch.withBytes { bytes in
            var offset = 0
            while !look.isComplete, let end = bytes.endOfSortedEntry(at: offset) {
                look.add(
                    keyByteCount: bytes.sortedEntryKey(at: offset).count,
                    valueByteCount: bytes.sortedEntryValue(at: offset).count)
                offset = end
            }
        }
        return look
    }

    /// At even distances.
    private mutating func add(_ stretch: [UInt8], _ wantedCount: Int) {
        guard wantedCount > 0 else { return }
        let distance = stretch.count / wantedCount
        stretch.withBytes { bytes in
            var (offset, next) = (0, 0)
            while let end = bytes.endOfSortedEntry(at: offset) {
                if offset >= next {
                    add(bytes.extracting(bytes.sortedEntryValue(at: offset)))
                    next += max(distance, end - offset)
                }
                offset = end
            }
        }
    }
}
