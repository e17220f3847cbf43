import ArgumentParser
import RecordStore

/// A ledger in a library: what a finance app does with records, orders and sums, from a shell.
///
///     swift run LedgerExample import Ledger.bookdb transactions.csv
///     swift run LedgerExample accounts Ledger.bookdb
@main struct LedgerExample: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "LedgerExample",
        abstract: "Keeps accounts in a library: an example of records of an app's own.",
        subcommands: [
            ImportCommand.self, AccountsCommand.self, StatementCommand.self, MonthCommand.self, SearchCommand.self,
            RemoveCommand.self,
        ])
}

/// What is wrong, as a sentence.
struct LedgerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The library that every command is given first.
struct LedgerOptions: ParsableArguments {
    @Argument(help: "The library.") var library: String

    func open(_ access: RecordLibrary.Access = .readOnly) throws -> RecordLibrary {
        try RecordLibrary(at: library, access: access)
    }
}

extension Snapshot {
    /// The account of a name, in capitals or not.
    func account(named name: String) throws -> Account {
        let accounts = Array(try records(Account.self).all)
        if let account = accounts.first(where: { $0.name.lowercased() == name.lowercased() }) { return account }
        guard !accounts.isEmpty else { throw LedgerError("There is no account yet. Import some entries.") }
        let names = accounts.prefix(5).map(\.name).joined(separator: ", ") + (accounts.count > 5 ? ", …" : "")
        throw LedgerError("There is no account “\(name)”. Accounts: \(names).")
    }
}

extension String {
    /// With blanks in front, as numbers stand in columns.
    func right(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

    func left(_ width: Int) -> String {
        count > width ? String(prefix(width - 1)) + "…" : self + String(repeating: " ", count: width - count)
    }
}
