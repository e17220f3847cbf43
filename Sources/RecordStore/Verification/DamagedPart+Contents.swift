import StorageEngine

extension LibraryContents {
    /// What a tree is part of.
    func part(of tree: TreeNumber) -> DamagedPart {
        if LibraryTree.isOrder(tree) { return .index(.appOrders) }
        if let derived = allDerived.first(where: { $0.number == tree }) { return .index(derived) }
        if tree == texts { return .texts }
        if tree >= LibraryTree.firstKind { return .records(tree, name: "app") }
        guard tree >= LibraryTree.firstOrder || allTrees.contains(where: { $0.number == tree }) else {
            return .others(tree)
        }
        return .records(tree, name: allTrees.first { $0.number == tree }?.name ?? "\(tree.rawValue)")
    }
}
