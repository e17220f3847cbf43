import BookDB

/// One author with the works by them.
enum AuthorSheet {
    static func text(_ author: Author, in snapshot: Snapshot, isJSON: Bool, style: Style) throws -> [String] {
        let works = snapshot.works.list(.author(author.id))
        guard !isJSON else { return [document(author, works)] }
        let facts = [author.id.description, "filed as \(author.sortName)", NumberText.count(works.count, "work")]
        var lines = Paragraph.lines(author.name, indent: 0).map(style.bold)
        lines += Paragraph.lines(facts.joined(separator: " · "))
        guard !works.isEmpty else { return lines }
        return lines + [""] + WorkTable.lines(Array(works), style: style)
    }

    /// `bookdb.get-author/1`
    private static func document(_ author: Author, _ works: WorkItems) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.get-author/1")
            json.member("id", author.id.description)
            json.member("name", author.name)
            json.member("sortName", author.sortName)
            json.array("works") { json in
                for work in works { json.element(work) }
            }
        }
        return json.text
    }
}
