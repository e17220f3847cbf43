import ArgumentParser
import BookDB
import BookImport

/// `bookdb`: import, look at and look after book libraries.
@main struct BookDBCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bookdb",
        abstract: "Import, look at and look after book libraries.",
        discussion: """
            bookdb import Library.bookdb goodreads_library_export.csv
            bookdb ls Library.bookdb --sort author --limit 20
            bookdb search Library.bookdb "tolkien hob"
            bookdb get Library.bookdb 9780261103344
            bookdb inspect Library.bookdb

            `bookdb help formats` tells what can be imported, `bookdb help exit-codes`
            how to use it in scripts.
            """,
        version: "bookdb \(Version.current)",
        groupedSubcommands: [
            CommandGroup(
                name: "Look",
                subcommands: [
                    LsCommand.self, SearchCommand.self, GetCommand.self, InspectCommand.self, LogCommand.self,
                    DiffCommand.self,
                ]),
            CommandGroup(
                name: "Check and care",
                subcommands: [
                    VerifyCommand.self, DumpCommand.self, CompactCommand.self, ReindexCommand.self, RepairCommand.self,
                ]),
            CommandGroup(
                name: "Move",
                subcommands: [
                    ImportCommand.self, ExportCommand.self, BackupCommand.self, RestoreCommand.self, SeedCommand.self,
                ]),
            CommandGroup(name: "Help", subcommands: [HelpCommand.self, VersionCommand.self]),
        ]
    )

    static func main() async {
        SystemCalls.endWithReader()
        SystemCalls.endNoProcessForLargeFiles()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if let argument = SystemCalls.firstArgumentThatIsNoText {
                throw CommandFailure.wrongUsage(
                    "Argument \(argument) is not UTF-8, and would be taken for another one.",
                    next: "give the file another name, or a link to it")
            }
            guard SystemCalls.canOpenFiles(openFileCount) else { throw CommandFailure.tooFewFiles(openFileCount) }
            var command = try parse(arguments)
            do {
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch LibraryError.damaged(let finding) {
                throw CommandFailure.damaged(finding, (command as? any CommandOfLibrary)?.library)
            }
            // The answer was given, and is not of the whole library.
            if LibraryAccess.hasMetDamage { throw SilentEnd(status: .found) }
        } catch {
            SystemCalls.end(report(error, arguments))
        }
    }

    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        do {
            return try parseAsRoot(arguments)
        } catch {
            throw unknownCommand(in: arguments) ?? error
        }
    }

    /// Says what went wrong, and gives the status to end with.
    private static func report(_ error: any Error, _ arguments: [String]) -> ExitStatus {
        if let end = error as? SilentEnd { return end.status }
        if isOfParser(error) {
            let message = fullMessage(for: error)
            guard exitCode(for: error) == .success else {
                StandardError.say(message)
                return .wrongUsage
            }
            do {
                if !message.isEmpty { try Output.print(message) }
                return .done
            } catch {
                return report(error, arguments)
            }
        }
        let failure = CommandFailure(error)
        // It may quote names that a library has.
        let lines = failure.message.split(separator: "\n", omittingEmptySubsequences: false)
        StandardError.say(lines.map { DisplayWidth.printable(String($0)) }.joined(separator: "\n"))
        // By which signal.
        return failure.status == .interrupted ? Interruption.status : failure.status
    }

    /// Whether the parser of arguments threw it: a request for help, or wrong usage.
    private static func isOfParser(_ error: any Error) -> Bool {
        switch error {
        case is CommandFailure, is LibraryError, is ImportError, is CancellationError: false
        default: exitCode(for: error) == .success || exitCode(for: error) == .validationFailure
        }
    }

    /// The parser knows near misses of options; those of commands are ours.
    private static func unknownCommand(in arguments: [String]) -> CommandFailure? {
        guard let word = arguments.first, !word.hasPrefix("-"), !commandNames.contains(word) else { return nil }
        if let meant = NearMiss.closest(to: word, among: commandNames) {
            return .wrongUsage(
                "There is no command '\(word)'. Did you mean '\(meant)'?", next: "bookdb \(meant) --help")
        }
        return .wrongUsage("There is no command '\(word)'.", next: "bookdb --help")
    }

    /// As many as any command has open at once, with those of the runtime.
    private static let openFileCount = 12

    static var commandNames: [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    /// The version this was built as.
    enum Version {
        static let current = "0.1.0"
    }
}
