import ArgumentParser
import BookDB

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Everything known about one work, or one of an app's own records.",
        discussion: """
            bookdb get Library.bookdb a3f09c-1024
            bookdb get Library.bookdb 978-0-261-10334-4 --json
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Argument(help: ArgumentHelp("An identifier, as ls prints it, or an ISBN.", valueName: "id|isbn"))
    var reference: String

    @OptionGroup var common: CommonOptions

    func run() throws {
        let snapshot = try LibraryAccess.reading(library).snapshot
        let found = try find(in: snapshot.works)
        guard let details = found.first else {
            if let record = try snapshot.record(identified: reference) {
                return try Output.print(common.json ? [record.line] : RecordSheet.lines(record, style: common.style))
            }
            throw CommandFailure(
                status: .notFound, sentence: "\(library) has nothing with \(what) \(reference).",
                next: "bookdb search \(library) \"words of it\"")
        }
        let others = found.dropFirst().map(\.work.id)
        if common.json {
            try Output.print(WorkDocument.text(details, others: others))
        } else {
            try Output.print(WorkSheet.lines(details, others: others, style: common.style))
        }
    }

    private func find(in works: Snapshot.Works) throws -> [WorkDetails] {
        let id = ID<Work>(reference)
        if let id, let details = try works.details(id) {
            return [details]
        }
        do {
            return try works.details(isbn: ISBN(reference))
        } catch let problem as ISBN.Problem {
            guard id == nil else { return [] }
            throw CommandFailure.wrongUsage(
                "'\(reference)' is neither an identifier nor an ISBN: \(problem).",
                next: "bookdb ls \(library) shows identifiers, such as a3f09c-1024")
        }
    }

    private var what: String { ID<Work>(reference) == nil ? "the ISBN" : "the identifier" }
}
