/// What a transaction has written so far, for what reads it in several calls: each sees the trees as they are at that moment.
///
/// It is not `Sendable`, so the thread that runs the transaction's body is the only one to use it.
public final class TransactionReader: TreeReadable {
    private let state: WriteState
    /// Until the body has returned or thrown. Nothing may be read behind that.
    public private(set) var isOpen = true
    /// Grows with every change that the transaction makes: what was worked out before is to be worked out again.
    public private(set) var changeCount = 0

    /// Entries that were left for later, by tree; without any where a tree has settled.
    private var runs: [(tree: TreeNumber, run: EntryRun)] = []
    /// Why some of them could not be put. The transaction cannot be kept then.
    private var failure: StorageError?

    init(_ state: WriteState) { self.state = state }

    func close() { isOpen = false }
    func noteChange() { changeCount += 1 }

    // MARK: Entries for later

    /// - Throws: `StorageError.limitExceeded` for an entry that the tree does not take.
    func put(_ value: RawSpan, _ key: RawSpan, _ facets: FacetSet, later tree: TreeNumber) throws(StorageError) {
        if let failure { throw failure }
        guard let declaration = state.trees.declaration(of: tree) else { throw .undeclared(tree) }
        try declaration.check(key: key, value: value, facets: facets.rawValue)
        noteChange()
        guard value.byteCount <= declaration.inlineByteCount else {
            try settle(tree)
            return try state.put(key: key, value: value, facets: facets.rawValue, tree: tree)
        }
        if let place = runs.firstIndex(where: { $0.tree == tree }) {
            runs[place].run.append(key: key, value: value, facets: facets.rawValue)
        } else {
            var run = EntryRun()
            run.append(key: key, value: value, facets: facets.rawValue)
            runs.append((tree, run))
        }
    }

    /// Puts what was left for later into a tree.
    func settle(_ tree: TreeNumber) throws(StorageError) {
        guard let place = runs.firstIndex(where: { $0.tree == tree }) else { return }
        try settle(at: place)
    }

    func settleAll() throws(StorageError) {
        for place in runs.indices { try settle(at: place) }
        if let failure { throw failure }
    }

    private func settle(at place: Int) throws(StorageError) {
        guard !runs[place].run.isEmpty else { return }
        // Empty meanwhile: what fails is not tried again.
        defer { runs[place].run.removeAll() }
        do throws(StorageError) {
            runs[place].run.sort()
            try state.put(runs[place].run, tree: runs[place].tree)
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// `Options.attachment` of the store.
    package var attachment: (any AnyObject & Sendable)? { state.generation.attachment }

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
