/// The trees that operations of a log may name: the snapshot's, and those that the log declared before.
struct DeclaredTrees {
    private var trees: TreeTable

    init(_ superblock: Superblock) { trees = TreeTable(superblock) }

    /// Why an operation cannot be replayed, as the rest of "commit 7 …"; `nil` when it can. A declaration counts from here on.
    mutating func objection(to operation: borrowing Operation) -> String? {
        switch operation {
        case .put(let tree, _, let facets, let value):
            guard let declaration = trees.declaration(of: tree) else { return Self.undeclared(tree) }
            if Int(facets) >> declaration.facetCount != 0 {
                return "puts facets into tree \(declaration.name) that it does not count"
            }
            guard declaration.columns.amountCount > 0, value.byteCount > Limits.hotValueByteCount else { return nil }
            return "puts \(value.byteCount) bytes into tree \(declaration.name), which has amounts"
        case .remove(let tree, _), .clear(let tree):
            return trees.declaration(of: tree) == nil ? Self.undeclared(tree) : nil
        case .note: return nil
        case .declare(let declaration):
            if let known = trees.declaration(of: declaration.number) {
                return known == declaration ? nil : "declares tree \(known.name) as other than it is"
            }
            guard trees.declarations.count < Limits.treeCount else { return "declares more trees than a store has" }
            trees.add(declaration)
            return nil
        }
    }

    private static func undeclared(_ tree: TreeNumber) -> String {
        "changes tree \(tree.rawValue), which was not declared"
    }
}
