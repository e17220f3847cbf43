@testable import StorageEngine

extension Version {
    /// Safe to look at as long as the version is there.
    func leaves(of tree: TreeDeclaration) throws -> [Node] {
        var leaves: [Node] = []
        var readAhead = generation.file.readAhead
        try source(of: tree.number).reader.forEachLeaf(&readAhead) { leaf, _, _ in
            leaves.append(leaf)
            return true
        }
        return leaves
    }
}
