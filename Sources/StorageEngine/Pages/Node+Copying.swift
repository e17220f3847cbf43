/// What taking over a whole leaf needs to know of it. That its keys ascend was checked when it was first touched.
///
/// Safe because a node is.
extension Node {
    /// Bytes of a page's keys and values; `nil` when a value lies in the cold region.
    var sizesOfHotEntries: (keyByteCount: Int, valueByteCount: Int)? {
        if isPacked { return packed.sizes }
        var keyByteCount = count * prefixLength
        var valueByteCount = 0
        for index in 0..<count {
            let word = cell(index).word
            guard word & 0x8000 == 0 else { return nil }
            keyByteCount += suffixByteCount(index)
            valueByteCount += Int(word)
        }
        return (keyByteCount, valueByteCount)
    }

    /// How full a page is: the bytes in use, or half of those it stands for when that is more. A page that has as many of either is full.
    var filledByteCount: Int {
        guard !isDense else { return used }
        let shared = (0..<count).reduce(0) { $0 + cellByteCount($1) - storedCellByteCount($1) }
        return Self.filledByteCount(used: used, unshared: used + shared)
    }

    static func filledByteCount(used: Int, unshared: Int) -> Int {
        max(used, unshared * NodeLayout.pageByteCount / NodeLayout.unsharedByteLimit)
    }

    /// Where the prefix and the entries begin: behind the arrays.
    var entriesOffset: Int {
        NodeLayout.headerByteCount + NodeLayout.leafArraysByteCount(capacity: capacity, facetCount: facetCount)
    }

    /// What the leaf fills as a page: a node keeps count of it; of a page with gaps it is more than the entries need.
    var leafPageByteCount: Int { isInMemory ? Int(pageNumber) : used }

    /// What the leaf, or its copy, may fill as a page before it is split.
    var leafByteLimit: Int { isPatch || !isInMemory ? NodeLayout.patchByteLimit : NodeLayout.pageByteCount }

    /// Bytes that a copy need not have. Of a patch that has few entries left in its page, all: it is better composed anew.
    var garbageByteCount: Int {
        guard isInMemory else { return 0 }
        let live: Int
        if isPatch {
            var ownCount = 0
            var ownByteCount = 0
            for index in 0..<count where slot(index) & NodeLayout.inBase == 0 {
                ownCount += 1
                ownByteCount += NodeLayout.wordByteCount + suffixByteCount(index) + cellByteCount(index)
            }
            live = ownCount * 2 <= count ? ownByteCount : 0
        } else {
            live =
                leafPageByteCount - NodeLayout.headerByteCount
                - NodeLayout.leafArraysByteCount(capacity: count, facetCount: facetCount)
        }
        return used - entriesOffset - live
    }

    /// The bytes of a page. Precondition: the node is one.
    func withPage(_ body: (RawSpan) -> Void) {
        precondition(!isInMemory, "the node is a page")
        body(unsafe UnsafeRawBufferPointer(start: address, count: NodeLayout.pageByteCount).bytes)
    }
}
