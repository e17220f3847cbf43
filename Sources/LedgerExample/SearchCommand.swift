import ArgumentParser
import RecordStore

/// Entries whose note or category has what was typed, the best first and of the same the newest.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "search", abstract: "Finds entries by their texts.")

    @OptionGroup var ledger: LedgerOptions
    @Argument(help: "What their note or category has: words in any order, typos forgiven.") var text: String
    @Option(help: "So many of the best.") var limit = 20

    func run() async throws {
        let store = try ledger.open()
        let snapshot = store.snapshot
        let found = try snapshot.list(Entry.self, "all").search(text, in: \.note, \.category, limit: max(0, limit))
        for match in found.matches {
            let entry = try match.row.record
            let account = try snapshot.records(Account.self)[entry.account]?.name ?? ""
            print(entry.date, "\(entry.amount)".right(12), account.left(16), entry.category.left(16), entry.note)
        }
        if found.count > found.matches.count { print("… \(found.count - found.matches.count) more") }
        try await store.close()
    }
}
