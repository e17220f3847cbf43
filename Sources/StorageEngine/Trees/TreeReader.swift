/// Reads one tree: a root and the pages below it. A plain value of a few words with nothing to retain; whoever makes
/// one keeps the version alive while using it.
///
/// Costs, in nodes visited (height is 3 or 4 at a million entries): get, rank, select: one per level.
struct TreeReader {
    let pages: PageSource
    let root: TreeRoot
    /// As declared. A count of another facet is nothing.
    let facetCount: Int
    let columns: TreeColumns
    /// Of a tree with a home.
    let lead: KeyLead?

    /// Of a tree that is not there.
    init(pages: PageSource) {
        self.pages = pages
        root = .empty
        facetCount = 0
        columns = .none
        lead = nil
    }

    /// Of a tree of which nothing is known. Every read throws.
    init(unreadable tree: TreeNumber, pages: PageSource) {
        self.pages = pages
        root = .unreadable(tree)
        facetCount = Limits.facetCount
        columns = .none
        lead = nil
    }

    init(pages: PageSource, root: TreeRoot, _ tree: TreeDeclaration) {
        self.pages = pages
        self.root = root
        facetCount = tree.facetCount
        columns = tree.columns
        lead = tree.home?.lead
    }

    @inline(__always)
    func rootNode() throws(StorageError) -> Node? {
        guard !root.isEmpty else { return nil }
        return try pages.root(root, NodeShape(facetCount: facetCount, columnCount: columns.count))
    }

    /// A place in a leaf.
    struct Place {
        let leaf: Node
        let index: Int
    }

    func find(_ key: RawSpan) throws(StorageError) -> Place? {
        guard var node = try rootNode() else { return nil }
        while node.level > 0 { node = try pages.child(of: node, at: node.childIndex(of: key)) }
        let (index, isEqual) = try pages.lowerBound(of: key, in: node, lead)
        return isEqual ? Place(leaf: node, index: index) : nil
    }

    /// All entries (column 0), or those of one facet (column 1 + facet).
    func count(column: Int) throws(StorageError) -> Int {
        guard column <= facetCount, let node = try rootNode() else { return 0 }
        return node.total(column: column)
    }

    /// How many entries of a column have a key less than `key`.
    func lowerBound(of key: RawSpan, column: Int) throws(StorageError) -> Int {
        guard column <= facetCount, let (leaf, before) = try descend(to: key, column: column) else { return 0 }
        return before + leaf.total(before: try pages.lowerBound(of: key, in: leaf, lead).index, column: column)
    }

    /// How many entries of a column stand before a position among all entries.
    func rank(of position: Int, column: Int) throws(StorageError) -> Int {
        guard column <= facetCount, position > 0, var node = try rootNode() else { return 0 }
        guard position < node.total(column: 0) else { return node.total(column: column) }
        var left = position
        var rank = 0
        while node.level > 0 {
            let (index, before) = node.child(at: left, column: 0)
            rank += node.total(before: index, column: column)
            left -= before
            node = try pages.child(of: node, at: index)
        }
        return rank + node.total(before: min(left, node.count), column: column)
    }

    /// The place of the first entry whose key is not less than `key`, and how many entries precede its leaf. The place is behind the
    /// leaf's last when that entry is the first of the next.
    func seek(_ key: RawSpan) throws(StorageError) -> (place: Place, leafStart: Int)? {
        guard let (leaf, before) = try descend(to: key, column: 0) else { return nil }
        return (Place(leaf: leaf, index: try pages.lowerBound(of: key, in: leaf, lead).index), before)
    }

    /// The leaf that a key is in, or would be, and how many of a column's entries precede it.
    private func descend(to key: RawSpan, column: Int) throws(StorageError) -> (leaf: Node, before: Int)? {
        guard var node = try rootNode() else { return nil }
        var before = 0
        while node.level > 0 {
            let index = node.childIndex(of: key)
            before += node.total(before: index, column: column)
            node = try pages.child(of: node, at: index)
        }
        return (node, before)
    }

