/// Changes one tree for the commit being made: copies the path it touches, or changes nodes in place where this commit
/// made them.
///
/// Costs of one put at a million entries: 3 or 4 nodes visited; the first time in a commit that a path is touched, one
/// patch leaf of about 1 KB and a branch copy per level.
///
/// It cannot be copied: a copy for a call would count all references that it holds.
struct TreeEditor: ~Copyable {
    let pages: PageSource
    let heap: NodeHeap
    let facetCount: Int
    let columns: TreeColumns
    /// Longer values lie outside the leaf.
    let inlineByteCount: Int
    /// Of a tree with a home.
    let lead: KeyLead?
    private let keepsHashSum: Bool
    var root: TreeRoot

    init(pages: PageSource, heap: NodeHeap, _ tree: TreeDeclaration, root: TreeRoot) {
        self.pages = pages
        self.heap = heap
        facetCount = tree.facetCount
        columns = tree.columns
        inlineByteCount = tree.inlineByteCount
        lead = tree.home?.lead
        keepsHashSum = tree.columns.index(of: .hashSum) != nil
        self.root = root
    }

    struct Outcome {
        /// 0 when nothing is left below.
        var reference: UInt64
        var split: (separator: [UInt8], right: UInt64)?
    }

    /// What the last change of a leaf does to the branches above it.
    var change = CountChange()

    // MARK: Putting

    /// Inserts, or replaces the entry with the same key.
    mutating func put(key: RawSpan, word: UInt16, cell: RawSpan, facets: UInt16) throws(StorageError) {
        try LeafEntry.with(key: key, word: word, cell: cell, facets: facets) { (entry) throws(StorageError) in
            try put(entry)
        }
    }

    mutating func put(_ entry: LeafEntry) throws(StorageError) {
        change = CountChange()
        guard !root.isEmpty else {
            let empty = LeafWriter(
                heap: heap, count: 0, NodeShape(facetCount: facetCount, columnCount: columns.count), ownByteCount: 0,
                kind: NodeLayout.leaf, isGrowing: true
            ).finish(pageByteCount: NodeLayout.headerByteCount)
            let outcome = put(entry, leaf: empty)
            root = TreeRoot(reference: outcome.reference)
            return
        }
        let node = try rootNode()
        // Read first: a root that this commit made is freed when it splits.
        let level = node.level
        let outcome = try put(entry, in: node)
        guard let (separator, right) = outcome.split else {
            root = TreeRoot(reference: outcome.reference)
            return
        }
        let branch = BranchNode(
            left: outcome.reference, separator: separator, right: right, level: level + 1, facetCount: facetCount,
            columns, heap: heap)
        root = TreeRoot(reference: branch.reference)
    }

    private mutating func put(_ entry: LeafEntry, in node: Node) throws(StorageError) -> Outcome {
        guard node.level > 0 else {
            return node.isDense ? try put(entry, dense: node) : put(entry, leaf: node)
        }
        let index = entry.childIndex(in: node)
        let outcome = try put(entry, in: try child(of: node, at: index))
        let branch = own(node)
        branch.setChild(index, outcome.reference)
        guard let (separator, right) = outcome.split else {
            apply(to: branch, index)
            return Outcome(reference: branch.reference)
        }
        branch.recount(index)
        let (left, split) = insert(right, separator, at: index + 1, into: branch)
        return Outcome(reference: left.reference, split: split.map { ($0.separator, $0.branch.reference) })
    }

    /// Adds a child to a branch this commit owns, splitting the branch when it has become too large.
    func insert(
        _ child: UInt64, _ separator: [UInt8], at index: Int, into branch: BranchNode
    ) -> (left: BranchNode, right: (separator: [UInt8], branch: BranchNode)?) {
        var branch = branch
        let count = branch.node.count
        if branch.insert(child: child, separator: separator, at: index) {
            guard branch.needsSplit else { return (branch, nil) }
            // Keys that arrive in order leave a nearly full branch behind.
            let right = branch.split(at: index == count ? count - 1 : branch.node.count / 2)
            return (branch, right)
        }
        if branch.canGrow(forSeparator: separator) {
            branch.grow(forSeparator: separator)
            let hasRoom = branch.insert(child: child, separator: separator, at: index)
            precondition(hasRoom, "a grown branch takes one more child")
            guard branch.needsSplit else { return (branch, nil) }
            let right = branch.split(at: branch.node.count / 2)
            return (branch, right)
        }
        // A separator that does not share the prefix stands at one end; only its few neighbours there are to lose it.
        let atEnd = index == count
        var (middle, right) = branch.split(at: atEnd ? count - 2 : 2)
        if atEnd {
            right.grow(forSeparator: separator)
        } else {
            branch.grow(forSeparator: separator)
        }
        let hasRoom =
            atEnd
            ? right.insert(child: child, separator: separator, at: 2)
            : branch.insert(child: child, separator: separator, at: index)
        precondition(hasRoom, "a grown branch takes one more child")
        return (branch, (middle, right))
    }

