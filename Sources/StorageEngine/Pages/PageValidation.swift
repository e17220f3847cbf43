/// Decides whether 4,096 bytes from a file may be read as a page.
enum PageValidation {
    /// What is wrong with the page, or `nil` when nothing is. Reads nothing outside `page`, whatever it holds.
    static func finding(
        in page: RawSpan, checksum: UInt32, pageCount: Int, coldByteCount: UInt64
    ) -> String? {
        checksumFinding(in: page, checksum)
            ?? layoutFinding(in: page, pageCount: pageCount, coldByteCount: coldByteCount)
    }

    /// Whether a page is the one that its parent names, whatever it holds.
    static func checksumFinding(in page: RawSpan, _ checksum: UInt32) -> String? {
        let computed = CRC32C.checksum(page)
        guard computed != checksum else { return nil }
        return "checksum is \(computed.hexadecimal), its parent says \(checksum.hexadecimal)"
    }

    /// The same as `finding` for a page that is proved by its seal, as one of another tree than that which leads to it.
    static func finding(
        in page: RawSpan, _ seal: PageSeal, number: Int, pageCount: Int, coldByteCount: UInt64
    ) -> String? {
        sealFinding(in: page, seal, number: number)
            ?? layoutFinding(in: page, pageCount: pageCount, coldByteCount: coldByteCount)
    }

    /// Whether a page is the one of that number in a file of this generation, whatever it holds.
    static func sealFinding(in page: RawSpan, _ seal: PageSeal, number: Int) -> String? {
        guard page.byteCount == NodeLayout.pageByteCount, seal.isOn(page) else {
            return "the page's seal is not of this generation"
        }
        // A seal proves what a page says, not that it lies where it should.
        let own = page.load(NodeField.pageNumber)
        return Int(own) == number ? nil : "the page says that it is page \(own)"
    }

    /// The layout alone. A page with the right checksum fails this only if it was written wrongly, or made by an enemy.
    static func layoutFinding(in page: RawSpan, pageCount: Int, coldByteCount: UInt64) -> String? {
        guard page.byteCount == NodeLayout.pageByteCount else { return "\(page.byteCount) bytes are no page" }
        let kind = page.load(NodeField.kind)
        guard NodeLayout.pageKinds.contains(kind) else { return "kind \(kind) is no page" }
        let facetCount = Int(page.load(NodeField.facetCount))
        let count = Int(page.load(NodeField.count))
        let capacity = Int(page.load(NodeField.capacity))
        let prefixLength = Int(page.load(NodeField.prefixLength))
        let prefixOffset = Int(page.load(NodeField.prefixOffset))
        let level = Int(page.load(NodeField.level))
        guard facetCount <= Limits.facetCount else { return "\(facetCount) facets are more than a tree has" }
        guard count == capacity, count > 0 else { return "\(count) entries in \(capacity) slots" }
        guard (level == 0) == (kind != NodeLayout.branch), level <= NodeLayout.levelLimit else {
            return "level \(level) does not fit kind \(kind)"
        }
        let columnCount = Int(page.load(NodeField.columnCount))
        guard columnCount <= Limits.columnCount else { return "\(columnCount) columns are more than a tree has" }
        // What a memory node has there instead says that it is one.
        guard TreeNumber.all.contains(page.load(NodeField.tree)), page.load(NodeField.reserved) == 0 else {
            return "there is no tree \(page.load(NodeField.base))"
        }
        if kind == NodeLayout.permutationLeaf { return PermutationValidation.finding(in: page, pageCount: pageCount) }
        if kind == NodeLayout.packedLeaf { return PackedValidation.finding(in: page, pageCount: pageCount) }
        let shape = NodeShape(facetCount: facetCount, columnCount: columnCount)
        let arrays = NodeArrays(capacity: capacity, columnCount: columnCount)
        let arraysEnd =
            NodeLayout.headerByteCount
            + (kind == NodeLayout.leaf
                ? NodeLayout.leafArraysByteCount(capacity: capacity, facetCount: facetCount)
                : NodeLayout.branchArraysByteCount(capacity: capacity, shape))
        let used = Int(page.load(NodeField.used))
        guard arraysEnd <= used, used <= page.byteCount else {
            return "\(count) entries do not fit the \(used) bytes in use"
        }
        guard prefixLength == 0 || (prefixOffset >= arraysEnd && prefixOffset + prefixLength <= used) else {
            return "the prefix lies outside the page"
        }
        // Entries that overlap, or share too much, would outgrow any node they are copied to.
        var unclaimed = used - arraysEnd - prefixLength
        var unsharedByteCount = used
        var previous = page.extracting(0..<0)
        for index in 0..<count {
            let slot = page.load(arrays.slots[index])
            let offset = Int(slot & 0xFFFF)
            let length = NodeLayout.suffixByteCount(slot)
            guard prefixLength + length <= Limits.keyByteCount.upperBound else {
                return "the key of entry \(index) is longer than a key may be"
            }
            guard offset >= arraysEnd, offset + length <= used else {
                return "entry \(index) lies outside the page"
            }
            var start = offset
            if kind == NodeLayout.leaf {
                guard prefixLength + length > 0 else { return "entry \(index) has no key" }
                guard offset + NodeLayout.wordByteCount + length <= used else {
                    return "entry \(index) lies outside the page"
                }
                start += NodeLayout.wordByteCount
                let cell = StoredCell(ofEntryAt: offset, keyByteCount: length, in: page)
                if let finding = cellFinding(page, cell, arraysEnd..<used, coldByteCount) {
                    return "the value of entry \(index) \(finding)"
                }
                unclaimed -= NodeLayout.wordByteCount + cell.range.count
                unsharedByteCount += cell.sharedEnd(in: page).map { $0.count - SharedEndField.end } ?? 0
            } else {
                let child = page.load(arrays.children[index])
                guard child & 1 == 1, child >> 1 > 0, child >> 1 < UInt64(pageCount) else {
                    return "child \(index) is no page of this file"
                }
                guard index > 0 || length == 0 else { return "the first child has a separator" }
            }
            unclaimed -= length
            guard unclaimed >= 0 else { return "entry \(index) overlaps another" }
            guard kind == NodeLayout.leaf || index > 0 else { continue }
            let suffix = page.extracting(start..<start + length)
            guard UInt32(truncatingIfNeeded: slot >> 32) == suffix.keyHead else {
                return "the head of key \(index) is not its own"
            }
            let isFirst = index == (kind == NodeLayout.leaf ? 0 : 1)
            guard isFirst || previous.order(relativeTo: suffix) < 0 else {
                return "key \(index) does not sort after the one before it"
            }
            previous = suffix
        }
        guard unsharedByteCount <= NodeLayout.unsharedByteLimit else {
            return "entries that share ends come to \(unsharedByteCount) bytes without"
        }
        return countFinding(in: page, shape, count: count, pageCount: pageCount)
    }

