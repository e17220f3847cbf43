/// What the nodes of a tree have besides keys and values, as each says in its header.
struct NodeShape: Equatable, CustomStringConvertible {
    let facetCount: Int
    let columnCount: Int

    @inline(__always) init(facetCount: Int, columnCount: Int) {
        self.facetCount = facetCount
        self.columnCount = columnCount
    }

    var description: String { "\(facetCount) facets and \(columnCount) columns" }

    init(_ tree: TreeDeclaration) { self.init(facetCount: tree.facetCount, columnCount: tree.columns.count) }
}
