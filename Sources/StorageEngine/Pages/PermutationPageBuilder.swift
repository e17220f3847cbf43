/// Fills permutation pages from entries in key order, as full as they get.
struct PermutationPageBuilder {
    /// Entries with the same lead and value.
    private struct Group {
        let start: Int
        /// Where its lead begins among `bytes`; its value follows.
        let offset: Int
        let leadByteCount: Int
        let valueByteCount: Int
    }

    let tree: TreeDeclaration
    private let entryLimit: Int
    private let home: HomeTree
    private var groups: [Group] = []
    private var bytes: [UInt8] = []
    private var places: [UInt32] = []
    private var facets: [UInt16] = []
    /// Bytes that all leads share.
    private var prefixLength = 0
    /// The last entry of the page before.
    private var last: (lead: [UInt8], place: UInt32)?

    init(_ tree: TreeDeclaration, _ home: HomeTree, entryLimit: Int) {
        self.tree = tree
        self.home = home
        self.entryLimit = min(entryLimit, NodeLayout.leafEntryLimit)
    }

    var count: Int { places.count }

    /// Whether a page can hold such an entry.
    static func takes(lead: RawSpan, value: RawSpan) -> Bool {
        PermutationField.leadByteCounts.contains(lead.byteCount) && value.byteCount <= 255
    }

    /// Whether an entry sorts after all that were appended.
    func isBehindAll(lead: RawSpan, _ place: UInt32) -> Bool {
        guard let group = groups.last, let lastPlace = places.last else {
            guard let last else { return true }
            return last.lead.withBytes { Self.precedes($0, last.place, lead, place) }
        }
        return bytes.withBytes {
            Self.precedes($0.extracting(group.offset..<group.offset + group.leadByteCount), lastPlace, lead, place)
        }
    }

    private static func precedes(_ lead: RawSpan, _ place: UInt32, _ other: RawSpan, _ otherPlace: UInt32) -> Bool {
        let order = lead.order(relativeTo: other)
        return order < 0 || (order == 0 && place < otherPlace)
    }

    /// `false` when the page is full: finish it and start the next. Precondition: a page `takes` the entry.
    mutating func append(lead: RawSpan, value: RawSpan, facets: UInt16, place: UInt32) -> Bool {
        let isNew = !isInLastGroup(lead, value)
        // Leads ascend, so what the first and the last share, all share.
        let shared = places.isEmpty ? lead.byteCount : isNew ? sharedLength(with: lead) : prefixLength
        let groupCount = groups.count + (isNew ? 1 : 0)
        let byteCount = bytes.count + (isNew ? lead.byteCount + value.byteCount : 0)
        guard count < entryLimit,
            pageByteCount(count + 1, groupCount: groupCount, byteCount: byteCount, prefixLength: shared)
                <= NodeLayout.pageByteCount - PermutationArrays.overrunByteCount
        else { return false }
        prefixLength = shared
        if isNew {
            groups.append(
                Group(
                    start: count, offset: bytes.count, leadByteCount: lead.byteCount, valueByteCount: value.byteCount))
            bytes.append(contentsOf: lead)
            bytes.append(contentsOf: value)
        }
        append(facets, place)
        return true
    }

    /// Another entry of the last group. `nil` when there is none, the page is full or the place does not ascend; otherwise how long lead and
    /// value are.
    mutating func appendToGroup(facets: UInt16, place: UInt32) -> (lead: Int, value: Int)? {
        guard let group = groups.last, let last = places.last, last < place, count < entryLimit,
            pageByteCount(
                count + 1, groupCount: groups.count, byteCount: bytes.count, prefixLength: prefixLength)
                <= NodeLayout.pageByteCount - PermutationArrays.overrunByteCount
        else { return nil }
        append(facets, place)
        return (group.leadByteCount, group.valueByteCount)
    }

    private mutating func append(_ facets: UInt16, _ place: UInt32) {
        places.append(place)
        self.facets.append(facets)
    }

    private func isInLastGroup(_ lead: RawSpan, _ value: RawSpan) -> Bool {
        guard let group = groups.last, group.leadByteCount == lead.byteCount, group.valueByteCount == value.byteCount
        else { return false }
        return bytes.withBytes { bytes in
            let middle = group.offset + group.leadByteCount
            return bytes.extracting(group.offset..<middle).order(relativeTo: lead) == 0
                && bytes.extracting(middle..<middle + group.valueByteCount).order(relativeTo: value) == 0
        }
    }

