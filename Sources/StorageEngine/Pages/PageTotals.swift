/// What lies in or below a node, as its parent holds it.
struct PageTotals {
    /// Entries: all, then per facet.
    var counts: [UInt32]
    /// By the tree's columns.
    var columns: [ColumnTotal]

    /// Of no entries.
    init(_ tree: TreeDeclaration) {
        counts = Array(repeating: 0, count: 1 + tree.facetCount)
        columns = (0..<tree.columns.count).map { ColumnTotal(tree.columns[$0]) }
    }

    /// What a node's entries or children come to.
    init(of node: Node, _ tree: TreeDeclaration) {
        counts = (0...tree.facetCount).map { UInt32(truncatingIfNeeded: node.total(column: $0)) }
        columns = (0..<tree.columns.count).map { node.total(ofColumn: $0, of: tree.columns) }
    }

    /// What a branch holds of a child.
    init(ofChild index: Int, of branch: Node, _ tree: TreeDeclaration) {
        counts = (0...tree.facetCount).map { UInt32(truncatingIfNeeded: branch.childCount(index, column: $0)) }
        columns = (0..<tree.columns.count).map {
            branch.total(ofColumn: $0, of: tree.columns, in: index..<index + 1)
        }
    }

    /// Counts the facets of an entry.
    mutating func add(_ facets: UInt16) {
        for facet in 1..<counts.count { counts[facet] += UInt32((facets >> UInt16(facet - 1)) & 1) }
    }

    /// Adds what lies behind.
    mutating func add(_ other: PageTotals) {
        for column in counts.indices { counts[column] &+= other.counts[column] }
        for column in columns.indices { columns[column].add(other.columns[column]) }
    }

    /// How these, of what is there, are other than what was counted, as the rest of "child 3 …"; `nil` when they are not.
    func difference(from counted: PageTotals) -> String? {
        if counts != counted.counts {
            return "holds \(counts) entries, all and per facet; counted are \(counted.counts)"
        }
        for (found, expected) in zip(columns, counted.columns) where found.bits != expected.bits {
            return "holds \(found.words) as the \(found.column) of its entries; its parent says \(expected.words)"
        }
        return nil
    }
}
