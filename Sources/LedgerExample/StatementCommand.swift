import ArgumentParser
import RecordStore

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
        let lines = try statement.page(limit: max(0, limit), with: \.account, \.other) { entry, first, second in
            let other = try entry.account == account.id ? second : first
            let words = [try other?.name ?? "", try entry.note].filter { !$0.isEmpty }.joined(separator: ": ")
            return (date: try entry.date, category: try entry.category, words: words)
        }
        for (row, line) in lines.enumerated() {
            let balance = try statement.runningSum(\.amount, at: row)
            print(
                line.date, "\(amounts[row] ?? 0)".right(12), "\(balance)".right(14), "", line.category.left(16),
                line.words)
        }
        if statement.count > limit { print("… \(statement.count - max(0, limit)) older entries") }
        try await store.close()
    }
}
