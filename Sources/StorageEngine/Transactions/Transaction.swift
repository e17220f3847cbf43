/// A transaction in the making. Reads see what it has written so far. It cannot leave the closure it is given to; when
/// that throws, nothing of it remains.
public struct Transaction: ~Copyable, TreeReadable {
    /// The number the commit will have.
    public let commitNumber: UInt64
    /// Travels with the commit to `onPublish`.
    public var note: (any Sendable)?
    /// What the transaction before kept in `memo`, so that this one need not read it from the trees. `nil` where that kept nothing, was undone, or
    /// was made by another process or from files.
    package let earlierMemo: (any Sendable)?
    /// What the next transaction is to know of the trees, if this one becomes a commit.
    package var memo: (any Sendable)?
    private let state: WriteState
    /// To be handed to what reads in pieces.
    package let reader: TransactionReader
    var operations: OperationEncoder { reader.operations }

    init(state: WriteState, helper: TransactionReader.Helper?) {
        self.state = state
        reader = TransactionReader(state, helper)
        earlierMemo = state.memo
        commitNumber = state.commitNumber + 1
    }

    /// `Options.attachment` of the store.
    public var attachment: (any AnyObject & Sendable)? { reader.attachment }
    public var declarations: [TreeDeclaration] { reader.declarations }

    /// As of a version.
    package var storeNumber: UInt64 { state.generation.storeNumber }

    public borrowing func source(of tree: TreeNumber) -> TreeSource { reader.source(of: tree) }

    public borrowing func declaration(of tree: TreeNumber) -> TreeDeclaration? { reader.declaration(of: tree) }

    /// Inserts an entry, or replaces the one with the same key. 3 or 4 nodes; `StorageError.limitExceeded` for a key,
    /// value or transaction beyond `Limits`.
    public mutating func put(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], in tree: TreeNumber
    ) throws(StorageError) {
        try key.withBytes { (key) throws(StorageError) in
            try value.withBytes { (value) throws(StorageError) in
                try put(value, key, facets, tree)
            }
        }
    }

    /// The same for a key of eight bytes, the number in big-endian order.
    public mutating func put(
        _ value: [UInt8], forKey key: UInt64, facets: FacetSet = [], in tree: TreeNumber
    ) throws(StorageError) {
        try put(value, forKey: .key(key), facets: facets, in: tree)
    }

    /// The same for one of many: the tree is changed when it is next asked for anything, or before the commit is written, and then by all
    /// such entries at once, also by those of commits that are written together with this one. That costs a third. A long transaction has it changed by
    /// another thread while it goes on, so nobody who goes through a tree leaves anything for it meanwhile.
    public mutating func putLater(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], in tree: TreeNumber
    ) throws(StorageError) {
        try reader.putLater(value, forKey: key, facets: facets, in: tree)
    }

    /// The same for a key of eight bytes, the number in big-endian order.
    public mutating func putLater(
        _ value: [UInt8], forKey key: UInt64, facets: FacetSet = [], in tree: TreeNumber
    ) throws(StorageError) {
        try putLater(value, forKey: .key(key), facets: facets, in: tree)
    }

    /// Removes a key that is there, as `putLater` puts one: it goes with all others that were left for later.
    public mutating func removeLater(_ key: [UInt8], in tree: TreeNumber) throws(StorageError) {
        try reader.removeLater(key, in: tree)
    }

    /// Makes what is pending, and leaves its entries for later.
    ///
    /// - Throws: what made a change impossible, also for somebody who read meanwhile. Nothing of the transaction may stay then.
    func finish() throws(StorageError) { try reader.finish() }

    /// `false` when there was no such key.
    @discardableResult
    public mutating func remove(_ key: [UInt8], in tree: TreeNumber) throws(StorageError) -> Bool {
        try key.withBytes { (key) throws(StorageError) in
            try reader.checkSize(adding: key.byteCount)
            try reader.prepareChange(of: tree)
            guard try state.remove(key: key, tree: tree) else { return false }
            reader.note { $0.remove(tree: tree, key: key) }
            return true
        }
    }

    @discardableResult
    public mutating func remove(_ key: UInt64, in tree: TreeNumber) throws(StorageError) -> Bool {
        try remove(.key(key), in: tree)
    }

    /// Empties a tree without reading it: its pages may be damaged. Costs what changed in it since the snapshot.
    public mutating func removeAll(in tree: TreeNumber) throws(StorageError) {
        try reader.checkSize(adding: 0)
        let hadEntriesForLater = try reader.dropLater(tree)
        guard try state.removeAll(tree: tree) || hadEntriesForLater else { return }
        reader.note { $0.clear(tree: tree) }
    }

    /// Adds an empty tree with the commit; one that is there already has to be declared the same.
    ///
    /// - Throws: `StorageError.schemaMismatch` for a declaration that cannot be, `.limitExceeded` for one tree too many.
    public mutating func declare(_ tree: TreeDeclaration) throws(StorageError) {
        try reader.checkSize(adding: tree.name.utf8.count)
        try reader.join()
        try state.declare(tree)
        reader.log { $0.declare(tree) }
    }

    /// Whether it has changed anything so far. One that has not makes no commit.
    package var hasChanges: Bool { !operations.isEmpty }

    /// Whether notes of so many bytes fit beside what the transaction holds.
    package func hasRoom(forNotes byteCounts: [Int]) -> Bool {
        let byteCount = byteCounts.reduce(0) { $0 + $1 + OperationEncoder.overheadByteCount }
        return (try? reader.checkSize(adding: byteCount)) != nil
    }

    /// Says something about the commit in the log, beside what it changes; see `LogNote`.
    ///
    /// - Precondition: it has changed something, and the code is one of notes.
    package mutating func addNote(_ code: UInt8, _ note: [UInt8]) throws(StorageError) {
        precondition(Operation.noteCodes.contains(code), "\(code) is the code of a note")
        precondition(hasChanges, "a note is about a commit")
        try reader.checkSize(adding: note.count)
        reader.log { $0.note(code, note) }
    }

    mutating func put(
        _ value: RawSpan, _ key: RawSpan, _ facets: FacetSet, _ tree: TreeNumber
    ) throws(StorageError) {
        try reader.checkSize(adding: key.byteCount + value.byteCount)
        try reader.prepareChange(of: tree)
        try state.put(key: key, value: value, facets: facets.rawValue, tree: tree)
        reader.note { $0.put(tree: tree, key: key, facets: facets.rawValue, value: value) }
    }
}
