/// A store that keeps a finance app's ledger: five accounts and their transfers. What is written is durable.
protocol LedgerStore: SendableMetatype {
    associatedtype Reader: LedgerReader

    static var name: String { get }

    /// Opens what is at the path. A ledger that is not there yet is made, with its accounts.
    init(path: String, access: Access) async throws

    /// All in one commit.
    func insert(_ transfers: [LedgerTransfer]) async throws

    /// Adds one to the amount of a transfer.
    func edit(_ id: Int64) async throws

    /// Of the ledger as it is now, whatever is written later.
    func reader() throws -> Reader

    /// Compacts the ledger, and lets the store gather statistics where it uses them.
    func settle() async throws
}

extension LedgerStore {
    static var key: String { name.lowercased() }
}
