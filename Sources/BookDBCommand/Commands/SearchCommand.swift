import ArgumentParser
import BookDB

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Works by words of their title, authors or series, or by ISBN.",
        discussion: """
            bookdb search Library.bookdb "tolkien hob"
            bookdb search Library.bookdb misere --json
            bookdb search Library.bookdb 978-0-261
            bookdb search Library.bookdb rent --kind Transfer --field note

            Words in any order, each may be anywhere. Case, accents, apostrophes and
            punctuation do not matter. When little matches, typos and words that run
            together are forgiven, and in the end words that no work has. The best
            matches come first. An app's own records are searched in the same way, in
            all of their texts or in those that are named.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Argument(help: "What to look for.")
    var query: String

    @Option(parsing: .unconditional, help: "How many works or records to show.")
    var limit = 20

    @Flag(help: "Look through titles alone.")
    var titles = false

    @Flag(help: "Find words by how they begin, and not by what is within them.")
    var beginnings = false

    @Flag(help: "In title order instead of the best first; typos are forgiven only where nothing matches as typed.")
    var inOrder = false

    @Option(help: ArgumentHelp("One of an app's own kinds of records in place of the works.", valueName: "name"))
    var kind: String?

    @Option(
        help: ArgumentHelp(
            "One of the texts of that kind, as often as needed; without, all. The first counts as the title.",
            valueName: "name"))
    var field: [String] = []

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit is a number from 1 on, not \(limit).") }
        if kind == nil, !field.isEmpty {
            throw ValidationError("--field is one of a kind: say which with --kind. Works have --titles.")
        }
        if kind != nil, titles || inOrder {
            throw ValidationError("\(titles ? "--titles" : "--in-order") is for works: leave it out, or --kind.")
        }
    }

    func run() async throws {
        if let kind {
            return try RecordSearching(
                library: library, kind: kind, query: query, fields: field, limit: limit, findsBeginnings: beginnings,
                common: common
            ).run()
        }
        let works = try LibraryAccess.reading(library).snapshot.works
        let search = works.search(
            query, in: titles ? .titles : .everything, matching: beginnings ? .beginnings : .anywhere, ranked: !inOrder)
        let matches = try search.first(limit)
        let total = try await search.count()
        if common.json {
            try printDocument(matches, total: total)
        } else if matches.isEmpty {
            StandardError.say("Nothing matches “\(query)”.")
        } else {
            let style = common.style
            let items = matches.map(\.item)
            try Output.print(WorkTable.lines(items, style: style) { style.bold($0, at: search.highlights(in: $0)) })
            StandardError.say(
                "\(NumberText.count(matches.count)) of \(NumberText.count(total, "work"))\(forgiven(matches))")
            if total > matches.count {
                let options = [
                    titles ? " --titles" : "", beginnings ? " --beginnings" : "", inOrder ? " --in-order" : "",
                ]
                StandardError.say("→ bookdb search \(word: library) \(word: query)\(options.joined()) --limit \(total)")
            }
        }
    }

    /// What was forgiven: the end of the line that counts the matches.
    private func forgiven(_ matches: [SearchMatch]) -> String {
        if let first = matches.first, first.band == .someWords {
            let words = first.missingWords.map { "“\($0)”" }.joined(separator: ", ")
            return "; no work has all of the words, the first lacks \(words)"
        }
        let count = matches.count { $0.band.isGuess }
        return count == 0 ? "" : count == matches.count ? ", typos forgiven" : ", typos forgiven in \(count)"
    }

    private func printDocument(_ matches: [SearchMatch], total: Int) throws(CommandFailure) {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.search/1")
            json.member("query", query)
            json.member("total", total)
            json.array("items") { json in
                for match in matches {
                    json.element(match.item, match: "\(match.band)", missing: match.missingWords)
                }
            }
        }
        try Output.print(json.text)
    }
}
