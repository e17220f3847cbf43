/// The roots of a version's trees.
struct TreeTable: Sendable {
    private(set) var declarations: [TreeDeclaration]
    private(set) var roots: [TreeRoot]
    /// Tree number → place in the arrays, or -1.
    private var places: [Int8]

    init() {
        declarations = []
        roots = []
        places = Array(repeating: -1, count: 64)
    }

    init(_ superblock: Superblock) {
        self.init()
        for tree in superblock.trees { add(tree.declaration, root: tree.root) }
    }

    mutating func add(_ declaration: TreeDeclaration, root: TreeRoot = .empty) {
        places[Int(declaration.number.rawValue)] = Int8(declarations.count)
        declarations.append(declaration)
        roots.append(root)
    }

    func place(of tree: TreeNumber) -> Int? {
        let number = Int(tree.rawValue)
        guard number < places.count, places[number] >= 0 else { return nil }
        return Int(places[number])
    }

    /// The empty root for a tree that was never declared or written.
    func root(of tree: TreeNumber) -> TreeRoot { place(of: tree).map { roots[$0] } ?? .empty }

    func reader(of tree: TreeNumber, _ pages: PageSource) -> TreeReader {
        guard let place = place(of: tree) else { return TreeReader(pages: pages, root: .empty, facetCount: 0) }
        return TreeReader(pages: pages, root: roots[place], facetCount: declarations[place].facetCount)
    }

    func declaration(of tree: TreeNumber) -> TreeDeclaration? { place(of: tree).map { declarations[$0] } }

    func damagedTrees(in file: SnapshotFile) -> [DamagedTree] {
        zip(declarations, roots).filter { $0.1.isUnreadable }.map { tree, _ in
            DamagedTree(declaration: tree, damage: file.damage(of: tree.number))
        }
    }

    mutating func setRoot(_ root: TreeRoot, at place: Int) { roots[place] = root }
}
