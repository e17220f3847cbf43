extension TreeReader {
    /// A stretch of leaves in key order.
    enum Run {
        /// Neighbours in the snapshot file, as it was written: all below one mapped node. The first one's page, and how many
        /// entries they hold together.
        case mapped(firstPage: UInt32, entryCount: Int)
        /// A leaf in memory.
        case memory(Node)
    }

    /// Visits the runs that touch `positions`, each with the position of its first entry, until `body` returns false. Changed
    /// branches are walked; below a mapped one nothing is touched but the way to its first leaf.
    func forEachRun(_ positions: Range<Int>, _ body: (Run, _ position: Int) -> Bool) throws(StorageError) {
        guard !positions.isEmpty, let node = try rootNode() else { return }
        if node.isInMemory {
            _ = try visit(node, 0, positions, body)
        } else {
            _ = body(.mapped(firstPage: try firstLeaf(below: node), entryCount: node.total(column: 0)), 0)
        }
    }

    private func visit(
        _ node: Node, _ start: Int, _ positions: Range<Int>, _ body: (Run, Int) -> Bool
    ) throws(StorageError) -> Bool {
        guard !node.isLeaf else { return body(.memory(node), start) }
        var position = start
        var index = 0
        while index < node.count, position < positions.upperBound {
            let child = index
            var count = node.childCount(index, column: 0)
            let reference = node.child(index)
            index += 1
            guard position + count > positions.lowerBound else {
                position += count
                continue
            }
            if reference & 1 == 0 {
                guard try visit(try pages.child(of: node, at: child), position, positions, body) else { return false }
            } else if node.level == 1 {
                // Leaves on neighbouring pages were neighbours when the file was written, too.
                while index < node.count, node.child(index) == reference + UInt64(index - child) * 2 {
                    count += node.childCount(index, column: 0)
                    index += 1
                }
                guard body(.mapped(firstPage: UInt32(reference >> 1), entryCount: count), position) else {
                    return false
                }
            } else {
                let page = try firstLeaf(below: try pages.child(of: node, at: child))
                guard body(.mapped(firstPage: page, entryCount: count), position) else { return false }
            }
            position += count
        }
        return true
    }

    private func firstLeaf(below node: Node) throws(StorageError) -> UInt32 {
        var node = node
        while node.level > 1 { node = try pages.child(of: node, at: 0) }
        return node.level == 1 ? UInt32(node.child(0) >> 1) : node.pageNumber
    }

    // MARK: Leaves

    /// Where the branch above a node holds what lies in or below it.
    struct ParentPlace {
        let branch: Node
        let index: Int
    }

    /// Visits leaves in key order, each with which of its entries are wanted and, but for a root, where its parent holds it, until `body` returns
    /// false or throws. One node per level at a time.
    ///
    /// - Parameters:
    ///   - keys: where one begins or ends within a leaf, only a part of that is wanted. Ranges that touch have no entry in common and lose none,
    ///     also in a damaged tree.
    ///   - readAhead: of the file with the pages.
    /// - Throws: `.damaged` for a page that cannot be read, or that holds another number of entries than its parent counts, and what `body`
    ///   throws.
    func forEachLeaf(
        in keys: KeyRange = .all, _ readAhead: inout ReadAhead,
        _ body: (Node, Range<Int>, ParentPlace?) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard let node = try rootNode() else { return }
        _ = try visitLeaves(node, nil, keys, &readAhead, body)
    }

    private func visitLeaves(
        _ node: Node, _ parent: ParentPlace?, _ keys: KeyRange, _ readAhead: inout ReadAhead,
        _ body: (Node, Range<Int>, ParentPlace?) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        guard !node.isLeaf else {
            let start = try keys.start.map { (key) throws(StorageError) in try index(of: key, in: node) } ?? 0
            let end = try keys.end.map { (key) throws(StorageError) in try index(of: key, in: node) } ?? node.count
            return start < end ? try body(node, start..<end, parent) : true
        }
        let first = keys.start.map { node.childIndex(of: $0) } ?? 0
        let last = keys.end.map { node.childIndex(of: $0) } ?? node.count - 1
        for index in first..<max(first, last + 1) {
            if node.level == 1, let page = pages.page(ofLeaf: node.child(index)) {
                readAhead.reach(page * NodeLayout.pageByteCount)
            }
            let child = try pages.countedChild(of: node, at: index)
            let inChild = KeyRange(start: index == first ? keys.start : nil, end: index == last ? keys.end : nil)
            let place = ParentPlace(branch: node, index: index)
            guard try visitLeaves(child, place, inChild, &readAhead, body) else { return false }
        }
        return true
    }

    /// Of the first entry of a leaf whose key is not less.
    private func index(of key: [UInt8], in leaf: Node) throws(StorageError) -> Int {
        try key.withBytes { (key) throws(StorageError) in try pages.lowerBound(of: key, in: leaf, lead).index }
    }

    /// The key that branches have between the leaf with the entry at a position and the one before; `nil` where there is none. The leaf is
    /// not read.
    func separator(ofLeafAt position: Int) throws(StorageError) -> [UInt8]? {
        guard var node = try rootNode(), position < node.total(column: 0) else { return nil }
        var separator: [UInt8]?
        var left = position
        while node.level > 0 {
            let (index, before) = node.child(at: left, column: 0)
            if index > 0 { separator = node.key(index) }
            left -= before
            guard node.level > 1 else { break }
            node = try pages.child(of: node, at: index)
        }
        return separator
    }
}

extension Node {
    fileprivate func childIndex(of key: [UInt8]) -> Int { key.withBytes { childIndex(of: $0) } }
}
