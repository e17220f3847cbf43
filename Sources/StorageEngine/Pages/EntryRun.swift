/// Entries that are to be put into a tree together: in the order they came in, and sorted when they are put.
///
/// One array of bytes and one of places, whatever the number of entries.
struct EntryRun {
    private var bytes: [UInt8] = []
    private var places: [Place] = []

    private struct Place {
        let start: Int
        let keyByteCount: UInt16
        let valueByteCount: UInt16
        let facets: UInt16

        var key: Range<Int> { start..<start + Int(keyByteCount) }
        var value: Range<Int> { key.upperBound..<key.upperBound + Int(valueByteCount) }
    }

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }

    /// Precondition: the tree takes the entry, and its value lies in a leaf.
    mutating func append(key: RawSpan, value: RawSpan, facets: UInt16) {
        let place = Place(
            start: bytes.count, keyByteCount: UInt16(key.byteCount), valueByteCount: UInt16(value.byteCount),
            facets: facets)
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
        places.append(place)
    }

    /// The room that the entries took stays, for those of the next commit.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// By key. Of equal keys the last stays.
    mutating func sort() {
        guard count > 1 else { return }
        bytes.withBytes { bytes in
            places.sort { left, right in
                let order = bytes.extracting(left.key).order(relativeTo: bytes.extracting(right.key))
                return order == 0 ? left.start < right.start : order < 0
            }
            var kept = 0
            for index in places.indices {
                let isReplaced =
                    index + 1 < places.count
                    && bytes.extracting(places[index].key).order(relativeTo: bytes.extracting(places[index + 1].key))
                        == 0
                if isReplaced { continue }
                places[kept] = places[index]
                kept += 1
            }
            places.removeSubrange(kept...)
        }
    }

    func withEntry<Result, Failure>(
        _ index: Int, _ body: (LeafEntry) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let place = places[index]
        return try bytes.withBytes { (bytes) throws(Failure) in
            try LeafEntry.with(
                key: bytes.extracting(place.key), word: place.valueByteCount, cell: bytes.extracting(place.value),
                facets: place.facets, body)
        }
    }

    func withKey<Result>(_ index: Int, _ body: (RawSpan) -> Result) -> Result {
        let place = places[index]
        return bytes.withBytes { body($0.extracting(place.key)) }
    }

    /// The first of some entries whose key does not sort before one; the end when there is none. Precondition: they are sorted.
    func firstIndex(notBefore key: [UInt8], in range: Range<Int>) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            let isBefore = key.withBytes { key in withKey(middle) { $0.order(relativeTo: key) < 0 } }
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
