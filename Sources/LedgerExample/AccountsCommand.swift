import ArgumentParser
import BookDB

/// Every account with its balance: two descents each, however many entries it has.
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "accounts", abstract: "Lists accounts and balances.")

    @OptionGroup var ledger: LedgerOptions

    func run() async throws {
        let store = try ledger.open()
        let snapshot = store.snapshot
        for account in try snapshot.records(Account.self).all {
            let statement = try snapshot.list(Entry.self, "statement", of: account.id)
            let income = try statement.filtered(by: "income").count
            print(
                account.name.left(24), "\(try statement.sum(\.amount))".right(14),
                "\(statement.count) \(statement.count == 1 ? "entry" : "entries"), \(income) of them income".right(36))
        }
        try await store.close()
    }
}
