import BookDB

/// Rows of works for people.
enum WorkTable {
    static func lines(_ items: [WorkListItem], style: Style) -> [String] {
        var table = TextTable([
            .init(title: "TITLE", leastWidth: 24),
            .init(title: "AUTHORS", leastWidth: 14),
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
    mutating func element(_ item: WorkListItem) {
        object { json in
            json.member("id", item.id.description)
            json.member("title", item.title)
            json.member("authors", item.authors)
            json.optional("year", item.year)
            json.member("status", item.status.name)
            if let rating = item.rating { json.member("rating", rating.stars) }
            if !item.isReadable { json.member("damaged", true) }
        }
    }

    /// The member, or null.
    mutating func optional(_ name: String, _ value: String?) {
        if let value { member(name, value) } else { null(name) }
    }

    /// The member, or null.
    mutating func optional(_ name: String, _ value: Int?) {
        if let value { member(name, value) } else { null(name) }
    }
}
