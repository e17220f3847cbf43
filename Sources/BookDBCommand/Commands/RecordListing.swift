import BookDB

/// What `bookdb ls --kind` lists.
struct RecordListing {
    let library: String
    let kind: String
    let order: String?
    let offset: Int
    let limit: Int
    let common: CommonOptions

    func run() throws {
        let snapshot = try LibraryAccess.reading(library).snapshot
        guard let kind = try snapshot.kind(named: kind) else {
            throw Self.missing("\(library) has no kind \(self.kind)", self.kind, among: try snapshot.kinds.map(\.name))
        }
        let order = try order.map { name in
            guard let order = kind.orders.first(where: { $0.name == name }) else {
                throw Self.missing("\(kind.name) has no order “\(name)”", name, among: kind.orders.map(\.name))
            }
            return order
        }
        let records = try snapshot.records(of: kind, in: order, offset: offset, limit: limit)
        let total = order?.count ?? kind.count
        if common.json { return try Output.print(document(records, kind, total)) }
        guard !records.isEmpty else {
            return StandardError.say(
                total == 0 ? "No records." : "No more records: there are \(NumberText.count(total)).")
        }
        try Output.print(RecordSheet.table(records, of: kind, style: common.style))
        let rows = "\(NumberText.count(offset + 1))–\(NumberText.count(offset + records.count))"
        let words = order.map { "by \($0.words)" } ?? "as they came"
        StandardError.say("\(rows) of \(NumberText.count(total, "record")) \(words)")
        guard offset + records.count < total else { return }
        var options = "--kind '\(kind.name)'"
        if let order { options += " --order '\(order.name)'" }
        if limit != LsCommand.defaultLimit { options += " --limit \(limit)" }
        StandardError.say("→ bookdb ls \(library) \(options) --offset \(offset + records.count)")
    }

    private static func missing(_ sentence: String, _ name: String, among names: [String]) -> CommandFailure {
        let hint = NearMiss.closest(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return CommandFailure(
            status: .notFound, sentence: sentence + "." + hint,
            next: names.isEmpty ? "there are none" : "use one of \(names.joined(separator: ", "))")
    }

    /// `bookdb.ls-records/1`
    private func document(_ records: [StoredRecord], _ kind: StoredKind, _ total: Int) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.ls-records/1")
            json.member("kind", kind.name)
            json.optional("order", order)
            json.member("total", total)
            json.member("offset", offset)
            json.array("items") { json in
                for record in records { json.element(json: record.line) }
            }
        }
        return json.text
    }
}