    /// - Parameter followers: so many entries more come to this leaf, so that a copy of it has room for them.
    mutating func put(_ entry: LeafEntry, leaf: Node, followers: Int = 0) -> Outcome {
        let (index, isEqual) = entry.lowerBound(in: leaf)
        var change = CountChange()
        if isEqual {
            note(theRemovalOf: index, of: leaf, in: &change)
            retireValue(of: leaf, index)
        }
        note(theArrivalOf: entry, in: &change)
        self.change = change
        var leaf = leaf
        if isEqual || leaf.count < heap.entryLimit,
            LeafNode.hasRoom(in: leaf, for: entry, replacing: isEqual ? index : nil),
            let own = own(
                leaf, extraByteCount: (1 + followers) * (2 + entry.keyByteCount + entry.cellByteCount),
                extraCount: followers)
        {
            leaf = own.node
            let done = isEqual ? own.replace(entry, at: index) : own.insert(entry, at: index)
            if done { return Outcome(reference: leaf.reference) }
        }
        let edit = LeafEdit(
            source: leaf, index: index, change: isEqual ? .replace(entry) : .insert(entry), heap: heap)
        let count = edit.count
        var outcome: Outcome
        let pageByteCount = edit.pageByteCount(0..<count)
        if count > 1, pageByteCount.count > pageByteCount.limit || count > heap.entryLimit {
            let middle = edit.splitPosition(of: pageByteCount.count)
            let separator = edit.separator(at: middle)
            let left = edit.compose(0..<middle)
            let right = edit.compose(middle..<count)
            outcome = Outcome(reference: left.reference, split: (separator, right.reference))
        } else {
            outcome = Outcome(reference: edit.compose(0..<count).reference)
        }
        retire(leaf)
        return outcome
    }

    // MARK: Removing

    /// `false` when there is no such key; then nothing was changed or copied.
    mutating func remove(_ key: RawSpan) throws(StorageError) -> Bool {
        guard !root.isEmpty else { return false }
        change = CountChange()
        guard let reference = try remove(key, from: try rootNode()) else { return false }
        root = TreeRoot(reference: reference)
        lowerRoot()
        return true
    }

    /// A root with one child is no longer needed. One that cannot be read may stay: the next reader says so.
    mutating func lowerRoot() {
        while !root.isEmpty {
            guard let node = try? rootNode(), node.level > 0, node.count == 1 else { break }
            root = TreeRoot(reference: node.child(0), checksum: node.checksum(0))
            heap.retire(node)
        }
    }

    /// Nodes are changed on the way back up, so that nothing is when the key turns out to be absent, and `nil` comes back.
    private mutating func remove(_ key: RawSpan, from node: Node) throws(StorageError) -> UInt64? {
        guard node.level > 0 else {
            return node.isDense ? try remove(key, dense: node) : remove(key, leaf: node)
        }
        let index = node.childIndex(of: key)
        guard let reference = try remove(key, from: try child(of: node, at: index)) else { return nil }
        let branch = own(node)
        if reference == 0 {
            branch.remove(at: index)
            guard branch.node.count == 0 else { return branch.reference }
            heap.retire(branch.node)
            return 0
        }
        branch.setChild(index, reference)
        apply(to: branch, index)
        return branch.reference
    }

    /// 0 when nothing is left of the leaf, `nil` when the key is not there.
    mutating func remove(_ key: RawSpan, leaf: Node) -> UInt64? {
        let (index, isThere) = leaf.lowerBound(of: key)
        guard isThere else { return nil }
        var change = CountChange()
        note(theRemovalOf: index, of: leaf, in: &change)
        self.change = change
        retireValue(of: leaf, index)
        if leaf.count == 1 {
            retire(leaf)
            return 0
        }
        if let own = own(leaf, extraByteCount: 0) {
            own.remove(at: index)
            return own.node.reference
        }
        let edit = LeafEdit(source: leaf, index: index, change: .remove, heap: heap)
        let composed = edit.compose(0..<edit.count)
        retire(leaf)
        return composed.reference
    }

    func note(theRemovalOf index: Int, of leaf: Node, in change: inout CountChange) {
        change.all -= 1
        change.old = leaf.facets(index)
        if !columns.isEmpty {
            change.identifier = leaf.trailingInteger(index)
            change.removed = EntryAmounts(leaf, index)
        }
        if keepsHashSum { change.hashSum &-= UInt128(leaf.entryHash(index)) }
    }

    func note(theArrivalOf entry: LeafEntry, in change: inout CountChange) {
        change.all += 1
        change.new = entry.facets
        if !columns.isEmpty {
            change.identifier = entry.identifier
            change.added = entry.amounts
        }
        if keepsHashSum { change.hashSum &+= UInt128(entry.entryHash) }
    }