    /// Counts that no file of so many pages can have would make a scan of it endless.
    private static func countFinding(
        in page: RawSpan, _ shape: NodeShape, count: Int, pageCount: Int
    ) -> String? {
        let facetCount = shape.facetCount
        let arrays = NodeArrays(capacity: count, columnCount: shape.columnCount)
        if page.load(NodeField.kind) == NodeLayout.leaf {
            guard facetCount > 0 else { return nil }
            var union: UInt16 = 0
            for index in 0..<count { union |= page.load(arrays.facets[index]) }
            guard Int(union) >> facetCount != 0 else { return nil }
            let first = (0..<count).first {
                Int(page.load(arrays.facets[$0])) >> facetCount != 0
            }
            return "entry \(first ?? 0) has facets the tree does not count"
        }
        var total = 0
        for index in 0..<count {
            let below = page.load(arrays.counts(0)[index])
            guard below > 0 else { return "child \(index) counts no entries" }
            total += Int(below)
            for facet in 1..<facetCount + 1 {
                guard page.load(arrays.counts(facet)[index]) <= below else {
                    return "child \(index) counts more entries of a facet than entries"
                }
            }
        }
        guard total / NodeLayout.leafEntryLimit < pageCount else {
            return "\(total) entries are more than the file can hold"
        }
        return nil
    }

    /// - Parameter entries: where ends of values may lie.
    private static func cellFinding(
        _ page: RawSpan, _ cell: StoredCell, _ entries: Range<Int>, _ coldByteCount: UInt64
    ) -> String? {
        guard cell.isHot || cell.isCold else { return "is of a kind no page holds" }
        guard cell.range.upperBound <= entries.upperBound else { return "lies outside the page" }
        guard cell.isHot else {
            let block = page.load(ColdReferenceField.block, at: cell.range.lowerBound)
            return block < coldByteCount ? nil : "lies outside the cold region"
        }
        guard let end = cell.sharedEnd(in: page) else { return lengthFinding(cell.own.count) }
        guard !end.isEmpty, end.lowerBound >= entries.lowerBound, end.upperBound <= entries.upperBound else {
            return "ends outside the page"
        }
        return lengthFinding(cell.own.count + end.count)
    }

    /// Of a value that lies in a leaf.
    static func lengthFinding(_ byteCount: Int) -> String? {
        byteCount <= Limits.hotValueByteCount ? nil : "has \(byteCount) bytes, more than one in a leaf"
    }
}
