import ArgumentParser
import BookDB
import Foundation

/// Entries whose note or category has a text, the newest first. It reads entry by entry: records of an app have no search yet.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "search", abstract: "Finds entries by their texts.")

    @OptionGroup var ledger: LedgerOptions
    @Argument(help: "What their note or category has, in capitals or not.") var text: String
    @Option(help: "So many of the newest.") var limit = 20

    func run() async throws {
        let store = try ledger.open()
        let snapshot = store.snapshot
        let found = try snapshot.list(Entry.self, "all").identifiers(limit: max(0, limit)) { entry in
            try [entry.note, entry.category].contains {
                $0.range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil
            }
        }
        for id in found {
            guard let entry = try snapshot.records(Entry.self)[id] else { continue }
            let account = try snapshot.records(Account.self)[entry.account]?.name ?? ""
            print(entry.date, "\(entry.amount)".right(12), account.left(16), entry.category.left(16), entry.note)
        }
        try await store.close()
    }
}
