import ArgumentParser
import BookDB

struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "What two libraries do not have alike.",
        discussion: """
            bookdb diff Backup.bookdb Library.bookdb
            bookdb diff Backup.bookdb Library.bookdb --stat
            bookdb diff Backup.bookdb Library.bookdb --json

            Records are found by their identifiers, so the libraries have to be copies
            of one, or made from each other's exports. What is equal is not read.
            Changes nothing; an app may have either open. Ends with 0 when both are the
            same and with 1 when they are not.
            """
    )

    @Argument(help: "A library.")
    var first: String

    @Argument(help: "Another, such as a later copy.")
    var second: String

    @Flag(help: "Counts alone.")
    var stat = false

    @Option(
        parsing: .unconditional,
        help: "How many differing records to show: \(DiffCommand.defaultLimit), or with --json all.")
    var limit: Int?

    @Flag(help: "List records of libraries without a common history, too, which differ in every one.")
    var unrelated = false

    @OptionGroup var common: CommonOptions

    static let defaultLimit = 20

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is 0 or more, not \(limit).") }
        if stat, limit != nil { throw ValidationError("--stat shows no records, so it takes no --limit.") }
    }

    func run() async throws {
        let progress = ProgressLine("comparing")
        let ticking = progress.ticking()
        defer { ticking.cancel() }
        let stores = try [first, second].map { path throws(LibraryError) in try LibraryAccess.reading(path) }
        let limit = stat ? nil : limit ?? (common.json ? .max : Self.defaultLimit)
        let report = try DiffReport(
            (first, stores[0].snapshot), (second, stores[1].snapshot), limit: limit, listsUnrelated: unrelated)
        ticking.cancel()
        await ticking.value
        progress.clear()
        try Output.print(common.json ? [report.document] : report.lines(style: common.style))
        for store in stores { try await store.close() }
        guard report.comparison.isSame else { throw SilentEnd(status: .found) }
    }
}
