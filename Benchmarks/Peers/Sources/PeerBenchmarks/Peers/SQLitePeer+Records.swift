/// Works with all that belongs to them, in and out of SQLite's tables.
extension SQLitePeer {
    func fullWork(_ id: Int64) throws -> FullWork? {
        // One transaction, so that all rows are of the same commit.
        try database.run("BEGIN")
        defer { try? database.run("COMMIT") }
        guard var work = try work(id) else { return nil }
        let authors = try database.rows(
            """
            SELECT author.id, name, sortName FROM authorship JOIN author ON author.id = author
            WHERE work = ? ORDER BY position
            """, .number(id)
        ) { AuthorRecord(id: Int64($0.number(0)), name: $0.text(1), sortName: $0.text(2)) }
        work.authors = authors.map(\.id)
        return FullWork(work: work, authors: authors, editions: try editions(of: id), entry: try entry(of: id))
    }

    private func work(_ id: Int64) throws -> WorkRecord? {
        try database.rows("SELECT * FROM work WHERE id = ?", .number(id)) { row in
            WorkRecord(
                id: id, title: row.text(1), subtitle: row.optionalText(2), originalTitle: row.optionalText(3),
                sortTitle: row.optionalText(4), language: row.optionalText(5), year: row.optionalNumber(6),
                coverURL: row.optionalText(7), description: row.optionalText(8), subjects: row.list(9) { $0.text() },
                series: row.list(10) { SeriesRecord(from: &$0) }, review: row.number(11), added: row.number(12),
                authors: [])
        }.first
    }

    private func editions(of work: Int64) throws -> [EditionRecord] {
        try database.rows("SELECT * FROM edition WHERE work = ? ORDER BY id", .number(work)) { row in
            EditionRecord(
                id: Int64(row.number(1)), work: work, isbns: row.list(2) { $0.number() },
                unparsedISBN: row.optionalText(3), title: row.optionalText(4), publisher: row.optionalText(5),
                pageCount: row.optionalNumber(6), format: row.optionalText(7), year: row.optionalNumber(8),
                language: row.optionalText(9), identifiers: row.list(10) { IdentifierRecord(from: &$0) })
        }
    }

    private func entry(of work: Int64) throws -> EntryRecord? {
        try database.rows("SELECT * FROM entry WHERE work = ?", .number(work)) { row in
            EntryRecord(
                work: work, status: row.number(1), rating: row.optionalNumber(2), started: row.optionalNumber(3),
                finished: row.optionalNumber(4), readCount: row.number(5), notes: row.optionalText(6),
                review: row.optionalText(7), tags: row.list(8) { $0.text() }, isOwned: row.number(9) == 1)
        }.first
    }

    /// Within a transaction.
    func add(_ book: Book) throws {
        let row = book.row
        try database.run(
            "INSERT INTO list VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", .number(book.place), .bytes(book.key),
            .number(row.id), .text(row.title), .text(row.authors), .text(row.coverURL), .number(row.year),
            .number(row.status), .number(row.rating))
        try database.run("INSERT INTO search (rowid, text) VALUES (?, ?)", .number(book.place), .text(book.text))
        for author in book.newAuthors {
            try database.run(
                "INSERT INTO author VALUES (?, ?, ?)", .number(author.id), .text(author.name), .text(author.sortName))
        }
        try add(book.full.work)
        for edition in book.full.editions { try add(edition) }
        if let entry = book.full.entry { try add(entry) }
    }

    private func add(_ work: WorkRecord) throws {
        try database.run(
            "INSERT INTO work VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", .number(work.id), .text(work.title),
            .text(work.subtitle), .text(work.originalTitle), .text(work.sortTitle), .text(work.language),
            .number(work.year), .text(work.coverURL), .text(work.description),
            bytes(work.subjects) { $0.add($1) }, bytes(work.series) { $0.add($1) }, .number(work.review),
            .number(work.added))
        for (position, author) in work.authors.enumerated() {
            try database.run(
                "INSERT INTO authorship VALUES (?, ?, ?)", .number(work.id), .number(position), .number(author))
        }
    }

    private func add(_ edition: EditionRecord) throws {
        try database.run(
            "INSERT INTO edition VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", .number(edition.work), .number(edition.id),
            bytes(edition.isbns) { $0.add($1) }, .text(edition.unparsedISBN), .text(edition.title),
            .text(edition.publisher), .number(edition.pageCount), .text(edition.format), .number(edition.year),
            .text(edition.language), bytes(edition.identifiers) { $0.add($1) })
    }

    private func add(_ entry: EntryRecord) throws {
        try database.run(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", .number(entry.work), .number(entry.status),
            .number(entry.rating), .number(entry.started), .number(entry.finished), .number(entry.readCount),
            .text(entry.notes), .text(entry.review), bytes(entry.tags) { $0.add($1) },
            .number(entry.isOwned ? 1 : 0))
    }

    private func bytes<Element>(_ list: [Element], _ body: (inout Packer, Element) -> Void) -> SQLiteValue {
        var packer = Packer()
        packer.add(list, body)
        return .bytes(packer.bytes)
    }
}
