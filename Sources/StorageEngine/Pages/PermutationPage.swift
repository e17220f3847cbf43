/// A leaf page of a tree with a home: of each entry its lead, and in place of the rest of its key the *place* of that in the home tree of
/// the same file.
///
/// A place is (page − first leaf) × radix + index, so places order as the keys do, and lead to page and index with one division. Entries
/// with the same lead and the same value are a *group*, which holds both once; within it, places ascend. So an entry costs the bits of a
/// place, 21 at a million rows, and one for each facet, where a leaf with whole keys needs some 45 bytes.
///
/// What is asked for with a key is asked with its place in the home tree (`PageSource.basePlace`); after that, numbers are compared.
///
/// Safe because a `Node` is, and because the page was validated as one of this kind (`PermutationValidation`).
@safe struct PermutationPage {
    let node: Node

    @inline(__always) init(_ node: Node) { self.node = node }

    @inline(__always) var count: Int { node.count }
    @inline(__always) var groupCount: Int { Int(node.load(PermutationField.groupCount)) }
    @inline(__always) private var placeBitCount: Int { Int(node.load(PermutationField.placeBitCount)) }
    @inline(__always) var radix: Int { Int(node.load(PermutationField.radix)) }
    @inline(__always) var homeFirstPage: UInt32 { node.load(PermutationField.homeFirstPage) }
    @inline(__always) var homeTree: UInt32 { node.load(PermutationField.homeTree) }

    @inline(__always) var arrays: PermutationArrays {
        PermutationArrays(
            count: count, facetCount: node.facetCount, groupCount: groupCount, placeBitCount: placeBitCount)
    }

    @inline(__always) var facetBits: FacetBits { FacetBits(node, at: PermutationField.end) }

    // MARK: Places

    @inline(__always) func place(_ index: Int) -> UInt32 {
        assert(index >= 0 && index < count, "an entry in use")
        let arrays = arrays
        let word = unsafe UInt64(
            littleEndian: node.address.loadUnaligned(
                fromByteOffset: arrays.wordOffset(ofPlace: index), as: UInt64.self))
        return arrays.place(index, in: word)
    }

    /// Where in the home tree a place is.
    @inline(__always) func home(of place: UInt32) -> (page: UInt32, index: Int) {
        let (page, index) = Int(place).quotientAndRemainder(dividingBy: radix)
        return (homeFirstPage + UInt32(page), index)
    }

