import ArgumentParser
import BookDB

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Works whose title begins with a text.",
        discussion: """
            bookdb search Library.bookdb "the hob"
            bookdb search Library.bookdb emile --json

            Case, accents, punctuation and leading articles do not matter.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Argument(help: "The beginning of a title.")
    var query: String

    @Option(help: "How many works to show.")
    var limit = 20

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit is a number from 1 on, not \(limit).") }
    }

    func run() throws {
        let found = try LibraryAccess.reading(library).snapshot.works.titled(query)
        let items = try found.page(offset: 0, limit: limit)
        if common.json {
            var json = JSONWriter()
            json.object { json in
                json.member("schema", "bookdb.search/1")
                json.member("query", query)
                json.member("total", found.count)
                json.array("items") { json in
                    for item in items { json.element(item) }
                }
            }
            try Output.print(json.text)
        } else if items.isEmpty {
            Talk.say("No title begins with “\(query)”.")
        } else {
            try Output.print(WorkTable.lines(items, style: common.style))
            if found.count > items.count {
                Talk.say("\(Figures.count(items.count)) of \(Figures.count(found.count, "work"))")
                Talk.say("→ bookdb search \(library) \"\(query)\" --limit \(found.count)")
            }
        }
    }
}
