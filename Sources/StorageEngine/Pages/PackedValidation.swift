/// Decides whether a page of which the header's common fields fit may be read as a packed page.
enum PackedValidation {
    /// What is wrong with the page, or `nil` when nothing is. Reads nothing outside `page`, whatever it holds.
    ///
    /// - Parameter pageCount: of its file.
    static func finding(in page: RawSpan, pageCount: Int) -> String? {
        let arrays = PackedArrays(of: page)
        let (count, keyByteCount) = (arrays.count, arrays.keyByteCount)
        let ownKeyByteCount = Int(page.load(PackedField.ownKeyByteCount))
        guard count <= NodeLayout.leafEntryLimit else { return "\(count) entries are more than a leaf has" }
        guard keyByteCount > 0, PackedArrays.byteCounts.contains(arrays.byteCount) else {
            return "\(arrays.byteCount) bytes, \(keyByteCount) of them of the key, are not packed"
        }
        guard ownKeyByteCount <= arrays.ownByteCount, arrays.ownByteCount <= arrays.byteCount else {
            return "\(arrays.ownByteCount) own bytes, \(ownKeyByteCount) of them of the key, are not those of an entry"
        }
        let used = Int(page.load(NodeField.used))
        guard arrays.end <= used, used <= page.byteCount,
            arrays.end + PackedArrays.overrunByteCount <= page.byteCount,
            arrays.valueByteCount == nil || arrays.end == used
        else { return "\(count) entries do not fit the \(used) bytes in use" }
        guard page.load(NodeField.prefixLength) == 0, page.load(NodeField.prefixOffset) == 0 else {
            return "a packed page has no prefix"
        }
        let symbolsPage = Int(page.load(PackedField.symbolsPage))
        guard symbolsPage < pageCount else { return "page \(symbolsPage), of its symbols, is no page of this file" }
        guard symbolsPage == 0 || arrays.valueByteCount == nil else { return "values are packed and have symbols" }
        guard page.load(PackedField.reserved) == 0 else { return "\(page.load(PackedField.reserved)) is reserved" }
        return FacetBits.finding(in: page, count: count, facetCount: arrays.facetCount, at: PackedField.end)
            ?? placeFinding(in: page, arrays, ownKeyByteCount: ownKeyByteCount)
            ?? keyFinding(in: page, arrays, ownKeyByteCount: ownKeyByteCount)
            ?? valueFinding(in: page, arrays, used: used)
    }

    /// Of values of several lengths, each begins where the one before ends, and the last ends with the bytes in use.
    private static func valueFinding(in page: RawSpan, _ arrays: PackedArrays, used: Int) -> String? {
        guard arrays.valueByteCount == nil else { return nil }
        var start = arrays.end
        for index in 0..<arrays.count {
            let end = Int(page.load(arrays.ends[index]))
            guard end >= start, end <= used else { return "the value of entry \(index) lies outside the page" }
            if let finding = PageValidation.lengthFinding(end - start) {
                return "the value of entry \(index) \(finding)"
            }
            start = end
        }
        return start == used ? nil : "\(used - start) bytes in use are of no entry"
    }

    private static func placeFinding(
        in page: RawSpan, _ arrays: PackedArrays, ownKeyByteCount: Int
    ) -> String? {
        let keyByteCount = arrays.keyByteCount
        var previous = -1
        for number in 0..<arrays.ownByteCount {
            let place = Int(page.load(arrays.places[number]))
            guard place > previous, place < arrays.byteCount, (place < keyByteCount) == (number < ownKeyByteCount)
            else {
                return "own byte \(number) belongs nowhere"
            }
            guard page.load(arrays.shared[place]) == 0 else { return "byte \(place) is shared, and is not" }
            previous = place
        }
        return nil
    }

    private static func keyFinding(in page: RawSpan, _ arrays: PackedArrays, ownKeyByteCount: Int) -> String? {
        for index in 1..<max(1, arrays.count) {
            let (previous, next) = (arrays.entry(index - 1), arrays.entry(index))
            let key = page.extracting(next..<next + ownKeyByteCount)
            guard page.extracting(previous..<previous + ownKeyByteCount).order(relativeTo: key) < 0 else {
                return "key \(index) does not sort after the one before it"
            }
        }
        return nil
    }
}
