import BookDB

/// What `bookdb ls --kind` lists.
struct RecordListing {
    let library: String
    let kind: String
    let conditions: [String]
    let order: String?
    let isReversed: Bool
    let offset: Int?
    let after: String?
    let limit: Int
    let explains: Bool
    let common: CommonOptions

    func run() throws {
        let snapshot = try LibraryAccess.reading(library).snapshot
        let kind = try KindLookup.kind(self.kind, in: snapshot, of: library)
        let order = try order.map { name in
            let named = kind.orders.filter { $0.name == name }
            guard let order = named.first(where: \.isWhole) ?? named.first else {
                throw KindLookup.missing("\(kind.name) has no order “\(name)”", name, among: kind.orders.map(\.name))
            }
            return order
        }
        let asked = try conditions.map { try condition($0, on: kind) }
        if explains {
            let plan = try snapshot.plan(of: kind, where: asked, in: order)
            return try Output.print(common.json ? [PlanSheet.document(plan)] : PlanSheet.lines(plan))
        }
        let list = try snapshot.list(of: kind, where: asked, in: order, isReversed: isReversed)
        let offset = try start(in: list)
        let records = try list.page(offset: offset, limit: limit)
        let goesOn = offset + records.count < list.count
        if common.json { return try Output.print(document(records, list, offset, goesOn)) }
        guard !records.isEmpty else {
            return StandardError.say(
                list.count == 0 ? "No records." : "No more records: there are \(NumberText.count(list.count)).")
        }
        let table = RecordSheet.table(records, of: kind, style: common.style)
        try Output.print(table.lines)
        let rows = "\(NumberText.count(offset + 1))–\(NumberText.count(offset + records.count))"
        var words = order.map { "by \($0.words)" } ?? "as they came"
        if isReversed { words += ", reversed" }
        StandardError.say(
            "\(rows) of \(NumberText.count(list.count, "record")) \(words)\(RecordSheet.words(hidden: table.hidden))")
        if goesOn, let last = records.last {
            let next = next(behind: last, list, offset + records.count)
            StandardError.say("→ bookdb ls \(word: library) \(repeatedOptions(kind)) \(next)")
        }
    }

    // MARK: Conditions

    private func condition(_ text: String, on kind: StoredKind) throws -> StoredCondition {
        let typed = try ComparisonText(text, example: "amount<-500")
        let names = kind.fields.map(\.name)
        guard names.contains(typed.name) else {
            throw KindLookup.missing(
                "\(kind.name) has no field “\(typed.name)”", typed.name, among: names, isWrongUsage: true)
        }
        guard let comparison = StoredCondition.Comparison(rawValue: typed.comparison) else {
            preconditionFailure("a comparison that was read is one of them")
        }
        do throws(LibraryError) {
            return try kind.condition(typed.name, comparison, typed.value)
        } catch {
            throw CommandFailure.wrongUsage(
                error.sentence, next: "bookdb inspect \(word: library) shows the fields of each kind")
        }
    }

    // MARK: Pages

    private func start(in list: StoredRecordList) throws -> Int {
        guard let after else { return min(offset ?? 0, list.count) }
        do throws(LibraryError) {
            if let place = try list.offset(after: after) { return place }
        } catch {
            guard case .invalidArgument(let sentence) = error else { throw error }
            throw CommandFailure.wrongUsage(sentence, next: "leave --after out, or the order")
        }
        throw CommandFailure.absent(
            "\(after) is not in this list, so nothing comes after it.",
            next: "go on with --offset in place of --after")
    }

    /// How the next page is asked for: after the last record, when that stands in one place only.
    private func next(behind last: StoredRecord, _ list: StoredRecordList, _ offset: Int) -> String {
        cursor(behind: last, list, offset).map { "--after \($0)" } ?? "--offset \(offset)"
    }

    private func cursor(behind last: StoredRecord, _ list: StoredRecordList, _ offset: Int) -> String? {
        let place = (try? list.offset(after: last.id)) ?? nil
        return place == offset ? last.id : nil
    }

    private func repeatedOptions(_ kind: StoredKind) -> String {
        var options = "--kind " + ShellWord.quoted(kind.name)
        for condition in conditions { options += " --where " + ShellWord.quoted(condition) }
        if let order { options += " --order " + ShellWord.quoted(order) }
        if isReversed { options += " --reverse" }
        if limit != LsCommand.defaultLimit { options += " --limit \(limit)" }
        return options
    }

    /// `bookdb.ls-records/1`
    private func document(_ records: [StoredRecord], _ list: StoredRecordList, _ offset: Int, _ goesOn: Bool) -> String
    {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.ls-records/1")
            json.member("kind", list.kind.name)
            json.optional("order", order)
            json.member("total", list.count)
            json.member("offset", offset)
            json.optional(
                "next", goesOn ? records.last.flatMap { cursor(behind: $0, list, offset + records.count) } : nil)
            // Also where the last one has several places, and `next` cannot say behind which.
            json.optional("nextOffset", goesOn ? offset + records.count : nil)
            json.array("items") { json in
                for record in records { json.element(json: record.line) }
            }
        }
        return json.text
    }
}
