import ArgumentParser
import BookDB

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Every record, one JSON document a line.",
        discussion: """
            bookdb export Library.bookdb --format jsonl -o library.jsonl
            bookdb export Library.bookdb --format jsonl | gzip > library.jsonl.gz
            bookdb export Library.bookdb --format jsonl --kind Account --kind Transfer

            The same library gives the same bytes every time, and bookdb import makes
            the same records of them; orders and unique keys come with an app's types, and
            so does how letters are filed.
            Of some kinds alone it takes in what links to nothing else, or to what the
            library has.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonl
    }

    @Argument(help: "The library.")
    var library: String

    @Option(help: "jsonl: one JSON document a line.")
    var format: Format

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write, which must not exist. Without: standard output.", valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Only the records of one of an app's own kinds; as often as needed. Without: everything.", valueName: "name"
        ))
    var kind: [String] = []

    func run() async throws {
        if let output, output != "-" { try NewFile.requireNew(output) }
        let snapshot = try LibraryAccess.reading(library).snapshot
        for name in kind { _ = try KindLookup.kind(name, in: snapshot, of: library) }
        guard let output, output != "-" else {
            var output = Output.standard
            try export(snapshot, to: &output)
            return
        }
        let count = try await Interruption.cancelling { [self] in
            try NewFile(output, from: library).fill { output in try export(snapshot, to: &output) }
        } leaving: {
            "\(output) was not written."
        }
        StandardError.say("\(output): \(NumberText.count(count, "line"))")
    }

    @discardableResult
    private func export(_ snapshot: Snapshot, to output: inout Output) throws -> Int {
        var count = 0
        do {
            try snapshot.export(only: kind.isEmpty ? nil : Set(kind)) { line in
                try Task.checkCancellation()
                try output.write(line: line)
                count += 1
            }
        } catch {
            // What was read so far is whole.
            try output.flush()
            throw NextStep.afterDamage(error, in: library)
        }
        try output.flush()
        return count
    }
}
