/// Entries on their way into key order: appended as they come, then sorted once, tree by tree.
///
/// All lie in one array, so that what is kept for the next ones is the same memory whichever trees they are of. An entry is its
/// `SortedEntryField`s, its key and its value. Sorting moves references only: a radix sort by the eight bytes behind what all keys of the tree
/// share, then, where those are equal, the rest of the keys.
struct SortBuffer {
    static let headByteCount = 8

    private struct Tree {
        let declaration: TreeDeclaration
        /// Where each of its entries begins.
        var offsets: [UInt32] = []
        /// Bytes that all of its keys begin with.
        var sharedByteCount = 0

        init(_ declaration: TreeDeclaration) { self.declaration = declaration }
    }

    private var bytes: [UInt8] = []
    private var trees: [Tree]
    private let expectedByteCount: Int

    /// - Parameter expectedByteCount: it is emptied when it has about so many. Less than 4 GiB.
    init(_ declarations: [TreeDeclaration], expectedByteCount: Int) {
        trees = declarations.map { Tree($0) }
        self.expectedByteCount = expectedByteCount
    }

    private struct Reference {
        let head: UInt64
        let offset: UInt32
    }

    /// What an entry needs beside its key and value until it is sorted.
    static let overheadByteCount = SortedEntryField.end + MemoryLayout<UInt32>.stride

    /// Of the trees that it is for.
    var places: Range<Int> { trees.indices }

    /// How many entries a tree has.
    func count(at place: Int) -> Int { trees[place].offsets.count }

    /// Throws for an entry that the tree cannot hold.
    mutating func append(key: RawSpan, facets: UInt16, value: RawSpan, at place: Int) throws(StorageError) {
        try trees[place].declaration.check(key: key, value: value, facets: facets)
        noteShared(key, at: place)
        if bytes.isEmpty { bytes.reserveCapacity(expectedByteCount) }
        let start = bytes.count
        trees[place].offsets.append(UInt32(start))
        bytes.append(zeros: SortedEntryField.end)
        bytes.store(UInt16(key.byteCount), in: SortedEntryField.keyCount, at: start)
        bytes.store(facets, in: SortedEntryField.facets, at: start)
        bytes.store(UInt32(value.byteCount), in: SortedEntryField.valueCount, at: start)
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
    }

    private mutating func noteShared(_ key: RawSpan, at place: Int) {
        let shared = trees[place].sharedByteCount
        guard let first = trees[place].offsets.first else { return trees[place].sharedByteCount = key.byteCount }
        guard shared > 0 else { return }
        trees[place].sharedByteCount = bytes.withBytes { bytes in
            bytes.extracting(bytes.sortedEntryKey(at: Int(first))).extracting(first: shared).commonPrefixLength(
                with: key)
        }
    }

