import ArgumentParser
import RecordStore

/// An account and its entries go together: the link says so, and it is one commit.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes an account and all of its entries.")

    @OptionGroup var ledger: LedgerOptions
    @Argument(help: "Its name.") var account: String

    func run() async throws {
        let store = try ledger.open(.exclusive)
        let account = try store.snapshot.account(named: account)
        let count = try store.snapshot.list(Entry.self, linkedBy: \.account, to: account.id).count
        try await store.write { library in try library.delete(account.id) }
        try await store.close()
        print("\(account.name) and \(count == 1 ? "its entry" : "\(count) entries") removed")
    }
}
