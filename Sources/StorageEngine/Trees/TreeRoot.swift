/// Where a tree begins: a child reference as in a branch, or nothing.
struct TreeRoot: Sendable, Equatable {
    /// 0 for a tree without entries.
    var reference: UInt64 = 0
    /// Of the root page; 0 when the root is a memory node.
    var checksum: UInt32 = 0

    static let empty = TreeRoot()
    var isEmpty: Bool { reference == 0 }

    /// The root of a tree that the log could not be replayed into. It leads to the superblock, which is no page of a tree: to
    /// read it throws what is known of the damage.
    static func unreadable(_ tree: TreeNumber) -> TreeRoot {
        TreeRoot(reference: superblockReference, checksum: tree.rawValue)
    }
    var isUnreadable: Bool { reference == Self.superblockReference }
    private static let superblockReference: UInt64 = 1
}

extension PageSource {
    /// The root node, which has the shape of its tree. Every node below is compared with its parent.
    @inline(__always)
    func root(_ root: TreeRoot, _ shape: NodeShape) throws(StorageError) -> Node {
        let node = try node(root.reference, checksum: root.checksum)
        guard node.shape == shape else {
            throw .damaged(
                Damage(
                    file: path, byteOffset: Int(node.pageNumber) * NodeLayout.pageByteCount,
                    page: Int(node.pageNumber),
                    finding: "the root has \(node.shape), its tree \(shape)"))
        }
        return node
    }

    /// The node behind a child of a branch. Levels descend one by one, so a page that points back up cannot trap a reader in
    /// a ring.
    @inline(__always)
    func child(of branch: Node, at index: Int) throws(StorageError) -> Node {
        let child = try node(branch.child(index), checksum: branch.checksum(index))
        guard child.level == branch.level - 1, child.shape == branch.shape else {
            throw misplaced(branch, index)
        }
        return child
    }

    /// The same for who visits all below: pages that lie below several, and hold less than these count, would be visited without end.
    func countedChild(of branch: Node, at index: Int) throws(StorageError) -> Node {
        let child = try child(of: branch, at: index)
        guard child.total(column: 0) == branch.childCount(index, column: 0) else {
            let page = Int(number(of: child) ?? 0)
            throw .damaged(
                Damage(
                    file: path, byteOffset: page * NodeLayout.pageByteCount, page: page,
                    finding: "it holds another number of entries than its parent counts"))
        }
        return child
    }

    @inline(never)
    private func misplaced(_ branch: Node, _ index: Int) -> StorageError {
        let page = Int(branch.child(index) >> 1)
        return .damaged(
            Damage(
                file: path, byteOffset: page * NodeLayout.pageByteCount, page: page,
                finding: "the page does not belong below level \(branch.level)"))
    }
}