    /// The room stays for the next ones.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        for place in trees.indices { trees[place].offsets.removeAll(keepingCapacity: true) }
    }

    /// Hands out the entries of a tree in key order, each once. O(n) but for keys that share their head: only those are compared.
    ///
    /// - Throws: `.duplicateKey` for a key that has different values or facets.
    func forEachSorted(
        at place: Int, _ body: (_ entry: RawSpan, _ key: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        var references = references(at: place)
        if !isSorted(references) {
            Self.sortByHeads(&references)
            sortEqualHeads(&references)
            try removeRepeats(from: &references, of: trees[place].declaration)
        }
        try bytes.withBytes { (bytes) throws(StorageError) in
            for reference in references {
                let start = Int(reference.offset)
                try body(
                    bytes.extracting(start..<start + bytes.sortedEntryByteCount(at: start)),
                    bytes.extracting(bytes.sortedEntryKey(at: start)))
            }
        }
    }

    private func removeRepeats(
        from references: inout [Reference], of tree: TreeDeclaration
    ) throws(StorageError) {
        var keptCount = min(1, references.count)
        for index in references.indices.dropFirst() {
            let (last, next) = (references[keptCount - 1], references[index])
            if last.head == next.head {
                let comparison = bytes.withBytes { bytes in
                    bytes.compareSortedEntry(at: Int(last.offset), to: bytes, at: Int(next.offset))
                }
                if comparison == .equal { continue }
                if comparison == .contradicting { throw tree.duplicateKey(bytes, at: Int(next.offset)) }
            }
            references[keptCount] = next
            keptCount += 1
        }
        references.removeLast(references.count - keptCount)
    }

    private func references(at place: Int) -> [Reference] {
        let tree = trees[place]
        return bytes.withBytes { bytes in
            tree.offsets.map { offset in
                let key = bytes.extracting(bytes.sortedEntryKey(at: Int(offset)))
                return Reference(head: key.extracting(droppingFirst: tree.sharedByteCount).sortingHead, offset: offset)
            }
        }
    }

    /// Records come with ascending identifiers.
    private func isSorted(_ references: [Reference]) -> Bool {
        for index in references.indices.dropFirst() where references[index].head <= references[index - 1].head {
            return false
        }
        return true
    }

    /// Least significant byte first, a pass for each byte in which the heads differ.
    private static func sortByHeads(_ references: inout [Reference]) {
        var counts = [Int](repeating: 0, count: headByteCount * 256)
        for reference in references {
            for byte in 0..<headByteCount { counts[byte * 256 + Int((reference.head >> UInt64(byte * 8)) & 0xFF)] += 1 }
        }
        var target = references
        for byte in 0..<headByteCount {
            let buckets = byte * 256..<byte * 256 + 256
            if counts[buckets].contains(references.count) { continue }
            var next = 0
            for bucket in buckets {
                let count = counts[bucket]
                counts[bucket] = next
                next += count
            }
            for reference in references {
                let bucket = byte * 256 + Int((reference.head >> UInt64(byte * 8)) & 0xFF)
                target[counts[bucket]] = reference
                counts[bucket] += 1
            }
            swap(&references, &target)
        }
    }

    private func sortEqualHeads(_ references: inout [Reference]) {
        var start = 0
        while start < references.count {
            var end = start + 1
            while end < references.count, references[end].head == references[start].head { end += 1 }
            if end - start > 1 {
                bytes.withBytes { bytes in
                    references[start..<end].sort { left, right in
                        let order = bytes.extracting(bytes.sortedEntryKey(at: Int(left.offset)))
                            .order(relativeTo: bytes.extracting(bytes.sortedEntryKey(at: Int(right.offset))))
                        return order == 0 ? left.offset < right.offset : order < 0
                    }
                }
            }
            start = end
        }
    }
}

/// Entries as `SortBuffer` lays them out. Precondition: one begins at the offset.
extension RawSpan {
    @inline(__always)
    func sortedEntryKey(at offset: Int) -> Range<Int> {
        let start = offset + SortedEntryField.end
        return start..<start + Int(load(SortedEntryField.keyCount, at: offset))
    }

    @inline(__always)
    func sortedEntryFacets(at offset: Int) -> UInt16 { load(SortedEntryField.facets, at: offset) }

    @inline(__always)
    func sortedEntryValue(at offset: Int) -> Range<Int> {
        let start = sortedEntryKey(at: offset).upperBound
        return start..<start + Int(load(SortedEntryField.valueCount, at: offset))
    }

    /// What the entry at an offset is to another one.
    func compareSortedEntry(at offset: Int, to other: RawSpan, at otherOffset: Int) -> SortedEntryComparison {
        let (key, otherKey) = (sortedEntryKey(at: offset), other.sortedEntryKey(at: otherOffset))
        guard extracting(key).order(relativeTo: other.extracting(otherKey)) == 0 else { return .otherKey }
        let entry = extracting(offset..<offset + sortedEntryByteCount(at: offset))
        let otherEntry = other.extracting(otherOffset..<otherOffset + other.sortedEntryByteCount(at: otherOffset))
        return entry.order(relativeTo: otherEntry) == 0 ? .equal : .contradicting
    }

    @inline(__always)
    func sortedEntryByteCount(at offset: Int) -> Int {
        sortedEntryValue(at: offset).upperBound - offset
    }

    /// The first eight bytes as a big-endian number, as if zeros followed a shorter one.
    @inline(__always)
    var sortingHead: UInt64 {
        if byteCount >= SortBuffer.headByteCount { return loadBigEndian(at: 0) }
        var head: UInt64 = 0
        for index in 0..<SortBuffer.headByteCount {
            head = head << 8 | (index < byteCount ? UInt64(byte(at: index)) : 0)
        }
        return head
    }
}

enum SortedEntryComparison {
    case otherKey
    /// The same in every byte: put twice.
    case equal
    /// One key, and another value or other facets.
    case contradicting
}

extension TreeDeclaration {
    /// The error for an entry that contradicts one before it.
    func duplicateKey(_ bytes: [UInt8], at offset: Int) -> StorageError {
        .duplicateKey(tree: name, key: bytes.withBytes { $0.copyBytes($0.sortedEntryKey(at: offset)) })
    }
}
