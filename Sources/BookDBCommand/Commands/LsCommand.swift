import ArgumentParser
import BookDB

extension WorkOrder: ExpressibleByArgument {}

struct LsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "The list an app would show.",
        discussion: """
            bookdb ls Library.bookdb
            bookdb ls Library.bookdb --sort added --status want-to-read
            bookdb ls Library.bookdb --offset 500000 --limit 10

            Any offset costs the same. A cursor, as printed with each page, goes on
            behind the last row even if works came and went in between.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Option(help: "title, author or added (newest first).")
    var sort = WorkOrder.title

    @Option(help: "Only works of one status: none, want-to-read, reading, read, paused, abandoned.")
    var status: String?

    @Option(help: "How many works to skip.")
    var offset: Int?

    @Option(help: ArgumentHelp("Go on behind an earlier page.", valueName: "cursor"))
    var after: String?

    @Option(help: "How many works to show.")
    var limit = 50

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if offset != nil, after != nil {
            throw ValidationError("--offset and --after both say where to begin: give one of them.")
        }
        guard limit >= 1 else { throw ValidationError("--limit is a number from 1 on, not \(limit).") }
        if let offset, offset < 0 { throw ValidationError("--offset is a number from 0 on, not \(offset).") }
        if let status, ReadingStatus(name: status) == nil {
            let names = ReadingStatus.allCases.map(\.name)
            let hint = NearMiss.closest(to: status, among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw ValidationError("'\(status)' is no status.\(hint) Each is one of \(names.joined(separator: ", ")).")
        }
        if let after, WorkCursor(after) == nil {
            throw ValidationError("'\(after)' is no cursor. Use the one printed with the page before.")
        }
    }

    func run() throws {
        let filter = status.flatMap(ReadingStatus.init(name:)).map(WorkFilter.status) ?? .all
        let list = try LibraryAccess.reading(library).snapshot.works.sorted(by: sort, filter)
        if let cursor = after.flatMap(WorkCursor.init), cursor.order != sort {
            throw CommandFailure.wrongUsage(
                "The cursor is of a list by \(cursor.order.rawValue), and this one is by \(sort.rawValue).",
                next: "add --sort \(cursor.order.rawValue)")
        }
        let start = min(offset ?? 0, list.count)
        let page = try list[start...].page(after: after.flatMap(WorkCursor.init), limit: limit)
        // A slice counts from its own start, and a cursor's place is counted in the whole list.
        let pageStart = start + page.offset
        if common.json {
            try printDocument(page, total: list.count, offset: pageStart)
        } else {
            try printTable(page, total: list.count, offset: pageStart)
        }
    }

    private func printDocument(_ page: WorkPage, total: Int, offset: Int) throws(CommandFailure) {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.ls/1")
            json.member("total", total)
            json.member("offset", offset)
            json.optional("next", page.next?.description)
            json.array("items") { json in
                for item in page.items { json.element(item) }
            }
        }
        try Output.print(json.text)
    }

    private func printTable(_ page: WorkPage, total: Int, offset: Int) throws(CommandFailure) {
        guard !page.items.isEmpty else {
            Talk.say(total == 0 ? "No works." : "No more works: there are \(Figures.count(total)).")
            return
        }
        try Output.print(WorkTable.lines(page.items, style: common.style))
        let rows = "\(Figures.count(offset + 1))–\(Figures.count(offset + page.items.count))"
        Talk.say("\(rows) of \(Figures.count(total, "work")) by \(sort == .added ? "date added" : sort.rawValue)")
        if let next = page.next {
            Talk.say("→ bookdb ls \(library)\(repeatedOptions) --after \(next)")
        }
    }

    private var repeatedOptions: String {
        var options = ""
        if sort != .title { options += " --sort \(sort.rawValue)" }
        if let status { options += " --status \(status)" }
        if limit != 50 { options += " --limit \(limit)" }
        return options
    }
}