    /// The place of an entry of a home leaf. Behind its last one it is not after any entry of the next leaf.
    func place(page: UInt32, index: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: (Int(page) - Int(homeFirstPage)) * radix + index)
    }

    // MARK: Groups

    @inline(__always) func start(ofGroup group: Int) -> Int { Int(node.load(arrays.starts[group])) }

    @inline(__always) func end(ofGroup group: Int) -> Int { group + 1 < groupCount ? start(ofGroup: group + 1) : count }

    /// The group that an entry is in.
    @inline(__always) func group(of index: Int) -> Int {
        let starts = arrays.starts
        return (1..<starts.count).partitionPoint { Int(node.load(starts[$0])) <= index } - 1
    }

    /// What all leads begin with.
    @inline(__always) private var prefix: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: node.address + node.prefixOffset, count: node.prefixLength)
    }

    /// A group's bytes: how long the rest of its lead and its value are, a byte each, then both.
    @inline(__always) private func bytes(ofGroup group: Int, _ arrays: PermutationArrays) -> UnsafeRawPointer {
        unsafe node.address + Int(node.load(arrays.offsets[group]))
    }

    /// A group's lead without the prefix.
    @inline(__always) private func rest(ofGroup group: Int, _ arrays: PermutationArrays) -> UnsafeRawBufferPointer {
        let bytes = unsafe bytes(ofGroup: group, arrays)
        return unsafe UnsafeRawBufferPointer(start: bytes + 2, count: Int(bytes.load(as: UInt8.self)))
    }

    @inline(__always) func leadByteCount(ofGroup group: Int) -> Int {
        unsafe node.prefixLength + rest(ofGroup: group, arrays).count
    }

    /// Of an entry.
    func leadByteCount(_ index: Int) -> Int { leadByteCount(ofGroup: group(of: index)) }

    /// The value of each of a group's entries.
    @inline(__always) func value(ofGroup group: Int) -> UnsafeRawBufferPointer {
        let bytes = unsafe bytes(ofGroup: group, arrays)
        let start = unsafe 2 + Int(bytes.load(as: UInt8.self))
        return unsafe UnsafeRawBufferPointer(
            start: bytes + start, count: Int(bytes.load(fromByteOffset: 1, as: UInt8.self)))
    }

    /// The target has room for the lead.
    @inline(__always) func copyLead(ofGroup group: Int, to target: UnsafeMutableRawPointer) {
        let (prefix, rest) = unsafe (prefix, rest(ofGroup: group, arrays))
        if prefix.count > 0 { unsafe target.copyMemory(from: prefix.baseAddress!, byteCount: prefix.count) }
        if rest.count > 0 {
            unsafe (target + prefix.count).copyMemory(from: rest.baseAddress!, byteCount: rest.count)
        }
    }

    func lead(ofGroup group: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: leadByteCount(ofGroup: group)) { buffer, count in
            count = leadByteCount(ofGroup: group)
            if count > 0 { unsafe copyLead(ofGroup: group, to: UnsafeMutableRawPointer(buffer.baseAddress!)) }
        }
    }

    func withLead<Result, Failure>(
        ofGroup group: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let count = leadByteCount(ofGroup: group)
        return try unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { (lead) throws(Failure) in
            unsafe copyLead(ofGroup: group, to: lead.baseAddress!)
            return try body(unsafe UnsafeRawBufferPointer(lead).bytes)
        }
    }

    func withValue<Result, Failure>(
        ofGroup group: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe value(ofGroup: group).bytes)
    }

    /// The entries whose lead is `lead`; where there are none, the empty range at which they would be.
    func entries(withLead lead: UnsafeRawBufferPointer) -> Range<Int> {
        let (arrays, prefix) = unsafe (arrays, prefix)
        let shared = min(prefix.count, lead.count)
        let order = unsafe UnsafeRawBufferPointer(rebasing: lead[..<shared])
            .order(relativeTo: UnsafeRawBufferPointer(rebasing: prefix[..<shared]))
        if order > 0 { return arrays.count..<arrays.count }
        if order < 0 || lead.count < prefix.count { return 0..<0 }
        let rest = unsafe UnsafeRawBufferPointer(rebasing: lead[shared...])
        let first = (0..<arrays.groupCount).partitionPoint {
            unsafe self.rest(ofGroup: $0, arrays).order(relativeTo: rest) < 0
        }
        func start(_ group: Int) -> Int {
            group < arrays.groupCount ? Int(node.load(arrays.starts[group])) : arrays.count
        }
        var end = first
        while end < arrays.groupCount, unsafe self.rest(ofGroup: end, arrays).order(relativeTo: rest) == 0 { end += 1 }
        return start(first)..<start(end)
    }

    /// The first of some entries of one lead whose place is not less; the end when there is none.
    func lowerBound(ofPlace place: UInt32, in range: Range<Int>) -> Int {
        range.partitionPoint { self.place($0) < place }
    }
}

/// An entry as a page with places holds it.
struct PlacedEntry {
    let lead: [UInt8]
    let value: [UInt8]
    let facets: UInt16
    let homeTree: UInt32
    let homePage: UInt32
    let homeIndex: Int

    /// Precondition: the bytes were validated as a page with places, which has the entry.
    init(_ index: Int, ofPage bytes: [UInt8]) {
        // Safe because the layout was checked, and an array's bytes are aligned to more than any field is.
        self = unsafe bytes.withUnsafeBytes { bytes in
            unsafe PlacedEntry(index, of: PermutationPage(Node(bytes.baseAddress!)))
        }
    }

    private init(_ index: Int, of page: PermutationPage) {
        let group = page.group(of: index)
        lead = page.lead(ofGroup: group)
        value = page.withValue(ofGroup: group) { $0.copyBytes() }
        facets = page.facetBits.facets(index)
        homeTree = page.homeTree
        (homePage, homeIndex) = page.home(of: page.place(index))
    }
}
