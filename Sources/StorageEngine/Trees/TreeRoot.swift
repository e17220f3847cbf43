/// Where a tree begins: a child reference as in a branch, or nothing.
struct TreeRoot: Sendable, Equatable {
    /// 0 for a tree without entries.
    var reference: UInt64 = 0
    /// Of the root page; 0 when the root is a memory node.
    var checksum: UInt32 = 0

    static let empty = TreeRoot()
    var isEmpty: Bool { reference == 0 }
}

extension PageSource {
    /// The root node, which belongs to a tree of so many facets. Every node below is compared with its parent.
    @inline(__always)
    func root(_ root: TreeRoot, facetCount: Int) throws(StorageError) -> Node {
        let node = try node(root.reference, checksum: root.checksum)
        guard node.facetCount == facetCount else {
            throw .damaged(
                Damage(
                    file: origin.path, byteOffset: Int(node.pageNumber) * NodeLayout.pageByteCount,
                    page: Int(node.pageNumber),
                    finding: "the root counts \(node.facetCount) facets, its tree \(facetCount)"))
        }
        return node
    }
}
