import ArgumentParser
import BookDB

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "What is in a library, and where the bytes went.",
        discussion: """
            bookdb inspect Library.bookdb
            bookdb inspect Library.bookdb --json

            Opens the library as an app would, without a lock, and reads its log and a
            few pages; `bookdb verify` reads all of it. Ends with 1 when it meets damage.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Flag(help: "Every tree too, with its pages; --json has them always.")
    var trees = false

    @OptionGroup var common: CommonOptions

    func run() throws {
        let report = try InspectionReport(BookStore.inspect(at: library), library: library, showsTrees: trees)
        if common.json {
            try Output.print(report.document)
        } else {
            try Output.print(report.lines(style: common.style))
        }
        guard !report.isDamaged else { throw SilentEnd(status: .found) }
    }
}
