import ArgumentParser
import BookDB
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
            """)

    @OptionGroup var ledger: LedgerOptions
    @Argument(help: "The file.") var file: String

    func run() async throws {
        let rows = try EntryFile(path: file).rows
        let store = try ledger.open(.readWrite)
        let (added, known) = try await store.write { library in
            var accounts: [String: ID<Account>] = [:]
            var counts = (added: 0, known: 0)
            for row in rows {
                let account = try accounts[row.account] ?? library.upsert(Account(name: row.account))
                accounts[row.account] = account
                do {
                    try library.insert(row.entry(of: account))
                    counts.added += 1
                } catch BookError.notUnique {
                    counts.known += 1
                }
            }
            return counts
        }
        try await store.close()
        print("\(added) entries added" + (known > 0 ? ", \(known) were there" : ""))
    }
}
