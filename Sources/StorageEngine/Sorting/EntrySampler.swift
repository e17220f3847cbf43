/// Takes the sample of the entries that come to a tree.
///
/// A bottom-k sample (E. Cohen, H. Kaplan, *Summarizing Data using Bottom-k Sketches*, PODC 2007): those of several collectors, put together, are
/// the sample of what all of them have.
struct EntrySampler: Sendable {
    /// So many are kept.
    private static let limit = 1024

    private let keepsValues: Bool

    /// Twice as many at times, in no order.
    private var pending: [EntrySample.Taken] = []
    /// Of the entries that are kept, once there are enough.
    private var greatestHash = UInt64.max

    init(keepsValues: Bool) { self.keepsValues = keepsValues }

    var isEmpty: Bool { pending.isEmpty }

    mutating func add(key: RawSpan, value: RawSpan) {
        let hash = EntryHash.hash(key)
        guard hash < greatestHash else { return }
        let keepsValue = keepsValues && value.byteCount <= Limits.hotValueByteCount
        append(
            EntrySample.Taken(
                hash: hash, key: key.copyBytes(), valueByteCount: value.byteCount,
                value: keepsValue ? value.copyBytes() : []))
    }

    mutating func add(_ other: EntrySampler) { for entry in other.pending { append(entry) } }

    consuming func finish() -> EntrySample {
        prune()
        guard pending.count == Self.limit, let last = pending.last else {
            return EntrySample(entries: pending, estimatedCount: pending.count)
        }
        let count = Double(Self.limit - 1) * 0x1p64 / Double(max(last.hash, 1 << 32))
        return EntrySample(entries: pending, estimatedCount: Int(count))
    }

    private mutating func append(_ entry: EntrySample.Taken) {
        pending.append(entry)
        if pending.count >= 2 * Self.limit { prune() }
    }

    private mutating func prune() {
        pending.sort { $0.hash < $1.hash }
        // One that was put again.
        var last: UInt64?
        pending.removeAll { entry in
            defer { last = entry.hash }
            return entry.hash == last
        }
        guard pending.count > Self.limit else { return }
        pending.removeLast(pending.count - Self.limit)
        greatestHash = pending[Self.limit - 1].hash
    }
}
