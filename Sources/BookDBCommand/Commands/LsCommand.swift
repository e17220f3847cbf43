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
            bookdb ls Library.bookdb --sort rating --where 'year >= 1990' --where tag=sf
            bookdb ls Library.bookdb --section M
            bookdb ls Library.bookdb --offset 500000 --limit 10
            bookdb ls Library.bookdb --kind Transfer --order statement
            bookdb ls Library.bookdb --kind Transfer --where 'amount < -500' --explain

            Any offset costs the same. A cursor, as printed with each page, goes on
            behind the last row even if works came and went in between.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Option(help: "title, author, added (newest first), finished (latest first), year, rating (best first) or series.")
    var sort = WorkOrder.title

    @Flag(help: "The other way round; works without the value still come last.")
    var reverse = false

    @Option(help: "Only works of one status: none, want-to-read, reading, read, paused, abandoned.")
    var status: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            """
            Only works for which this holds; more than one must all hold. year, rating, finished, language, status, \
            review, owned, tag, series, title or author, then = != < <= > >=, then the value; 'none' for no value. \
            With --kind the name of any of its fields; = finds an element of a list.
            """, valueName: "condition"))
    var conditions: [String] = []

    @Option(help: ArgumentHelp("Only titles that begin so, as they are filed.", valueName: "text"))
    var prefix: String?

    @Option(help: ArgumentHelp("Only the works under one heading, such as M or 1990s.", valueName: "heading"))
    var section: String?

    @Flag(help: "The headings of the list with their counts, in place of the works.")
    var sections = false

    @Option(parsing: .unconditional, help: "How many works or records to skip.")
    var offset: Int?

    @Option(
        help: ArgumentHelp(
            "Go on behind an earlier page; of records, behind an identifier.", valueName: "cursor"))
    var after: String?

    @Option(parsing: .unconditional, help: "How many works or records to show.")
    var limit = LsCommand.defaultLimit

    @Option(help: ArgumentHelp("One of an app's own kinds of records in place of the works.", valueName: "name"))
    var kind: String?

    @Option(help: ArgumentHelp("One of the orders of that kind; without, as they came.", valueName: "name"))
    var order: String?

    @Flag(help: "Say how the list would be found: what is gone through, how much that is, and what is tested.")
    var explain = false

    static let defaultLimit = 50

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if kind == nil, order != nil {
            throw ValidationError("--order is one of a kind: say which with --kind. Works have --sort.")
        }
        if kind != nil, let option = optionOfWorks {
            throw ValidationError("\(option) is for works: leave it out, or --kind. Records have --order and --where.")
        }
        if explain, sections { throw ValidationError("--explain is of the list itself: leave out --sections.") }
        if offset != nil, after != nil {
            throw ValidationError("--offset and --after both say where to begin: give one of them.")
        }
        guard limit >= 1 else { throw ValidationError("--limit is a number from 1 on, not \(limit).") }
        if let offset, offset < 0 { throw ValidationError("--offset is a number from 0 on, not \(offset).") }
        if kind != nil {
            for condition in conditions { _ = try ComparisonText(condition, example: "amount<-500") }
            if let after, ID<Work>(after) == nil {
                throw ValidationError("'\(after)' is no identifier. Use the last one of the page before.")
            }
            return
        }
        if let status, ReadingStatus(name: status) == nil {
            let names = ReadingStatus.allCases.map(\.name)
            let hint = NearMiss.closest(to: status, among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw ValidationError("'\(status)' is no status.\(hint) Each is one of \(names.joined(separator: ", ")).")
        }
        let chooser = isChosen ? conditions.isEmpty ? "--prefix by another order than title" : "--where" : nil
        if section != nil || sections, let chooser {
            throw ValidationError("Headings are those of a list that is kept: leave out \(chooser), or them.")
        }
        if offset != nil, let chooser {
            throw ValidationError(
                "Under \(chooser) works are found as they come: go on with --after in place of --offset.")
        }
        for condition in conditions { _ = try WhereClause(condition) }
        if let after, WorkCursor(after) == nil {
            throw ValidationError("'\(after)' is no cursor. Use the one printed with the page before.")
        }
    }

    /// Of what only works have, what was given first.
    private var optionOfWorks: String? {
        if sort != .title { return "--sort" }
        if status != nil { return "--status" }
        if prefix != nil { return "--prefix" }
        if section != nil { return "--section" }
        return sections ? "--sections" : nil
    }

    func run() async throws {
        if let kind {
            return try RecordListing(
                library: library, kind: kind, conditions: conditions, order: order, isReversed: reverse, offset: offset,
                after: after, limit: limit, explains: explain, common: common
            ).run()
        }
        let filter = status.flatMap(ReadingStatus.init(name:)).map(WorkFilter.status) ?? .all
        let direction: WorkDirection = reverse ? .reverse : .forward
        if let cursor = after.flatMap(WorkCursor.init), cursor.order != sort || cursor.direction != direction {
            throw CommandFailure.wrongUsage(
                "The cursor is of a list by \(cursor.order.rawValue), \(cursor.direction.rawValue), and this one is by "
                    + "\(sort.rawValue), \(direction.rawValue).",
                next: "add --sort \(cursor.order.rawValue)\(cursor.direction == .reverse ? " --reverse" : "")")
        }
        let works = try LibraryAccess.reading(library).snapshot.works
        if isChosen {
            let clauses = try conditions.map { try WhereClause($0) }
            let matches = works.list(scope, by: sort, direction: direction) { columns in
                clauses.reduce(columns.counted(filter)) { $0 && $1.predicate }
            }
            return explain ? try printPlan(of: matches, clauses) : try await printMatches(matches)
        }
        let list =
            prefix == nil
            ? works.list(by: sort, filter, direction: direction) : works.list(scope, filter, direction: direction)
        if explain {
            let slice = try section.map { try part(of: list, $0) } ?? list
            return try printPlan(walked: (sort, slice.count), met: statusWords + prefixWords + sectionWords, tested: [])
        }
        if sections { return try printSections(list.sections) }
        if let section { return try printPage(of: part(of: list, section), isPart: true) }
        if prefix != nil { return try printPage(of: list, isPart: true) }
        try printPage(of: list[min(offset ?? 0, list.count)...])
    }

    private var scope: WorkScope { prefix.map(WorkScope.titled) ?? .all }

    /// Whether works are looked at one by one, and not a list that is kept as it is asked for.
    private var isChosen: Bool { !conditions.isEmpty || (prefix != nil && sort != .title) }

    /// - Parameter isPart: whether the slice is all that is listed, and counts from its own start; otherwise it is the rest of a
    ///   list behind `--offset`.
    private func printPage(of slice: WorkItems, isPart: Bool = false) throws {
        let rest = isPart ? slice.dropFirst(offset ?? 0) : slice
        let page = try rest.page(after: after.flatMap(WorkCursor.init), limit: limit)
        let total = isPart ? slice.count : slice.endIndex
        let offset = isPart ? rest.startIndex - slice.startIndex + page.offset : slice.startIndex + page.offset
        if common.json {
            try printDocument(page.items, next: page.next, total: total, offset: offset)
        } else {
            try printTable(page, total: total, offset: offset)
        }
    }

    private func part(of list: WorkItems, _ heading: String) throws -> WorkItems {
        let sections = try list.sections
        func isMeant(_ label: String) -> Bool { label.lowercased() == heading.lowercased() }
        // What has no value is shown as “(none)”.
        let found =
            sections.first { isMeant($0.label) } ?? sections.first { $0.label.isEmpty && heading == Self.noHeading }
        guard let section = found else {
            let labels = sections.map(\.label).filter { !$0.isEmpty }.map { label in
                // Alone it would be taken for an option.
                label.hasPrefix("-") ? ShellWord.option("--section", label) : label
            }.joined(separator: " ")
            throw CommandFailure.absent(
                "There is no heading \(heading) by \(sort.rawValue).",
                next: labels.isEmpty ? "leave --section out: the list is empty" : "use one of \(labels)")
        }
        return list[section.range]
    }

    private func printMatches(_ matches: FilteredWorks) async throws {
        let page = try matches.page(after: after.flatMap(WorkCursor.init), limit: limit)
        let total = try await matches.count()
        if common.json { return try printDocument(page.items, next: page.next, total: total, offset: nil) }
        guard !page.items.isEmpty else {
            StandardError.say(total == 0 ? "No works." : "No more works: there are \(NumberText.count(total)).")
            return
        }
        try Output.print(WorkTable.lines(page.items, style: common.style))
        StandardError.say("\(NumberText.count(page.items.count)) of \(NumberText.count(total, "work")) by \(orderName)")
        if let next = page.next { StandardError.say("→ bookdb ls \(word: library)\(repeatedOptions) --after \(next)") }
    }

    // MARK: Explanations

    private var statusWords: [String] { status.map { ["status = \($0)"] } ?? [] }
    private var prefixWords: [String] { prefix.map { ["title begins with “\($0)”"] } ?? [] }
    private var sectionWords: [String] { section.map { ["heading = \($0)"] } ?? [] }

    private func printPlan(of matches: FilteredWorks, _ clauses: [WhereClause]) throws {
        let walked = matches.walked
        var met = statusWords
        var tested = clauses
        // A counted list serves for one of them.
        if met.isEmpty, walked.filter != .all,
            let counted = tested.firstIndex(where: { $0.predicate.filter == walked.filter })
        {
            met.append(tested.remove(at: counted).words)
        }
        // The titles that begin so are a stretch of the list by title, and of no other.
        let isStretch = walked.order == .title
        try printPlan(
            walked: (walked.order, walked.count), met: met + (isStretch ? prefixWords : []),
            tested: (isStretch ? [] : prefixWords) + tested.map(\.words))
    }

    private func printPlan(walked: (order: WorkOrder, count: Int), met: [String], tested: [String]) throws {
        let plan = RecordPlan(
            of: "works", where: met + tested,
            walked: RecordPlan.Step(order: walked.order.rawValue, conditions: met, count: walked.count), tested: tested)
        try Output.print(common.json ? [PlanSheet.document(plan)] : PlanSheet.lines(plan, isOfWorks: true))
    }

    private static let noHeading = "(none)"

    private func printSections(_ sections: [WorkSection]) throws {
        if common.json {
            var json = JSONWriter()
            json.object { json in
                json.member("schema", "bookdb.sections/1")
                json.array("sections") { json in
                    for section in sections {
                        json.object { json in
                            json.member("label", section.label)
                            json.member("offset", section.range.lowerBound)
                            json.member("count", section.count)
                        }
                    }
                }
            }
            return try Output.print(json.text)
        }
        var table = TextTable([.init(), .init(alignment: .right)])
        for section in sections {
            table.add([section.label.isEmpty ? Self.noHeading : section.label, NumberText.count(section.count)])
        }
        try Output.print(table.lines())
    }

    private var orderName: String { (sort == .added ? "date added" : sort.rawValue) + (reverse ? ", reversed" : "") }

    private func printDocument(
        _ items: [WorkListItem], next: WorkCursor?, total: Int, offset: Int?
    ) throws(CommandFailure) {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.ls/1")
            json.member("total", total)
            if let offset { json.member("offset", offset) }
            json.optional("next", next?.description)
            json.array("items") { json in
                for item in items { json.element(item) }
            }
        }
        try Output.print(json.text)
    }

    private func printTable(_ page: WorkPage, total: Int, offset: Int) throws(CommandFailure) {
        guard !page.items.isEmpty else {
            StandardError.say(total == 0 ? "No works." : "No more works: there are \(NumberText.count(total)).")
            return
        }
        try Output.print(WorkTable.lines(page.items, style: common.style))
        let rows = "\(NumberText.count(offset + 1))–\(NumberText.count(offset + page.items.count))"
        StandardError.say("\(rows) of \(NumberText.count(total, "work")) by \(orderName)")
        if let next = page.next {
            StandardError.say("→ bookdb ls \(word: library)\(repeatedOptions) --after \(next)")
        }
    }

    private var repeatedOptions: String {
        var options = ""
        if sort != .title { options += " --sort \(sort.rawValue)" }
        if reverse { options += " --reverse" }
        for condition in conditions { options += " --where \(word: condition)" }
        if let prefix { options += " " + ShellWord.option("--prefix", prefix) }
        if let section { options += " " + ShellWord.option("--section", section) }
        if let status { options += " --status \(status)" }
        if limit != Self.defaultLimit { options += " --limit \(limit)" }
        return options
    }
}