    /// The entry at a position of a column, and how many of the column's entries precede its leaf.
    func select(_ position: Int, column: Int) throws(StorageError) -> (place: Place, leafStart: Int)? {
        try select(position, column: column) { _, _, _ in }
    }

    /// The same within a visit of several entries, whose next leaves are asked for with this one.
    @inline(__always)
    private func select(_ position: Int, _ leaves: inout LeavesAhead) throws(StorageError) -> Place? {
        try select(position, column: leaves.column) { branch, child, start in
            leaves.ask(from: child, at: start, of: branch, pages)
        }?.place
    }

    /// - Parameter lookAhead: told of the branch above the leaf, of which of its children that is, and how many of the column's entries precede it.
    @inline(__always)
    private func select(
        _ position: Int, column: Int, _ lookAhead: (_ branch: Node, _ child: Int, _ start: Int) -> Void
    ) throws(StorageError) -> (place: Place, leafStart: Int)? {
        guard position >= 0, column <= facetCount, var node = try rootNode(), position < node.total(column: column)
        else { return nil }
        var start = 0
        while node.level > 0 {
            let (index, before) = node.child(at: position - start, column: column)
            start += before
            if node.level == 1 { lookAhead(node, index, start) }
            node = try pages.child(of: node, at: index)
        }
        let index = column == 0 ? position - start : node.index(ofFacet: column - 1, at: position - start)
        guard let index, index < node.count else {
            // The counts above promised an entry that the leaf does not have.
            throw .damaged(
                Damage(
                    file: pages.path, byteOffset: Int(node.pageNumber) * NodeLayout.pageByteCount,
                    page: Int(node.pageNumber), finding: "the leaf holds fewer entries than its parents count"))
        }
        return (Place(leaf: node, index: index), start)
    }

    /// How many entries precede the leaf with the entry at a position, and how many it has, as the branches above count: the leaf is not read.
    /// `nil` behind the last.
    func leafBounds(of position: Int) throws(StorageError) -> Range<Int>? {
        guard position >= 0, var node = try rootNode(), position < node.total(column: 0) else { return nil }
        var bounds = 0..<node.total(column: 0)
        while node.level > 0 {
            let (index, before) = node.child(at: position - bounds.lowerBound, column: 0)
            let start = bounds.lowerBound + before
            bounds = start..<start + node.childCount(index, column: 0)
            guard node.level > 1 else { break }
            node = try pages.child(of: node, at: index)
        }
        return bounds
    }

    /// Visits the entries whose keys are not less than `key`, in order, until `body` returns false. A descent for each leaf.
    ///
    /// - Parameter mayGoOn: whether entries may be wanted that are not less than a separator. A leaf behind one that says no is not read.
    func forEach(
        from key: RawSpan, while mayGoOn: (_ separator: RawSpan) -> Bool,
        _ body: (Place) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var separator = try forEachInLeaf(from: key, { _, _ in }, body)
        // A visit that goes on behind its first leaf is likely to want a few more.
        var askedCount = 0
        while let bound = separator, bound.withBytes(mayGoOn) {
            separator = try bound.withBytes { (bound) throws(StorageError) in
                try forEachInLeaf(from: bound) { branch, child in
                    if askedCount == 0 { askedCount = LeavesAhead.ask(from: child, of: branch, pages, while: mayGoOn) }
                    askedCount -= 1
                } _: { (place) throws(StorageError) in
                    try body(place)
                }
            }
        }
    }

    /// The same in the leaf that the key is in, or would be. Gives the separator behind that leaf, which is greater than the key; `nil`
    /// where there is none, or `body` has returned false.
    @inline(__always)
    private func forEachInLeaf(
        from key: RawSpan, _ lookAhead: (_ branch: Node, _ child: Int) -> Void,
        _ body: (Place) throws(StorageError) -> Bool
    ) throws(StorageError) -> [UInt8]? {
        guard var node = try rootNode() else { return nil }
        var next: (branch: Node, child: Int)?
        while node.level > 0 {
            let index = node.childIndex(of: key)
            if index + 1 < node.count { next = (node, index + 1) }
            if node.level == 1 { lookAhead(node, index) }
            node = try pages.child(of: node, at: index)
        }
        for index in try pages.lowerBound(of: key, in: node, lead).index..<node.count {
            guard try body(Place(leaf: node, index: index)) else { return nil }
        }
        return next.map { $0.branch.key($0.child) }
    }

