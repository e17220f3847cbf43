/// What a transaction has written so far, for what reads it in several calls: each sees the trees as they are at that moment.
///
/// It is not `Sendable`, so the thread that runs the transaction's body is the only one to use it.
public final class TransactionReader: TreeReadable {
    private let state: WriteState
    /// Until the body has returned or thrown. Nothing may be read behind that.
    public private(set) var isOpen = true
    /// Grows with every change that the transaction makes: what was worked out before is to be worked out again.
    public private(set) var changeCount = 0

    init(_ state: WriteState) { self.state = state }

    func close() { isOpen = false }
    func noteChange() { changeCount += 1 }

    /// `Options.attachment` of the store.
    package var attachment: (any AnyObject & Sendable)? { state.generation.attachment }

    /// The trees there are so far.
    public var declarations: [TreeDeclaration] { state.trees.declarations }

    /// - Precondition: the transaction is open.
    public func source(of tree: TreeNumber) -> TreeSource {
        precondition(isOpen, "a transaction is read before it ends")
        return TreeSource(
            reader: state.trees.reader(of: tree, state.generation.file.pages), owner: .head(state.generation))
    }
}
