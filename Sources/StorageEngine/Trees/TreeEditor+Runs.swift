/// Puts many entries at once: every node on the way is visited once and every leaf is made once, so that a run of as many entries as
/// a tree has costs a third of putting them one by one.
extension TreeEditor {
    private static var fewestTogether: Int { 12 }

    /// A node and the separator before it; the first of a row has none.
    private typealias Piece = (separator: [UInt8], reference: UInt64)

    /// What a branch has become: it, and those that were split off behind it.
    private struct Row {
        var branches: [(separator: [UInt8], branch: BranchNode)]

        /// The branch that has a child, by its number among all, and its index there.
        func place(of child: Int) -> (branch: Int, index: Int) {
            var index = child
            for place in branches.indices {
                let count = branches[place].branch.node.count
                if index < count || place == branches.count - 1 { return (place, index) }
                index -= count
            }
            preconditionFailure("a row has a branch")
        }

        var pieces: [Piece] { branches.map { ($0.separator, $0.branch.reference) } }
    }

    /// Inserts all entries of a run, or replaces those with the same keys. When this throws, the tree is of no more use.
    ///
    /// Precondition: the run is sorted, and has no key twice.
    mutating func put(_ run: EntryRun) throws(StorageError) {
        // A few move the sums above them by what they change, instead of summing up what is below.
        guard run.count > Self.fewestTogether else {
            for index in 0..<run.count {
                try run.withEntry(index) { (entry) throws(StorageError) in try put(entry) }
            }
            return
        }
        if root.isEmpty {
            try run.withEntry(0) { (entry) throws(StorageError) in try put(entry) }
        }
        let node = try rootNode()
        // Read first: a root that this commit made is freed when it splits.
        var level = node.level
        var pieces = try put(run, 0..<run.count, in: node)
        while pieces.count > 1 {
            level += 1
            pieces = row(of: pieces, level).pieces
        }
        root = TreeRoot(reference: pieces[0].reference)
    }

    private mutating func put(_ run: EntryRun, _ range: Range<Int>, in node: Node) throws(StorageError) -> [Piece] {
        guard node.level > 0 else { return put(run, range, leaf: node) }
        var row = Row(branches: [([], own(node))])
        // From the end on, so that what is split off does not move those that are still to come.
        for (child, range) in groups(of: run, range, in: row.branches[0].branch.node).reversed() {
            let (place, index) = row.place(of: child)
            let branch = row.branches[place].branch
            let pieces = try put(run, range, in: try self.child(of: branch.node, at: index))
            branch.setChild(index, pieces[0].reference)
            branch.recount(index)
            insert(pieces.dropFirst(), behind: child, into: &row)
        }
        return row.pieces
    }

    /// The entries of a run that belong below each child that has any.
    private func groups(of run: EntryRun, _ range: Range<Int>, in branch: Node) -> [(child: Int, range: Range<Int>)] {
        var groups: [(child: Int, range: Range<Int>)] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let child = run.withEntry(start) { $0.childIndex(in: branch) }
            let end =
                child + 1 < branch.count
                ? run.firstIndex(notBefore: branch.key(child + 1), in: start + 1..<range.upperBound) : range.upperBound
            groups.append((child, start..<end))
            start = end
        }
        return groups
    }

    private func insert(_ pieces: some Sequence<Piece>, behind child: Int, into row: inout Row) {
        for (offset, piece) in pieces.enumerated() {
            let (place, index) = row.place(of: child + offset)
            let (branch, right) = insert(
                piece.reference, piece.separator, at: index + 1, into: row.branches[place].branch)
            row.branches[place].branch = branch
            if let right { row.branches.insert(right, at: place + 1) }
        }
    }

    /// Branches over the nodes of a level: one, or several when they do not fit.
    private func row(of pieces: [Piece], _ level: Int) -> Row {
        let first = BranchNode(
            left: pieces[0].reference, separator: pieces[1].separator, right: pieces[1].reference, level: level,
            facetCount: facetCount, columns, heap: heap)
        var row = Row(branches: [([], first)])
        insert(pieces.dropFirst(2), behind: 1, into: &row)
        return row
    }

    private mutating func put(_ run: EntryRun, _ range: Range<Int>, leaf: Node) -> [Piece] {
        // Of a page that few entries come to, the others are left where they are, unless all come behind them: page after page is filled.
        let isBehind = run.withEntry(range.lowerBound) { $0.lowerBound(in: leaf).index } == leaf.count
        guard isBehind || range.count * 4 > leaf.count else { return put(each: run, range, leaf: leaf) }
        let merge = LeafMerge(leaf, run, range, heap: heap) { retireValue(of: leaf, $0) }
        let pieces = merge.compose().map { ($0.separator, $0.node.reference) }
        heap.retire(leaf)
        return pieces
    }

    private mutating func put(each run: EntryRun, _ range: Range<Int>, leaf: Node) -> [Piece] {
        var nodes: [(separator: [UInt8], node: Node)] = [([], leaf)]
        for index in range.reversed() {
            let place = run.withKey(index) { key in
                nodes.lastIndex { node in node.separator.withBytes { $0.order(relativeTo: key) <= 0 } }
            }
            guard let place else { preconditionFailure("the first separator is before every key") }
            let outcome = run.withEntry(index) { put($0, leaf: nodes[place].node) }
            // Safe because the nodes of an outcome were made by this commit, so they are in memory and alive.
            nodes[place].node = unsafe Node(reference: outcome.reference)
            if let (separator, right) = outcome.split {
                nodes.insert((separator, unsafe Node(reference: right)), at: place + 1)
            }
        }
        return nodes.map { ($0.separator, $0.node.reference) }
    }
}
