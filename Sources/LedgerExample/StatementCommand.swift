import ArgumentParser
import BookDB

/// The newest entries of an account, each with the balance behind it.
struct StatementCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statement", abstract: "Shows the entries of an account, each with the balance behind it.")

    @OptionGroup var ledger: LedgerOptions
    @Argument(help: "Its name.") var account: String
    @Option(help: "So many of the newest.") var limit = 20

    func run() async throws {
        let store = try ledger.open()
        let snapshot = store.snapshot
        let account = try snapshot.account(named: account)
        let statement = try snapshot.list(Entry.self, "statement", of: account.id)
        for (row, entry) in try statement.page(limit: max(0, limit)).enumerated() {
            let balance = try statement.runningSum(\.amount, at: row)
            print(
                entry.date, "\(entry.amount)".right(12), "\(balance)".right(14), "", entry.category.left(16),
                entry.note)
        }
        if statement.count > limit { print("… \(statement.count - max(0, limit)) older entries") }
        try await store.close()
    }
}
