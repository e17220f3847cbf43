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
            var previous = place(index, in: page, arrays)
            index += 1
            while index < end {
                let place = place(index, in: page, arrays)
                guard place > previous else { return "entry \(index) does not sort after the one before it" }
                previous = place
                index += 1
            }
            greatest = max(greatest, previous)
        }
        guard homeFirstPage > 0, homeFirstPage + Int(greatest) / radix < pageCount else {
            return "place \(greatest) is on no page of this file"
        }
        return nil
    }

    private static func place(_ index: Int, in page: RawSpan, _ arrays: PermutationArrays) -> UInt32 {
        arrays.place(index, in: page.loadLittleEndian(at: arrays.wordOffset(ofPlace: index), as: UInt64.self))
    }
}
