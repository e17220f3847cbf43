/// What a transaction has written so far, for what reads it in several calls: each sees the trees as they are at that moment.
///
/// It is not `Sendable`, so the thread that runs the transaction's body is the only one to use it.
public final class TransactionReader: TreeReadable {
    private let state: WriteState
    private let helper: Helper?
    /// Until the body has returned or thrown. Nothing may be read behind that.
    public private(set) var isOpen = true
    /// Grows with every change that the transaction makes: what was worked out before is to be worked out again.
    public private(set) var changeCount = 0

    /// What the commit says in the log.
    private(set) var operations = OperationEncoder()

    /// Changes that are not entries yet.
    package var pending: (any PendingChanges)?
    /// Why a change could not be made. The transaction cannot be kept then.
    private(set) var failure: StorageError?

    /// Who puts into their trees what a long transaction leaves for later, while it goes on.
    struct Helper {
        let work: any BackgroundWork
        /// Is asked whenever the transaction has so many bytes more.
        let byteCount: Int
        /// And then if it is worth a thread.
        let leastEntryCount: Int
    }

    /// Of operations, when the helper is asked next.
    private var nextByteCount: Int

    init(_ state: WriteState, _ helper: Helper?) {
        self.state = state
        self.helper = helper
        nextByteCount = helper?.byteCount ?? .max
    }

    func close() { isOpen = false }

    /// Says in the log what is changed by it, or what goes with the changes.
    func log(_ operation: (inout OperationEncoder) -> Void) { operation(&operations) }

    /// Says in the log that entries were changed.
    func note(_ operation: (inout OperationEncoder) -> Void) {
        log(operation)
        changeCount += 1
    }

    /// - Parameter byteCount: of the key, the value or whatever else an operation holds.
    /// - Throws: `StorageError.limitExceeded` when the transaction cannot hold it beside all others.
    func checkSize(adding byteCount: Int) throws(StorageError) {
        let sum = operations.bytes.count + byteCount + OperationEncoder.overheadByteCount
        guard sum <= Limits.transactionByteCount else {
            throw .limitExceeded(
                "A transaction holds up to \(Limits.transactionByteCount >> 20) MiB. Commit in smaller batches.")
        }
    }

    // MARK: Entries for later

    /// See `Transaction.putLater`.
    package func putLater(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], in tree: TreeNumber
    ) throws(StorageError) {
        try key.withBytes { (key) throws(StorageError) in
            try value.withBytes { (value) throws(StorageError) in
                try putLater(value, forKey: key, facets: facets, in: tree)
            }
        }
    }

    package func putLater(
        _ value: RawSpan, forKey key: RawSpan, facets: FacetSet = [], in tree: TreeNumber
    ) throws(StorageError) {
        if let failure { throw failure }
        try checkSize(adding: key.byteCount + value.byteCount)
        try requireReadable(tree)
        if try !state.putLater(value, key, facets, tree) {
            try prepareChange(of: tree)
            try state.put(key: key, value: value, facets: facets.rawValue, tree: tree)
        }
        note { $0.put(tree: tree, key: key, facets: facets.rawValue, value: value) }
        if operations.bytes.count >= nextByteCount { try settleAhead() }
    }

    /// See `Transaction.removeLater`.
    package func removeLater(_ key: [UInt8], in tree: TreeNumber) throws(StorageError) {
        try key.withBytes { (key) throws(StorageError) in try removeLater(key, in: tree) }
    }

    package func removeLater(_ key: RawSpan, in tree: TreeNumber) throws(StorageError) {
        if let failure { throw failure }
        try checkSize(adding: key.byteCount)
        try requireReadable(tree)
        try state.removeLater(key, tree)
        note { $0.remove(tree: tree, key: key) }
        if operations.bytes.count >= nextByteCount { try settleAhead() }
    }

    /// Nobody goes through a tree meanwhile that has entries for later: who begins to settles it, and who does adds none.
    private func settleAhead() throws(StorageError) {
        guard let helper else { return }
        nextByteCount = operations.bytes.count + helper.byteCount
        guard state.entryCountForLater >= helper.leastEntryCount else { return }
        try keepingFailure { () throws(StorageError) in try state.settleAhead(helper.work) }
    }

    /// Puts what was left for later into a tree: by this transaction, and by those that are seen together with it.
    func settle(_ tree: TreeNumber) throws(StorageError) {
        do throws(StorageError) {
            if let pending, pending.concern(tree) { try make(pending) }
        } catch {
            // Who forgives that and reads all the same has to read a tree that nobody changes.
            try? settleEntries(of: tree)
            throw error
        }
        try settleEntries(of: tree)
    }

    /// Whoever waits with an entry that cannot be put may be another commit. It is found out, and refused, when this one is rolled back.
    private func settleEntries(of tree: TreeNumber) throws(StorageError) {
        try keepingFailure { () throws(StorageError) in try state.settle(tree) }
    }

    /// Before a tree is changed at once.
    func prepareChange(of tree: TreeNumber) throws(StorageError) {
        try settle(tree)
        try keepingFailure { () throws(StorageError) in try state.joinOthers() }
    }

    /// Waits until trees have all that was left for later and others are putting there.
    func join() throws(StorageError) {
        try keepingFailure { () throws(StorageError) in try state.join() }
    }

    private func requireReadable(_ tree: TreeNumber) throws(StorageError) {
        try keepingFailure { () throws(StorageError) in try state.requireReadable(tree) }
    }

    /// Nothing is put into a tree that is emptied: its pages may be damaged.
    ///
    /// - Returns: whether there was anything to be put.
    func dropLater(_ tree: TreeNumber) throws(StorageError) -> Bool {
        if let pending, pending.concern(tree) { try make(pending) }
        try join()
        return state.dropLater(tree)
    }

    /// Makes what is pending, and leaves its entries for later.
    func finish() throws(StorageError) {
        if let pending { try make(pending) }
        try keepingFailure { () throws(StorageError) in try state.joinAhead() }
        if let failure { throw failure }
    }

    /// The change was counted when it was begun: who only reads makes nothing to be worked out again.
    private func make(_ pending: any PendingChanges) throws(StorageError) {
        let count = changeCount
        defer { changeCount = count }
        try keepingFailure { () throws(StorageError) in try pending.make(in: self) }
    }

    private func keepingFailure(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        do throws(StorageError) {
            try body()
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
