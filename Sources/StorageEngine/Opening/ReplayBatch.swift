import Dispatch

/// Commits on their way from the log into the trees: of many commits the last word on each key, applied tree by tree in key order.
///
/// Entries that lie side by side are then changed one after the other while their leaf is at hand, and an entry that changed often
/// is changed once: a sixth of the time of doing it all again in the order it was done.
struct ReplayBatch {
    /// By the place of their tree in the state.
    private var buffers: [SortBuffer?] = []
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
                    try buffers[place]?.append(key: key, facets: facets, value: value)
                    witness?.changed(key, in: tree)
                case .remove(let tree, let key):
                    let place = try prepare(tree, state)
                    buffers[place]?.append(removing: key)
                    witness?.changed(key, in: tree)
                case .declare(let declaration):
                    try state.declare(declaration)
                case .clear(let tree):
                    let place = try prepare(tree, state)
                    buffers[place]?.removeAll()
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

    /// Gives the tree's place, where a buffer is ready.
    private mutating func prepare(_ tree: TreeNumber, _ state: WriteState) throws(StorageError) -> Int {
        guard let place = state.trees.place(of: tree) else { throw .undeclared(tree) }
        if place >= buffers.count {
            buffers += Array(repeating: nil, count: state.trees.declarations.count - buffers.count)
        }
        if buffers[place] == nil { buffers[place] = SortBuffer(state.trees.declarations[place]) }
        return place
    }

    /// Brings the trees to where the commits have led: on all cores, where there is much to do and nothing was done before.
    mutating func apply(to state: WriteState) throws(StorageError) {
        let gathered = buffers.compactMap { $0 }.filter { $0.count > 0 }
        for index in buffers.indices { buffers[index]?.removeAll() }
        defer { byteCount = 0 }
        guard state.isAsInSnapshot, byteCount >= Self.concurrentByteCount else {
            for buffer in gathered {
                try settle(buffer.tree, state) { () throws(StorageError) in
                    try state.change(buffer.tree) { (tree) throws(StorageError) in try buffer.replay(into: &tree) }
                }
            }
            return
        }
        try apply(gathered.sorted { $0.count > $1.count }, to: state)
    }

    private func settle(
        _ tree: TreeNumber, _ state: WriteState, _ change: () throws(StorageError) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            try change()
        } catch {
            guard keepsOtherTrees, case .damaged(let damage) = error else { throw error }
            state.mark(tree, as: damage)
        }
    }

    /// Fewer bytes of commits take less time than a thread to wake up.
    private static let concurrentByteCount = 1 << 18

    /// A tree on each core at a time.
    private func apply(_ buffers: [SortBuffer], to state: WriteState) throws(StorageError) {
        let outcomes = Lock([Result<WriteState.ChangedTree, StorageError>?](repeating: nil, count: buffers.count))
        DispatchQueue.concurrentPerform(iterations: buffers.count) { index in
            let outcome = Result { () throws(StorageError) in
                try state.changing(buffers[index].tree) { (tree) throws(StorageError) in
                    try buffers[index].replay(into: &tree)
                }
            }
            outcomes.withLock { $0[index] = outcome }
        }
        for (buffer, outcome) in zip(buffers, outcomes.withLock { $0 }) {
            try settle(buffer.tree, state) { () throws(StorageError) in
                if let changed = try outcome?.get() { state.take(changed) }
            }
        }
    }
}

extension SortBuffer {
    /// Puts and removes in key order, of each key what came last.
    fileprivate func replay(into tree: inout TreeChange) throws(StorageError) {
        try sorted().withBytes { (bytes) throws(StorageError) in
            var offset = 0
            while offset < bytes.byteCount {
                let key = bytes.extracting(bytes.sortedEntryKey(at: offset))
                let next = offset + bytes.sortedEntryByteCount(at: offset)
                defer { offset = next }
                if next < bytes.byteCount,
                    bytes.extracting(bytes.sortedEntryKey(at: next)).order(relativeTo: key) == 0
                {
                    continue
                }
                if bytes.isSortedEntryRemoval(at: offset) {
                    _ = try tree.remove(key)
                } else {
                    try tree.put(
                        key: key, value: bytes.extracting(bytes.sortedEntryValue(at: offset)),
                        facets: bytes.sortedEntryFacets(at: offset))
                }
            }
        }
    }
}