    private func sharedLength(with lead: RawSpan) -> Int {
        bytes.withBytes { min(prefixLength, $0.extracting(0..<groups[0].leadByteCount).commonPrefixLength(with: lead)) }
    }

    private func arrays(_ count: Int, groupCount: Int) -> PermutationArrays {
        PermutationArrays(
            count: count, facetCount: tree.facetCount, groupCount: groupCount, placeBitCount: home.placeBitCount)
    }

    private func pageByteCount(_ count: Int, groupCount: Int, byteCount: Int, prefixLength: Int) -> Int {
        arrays(count, groupCount: groupCount).end + prefixLength + byteCount + groupCount * (2 - prefixLength)
    }

    /// Writes the page and forgets the entries. Gives what they come to and the bytes in use.
    mutating func finish(into page: inout PageWriter) -> (totals: PageTotals, used: Int) {
        let arrays = arrays(count, groupCount: groups.count)
        page.begin(
            kind: NodeLayout.permutationLeaf, tree, count: count, level: 0,
            arraysByteCount: arrays.end - NodeLayout.headerByteCount)
        storeHome(in: &page)
        page.store(UInt16(groups.count), in: PermutationField.groupCount)
        var totals = PageTotals(tree)
        totals.counts[0] = UInt32(count)
        for facets in facets { totals.add(facets) }
        FacetBits.store(facets, of: tree, at: PermutationField.end, in: &page)
        store(places, arrays, in: &page)
        bytes.withBytes { bytes in
            page.setPrefix(bytes.extracting(0..<prefixLength))
            for (index, group) in groups.enumerated() {
                let middle = group.offset + group.leadByteCount
                page.store(UInt16(group.start), in: arrays.starts[index])
                page.store(UInt16(page.used), in: arrays.offsets[index])
                page.append(byte: UInt8(group.leadByteCount - prefixLength))
                page.append(byte: UInt8(group.valueByteCount))
                page.append(bytes.extracting(group.offset + prefixLength..<middle))
                page.append(bytes.extracting(middle..<middle + group.valueByteCount))
            }
        }
        let used = page.finish()
        if let group = groups.last, let place = places.last {
            last = (Array(bytes[group.offset..<group.offset + group.leadByteCount]), place)
        }
        groups.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        facets.removeAll(keepingCapacity: true)
        prefixLength = 0
        return (totals, used)
    }

    private func storeHome(in page: inout PageWriter) {
        page.store(home.rootPage, in: PermutationField.homeRoot)
        page.store(home.rootChecksum, in: PermutationField.homeRootChecksum)
        page.store(home.tree.rawValue, in: PermutationField.homeTree)
        page.store(home.firstPage, in: PermutationField.homeFirstPage)
        page.store(UInt16(home.radix), in: PermutationField.radix)
        page.store(UInt32(home.placeBitCount), in: PermutationField.placeBitCount)
    }

    private func store(_ places: [UInt32], _ arrays: PermutationArrays, in page: inout PageWriter) {
        for (index, place) in places.enumerated() {
            page.set(arrays.word(ofPlace: place, index), at: arrays.wordOffset(ofPlace: index))
        }
    }

    // MARK: Pages that are taken over

    /// Whether a page of the old snapshot has its places in as many bits, and the entries that wait before it come to a page of so many bytes.
    func canCopy(_ page: PermutationPage, onceFilledTo byteCount: Int) -> Bool {
        page.arrays.placeBitCount == home.placeBitCount
            && (count == 0
                || pageByteCount(count, groupCount: groups.count, byteCount: bytes.count, prefixLength: prefixLength)
                    >= byteCount)
    }

    /// Writes a page of the old snapshot with other places. Precondition: no entries wait for a page, and the page can be copied.
    mutating func copy(_ other: PermutationPage, _ places: [UInt32], into page: inout PageWriter) {
        other.node.withPage { page.begin(copying: $0, used: other.node.used) }
        storeHome(in: &page)
        page.zero(other.arrays.placesOffset..<other.arrays.end)
        store(places, other.arrays, in: &page)
        _ = page.finish()
        if let place = places.last { last = (other.lead(ofGroup: other.groupCount - 1), place) }
    }
}
