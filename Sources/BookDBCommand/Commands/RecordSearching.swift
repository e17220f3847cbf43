import BookDB

/// What `bookdb search --kind` finds.
struct RecordSearching {
    let library: String
    let kind: String
    let query: String
    let fields: [String]
    let limit: Int
    let findsBeginnings: Bool
    let common: CommonOptions

    func run() throws {
        let snapshot = try LibraryAccess.reading(library).snapshot
        let kind = try KindLookup.kind(self.kind, in: snapshot, of: library)
        for field in fields where !kind.searchedFields.contains(field) {
            throw KindLookup.missing(
                "\(kind.name) has no text “\(field)” to search", field, among: kind.searchedFields,
                isWrongUsage: true)
        }
        guard !kind.searchedFields.isEmpty else {
            throw CommandFailure.wrongUsage(
                "None of the fields of \(kind.name) is a text, so there is nothing to search.",
                next: "bookdb ls \(word: library) --kind \(word: kind.name)")
        }
        let found = try snapshot.search(
            query, in: kind, fields: fields, limit: limit, matching: findsBeginnings ? .beginnings : .anywhere)
        if common.json { return try Output.print(document(found.matches, total: found.count, kind)) }
        guard let last = found.matches.last else { return StandardError.say("Nothing matches “\(query)”.") }
        let style = common.style
        // The last has the most forgiven.
        let table = RecordSheet.table(found.matches.map(\.record), of: kind, style: style) { text in
            style.bold(text, at: last.highlights(in: text))
        }
        try Output.print(table.lines)
        let shown = NumberText.count(found.matches.count)
        StandardError.say(
            "\(shown) of \(NumberText.count(found.count, "record"))\(forgiven(found.matches))\(RecordSheet.words(hidden: table.hidden))"
        )
        guard found.count > found.matches.count else { return }
        var options = " --kind \(word: kind.name)"
        for field in fields { options += " --field \(word: field)" }
        if findsBeginnings { options += " --beginnings" }
        StandardError.say("→ bookdb search \(word: library) \(word: query)\(options) --limit \(found.count)")
    }

    private func forgiven(_ matches: [StoredMatch]) -> String {
        if let first = matches.first, !first.missingWords.isEmpty {
            let words = first.missingWords.map { "“\($0)”" }.joined(separator: ", ")
            return "; no record has all of the words, the first lacks \(words)"
        }
        let count = matches.count { $0.isGuess }
        return count == 0 ? "" : count == matches.count ? ", typos forgiven" : ", typos forgiven in \(count)"
    }

    /// `bookdb.search-records/1`
    private func document(_ matches: [StoredMatch], total: Int, _ kind: StoredKind) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.search-records/1")
            json.member("query", query)
            json.member("kind", kind.name)
            json.array("fields") { json in
                for field in fields.isEmpty ? kind.searchedFields : fields { json.element(field) }
            }
            json.member("total", total)
            json.array("items") { json in
                for match in matches {
                    json.object { json in
                        json.member("match", match.band)
                        if !match.missingWords.isEmpty {
                            json.array("missing") { json in match.missingWords.forEach { json.element($0) } }
                        }
                        json.member("record", json: match.record.line)
                    }
                }
            }
        }
        return json.text
    }
}
