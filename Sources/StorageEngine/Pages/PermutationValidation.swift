/// Decides whether a page of which the header's common fields fit may be read as a permutation page.
enum PermutationValidation {
    /// What is wrong with the page, or `nil` when nothing is. Reads nothing outside `page`, whatever it holds. That its places lead to
    /// leaves of the home tree, which are other pages, is found when one is followed.
    static func finding(in page: RawSpan, pageCount: Int) -> String? {
        let count = Int(page.load(NodeField.count))
        let groupCount = Int(page.load(PermutationField.groupCount))
        let placeBitCount = Int(page.load(PermutationField.placeBitCount))
        let radix = Int(page.load(PermutationField.radix))
        let facetCount = Int(page.load(NodeField.facetCount))
        guard count <= NodeLayout.leafEntryLimit else { return "\(count) entries are more than a leaf has" }
        guard page.load(NodeField.columnCount) == 0 else { return "a page with places has no columns" }
        guard (1...32).contains(placeBitCount) else { return "places have 1 to 32 bits, not \(placeBitCount)" }
        guard (1...NodeLayout.leafEntryLimit).contains(radix) else { return "no leaf has up to \(radix) entries" }
        guard (1...count).contains(groupCount) else { return "\(count) entries in \(groupCount) groups" }
        let homeRoot = Int(page.load(PermutationField.homeRoot))
        guard homeRoot > 0, homeRoot < pageCount else { return "the home tree's root is no page of this file" }
        let arrays = PermutationArrays(
            count: count, facetCount: facetCount, groupCount: groupCount, placeBitCount: placeBitCount)
        let used = Int(page.load(NodeField.used))
        guard arrays.end <= used, used <= page.byteCount,
            arrays.end + PermutationArrays.overrunByteCount <= page.byteCount
        else { return "\(count) entries do not fit the \(used) bytes in use" }
        let prefixLength = Int(page.load(NodeField.prefixLength))
        let prefixOffset = Int(page.load(NodeField.prefixOffset))
        guard prefixLength == 0 || (prefixOffset >= arrays.end && prefixOffset + prefixLength <= used) else {
            return "the prefix lies outside the page"
        }
        if let finding = FacetBits.finding(in: page, count: count, facetCount: facetCount, at: PermutationField.end) {
            return finding
        }
        let bitCount = count * placeBitCount
        guard bitCount & 7 == 0 || page.byte(at: arrays.end - 1) >> UInt8(bitCount & 7) == 0 else {
            return "bits behind the last place are not zero"
        }
        return groupFinding(in: page, arrays, prefixLength: prefixLength, used: used)
            ?? placeFinding(in: page, arrays, radix: radix, pageCount: pageCount)
    }

    private static func groupFinding(
        in page: RawSpan, _ arrays: PermutationArrays, prefixLength: Int, used: Int
    ) -> String? {
        var unclaimed = used - arrays.end - prefixLength
        var previous = page.extracting(0..<0)
        for group in 0..<arrays.groupCount {
            let start = Int(page.load(arrays.starts[group]))
            guard group == 0 ? start == 0 : start > Int(page.load(arrays.starts[group - 1])), start < arrays.count
            else { return "group \(group) begins at entry \(start)" }
            let offset = Int(page.load(arrays.offsets[group]))
            guard offset >= arrays.end, offset + 2 <= used else { return "group \(group) lies outside the page" }
            let (restByteCount, valueByteCount) = (Int(page.byte(at: offset)), Int(page.byte(at: offset + 1)))
            guard offset + 2 + restByteCount + valueByteCount <= used else {
                return "group \(group) lies outside the page"
            }
            unclaimed -= 2 + restByteCount + valueByteCount
            guard unclaimed >= 0 else { return "group \(group) overlaps another" }
            guard prefixLength + restByteCount > 0 else { return "group \(group) has no lead" }
            guard prefixLength + restByteCount <= PermutationField.leadByteCounts.upperBound else {
                return "the lead of group \(group) is longer than one may be"
            }
            let rest = page.extracting(offset + 2..<offset + 2 + restByteCount)
            let order = group == 0 ? -1 : previous.order(relativeTo: rest)
            guard order <= 0 else { return "group \(group) does not sort after the one before it" }
            if order == 0, place(start - 1, in: page, arrays) >= place(start, in: page, arrays) {
                return "group \(group) does not sort after the one before it"
            }
            previous = rest
        }
        return nil
    }

    private static func placeFinding(
        in page: RawSpan, _ arrays: PermutationArrays, radix: Int, pageCount: Int
    ) -> String? {
        let homeFirstPage = Int(page.load(PermutationField.homeFirstPage))
        var greatest: UInt32 = 0
        var index = 0
        for group in 0..<arrays.groupCount {
            let end = group + 1 < arrays.groupCount ? Int(page.load(arrays.starts[group + 1])) : arrays.count
            let (last, sorted) = ascending(index..<end, in: page, arrays)
            guard sorted == end else { return "entry \(sorted) does not sort after the one before it" }
            greatest = max(greatest, last)
            index = end
        }
        guard homeFirstPage > 0, homeFirstPage + Int(greatest) / radix < pageCount else {
            return "place \(greatest) is on no page of this file"
        }
        return nil
    }

    /// The last of some places, and up to which of them they ascend. A page has a thousand, and all are looked at when it is first touched.
    private static func ascending(
        _ range: Range<Int>, in page: RawSpan, _ arrays: PermutationArrays
    ) -> (last: UInt32, end: Int) {
        // Safe because the arrays lie within the page, with the bytes behind the last place that reading one takes along: both were looked at before.
        unsafe page.withUnsafeBytes { page in
            let bitCount = arrays.placeBitCount
            let (start, mask) = (arrays.placesOffset, 1 << UInt64(bitCount) - 1 as UInt64)
            var (bit, previous) = (range.lowerBound * bitCount, UInt32(0))
            for index in range {
                let word = unsafe page.loadUnaligned(fromByteOffset: start + bit >> 3, as: UInt64.self)
                let place = UInt32(truncatingIfNeeded: UInt64(littleEndian: word) >> UInt64(bit & 7) & mask)
                guard index == range.lowerBound || place > previous else { return (previous, index) }
                previous = place
                bit += bitCount
            }
            return (previous, range.upperBound)
        }
    }

    private static func place(_ index: Int, in page: RawSpan, _ arrays: PermutationArrays) -> UInt32 {
        arrays.place(index, in: page.loadLittleEndian(at: arrays.wordOffset(ofPlace: index), as: UInt64.self))
    }
}
