/// What a transaction has written so far, for what reads it in several calls: each sees the trees as they are at that moment.
///
/// It is not `Sendable`, so the thread that runs the transaction's body is the only one to use it.
public final class TransactionReader: TreeReadable {
    private let state: WriteState
    /// Until the body has returned or thrown. Nothing may be read behind that.
    public private(set) var isOpen = true
    /// Grows with every change that the transaction makes: what was worked out before is to be worked out again.
    public private(set) var changeCount = 0

    /// Entries that were left for later.
    private var later = LaterEntries()
    /// Why some of them could not be put. The transaction cannot be kept then.
    private var failure: StorageError?

    init(_ state: WriteState) { self.state = state }

    func close() { isOpen = false }
    func noteChange() { changeCount += 1 }

    // MARK: Entries for later

    /// - Throws: `StorageError.limitExceeded` for an entry that the tree does not take.
    func put(_ value: RawSpan, _ key: RawSpan, _ facets: FacetSet, later tree: TreeNumber) throws(StorageError) {
        if let failure { throw failure }
        let index = try laterIndex(of: tree)
        if try !later.put(value, key, facets, at: index) {
            try settle(at: index)
            try state.put(key: key, value: value, facets: facets.rawValue, tree: tree)
        }
        noteChange()
    }

    /// - Throws: `StorageError.limitExceeded` for a key that no tree takes.
    func remove(_ key: RawSpan, later tree: TreeNumber) throws(StorageError) {
        if let failure { throw failure }
        try later.remove(key, at: try laterIndex(of: tree))
        noteChange()
    }

    private func laterIndex(of tree: TreeNumber) throws(StorageError) -> Int {
        if let index = later.index(of: tree) { return index }
        guard let declaration = state.trees.declaration(of: tree) else { throw .undeclared(tree) }
        return later.add(declaration)
    }

    /// Puts what was left for later into a tree.
    func settle(_ tree: TreeNumber) throws(StorageError) {
        guard let index = later.index(of: tree) else { return }
        try settle(at: index)
    }

    func settleAll() throws(StorageError) {
        for index in later.indices { try settle(at: index) }
        if let failure { throw failure }
    }

    private func settle(at index: Int) throws(StorageError) {
        do throws(StorageError) {
            try later.settle(index) { (run, tree) throws(StorageError) in try state.put(run, tree: tree) }
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// `Options.attachment` of the store.
    public var attachment: (any AnyObject & Sendable)? { state.generation.attachment }

    public func declaration(of tree: TreeNumber) -> TreeDeclaration? { state.trees.declaration(of: tree) }

    /// The trees there are so far.
    public var declarations: [TreeDeclaration] { state.trees.declarations }

    /// - Precondition: the transaction is open.
    public func source(of tree: TreeNumber) -> TreeSource {
        precondition(isOpen, "a transaction is read before it ends")
        // What cannot be put ends the transaction; until then such a tree cannot be read.
        try? settle(tree)
        return TreeSource(
            reader: state.trees.reader(of: tree, state.generation.file.pages), owner: .head(state.generation))
    }
}
