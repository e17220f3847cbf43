/// Where keys stand in leaves with places, and what keys such leaves hold: both take a look at the home tree.
extension PageSource {
    /// The first entry of a leaf whose key is not less than `key`, and whether it equals it.
    @inline(__always)
    func lowerBound(
        of key: RawSpan, in leaf: Node, _ lead: KeyLead?
    ) throws(StorageError) -> (index: Int, isEqual: Bool) {
        guard leaf.isPermuted else { return leaf.lowerBound(ofKeyInLeaf: key) }
        let place = try place(of: key, in: leaf, lead)
        return (place.index, place.isEqual)
    }

    /// Where a key stands in a dense leaf.
    func place(of key: RawSpan, in leaf: Node, _ lead: KeyLead?) throws(StorageError) -> DensePlace {
        if leaf.isPacked { return leaf.packedPlace(of: key) }
        return leaf.place(of: key, try basePlace(of: key, in: leaf.permutation, lead))
    }

    /// Where a key stands among the entries of a page. Looks into the home tree only where the page has its lead.
    @inline(never)
    private func basePlace(of key: RawSpan, in page: PermutationPage, _ lead: KeyLead?) throws(StorageError)
        -> BasePlace
    {
        // A key without a lead of its own sorts before all leads that it begins, and with no other as if it had one.
        let leadByteCount = lead?.byteCount(in: key) ?? key.byteCount
        let entries = unsafe key.extracting(0..<leadByteCount).withUnsafeBytes { unsafe page.entries(withLead: $0) }
        guard !entries.isEmpty, leadByteCount < key.byteCount else {
            return BasePlace(index: entries.lowerBound, isEqual: false)
        }
        let (place, isThere) = try homePlace(of: key.extracting(leadByteCount...), page)
        let index = page.lowerBound(ofPlace: place, in: entries)
        return BasePlace(index: index, isEqual: isThere && index < entries.upperBound && page.place(index) == place)
    }

    /// The place of the first key of the home tree that is not less, as the snapshot has them, and whether it is that key's.
    private func homePlace(of key: RawSpan, _ page: PermutationPage) throws(StorageError) -> (UInt32, isThere: Bool) {
        let root = page.homeRoot
        var node = try self.node(root.reference, checksum: root.checksum)
        while node.level > 0 { node = try child(of: node, at: node.childIndex(of: key)) }
        try check(node, page)
        let (index, isEqual) = node.lowerBound(of: key)
        guard let number = number(of: node) else { preconditionFailure("below a page there are pages only") }
        guard number >= page.homeFirstPage else { throw misplaced(node, page) }
        return (page.place(page: number, index: index), isEqual)
    }

    /// The leaf of the home tree that holds the rest of an entry's key, and its index there.
    func home(of index: Int, in page: PermutationPage) throws(StorageError) -> TreeReader.Place {
        let (number, index) = page.home(of: page.place(index))
        let leaf = try sealedPage(number)
        try check(leaf, page)
        guard index < leaf.count else { throw misplaced(leaf, page) }
        return TreeReader.Place(leaf: leaf, index: index)
    }

    @inline(__always)
    private func check(_ leaf: Node, _ page: PermutationPage) throws(StorageError) {
        // With more entries than the radix two of them would have the places of others.
        guard leaf.kind == NodeLayout.leaf, leaf.baseWord == UInt64(page.homeTree), leaf.count <= page.radix else {
            throw misplaced(leaf, page)
        }
    }

    private func misplaced(_ leaf: Node, _ page: PermutationPage) -> StorageError {
        let number = Int(number(of: page.node) ?? 0)
        return .damaged(
            Damage(
                file: path, byteOffset: number * NodeLayout.pageByteCount, page: number,
                finding: "a place leads to page \(self.number(of: leaf) ?? 0), which does not hold it"))
    }

    /// A leaf's whole key, put together from where its parts lie.
    @inline(__always)
    func withKey<Result>(
        of leaf: Node, _ index: Int, _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard leaf.isPermuted else { return try leaf.withKey(index, body) }
        return try withPermutedKey(of: leaf, index, body)
    }

    private func withPermutedKey<Result>(
        of leaf: Node, _ index: Int, _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard let inPage = leaf.indexInPage(index) else {
            guard let result = try leaf.withOwnKey(index, body) else {
                preconditionFailure("the entry is the leaf's own")
            }
            return result
        }
        let page = leaf.permutation
        let home = try home(of: inPage, in: page)
        let group = page.group(of: inPage)
        let leadByteCount = page.leadByteCount(ofGroup: group)
        let count = leadByteCount + home.leaf.keyByteCount(home.index)
        guard count <= Limits.keyByteCount.upperBound else { throw misplaced(home.leaf, page) }
        // Safe because the memory has room for both parts, and all of it is written before it is lent.
        return try unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { (key) throws(StorageError) in
            unsafe page.copyLead(ofGroup: group, to: key.baseAddress!)
            unsafe home.leaf.copyKey(home.index, to: key.baseAddress! + leadByteCount)
            return try body(unsafe UnsafeRawBufferPointer(start: key.baseAddress, count: count).bytes)
        }
    }

    func key(of leaf: Node, _ index: Int) throws(StorageError) -> [UInt8] {
        try withKey(of: leaf, index) { (key) throws(StorageError) in key.copyBytes() }
    }

    /// A key's last eight bytes as a big-endian number; of a shorter key, as if zeros preceded it.
    @inline(__always)
    func trailingInteger(of leaf: Node, _ index: Int) throws(StorageError) -> UInt64 {
        guard leaf.isPermuted else { return leaf.trailingInteger(index) }
        if let inPage = leaf.indexInPage(index) {
            let home = try home(of: inPage, in: leaf.permutation)
            if home.leaf.keyByteCount(home.index) >= 8 { return home.leaf.trailingInteger(home.index) }
        }
        return try withPermutedKey(of: leaf, index) { (key) throws(StorageError) in key.trailingInteger }
    }

    /// Of a whole key.
    func keyByteCount(of leaf: Node, _ index: Int) throws(StorageError) -> Int {
        guard leaf.isPermuted else { return leaf.keyByteCount(index) }
        return try withKey(of: leaf, index) { (key) throws(StorageError) in key.byteCount }
    }
}

extension PermutationPage {
    /// Of the home tree, in the same file.
    var homeRoot: TreeRoot {
        TreeRoot(
            reference: UInt64(node.load(PermutationField.homeRoot)) << 1 | 1,
            checksum: node.load(PermutationField.homeRootChecksum))
    }
}
