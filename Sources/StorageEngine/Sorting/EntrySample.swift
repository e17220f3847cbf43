/// Some of the entries that a load adds to a tree, the same however they come: those whose keys have the least hashes. A tree is cut into
/// stretches by their keys, and its symbols are chosen by their values.
///
/// A bottom-k sample (E. Cohen, H. Kaplan, *Summarizing Data using Bottom-k Sketches*, PODC 2007): those of several collectors, put together, are
/// the sample of what all of them have.
struct EntrySample: Sendable {
    struct Taken: Sendable {
        /// Of the key.
        let hash: UInt64
        let key: [UInt8]
        let valueByteCount: Int
        /// Empty where the value is too long for a leaf, or values are not kept.
        let value: [UInt8]
    }

    /// So many are kept.
    private static let limit = 1024

    private let keepsValues: Bool

    /// Twice as many at times, in no order.
    private var pending: [Taken] = []
    /// Of the entries that are kept, once there are enough.
    private var greatestHash = UInt64.max

    init(keepsValues: Bool) { self.keepsValues = keepsValues }

    var isEmpty: Bool { pending.isEmpty }

    /// In the order of their hashes.
    var entries: [Taken] {
        var sample = self
        sample.prune()
        return sample.pending
    }

    /// How many entries there are, each once: exact where all are kept, else by how close the hashes lie (within some 3 %).
    var estimatedCount: Int {
        let entries = entries
        guard entries.count == Self.limit, let last = entries.last else { return entries.count }
        return Int(Double(Self.limit - 1) * 0x1p64 / Double(max(last.hash, 1 << 32)))
    }

    mutating func add(key: RawSpan, value: RawSpan) {
        let hash = EntryHash.hash(key)
        guard hash < greatestHash else { return }
        let keepsValue = keepsValues && value.byteCount <= Limits.hotValueByteCount
        append(
            Taken(
                hash: hash, key: key.copyBytes(), valueByteCount: value.byteCount,
                value: keepsValue ? value.copyBytes() : []))
    }

    mutating func add(_ other: EntrySample) { for entry in other.pending { append(entry) } }

    private mutating func append(_ entry: Taken) {
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
