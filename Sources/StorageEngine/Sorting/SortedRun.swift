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

    /// Read from a file at a time, and what lies between two fences.
    static let pieceByteCount = 64 << 10

    init(_ sorted: SortBuffer.Sorted, _ place: Place) {
        entryCount = sorted.count
        fences = sorted.fences
        self.place = place
    }

    /// Where to look for the first entry whose key is not less: some entry before it, or the first of all.
    func offset(before key: [UInt8]) -> Int {
        let index = fences.indices.partitionPoint { fences[$0].key.lexicographicallyPrecedes(key) }
        return index == 0 ? 0 : fences[index - 1].offset
    }

    static func checksums(of bytes: [UInt8]) -> [UInt32] {
        bytes.withBytes { bytes in
            stride(from: 0, to: bytes.byteCount, by: pieceByteCount).map {
                CRC32C.checksum(bytes.extracting($0..<min($0 + pieceByteCount, bytes.byteCount)))
            }
        }
    }
}
