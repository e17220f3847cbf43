/// The trees of a version: what each was declared as, and its root.
struct TreeTable: Sendable {
    /// In the order of the snapshot file, those that the log declared behind them.
    private(set) var declarations: [TreeDeclaration] = []
    private(set) var roots = RootTable()
    private var places = TreePlaces()
    /// Whether nothing can be read, because the store is not open, or could not be opened.
    let isAbsent: Bool

    init() { isAbsent = false }

    /// Of a store that is not open. Every tree is there and cannot be read.
    static let absent = TreeTable(isAbsent: true)

    private init(isAbsent: Bool) { self.isAbsent = isAbsent }

    init(_ superblock: Superblock) {
        isAbsent = false
        for tree in superblock.trees { add(tree.declaration, root: tree.root) }
    }

    mutating func add(_ declaration: TreeDeclaration, root: TreeRoot = .empty) {
        places.add(declaration.number)
        declarations.append(declaration)
        roots.append(root)
    }

    func place(of tree: TreeNumber) -> Int? { places[tree] }

    /// The empty root for a tree that was never declared or written.
    func root(of tree: TreeNumber) -> TreeRoot { place(of: tree).map { roots[$0] } ?? .empty }

    func reader(of tree: TreeNumber, _ pages: PageSource) -> TreeReader {
        guard let place = place(of: tree) else {
            return isAbsent ? TreeReader(unreadable: tree, pages: pages) : TreeReader(pages: pages)
        }
        return TreeReader(pages: pages, root: roots[place], declarations[place])
    }

    func declaration(of tree: TreeNumber) -> TreeDeclaration? { place(of: tree).map { declarations[$0] } }

    func damagedTrees(in file: SnapshotFile) -> [DamagedTree] {
        declarations.indices.filter { roots[$0].isUnreadable }.map {
            DamagedTree(declaration: declarations[$0], damage: file.damage(of: declarations[$0].number))
        }
    }

    mutating func setRoot(_ root: TreeRoot, at place: Int) { roots[place] = root }
}
