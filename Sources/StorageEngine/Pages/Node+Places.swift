/// Reading a leaf that is a permutation page, or amends one. Safe because a node is.
extension Node {
    @inline(__always) var isPermuted: Bool { kind >= NodeLayout.permutationLeaf }
    @inline(__always) var isPermutationPatch: Bool { kind == NodeLayout.permutationPatch }

    /// The page that the leaf is, or amends. Precondition: it is permuted.
    @inline(__always) var permutation: PermutationPage { PermutationPage(basePageNode) }

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

    /// An entry's index in the page; `nil` for an own one. Precondition: the leaf is permuted.
    @inline(__always) func indexInPage(_ index: Int) -> Int? {
        guard isPermutationPatch else { return index }
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
        guard isPermutationPatch else { return nil }
        let own = ownCount(before: index)
        return isOwn(own, at: index) ? try withKey(ofOwn: own, body) : nil
    }

    /// Where a key stands, from where it does among the entries of the page.
    func place(of key: RawSpan, _ base: BasePlace) -> PermutedPlace {
        guard isPermutationPatch else {
            return PermutedPlace(index: base.index, isEqual: base.isEqual, base: base.index)
        }
        let own = (0..<ownCount).partitionPoint { withKey(ofOwn: $0) { $0.order(relativeTo: key) < 0 } }
        let isOwn = own < ownCount && withKey(ofOwn: own) { $0.order(relativeTo: key) == 0 }
        let index = min(max(base.index, firstInPage), endInPage)
        let isInPage = base.isEqual && index == base.index && index < endInPage && !isRemoved(index)
        return PermutedPlace(index: position(ofBase: index) + own, isEqual: isOwn || isInPage, base: index)
    }

    // MARK: What `Node` asks of leaves

    func permutedFacets(_ index: Int) -> UInt16 {
        guard isPermutationPatch else { return permutation.facets(index) }
        let own = ownCount(before: index)
        return isOwn(own, at: index)
            ? ownEntry(own).facets : permutation.facets(base(atPosition: index - own))
    }

    func permutedCell(_ index: Int) -> (word: UInt16, bytes: UnsafeRawBufferPointer) {
        var inPage = index
        if isPermutationPatch {
            let own = ownCount(before: index)
            if isOwn(own, at: index) {
                let entry = ownEntry(own)
                return unsafe (entry.word, entry.cell)
            }
            inPage = base(atPosition: index - own)
        }
        let page = permutation
        let value = unsafe page.value(ofGroup: page.group(of: inPage))
        return unsafe (UInt16(value.count), value)
    }

    func permutedFacetCount(below end: Int, facet: Int) -> Int {
        let page = permutation
        guard isPermutationPatch else { return page.facetCount(below: end, facet: facet) }
        let own = ownCount(before: end)
        var sum = 0
        for own in 0..<own { sum += Int(ownEntry(own).facets >> UInt16(facet) & 1) }
        let endInPage = min(base(atPosition: end - own), endInPage)
        sum += page.facetCount(below: endInPage, facet: facet) - page.facetCount(below: firstInPage, facet: facet)
        let removed = patchArrays.removed
        for place in 0..<removedCount(below: endInPage) where page.isIn(facet, Int(load(removed[place]))) { sum -= 1 }
        return sum
    }

    func permutedIndex(ofFacet facet: Int, at position: Int) -> Int? {
        guard isPermutationPatch else { return permutation.index(ofFacet: facet, at: position) }
        let index = (0..<count).partitionPoint { permutedFacetCount(below: $0 + 1, facet: facet) <= position }
        return index < count ? index : nil
    }
}

/// Where a key stands among the entries of a permutation page: the first that does not sort before it, and whether that is its own.
struct BasePlace {
    let index: Int
    let isEqual: Bool
}
