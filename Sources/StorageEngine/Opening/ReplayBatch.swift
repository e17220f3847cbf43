/// Commits on their way from the log into the trees: of many commits the last word on each key, applied tree by tree in key order.
///
/// Entries that lie side by side are then changed one after the other while their leaf is at hand, and an entry that changed often
/// is changed once: a sixth of the time of doing it all again in the order it was done.
struct ReplayBatch {
    /// By the place of their tree in the state.
    private var runs: [EntryRun] = []
    /// Of commits that wait to be applied.
    private(set) var byteCount = 0
    /// Of a tree whose pages are damaged: whether it is marked as such, and the others go on. Without that the damage is thrown.
    private let keepsOtherTrees: Bool
    private let witness: (any ReplayWitness)?

    init(keepsOtherTrees: Bool = false, witness: (any ReplayWitness)? = nil) {
        self.keepsOtherTrees = keepsOtherTrees
        self.witness = witness
    }

    /// Operations of about this many bytes are gathered before they are applied.
    private static let applyingByteCount = 32 << 20

    /// Takes the next commit; `state` counts it. `false` when the payload holds anything but operations on trees that were declared.
    ///
    /// - Throws: `.limitExceeded` or `.schemaMismatch` for an operation that no transaction makes; what reading pages throws.
    mutating func add(_ payload: [UInt8], to state: WriteState) throws(StorageError) -> Bool {
        state.beginReplay()
        let isWhole = try payload.withBytes { (bytes) throws(StorageError) in
            try Operation.forEach(in: bytes) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, let key, let facets, let value):
                    let place = try prepare(tree, state)
                    try state.trees.declarations[place].check(key: key, value: value, facets: facets)
                    runs[place].append(key: key, value: value, facets: facets)
                    witness?.changed(key, in: tree)
                case .remove(let tree, let key):
                    let place = try prepare(tree, state)
                    // No tree has a key that is longer or shorter.
                    if Limits.keyByteCount.contains(key.byteCount) { runs[place].append(removing: key) }
                    witness?.changed(key, in: tree)
                case .declare(let declaration):
                    try state.declare(declaration)
                case .clear(let tree):
                    let place = try prepare(tree, state)
                    runs[place].removeAll()
                    witness?.cleared(tree)
                    _ = try state.removeAll(tree: tree)
                case .note: break
                }
            }
        }
        state.seal()
        byteCount += payload.count
        if byteCount >= Self.applyingByteCount { try apply(to: state) }
        return isWhole
    }

    /// Gives the tree's place, where a run is ready.
    private mutating func prepare(_ tree: TreeNumber, _ state: WriteState) throws(StorageError) -> Int {
        guard let place = state.trees.place(of: tree) else { throw .undeclared(tree) }
        if place >= runs.count {
            runs += Array(repeating: EntryRun(), count: state.trees.declarations.count - runs.count)
        }
        return place
    }

    /// Brings the trees to where the commits have led. Of a tree that cannot be read, what was made of it stays in the heap, and nobody has it.
    mutating func apply(to state: WriteState) throws(StorageError) {
        let places = runs.indices.filter { !runs[$0].isEmpty }
        defer {
            for place in places { runs[place].removeAll() }
            byteCount = 0
        }
        let trees = places.map { TreeRun(tree: state.trees.declarations[$0].number, run: runs[$0]) }
        for (tree, error) in zip(trees, state.apply(trees)) {
            guard let error else { continue }
            guard keepsOtherTrees, case .damaged(let damage) = error else { throw error }
            state.mark(tree.tree, as: damage)
        }
    }
}
