import ArgumentParser
import BookDB

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "What is in a library, and where the bytes went.",
        discussion: """
            bookdb inspect Library.bookdb
            bookdb inspect Library.bookdb --json
            bookdb inspect Library.bookdb --launches

            Opens the library as an app would, without a lock, and reads its log and a
            few pages; `bookdb verify` reads all of it. Ends with 1 when it meets damage,
            and with 65 when nothing of the library can be opened.
            --launches shows the last launches of apps instead, and ends with 1 when the
            newest read half as much again as those before it.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Flag(help: "Every tree too, with its pages; --json has them always.")
    var trees = false

    @Flag(help: "The last launches of apps, and what each read.")
    var launches = false

    @OptionGroup var common: CommonOptions

    func run() throws {
        if launches { return try showLaunches() }
        let report = try InspectionReport(BookStore.inspect(at: library), library: library, showsTrees: trees)
        if common.json {
            try Output.print(report.document)
        } else {
            try Output.print(report.lines(style: common.style))
        }
        guard !report.isDamaged else { throw SilentEnd(status: .found) }
    }

    private func showLaunches() throws {
        let history = try BookStore.launches(at: library)
        let sheet = LaunchSheet(history: history)
        if common.json {
            try Output.print(sheet.document)
        } else {
            try Output.print(sheet.lines(style: common.style))
        }
        guard !history.standsOut else { throw SilentEnd(status: .found) }
    }
}
