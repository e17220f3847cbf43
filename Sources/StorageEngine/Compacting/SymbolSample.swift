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
        of tree: TreeNumber, in version: Version, keptCount: Int, _ added: EntrySample
    ) throws(StorageError) {
        let addedCount = added.estimatedCount
        let count = keptCount + addedCount
        guard count > 0 else { return }
        let (kept, added) = (try Self.look(at: tree, version, keptCount), added.entries)
        var ofAdded = Look()
        for entry in added.prefix(Self.firstCount) {
            ofAdded.add(keyByteCount: entry.key.count, valueByteCount: entry.valueByteCount)
        }
        let byteCount = kept.average * Double(keptCount) + ofAdded.average * Double(addedCount)
        guard byteCount >= Double(Self.leastByteCount) else { return }
        let wantedCount = min(Self.countLimit, Int(Double(Self.byteCount) / byteCount * Double(count)) + 1)
        let wantedOfKept = min(keptCount, wantedCount * keptCount / count)
        try Self.forEach(wantedOfKept, of: tree, version, keptCount) { entry throws(StorageError) in
            try entry.withValue { if $0.byteCount <= Limits.hotValueByteCount { values.append($0.copyBytes()) } }
        }
        values += added.prefix(wantedCount - wantedOfKept).map(\.value)
    }

    /// Those chosen by the sample; `nil` where they would not pay.
    func symbols() -> SymbolEncoder? { values.isEmpty ? nil : SymbolTraining(values).encoder() }

    /// What values in symbols would come to of a few entries: those whose keys have one length, so that they can be packed.
    private struct Look {
        private var byteCount = 0
        private var count = 0
        private var keyByteCount: Int?

        var average: Double { Double(byteCount) / Double(max(count, 1)) }

        mutating func add(keyByteCount: Int, valueByteCount: Int) {
            count += 1
            let isOfOneLength = self.keyByteCount ?? keyByteCount == keyByteCount
            if isOfOneLength, PackedArrays.byteCounts.contains(keyByteCount), valueByteCount <= Limits.hotValueByteCount
            {
                byteCount += valueByteCount
            }
            self.keyByteCount = keyByteCount
        }
    }

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
}
