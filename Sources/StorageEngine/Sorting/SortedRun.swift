/// Sorted entries of one tree, each key once, laid out as in a `SortBuffer`.
struct SortedRun: Sendable {
    let entryCount: Int
    let place: Place
    /// Some of its entries, the first among them, in order: where whoever looks for a key begins.
    private let fences: [Fence]

    enum Place: Sendable {
        case memory([UInt8])
        /// With a checksum for each piece.
        case file(any File, Range<Int>, checksums: [UInt32])
    }

    struct Fence: Sendable {
        let key: [UInt8]
        /// Within the run.
        let offset: Int
    }

    /// Read from a file at a time.
    static let pieceByteCount = 16 << 10
    /// What lies between two fences, about.
    static let fenceByteCount = 64 << 10

    init(entryCount: Int, fences: [Fence], _ place: Place) {
        self.entryCount = entryCount
        self.fences = fences
        self.place = place
    }

    /// Where to look for the first entry whose key is not less: some entry before it, or the first of all.
    func offset(before key: [UInt8]) -> Int {
        let index = fences.indices.partitionPoint { fences[$0].key.lexicographicallyPrecedes(key) }
        return index == 0 ? 0 : fences[index - 1].offset
    }
}
