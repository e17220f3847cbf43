/// Finds values that end alike among the entries of a page: addresses of covers do, kinds, currencies.
///
/// Compares with a few values that lie whole in the page: those that others have shared an end with, and the last ones.
struct SharedEnds {
    /// A shorter end is not worth the three bytes that say where it is.
    private static let leastByteCount = 8
    private static let mostByteCount = Int(UInt8.max)
    private static let wholeCount = 12

    struct SharedEnd {
        /// The entry that has the end, too.
        let entry: Int
        let byteCount: Int
    }

    /// Entries and where their values lie: those first that are shared, the last of these in front, then the others as they came.
    private var wholes: [(entry: Int, value: Range<Int>)] = []
    private var sharedCount = 0

    /// The longest end that a value shares with one of those; `nil` where none is long enough.
    ///
    /// - Parameter bytes: among which those lie.
    func end(of value: RawSpan, among bytes: RawSpan) -> SharedEnd? {
        var found: SharedEnd?
        for whole in wholes {
            let byteCount = value.commonSuffixLength(with: bytes.extracting(whole.value), limit: Self.mostByteCount)
            if byteCount >= max(Self.leastByteCount, (found?.byteCount ?? 0) + 1) {
                found = SharedEnd(entry: whole.entry, byteCount: byteCount)
            }
        }
        return found
    }

    /// An entry came, whose value shares an end or lies whole at a place.
    mutating func add(_ entry: Int, sharing end: SharedEnd?, at value: Range<Int>) {
        if let end {
            guard let place = wholes.firstIndex(where: { $0.entry == end.entry }) else { return }
            if place >= sharedCount { sharedCount += 1 }
            wholes.insert(wholes.remove(at: place), at: 0)
        } else if value.count >= Self.leastByteCount {
            if wholes.count == Self.wholeCount {
                sharedCount = min(sharedCount, Self.wholeCount - 1)
                wholes.remove(at: sharedCount)
            }
            wholes.append((entry, value))
        }
    }

    mutating func removeAll() {
        wholes.removeAll(keepingCapacity: true)
        sharedCount = 0
    }
}
