/// The leaves in which each word occurs, as they are seen leaf by leaf.
struct WordPlaces {
    /// Each word of a leaf once, the leaves one behind the other.
    private var words: [UInt32] = []
    /// For each leaf, where its words end.
    private var leafEnds: [Int] = []
    /// For each word, the last leaf it was seen in.
    private var lastLeaf: [UInt32] = []

    /// Precondition: leaves and new words come in order.
    mutating func add(_ leaf: Int, toWord word: Int) {
        while leafEnds.count <= leaf { leafEnds.append(words.count) }
        if word == lastLeaf.count { lastLeaf.append(.max) }
        guard lastLeaf[word] != UInt32(leaf) else { return }
        lastLeaf[word] = UInt32(leaf)
        words.append(UInt32(word))
        leafEnds[leaf] = words.count
    }

    /// For each word its leaves, ascending, as differences (the first from -1) of seven bits a byte, the high bit set where
    /// another byte follows; and where each list ends.
    func encoded(wordCount: Int) -> (bytes: [UInt8], ends: [UInt32]) {
        var counts = [Int](repeating: 0, count: wordCount + 1)
        for word in words { counts[Int(word) + 1] += 1 }
        for word in 0..<wordCount { counts[word + 1] += counts[word] }
        var leaves = [UInt32](repeating: 0, count: words.count)
        var start = 0
        for (leaf, end) in leafEnds.enumerated() {
            for index in start..<max(start, end) {
                let word = Int(words[index])
                leaves[counts[word]] = UInt32(leaf)
                counts[word] += 1
            }
            start = max(start, end)
        }
        var bytes: [UInt8] = []
        var ends: [UInt32] = []
        ends.reserveCapacity(wordCount)
        var index = 0
        for word in 0..<wordCount {
            // Behind the words before, each list's place has moved on to its end.
            var last: UInt32 = .max
            while index < counts[word] {
                var difference = leaves[index] &- last
                last = leaves[index]
                while difference >= 0x80 {
                    bytes.append(UInt8(truncatingIfNeeded: difference) | 0x80)
                    difference >>= 7
                }
                bytes.append(UInt8(difference))
                index += 1
            }
            ends.append(UInt32(bytes.count))
        }
        return (bytes, ends)
    }
}
