/// The facets of a dense page's entries: for each facet a bitmap, one behind the other.
///
/// Safe because a `Node` is, and because the page was validated with its bitmaps.
struct FacetBits {
    private let node: Node
    private let offset: Int

    @inline(__always) init(_ node: Node, at offset: Int) { (self.node, self.offset) = (node, offset) }

    /// Words of 64 bits that have a bit for each of so many entries.
    @inline(__always) private static func wordCount(of count: Int) -> Int { (count + 63) / 64 }

    /// Of a facet in a page of so many entries, whose bitmaps begin at an offset.
    @inline(__always) static func array(_ facet: Int, count: Int, at offset: Int) -> FieldArray<UInt64> {
        let wordCount = wordCount(of: count)
        return FieldArray("facet", at: offset + facet * wordCount * 8, count: wordCount)
    }

    @inline(__always) private func word(_ facet: Int, _ index: Int) -> UInt64 {
        let words = Self.array(facet, count: node.count, at: offset)
        assert(index < words.count && facet < node.facetCount, "a word of a bitmap that the page has")
        return node.load(words[index])
    }

    /// All facets of an entry.
    func facets(_ index: Int) -> UInt16 {
        assert(index >= 0 && index < node.count, "an entry in use")
        var facets: UInt16 = 0
        for facet in 0..<node.facetCount {
            facets |= UInt16(truncatingIfNeeded: word(facet, index >> 6) >> UInt64(index & 63) & 1) << UInt16(facet)
        }
        return facets
    }

    func isIn(_ facet: Int, _ index: Int) -> Bool { word(facet, index >> 6) >> UInt64(index & 63) & 1 == 1 }

    /// Entries of a facet among the first `end`.
    func count(of facet: Int, below end: Int) -> Int {
        var sum = 0
        for index in 0..<end >> 6 { sum += word(facet, index).nonzeroBitCount }
        if end & 63 != 0 { sum += (word(facet, end >> 6) & (1 << UInt64(end & 63) - 1)).nonzeroBitCount }
        return sum
    }

    /// The index of a facet's entry number `position`.
    func index(of facet: Int, at position: Int) -> Int? {
        var left = position
        for index in 0..<Self.wordCount(of: node.count) {
            var word = word(facet, index)
            let count = word.nonzeroBitCount
            guard left < count else {
                left -= count
                continue
            }
            for _ in 0..<left { word &= word - 1 }
            return index << 6 + word.trailingZeroBitCount
        }
        return nil
    }
}

extension FacetBits {
    /// Writes the bitmaps of a page's entries.
    static func store(_ facets: [UInt16], of tree: TreeDeclaration, at offset: Int, in page: inout PageWriter) {
        for facet in 0..<tree.facetCount {
            let words = array(facet, count: facets.count, at: offset)
            for index in 0..<words.count {
                var word: UInt64 = 0
                for bit in 0..<min(64, facets.count - index * 64) {
                    word |= UInt64(facets[index * 64 + bit] >> UInt16(facet) & 1) << UInt64(bit)
                }
                page.store(word, in: words[index])
            }
        }
    }

    /// Whether the bits behind the last entry are zeros; a sentence where they are not.
    static func finding(in page: RawSpan, count: Int, facetCount: Int, at offset: Int) -> String? {
        for facet in 0..<facetCount where count & 63 != 0 {
            let words = array(facet, count: count, at: offset)
            let last = page.load(words[words.count - 1])
            guard last >> UInt64(count & 63) == 0 else { return "facet \(facet) has entries that are not there" }
        }
        return nil
    }
}
