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
            Where lines from elsewhere gave one identifier to several, the others are named
            on standard error:

            bookdb get Library.bookdb a3f09c-1024 --kind author
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Argument(help: ArgumentHelp("An identifier, as ls prints it, or an ISBN.", valueName: "id|isbn"))
    var reference: String

    @Option(
        help: ArgumentHelp(
            "What has the identifier: work, edition, author, or one of an app's own kinds. Without: the first that has it.",
            valueName: "name"))
    var kind: String?

    @OptionGroup var common: CommonOptions

    func run() throws {
        let snapshot = try LibraryAccess.reading(library).snapshot
        let found = try find(in: snapshot)
        guard let first = found.first else { throw try missing(in: snapshot) }
        if case .edition = first { StandardError.say("\(reference) is an edition of this work.") }
        try show(first, in: snapshot)
        for other in found.dropFirst() {
            StandardError.say("\(reference) is also \(other.words).")
            StandardError.say("→ bookdb get \(word: library) \(word: reference) --kind \(word: other.kind)")
        }
    }

    /// Something that has the identifier, or the ISBN.
    private enum Found {
        case works([WorkDetails])
        /// With its work.
        case edition(WorkDetails)
        case record(StoredRecord)
        case author(Author)

        /// As `--kind` takes it.
        var kind: String {
            switch self {
            case .works: "work"
            case .edition: "edition"
            case .record(let record): record.kind
            case .author: "author"
            }
        }

        var words: String {
            switch self {
            case .works: "a work"
            case .edition: "an edition"
            case .record(let record): "a record of \(DisplayWidth.printable(record.kind))"
            case .author: "an author"
            }
        }
    }

    /// What is found under the reference, the first as long as `--kind` says nothing else. A library gives no identifier out twice; lines from elsewhere may.
    private func find(in snapshot: Snapshot) throws -> [Found] {
        if let kind, !Self.bookKinds.contains(kind) {
            _ = try KindLookup.kind(kind, in: snapshot, of: library, beside: Self.bookKinds)
        }
        var found = try books(in: snapshot)
        found += try snapshot.records(identified: reference).map { .record($0) }
        if let author = try ID<Author>(reference).flatMap({ try snapshot.authors[$0] }) {
            found.append(.author(author))
        }
        guard let kind else { return found }
        // An ISBN is that of an edition, and finds its work.
        return found.filter { $0.kind == kind || kind == "edition" && ID<Work>(reference) == nil }
    }

    private static let bookKinds = ["work", "edition", "author"]

    /// The works under an identifier, their own or that of an edition, or an ISBN.
    private func books(in snapshot: Snapshot) throws -> [Found] {
        let works = snapshot.works
        guard let id = ID<Work>(reference) else {
            guard let isbn = try? ISBN(reference) else { return [] }
            let details = try works.details(isbn: isbn)
            return details.isEmpty ? [] : [.works(details)]
        }
        var found: [Found] = []
        if let details = try works.details(id) { found.append(.works([details])) }
        if let edition = try snapshot.editions[ID(rawValue: id.rawValue)],
            let details = try works.details(edition.work)
        {
            found.append(.edition(details))
        }
        return found
    }

    private func show(_ found: Found, in snapshot: Snapshot) throws {
        switch found {
        case .works(let works):
            guard let details = works.first else { return }
            try show(details, others: works.dropFirst().map(\.work.id))
        case .edition(let details): try show(details, others: [])
        case .record(let record):
            try Output.print(common.json ? [record.line] : RecordSheet.lines(record, style: common.style))
        case .author(let author):
            try Output.print(AuthorSheet.text(author, in: snapshot, isJSON: common.json, style: common.style))
        }
    }

    private func show(_ details: WorkDetails, others: [ID<Work>]) throws {
        if common.json {
            try Output.print(WorkDocument.text(details, others: others))
        } else {
            try Output.print(WorkSheet.lines(details, others: others, style: common.style))
        }
    }

    private func missing(in snapshot: Snapshot) throws -> CommandFailure {
        if kind == nil, let hint = IdentifierHint.failure(reference, in: snapshot, of: library, "get \(word: library)")
        {
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
        let nothing = kind.map { "no \(DisplayWidth.printable($0))" } ?? "nothing"
        return .absent(
            "\(library) has \(nothing) with \(what) \(reference).",
            next: "bookdb search \(word: library) \"words of it\"")
    }
}