    /// Visits the entries of a column at `positions` in order, until `body` returns false. A descent per leaf, then a
    /// few nanoseconds an entry: no stack of nodes to keep.
    func forEach(
        _ positions: Range<Int>, column: Int, _ body: (Place) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var position = positions.lowerBound
        var leaves = LeavesAhead(of: positions, column)
        while position < positions.upperBound {
            guard let place = try select(position, &leaves) else { return }
            let leaf = place.leaf
            var index = place.index
            var asked: Int? = index
            while index < leaf.count, position < positions.upperBound {
                if index == asked {
                    asked = ask(for: positions.upperBound - position, of: index..<leaf.count, leaf, column)
                }
                if has(column, leaf, index) {
                    guard try body(Place(leaf: leaf, index: index)) else { return }
                    position += 1
                }
                index += 1
            }
        }
    }

    /// The leaves with the entries at `positions`, and which of a leaf's these are, until `body` returns false. A descent for each leaf.
    func forEachLeaf(
        _ positions: Range<Int>, _ body: (Node, Range<Int>) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var position = positions.lowerBound
        var leaves = LeavesAhead(of: positions, 0)
        while position < positions.upperBound, let place = try select(position, &leaves) {
            let end = place.index + min(place.leaf.count - place.index, positions.upperBound - position)
            guard try body(place.leaf, place.index..<end) else { return }
            position += end - place.index
        }
    }

    /// The same backwards, from the last of `positions` to the first.
    ///
    /// - Parameter endsAnywhere: whether `body` is likely to end it before.
    func forEachReversed(
        _ positions: Range<Int>, column: Int, endsAnywhere: Bool = false,
        _ body: (Place) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var position = positions.upperBound - 1
        var leaves = LeavesAhead(of: positions, column, isReversed: true, endsAnywhere: endsAnywhere)
        while position >= positions.lowerBound {
            guard let place = try select(position, &leaves) else { return }
            let leaf = place.leaf
            var index = place.index
            var asked: Int? = index
            while index >= 0, position >= positions.lowerBound {
                if index == asked {
                    asked = ask(for: position + 1 - positions.lowerBound, of: (0...index).reversed(), leaf, column)
                }
                if has(column, leaf, index) {
                    guard try body(Place(leaf: leaf, index: index)) else { return }
                    position -= 1
                }
                index -= 1
            }
        }
    }

    /// Asks for the pages that the next entries of a column have their keys on, in a leaf that holds none itself: for some at a time, since who visits
    /// them may not want all.
    ///
    /// - Parameter entries: from one of the column on.
    /// - Returns: the entry of the column at which to ask again.
    @inline(__always)
    private func ask(for count: Int, of entries: some Collection<Int>, _ leaf: Node, _ column: Int) -> Int? {
        guard leaf.isPermuted, let first = entries.first else { return nil }
        // Where one is read all are, as a rule.
        guard pages.isHomeUntouched(of: first, in: leaf) else {
            return entries.dropFirst(Self.entryCountAsked).first { has(column, leaf, $0) }
        }
        return askForSome(count, of: entries, leaf, column)
    }

    private static var entryCountAsked: Int { 64 }

    @inline(never)
    private func askForSome(_ count: Int, of entries: some Collection<Int>, _ leaf: Node, _ column: Int) -> Int? {
        var wanted: [Int] = []
        for entry in entries where has(column, leaf, entry) {
            guard wanted.count < min(count, Self.entryCountAsked) else {
                pages.ask(forHomesOf: wanted, in: leaf)
                return entry
            }
            wanted.append(entry)
        }
        pages.ask(forHomesOf: wanted, in: leaf)
        return nil
    }

    @inline(__always)
    private func has(_ column: Int, _ leaf: Node, _ entry: Int) -> Bool {
        column == 0 || (leaf.facets(entry) >> UInt16(column - 1)) & 1 == 1
    }
}
