import ArgumentParser
import BookDB

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Everything known about one work, author, or one of an app's own records.",
        discussion: """
            bookdb get Library.bookdb a3f09c-1024
            bookdb get Library.bookdb 978-0-261-10334-4 --json

            Any identifier will do, of whatever kind; that of an edition finds its work.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Argument(help: ArgumentHelp("An identifier, as ls prints it, or an ISBN.", valueName: "id|isbn"))
    var reference: String

    @OptionGroup var common: CommonOptions

    func run() throws {
        let snapshot = try LibraryAccess.reading(library).snapshot
        let found = try find(in: snapshot)
        guard let details = found.first else {
            if let record = try snapshot.record(identified: reference) {
                return try Output.print(common.json ? [record.line] : RecordSheet.lines(record, style: common.style))
            }
            if let author = try ID<Author>(reference).flatMap({ try snapshot.authors[$0] }) {
                return try Output.print(
                    AuthorSheet.text(author, in: snapshot, isJSON: common.json, style: common.style))
            }
            throw try missing(in: snapshot)
        }
        let others = found.dropFirst().map(\.work.id)
        if common.json {
            try Output.print(WorkDocument.text(details, others: others))
        } else {
            try Output.print(WorkSheet.lines(details, others: others, style: common.style))
        }
    }

    /// The works under an identifier, their own or that of an edition, or an ISBN.
    private func find(in snapshot: Snapshot) throws -> [WorkDetails] {
        let works = snapshot.works
        if let id = ID<Work>(reference) {
            if let details = try works.details(id) { return [details] }
            guard let edition = try snapshot.editions[ID(rawValue: id.rawValue)],
                let details = try works.details(edition.work)
            else { return [] }
            StandardError.say("\(reference) is an edition of this work.")
            return [details]
        }
        guard let isbn = try? ISBN(reference) else { return [] }
        return try works.details(isbn: isbn)
    }

    private func missing(in snapshot: Snapshot) throws -> CommandFailure {
        if let hint = IdentifierHint.failure(reference, in: snapshot, of: library, "get \(word: library)") {
            return hint
        }
        let isIdentifier = ID<Work>(reference) != nil
        if !isIdentifier {
            let next = "bookdb ls \(word: library) shows identifiers, such as a3f09c-1024"
            do { _ = try ISBN(reference) } catch  where reference.contains(where: \.isLetter) {
                // What was meant has letters as an identifier has, and what an ISBN lacks says nothing of it.
                return .wrongUsage("'\(reference)' is neither an identifier nor an ISBN.", next: next)
            } catch {
                return .wrongUsage("'\(reference)' is neither an identifier nor an ISBN: \(error).", next: next)
            }
        }
        let what = isIdentifier ? "the identifier" : "the ISBN"
        return CommandFailure(
            status: .notFound, sentence: "\(library) has nothing with \(what) \(reference).",
            next: "bookdb search \(word: library) \"words of it\"")
    }
}
