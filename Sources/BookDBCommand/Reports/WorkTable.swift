import BookDB

/// Rows of works for people.
enum WorkTable {
    /// - Parameter dress: dresses titles and authors, as far as they are shown.
    static func lines(
        _ items: [WorkListItem], style: Style, dress: ((String) -> String)? = nil
    ) -> [String] {
        var table = TextTable([
            .init(title: "TITLE", leastWidth: 24, dress: dress),
            .init(title: "AUTHORS", leastWidth: 14, dress: dress),
            .init(title: "YEAR", alignment: .right),
            .init(title: "STATUS"),
            .init(title: "ID"),
        ])
        for item in items {
            guard item.isReadable else {
                table.add(["(damaged: bookdb verify tells more)", "", "", "", item.id.description])
                continue
            }
            table.add([
                item.title, item.authors, item.year.map(Years.text) ?? "",
                item.status == .none ? "" : item.status.name, item.id.description,
            ])
        }
        return table.lines(heading: style.bold)
    }
}

extension JSONWriter {
    /// A row of a list as an object.
    ///
    /// - Parameters:
    ///   - match: how it matches what was looked for.
    ///   - missing: words looked for that it does not have.
    mutating func element(_ item: WorkListItem, match: String? = nil, missing: [String] = []) {
        object { json in
            json.member("id", item.id.description)
            json.member("title", item.title)
            json.member("authors", item.authors)
            json.optional("year", item.year)
            json.member("status", item.status.name)
            if let rating = item.rating { json.member("rating", rating.stars) }
            if let match { json.member("match", match) }
            if !missing.isEmpty {
                json.array("missing") { json in
                    for word in missing { json.element(word) }
                }
            }
            if !item.isReadable { json.member("damaged", true) }
        }
    }
}
