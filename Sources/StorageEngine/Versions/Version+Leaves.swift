/// A leaf of a version: its entries side by side.
package struct Leaf {
    private let version: Version
    private let node: Node

    fileprivate init(_ version: Version, _ node: Node) {
        self.version = version
        self.node = node
    }

    package var count: Int { node.count }

    package func entry(_ index: Int) -> Entry {
        precondition((0..<count).contains(index), "the entry is one of the leaf's")
        return Entry(version: version, TreeReader.Place(leaf: node, index: index))
    }

    /// Visits keys from an index on: a third of the time of asking each entry.
    ///
    /// - Parameter body: gives the index of the next to visit, behind the one it is given; the leaf's count for none.
    package func visitKeys(from first: Int, _ body: (_ index: Int, _ key: RawSpan) -> Int) {
        precondition(first >= 0, "the entries are the leaf's")
        defer { withExtendedLifetime(version) {} }
        guard !node.isPacked else {
            var index = first
            while index < count {
                let next = node.withKey(index) { body(index, $0) }
                precondition(next > index, "a visit goes on")
                index = next
            }
            return
        }
        // Safe because pages with longer keys are not read and longer keys not taken, and each lies there until the next does.
        unsafe withUnsafeTemporaryAllocation(byteCount: Limits.keyByteCount.upperBound, alignment: 1) { place in
            unsafe node.copyPrefix(to: place.baseAddress!)
            var index = first
            while index < count {
                unsafe node.copySuffix(index, to: place.baseAddress!)
                let next = body(
                    index,
                    unsafe UnsafeRawBufferPointer(start: place.baseAddress, count: node.keyByteCount(index)).bytes)
                precondition(next > index, "a visit goes on")
                index = next
            }
        }
    }

    /// The first entry whose key is not less; `count` when there is none.
    package func lowerBound(of key: [UInt8]) -> Int {
        defer { withExtendedLifetime(version) {} }
        return key.withBytes { node.lowerBound(ofKeyInLeaf: $0).index }
    }

    /// The page of the snapshot that the leaf is, or amends; `nil` for one with no entry left of any page.
    package var page: UInt32? {
        guard node.isInMemory else { return node.pageNumber }
        return node.amendsPage ? node.basePageNode.pageNumber : nil
    }

    /// Whether an entry is as it stands in that page.
    package func isInPage(_ index: Int) -> Bool {
        guard node.isInMemory else { return true }
        return node.isPacked
            ? node.indexInPage(index) != nil : node.isPatch && node.slot(index) & NodeLayout.inBase != 0
    }
}

/// A stretch of a tree's leaves.
package enum LeafRun {
    /// Leaves that are as they stand in the snapshot, beginning with that page, and their entries together.
    case unchanged(firstPage: UInt32, entryCount: Int)
    case changed(Leaf)
}

extension Version {
    /// Visits the leaves that touch `positions`, in order and each stretch with the position of its first entry, until `body`
    /// returns false. O(changed leaves and branches): those of the snapshot are not touched.
    package func forEachRun(
        in tree: TreeNumber, positions: Range<Int>, _ body: (LeafRun, _ position: Int) -> Bool
    ) throws(StorageError) {
        defer { withExtendedLifetime(self) {} }
        var failure: StorageError?
        try source(of: tree).reader.forEachRun(positions) { run, position in
            switch run {
            case .mapped(let page, let count): return body(.unchanged(firstPage: page, entryCount: count), position)
            case .memory(let node):
                do throws(StorageError) {
                    return body(.changed(try leaf(node)), position)
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if let failure { throw failure }
    }

    /// Keys that are visited side by side lie in their leaves, which only a damaged tree of rows has otherwise.
    private func leaf(_ node: Node) throws(StorageError) -> Leaf {
        guard !node.isPermuted else {
            let page = Int(node.basePageNode.pageNumber)
            throw .damaged(
                Damage(
                    file: generation.file.path, byteOffset: page * NodeLayout.pageByteCount, page: page,
                    finding: "a leaf of a tree of rows has places instead of keys"))
        }
        return Leaf(self, node)
    }

    /// The positions of the entries in the leaf with the one at `position`, as the branches count them: also of a leaf that cannot be read. `nil`
    /// behind the last, and where a branch cannot be read.
    package func leafPositions(around position: Int, in tree: TreeNumber) -> Range<Int>? {
        defer { withExtendedLifetime(self) {} }
        return (try? source(of: tree).reader.leafBounds(of: position)) ?? nil
    }

    /// The leaf with the entry at a position, and the position of its first entry; `nil` behind the last. One node per level.
    package func leaf(at position: Int, in tree: TreeNumber) throws(StorageError) -> (leaf: Leaf, start: Int)? {
        guard let (place, start) = try source(of: tree).reader.select(position, column: 0) else { return nil }
        return (try leaf(place.leaf), start)
    }

    /// Thrown by who goes through a tree by keys and positions and does not come forward.
    package func disorder(in tree: TreeNumber) -> StorageError { source(of: tree).reader.disorder }

    /// The leaf with the first entry whose key is not less, the position of the leaf's first entry, and the entry's index in it; `nil`
    /// behind the last. One node per level, twice where that entry is the first of its leaf.
    package func leaf(
        from key: [UInt8], in tree: TreeNumber
    ) throws(StorageError) -> (leaf: Leaf, start: Int, index: Int)? {
        let reader = source(of: tree).reader
        guard let (place, start) = try key.withBytes({ (key) throws(StorageError) in try reader.seek(key) }) else {
            return nil
        }
        guard place.index == place.leaf.count else { return (try leaf(place.leaf), start, place.index) }
        return try leaf(at: start + place.index, in: tree).map { ($0.leaf, $0.start, 0) }
    }
}
