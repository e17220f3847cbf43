import ArgumentParser
import RecordStore

/// Every account with its balance: two descents each, however many entries it has.
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "accounts", abstract: "Lists accounts and balances.")

    @OptionGroup var ledger: LedgerOptions

    func run() async throws {
        let store = try ledger.open()
        let snapshot = store.snapshot
        for account in try snapshot.records(Account.self).all {
            let statement = try snapshot.list(Entry.self, "statement", of: account.id)
            print(
                account.name.left(24), "\(try statement.sum(\.amount))".right(14), account.currency.left(3),
                "\(statement.count) \(statement.count == 1 ? "entry" : "entries")".right(16))
        }
        try await store.close()
    }
}