    /// Lets go of the whole tree. Visits its memory nodes and reads no page: below a page there are pages only.
    mutating func removeAll() {
        retireAll(below: root.reference)
        pages.noteAllReplaced()
        root = .empty
    }

    private func retireAll(below reference: UInt64) {
        guard reference != 0, reference & 1 == 0 else { return }
        // Safe because memory references are made by the engine only and live until they are retired.
        let node = unsafe Node(reference: reference)
        for index in 0..<node.count {
            if node.level > 0 { retireAll(below: node.child(index)) } else { retireValue(of: node, index) }
        }
        heap.retire(node)
    }

    // MARK: Nodes

    /// A leaf that is no longer the tree's.
    func retire(_ leaf: Node) {
        if leaf.isInMemory { heap.retire(leaf) } else { pages.noteReplaced(leaf) }
    }

    func rootNode() throws(StorageError) -> Node {
        try pages.root(root, NodeShape(facetCount: facetCount, columnCount: columns.count))
    }

    /// A child that is about to be changed. A page whose keys leave its parent's range would grow separators that sort
    /// elsewhere.
    func child(of branch: Node, at index: Int) throws(StorageError) -> Node {
        let child = try pages.child(of: branch, at: index)
        let first = child.isLeaf ? 0 : 1
        // A dense leaf makes no separators of its page's keys.
        guard !child.isInMemory, !child.isDense, first < child.count else { return child }
        let isBehindLow = index == 0 || child.order(ofKey: first, relativeTo: branch, index) >= 0
        let isBeforeHigh =
            index == branch.count - 1 || child.order(ofKey: child.count - 1, relativeTo: branch, index + 1) < 0
        guard isBehindLow, isBeforeHigh else {
            throw .damaged(
                Damage(
                    file: pages.path, byteOffset: Int(child.pageNumber) * NodeLayout.pageByteCount,
                    page: Int(child.pageNumber), finding: "its keys do not lie within the range its parent gives it"))
        }
        return child
    }

    /// The leaf, or a copy of it that this commit may change; `nil` when it is better composed anew.
    private func own(_ leaf: Node, extraByteCount: Int, extraCount: Int = 0) -> LeafNode? {
        if let own = LeafNode(own: leaf, heap: heap) { return own }
        guard
            let copy = LeafNode(copying: leaf, extraByteCount: extraByteCount, extraCount: extraCount, heap: heap)
        else { return nil }
        retire(leaf)
        return copy
    }

    /// The branch, or a copy of it that this commit may change.
    func own(_ node: Node) -> BranchNode {
        if let own = BranchNode(own: node, columns, heap: heap) { return own }
        let copy = BranchNode(copying: node, columns, heap: heap)
        heap.retire(node)
        return copy
    }

    func retireValue(of leaf: Node, _ index: Int) {
        if let memory = leaf.largeValue(index) { heap.retire(memory) }
    }

    private func apply(to branch: BranchNode, _ index: Int) {
        if change.all != 0 { branch.addCount(index, column: 0, change.all) }
        var changed = change.old ^ change.new
        while changed != 0 {
            let facet = changed.trailingZeroBitCount
            changed &= changed - 1
            guard facet < facetCount else { break }
            branch.addCount(index, column: 1 + facet, (change.new >> UInt16(facet)) & 1 == 1 ? 1 : -1)
        }
        for column in 0..<columns.count { apply(column, to: branch, index) }
    }

    /// Sums are moved by what was removed and added. What cannot be is made anew from the child, whose own is right by now.
    private func apply(_ column: Int, to branch: BranchNode, _ index: Int) {
        let bits = branch.node.columnBits(column, ofChild: index)
        switch columns[column] {
        case .sum, .fingerprint, .hashSum:
            guard let difference = change.difference(in: columns[column]), difference != 0 else { return }
            branch.setColumn(index, column: column, bits &+ difference)
        case .bounds(let amount):
            let (removed, added) = (change.removed[amount], change.added[amount])
            if let bounds = ColumnTotal(columns[column], bits: bits).widened(by: added, without: removed) {
                branch.setColumn(index, column: column, bounds)
            } else {
                branch.retotal(index, column: column)
            }
        case .highest(let amount):
            retotalRunningSums(ofAmount: amount, in: branch, index)
        case .lowest(let amount):
            // The highest has brought it up to date.
            if columns.index(of: .highest(amount: amount)) == nil {
                retotalRunningSums(ofAmount: amount, in: branch, index)
            }
        }
    }

    /// An entry that is replaced by one of the same amount leaves all running sums as they are.
    private func retotalRunningSums(ofAmount amount: Int, in branch: BranchNode, _ index: Int) {
        guard change.moves(amount) else { return }
        branch.retotalRunningSums(index, ofAmount: amount)
    }
}
