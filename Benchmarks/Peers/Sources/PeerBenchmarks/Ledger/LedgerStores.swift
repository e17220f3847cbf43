/// The stores that keep a ledger, in the order of the table.
enum LedgerStores {
    static let all: [any LedgerStore.Type] = [BookDBLedger.self, SQLiteLedger.self]

    static func named(_ key: String) throws -> any LedgerStore.Type {
        guard let store = all.first(where: { $0.key == key }) else {
            throw Failure("There is no ledger of “\(key)”. → one of \(all.map { $0.key }.joined(separator: ", "))")
        }
        return store
    }
}
