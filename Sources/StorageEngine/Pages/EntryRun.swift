/// Entries that are to be put into a tree together, and keys that are to go: in the order they came in, and sorted before they are applied.
///
/// One array of bytes and one of places, whatever the number of entries.
struct EntryRun {
    private var bytes: [UInt8] = []
    private var places: [Place] = []

    private struct Place {
        let start: Int
        /// `removal` where the key is to go.
        let valueByteCount: UInt32
        let keyByteCount: UInt16
        let facets: UInt16
        /// The first bytes of the key in which not all keys are alike, up to eight, as a number: as a rule a sort needs no more.
        var head: UInt64 = 0

        var key: Range<Int> { start..<start + Int(keyByteCount) }
        var value: Range<Int> { key.upperBound..<key.upperBound + Int(valueByteCount) }
        var isRemoval: Bool { valueByteCount == Self.removal }

        static let removal = UInt32.max

        /// Equal keys stay in the order they came in.
        func precedes(_ other: Place, in bytes: RawSpan) -> Bool {
            let order = bytes.extracting(key).order(relativeTo: bytes.extracting(other.key))
            return order == 0 ? start < other.start : order < 0
        }

        func digit(_ shift: Int) -> Int { Int(head >> UInt64(shift) & 0xFF) }
    }

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }

    /// Precondition: the tree takes the entry.
    mutating func append(key: RawSpan, value: RawSpan, facets: UInt16) {
        append(key, valueByteCount: UInt32(value.byteCount), facets: facets)
        bytes.append(contentsOf: value)
    }

    /// The key is to go. Precondition: it is within `Limits`.
    mutating func append(removing key: RawSpan) { append(key, valueByteCount: Place.removal, facets: 0) }

    private mutating func append(_ key: RawSpan, valueByteCount: UInt32, facets: UInt16) {
        places.append(
            Place(
                start: bytes.count, valueByteCount: valueByteCount, keyByteCount: UInt16(key.byteCount), facets: facets)
        )
        bytes.append(contentsOf: key)
    }

    /// The room that the entries took stays for the next ones, unless it is much.
    mutating func removeAll() {
        let keepsRoom = bytes.capacity + places.capacity * MemoryLayout<Place>.stride <= Self.keptByteCount
        bytes.removeAll(keepingCapacity: keepsRoom)
        places.removeAll(keepingCapacity: keepsRoom)
    }

    private static let keptByteCount = 16 << 10

    /// By key. Of equal keys the last stays.
    mutating func sort() {
        guard count > 1 else { return }
        bytes.withBytes { bytes in
            let offsets = differingOffsets(in: bytes)
            for index in places.indices {
                let start = places[index].start
                places[index].head = offsets.reduce(0) { $0 << 8 | UInt64(bytes.byte(at: start + $1)) }
            }
            sortByHeads()
            var start = 0
            while start < places.count {
                var end = start + 1
                var isSorted = true
                while end < places.count, places[end].head == places[start].head {
                    if isSorted { isSorted = places[end - 1].precedes(places[end], in: bytes) }
                    end += 1
                }
                if !isSorted { places[start..<end].sort { $0.precedes($1, in: bytes) } }
                start = end
            }
            var kept = 0
            for index in places.indices {
                let isReplaced =
                    index + 1 < places.count && places[index].head == places[index + 1].head
                    && bytes.extracting(places[index].key).order(relativeTo: bytes.extracting(places[index + 1].key))
                        == 0
                if isReplaced { continue }
                places[kept] = places[index]
                kept += 1
            }
            places.removeSubrange(kept...)
        }
    }

    /// A pass for each byte that is not the same in all heads: a radix sort, which compares nothing.
    private mutating func sortByHeads() {
        guard places.count > Self.placeCountOfAPass else { return places.sort { $0.head < $1.head } }
        let differing = places.reduce(0) { $0 | ($1.head ^ places[0].head) }
        var sorted = places
        for shift in stride(from: 0, to: 64, by: 8) where differing >> UInt64(shift) & 0xFF != 0 {
            var ends = [Int](repeating: 0, count: 257)
            for place in places { ends[place.digit(shift) + 1] += 1 }
            for digit in 0..<256 { ends[digit + 1] += ends[digit] }
            for place in places {
                sorted[ends[place.digit(shift)]] = place
                ends[place.digit(shift)] += 1
            }
            swap(&places, &sorted)
        }
    }

    /// Up to so many, comparing costs less.
    private static let placeCountOfAPass = 256

    /// The first eight places within a key, or all of them, where not all keys have the same byte, short of the end of the shortest: two
    /// keys sort as their bytes there do.
    private func differingOffsets(in bytes: RawSpan) -> [Int] {
        let shortest = places.reduce(Int.max) { min($0, Int($1.keyByteCount)) }
        guard shortest > 8 else { return Array(0..<shortest) }
        let first = places[0].start
        var offsets: [Int] = []
        // Eight bytes at once; the last of them may overlap those before.
        for offset in stride(from: 0, to: shortest, by: 8) where offsets.count < 8 {
            let word = min(offset, shortest - 8)
            let shared = bytes.loadBigEndian(at: first + word)
            let differing = places.reduce(0) { $0 | (bytes.loadBigEndian(at: $1.start + word) ^ shared) }
            offsets += (offset - word..<8).filter { differing >> UInt64(56 - 8 * $0) & 0xFF != 0 }.map { word + $0 }
        }
        return Array(offsets.prefix(8))
    }

    func isRemoval(_ index: Int) -> Bool { places[index].isRemoval }

    /// Precondition: the entry is no removal.
    func valueByteCount(_ index: Int) -> Int { Int(places[index].valueByteCount) }

    func withValue<Result>(_ index: Int, _ body: (RawSpan) -> Result) -> Result {
        bytes.withBytes { body($0.extracting(places[index].value)) }
    }

    /// Precondition: the entry is no removal, and its value lies in a leaf unless there is a cell to stand for it.
    ///
    /// - Parameter largeCell: the reference to a value that lies outside its leaf.
    func withEntry<Result, Failure>(
        _ index: Int, largeCell: [UInt8]? = nil, _ body: (LeafEntry) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let place = places[index]
        return try bytes.withBytes { (bytes) throws(Failure) in
            let key = bytes.extracting(place.key)
            if let largeCell {
                return try largeCell.withBytes { (cell) throws(Failure) in
                    try LeafEntry.with(key: key, word: NodeLayout.largeValue, cell: cell, facets: place.facets, body)
                }
            }
            return try LeafEntry.with(
                key: key, word: UInt16(place.valueByteCount), cell: bytes.extracting(place.value), facets: place.facets,
                body)
        }
    }

    func withKey<Result, Failure>(
        _ index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let place = places[index]
        return try bytes.withBytes { (bytes) throws(Failure) in try body(bytes.extracting(place.key)) }
    }

    /// The first of some entries whose key does not sort before one; the end when there is none. Precondition: they are sorted.
    func firstIndex(notBefore key: [UInt8], in range: Range<Int>) -> Int {
        key.withBytes { key in range.partitionPoint { withKey($0) { $0.order(relativeTo: key) < 0 } } }
    }
}
