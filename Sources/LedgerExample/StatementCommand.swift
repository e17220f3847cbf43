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
        // What an entry is here: of one with two accounts each has its own side.
        let amounts = try statement.amounts(\.amount, limit: max(0, limit))
        for (row, entry) in try statement.page(limit: max(0, limit)).enumerated() {
            let balance = try statement.runningSum(\.amount, at: row)
            let other = entry.account == account.id ? entry.other : entry.account
            let name = try other.flatMap { try snapshot.records(Account.self)[$0]?.name } ?? ""
            print(
                entry.date, "\(amounts[row] ?? 0)".right(12), "\(balance)".right(14), "", entry.category.left(16),
                [name, entry.note].filter { !$0.isEmpty }.joined(separator: ": "))
        }
        if statement.count > limit { print("… \(statement.count - max(0, limit)) older entries") }
        try await store.close()
    }
}
