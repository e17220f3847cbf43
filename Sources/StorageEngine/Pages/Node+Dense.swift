/// Reading a dense leaf: one without slots, which is a permutation page or a packed page, or amends one. Safe because a node is.
extension Node {
    @inline(__always) var isDense: Bool { kind >= NodeLayout.permutationLeaf }
    @inline(__always) var isPacked: Bool { kind >= NodeLayout.packedLeaf }
    @inline(__always) var isPermuted: Bool { isDense && !isPacked }
    @inline(__always) var isDensePatch: Bool {
        kind == NodeLayout.permutationPatch || kind == NodeLayout.packedPatch
    }

    /// The page that the leaf is, or amends. Precondition: it is permuted.
    @inline(__always) var permutation: PermutationPage { PermutationPage(basePageNode) }

    /// The same. Precondition: it is packed.
    @inline(__always) var packed: PackedPage { PackedPage(basePageNode) }

    /// Of the page that the leaf is, or amends. Precondition: it is dense.
    @inline(__always) private var facetBits: FacetBits { isPacked ? packed.facetBits : permutation.facetBits }

    // MARK: Patches

    @inline(__always) var ownCount: Int { Int(load(PatchField.ownCount)) }
    @inline(__always) var removedCount: Int { Int(load(PatchField.removedCount)) }
    @inline(__always) var removedCapacity: Int { Int(load(PatchField.removedCapacity)) }
    @inline(__always) var firstInPage: Int { Int(load(PatchField.first)) }
    @inline(__always) var endInPage: Int { Int(load(PatchField.end)) }
    @inline(__always) var patchArrays: PatchArrays {
        PatchArrays(ownCapacity: capacity, removedCapacity: removedCapacity)
    }

    /// Bytes of all own entries that are in use.
    var ownByteCount: Int { Int(pageNumber) }

    func base(ofOwn own: Int) -> Int { Int(load(patchArrays.bases[own])) }

    /// Own entries before an index.
    @inline(__always) func ownCount(before index: Int) -> Int { lowerBound(index, in: patchArrays.positions, ownCount) }

    @inline(__always) func isOwn(_ own: Int, at index: Int) -> Bool {
        own < ownCount && Int(load(patchArrays.positions[own])) == index
    }

    /// Of the entries of the page, those removed below an index.
    @inline(__always) func removedCount(below index: Int) -> Int {
        lowerBound(index, in: patchArrays.removed, removedCount)
    }

    func isRemoved(_ index: Int) -> Bool {
        let place = removedCount(below: index)
        return place < removedCount && Int(load(patchArrays.removed[place])) == index
    }

    @inline(__always) private func lowerBound(_ number: Int, in array: FieldArray<UInt16>, _ count: Int) -> Int {
        (0..<count).partitionPoint { Int(load(array[$0])) < number }
    }

    /// Entries of the page that are kept before one of them.
    func position(ofBase base: Int) -> Int { base - firstInPage - removedCount(below: base) }

    /// The entry of the page with that many kept entries before it; behind the last of these, the end.
    private func base(atPosition position: Int) -> Int {
        let removed = patchArrays.removed
        let removedBefore = (0..<removedCount).partitionPoint {
            Int(load(removed[$0])) - firstInPage - $0 <= position
        }
        return firstInPage + position + removedBefore
    }

    /// An entry's index in the page; `nil` for an own one. Precondition: the leaf is dense.
    @inline(__always) func indexInPage(_ index: Int) -> Int? {
        guard isDensePatch else { return index }
        let own = ownCount(before: index)
        return isOwn(own, at: index) ? nil : base(atPosition: index - own)
    }

    func ownEntryByteCount(at start: Int) -> Int {
        let word = unsafe address.loadUnaligned(
            fromByteOffset: start + OwnEntryField.word.offset, as: UInt16.self)
        let keyByteCount = unsafe address.loadUnaligned(
            fromByteOffset: start + OwnEntryField.keyCount.offset, as: UInt16.self)
        return OwnEntryField.end + Int(keyByteCount)
            + (word & 0x8000 == 0 ? Int(word) : NodeLayout.referenceByteCount)
    }

    /// Bytes of an own entry.
    func ownEntryByteCount(_ own: Int) -> Int { ownEntryByteCount(at: Int(load(patchArrays.offsets[own]))) }

    // Safe because it is used while the node is.
    @safe private struct OwnEntry {
        let facets: UInt16
        let word: UInt16
        let key: UnsafeRawBufferPointer
        let cell: UnsafeRawBufferPointer
    }

    @inline(__always) private func ownEntry(_ own: Int) -> OwnEntry {
        let start = unsafe address + Int(load(patchArrays.offsets[own]))
        let word = unsafe start.loadUnaligned(fromByteOffset: OwnEntryField.word.offset, as: UInt16.self)
        let keyByteCount = unsafe Int(
            start.loadUnaligned(fromByteOffset: OwnEntryField.keyCount.offset, as: UInt16.self))
        let key = unsafe start + OwnEntryField.end
        return unsafe OwnEntry(
            facets: start.loadUnaligned(as: UInt16.self), word: word,
            key: UnsafeRawBufferPointer(start: key, count: keyByteCount),
            cell: UnsafeRawBufferPointer(
                start: key + keyByteCount, count: word & 0x8000 == 0 ? Int(word) : NodeLayout.referenceByteCount))
    }

