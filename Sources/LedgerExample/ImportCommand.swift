import ArgumentParser
import RecordStore
import BookImport
import Foundation

/// Takes the entries of a file: all of them, or none.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes entries from a CSV file.",
        discussion: """
            The first line names the columns: account, date (2026-11-23), amount (-12.50), and if there are such,
            category, note and reference. An entry whose reference its account has already is passed over.

            A column “other” names the account that the money went to or came from: the entry is in its statement, too. What
            it is there, in the currency of that account, says a column “received”; otherwise it is the same amount. An
            account is called by its name, and by its currency behind a comma where that is not the euro: “Travel,USD”.
            """)

    @OptionGroup var ledger: LedgerOptions
    @Argument(help: "The file.") var file: String

    func run() async throws {
        let rows = try EntryFile(path: file).rows
        let store = try ledger.open(.exclusive)
        let (added, known) = try await store.write { library in
            var accounts: [String: Account] = [:]
            func account(called words: String) throws -> Account {
                if let known = accounts[words] { return known }
                let parts = words.split(separator: ",", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                let new = Account(name: parts.first ?? "", currency: parts.count > 1 ? parts[1] : "EUR")
                // The one that is called so already, in capitals or not. Accents and signs do not make another.
                let account = try library.record(library.upsert(new)) ?? new
                guard account.name.lowercased() == new.name.lowercased() else {
                    throw LedgerError("“\(new.name)” is too much like “\(account.name)”, which is there already.")
                }
                guard parts.count == 1 || account.currency == new.currency else {
                    throw LedgerError("\(account.name) is in \(account.currency), and not in \(new.currency).")
                }
                accounts[words] = account
                return account
            }
            var counts = (added: 0, known: 0)
            for row in rows {
                do {
                    let other = try row.other.map { try account(called: $0) }
                    try library.insert(row.entry(of: account(called: row.account), with: other))
                    counts.added += 1
                } catch LibraryError.notUnique {
                    counts.known += 1
                } catch {
                    throw LedgerError("\(row.place): \(error)")
                }
            }
            return counts
        }
        try await store.close()
        print("\(added) entries added" + (known > 0 ? ", \(known) \(known == 1 ? "was" : "were") there" : ""))
    }
}
