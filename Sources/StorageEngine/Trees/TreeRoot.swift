/// Where a tree begins: a child reference as in a branch, or nothing.
struct TreeRoot: Sendable, Equatable {
    /// 0 for a tree without entries.
    var reference: UInt64 = 0
    /// Of the root page; 0 when the root is a memory node.
    var checksum: UInt32 = 0

    static let empty = TreeRoot()
    var isEmpty: Bool { reference == 0 }
}