    /// Precondition: the patch has so many own entries.
    @inline(__always)
    func withKey<Result, Failure>(
        ofOwn own: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe ownEntry(own).key.bytes)
    }

    /// The same: lends the whole entry.
    func withEntry(ofOwn own: Int, _ body: (LeafEntry) -> Void) {
        let entry = ownEntry(own)
        unsafe LeafEntry.with(
            key: entry.key.bytes, word: entry.word, cell: entry.cell.bytes, facets: entry.facets, body)
    }

    /// What `body` makes of an own entry's key; `nil` for an entry of the page, whose key `PageSource.withKey` puts together.
    @inline(__always)
    func withOwnKey<Result, Failure>(
        _ index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard isDensePatch else { return nil }
        let own = ownCount(before: index)
        return isOwn(own, at: index) ? try withKey(ofOwn: own, body) : nil
    }

    /// Where a key stands, from where it does among the entries of the page.
    func place(of key: RawSpan, _ base: BasePlace) -> DensePlace {
        guard isDensePatch else {
            return DensePlace(index: base.index, isEqual: base.isEqual, base: base.index)
        }
        let index = min(max(base.index, firstInPage), endInPage)
        // Own entries before another entry of the page sort as that one does. Keys are compared only of those before the same one.
        let bases = patchArrays.bases
        let first = (0..<ownCount).partitionPoint { Int(load(bases[$0])) < index }
        let end = (first..<ownCount).partitionPoint { Int(load(bases[$0])) == index }
        let own = (first..<end).partitionPoint { withKey(ofOwn: $0) { $0.order(relativeTo: key) < 0 } }
        let isOwn = own < end && withKey(ofOwn: own) { $0.order(relativeTo: key) == 0 }
        let isInPage = base.isEqual && index == base.index && index < endInPage && !isRemoved(index)
        return DensePlace(index: position(ofBase: index) + own, isEqual: isOwn || isInPage, base: index)
    }

    // MARK: What `Node` asks of leaves

    func denseFacets(_ index: Int) -> UInt16 {
        guard isDensePatch else { return facetBits.facets(index) }
        let own = ownCount(before: index)
        return isOwn(own, at: index) ? ownEntry(own).facets : facetBits.facets(base(atPosition: index - own))
    }

    func withDenseCell<Result, Failure>(
        _ index: Int, _ body: (_ word: UInt16, _ bytes: RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let inPage = indexInPage(index) else {
            let entry = ownEntry(ownCount(before: index))
            return try body(entry.word, unsafe entry.cell.bytes)
        }
        func lend(_ value: RawSpan) throws(Failure) -> Result { try body(UInt16(value.byteCount), value) }
        return isPacked
            ? try packed.withValue(inPage, lend)
            : try permutation.withValue(ofGroup: permutation.group(of: inPage), lend)
    }

    func denseFacetCount(below end: Int, facet: Int) -> Int {
        let bits = facetBits
        guard isDensePatch else { return bits.count(of: facet, below: end) }
        let own = ownCount(before: end)
        var sum = 0
        for own in 0..<own { sum += Int(ownEntry(own).facets >> UInt16(facet) & 1) }
        let endInPage = min(base(atPosition: end - own), endInPage)
        sum += bits.count(of: facet, below: endInPage) - bits.count(of: facet, below: firstInPage)
        let removed = patchArrays.removed
        for place in 0..<removedCount(below: endInPage) where bits.isIn(facet, Int(load(removed[place]))) { sum -= 1 }
        return sum
    }

    func denseIndex(ofFacet facet: Int, at position: Int) -> Int? {
        guard isDensePatch else { return facetBits.index(of: facet, at: position) }
        let index = (0..<count).partitionPoint { denseFacetCount(below: $0 + 1, facet: facet) <= position }
        return index < count ? index : nil
    }

    // MARK: Packed leaves

    /// Where a key stands in a packed leaf.
    func packedPlace(of key: RawSpan) -> DensePlace { place(of: key, packed.place(of: key)) }

    /// The first entry of a leaf whose key is not less, and whether it is that key's. Precondition: the leaf holds its keys.
    @inline(__always)
    func lowerBound(ofKeyInLeaf key: RawSpan) -> (index: Int, isEqual: Bool) {
        guard isPacked else { return lowerBound(of: key) }
        let place = packedPlace(of: key)
        return (place.index, place.isEqual)
    }

    func packedKeyByteCount(_ index: Int) -> Int {
        guard indexInPage(index) == nil else { return packed.keyByteCount }
        return unsafe ownEntry(ownCount(before: index)).key.count
    }

    func withPackedKey<Result, Failure>(
        _ index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let inPage = indexInPage(index) else { return try withKey(ofOwn: ownCount(before: index), body) }
        return try packed.withKey(inPage, body)
    }
}

/// Where a key stands among the entries of a dense page: the first that does not sort before it, and whether that is its own.
struct BasePlace {
    let index: Int
    let isEqual: Bool
}
