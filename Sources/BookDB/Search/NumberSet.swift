/// Some of the leaves of a search file, a bit for each.
struct LeafSet {
    var words: [UInt64]

    /// All of them. The bits behind the last are set, too, and mean nothing.
    init(count: Int) { words = [UInt64](repeating: .max, count: (count + 63) / 64) }

    static func none(count: Int) -> LeafSet {
        var leaves = LeafSet(count: 0)
        leaves.words = [UInt64](repeating: 0, count: (count + 63) / 64)
        return leaves
    }

    /// How many there are, give or take the bits behind the last.
    var roughCount: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    func contains(_ leaf: Int) -> Bool { words[leaf >> 6] & (1 << UInt64(leaf & 63)) != 0 }

    mutating func insert(_ leaf: Int) { words[leaf >> 6] |= 1 << UInt64(leaf & 63) }

    /// The first at or behind a leaf; `end` when there is none before it.
    func next(from leaf: Int, end: Int) -> Int {
        guard leaf < end else { return end }
        var index = leaf >> 6
        var word = words[index] & (.max << UInt64(leaf & 63))
        while word == 0 {
            index += 1
            guard index < words.count, index << 6 < end else { return end }
            word = words[index]
        }
        return min(index << 6 + word.trailingZeroBitCount, end)
    }

    mutating func formIntersection(_ other: LeafSet) {
        for index in words.indices { words[index] &= other.words[index] }
    }

    mutating func formUnion(_ other: LeafSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }
}
