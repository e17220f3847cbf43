/// An app's own records in a table, with an index that has all a sum needs.
extension SQLitePeer {
    func insert(_ records: [SessionRecord]) async throws {
        try write {
            for record in records {
                try database.run(
                    "INSERT INTO session (work, day, pages, note) VALUES (?, ?, ?, ?)", .number(record.work),
                    .number(record.day), .number(record.pages), .text(record.note))
            }
        }
    }

    private func sessions(_ rest: String, _ value: Int) throws -> [SessionRecord] {
        try database.rows("SELECT work, day, pages, note FROM session \(rest)", .number(value)) { row in
            SessionRecord(
                work: Int64(row.number(0)), day: row.number(1), pages: row.number(2), note: row.text(3))
        }
    }

    func sessions(offset: Int) throws -> [SessionRecord] {
        // The rows that are skipped are skipped in the index alone.
        try sessions(
            """
            JOIN (SELECT id AS found FROM session ORDER BY day, id LIMIT 50 OFFSET ?) ON session.id = found
            ORDER BY day, session.id
            """, offset)
    }

    func pageSum(days: Range<Int>) throws -> Int {
        try database.rows(
            "SELECT sum(pages) FROM session WHERE day >= ? AND day < ?", .number(days.lowerBound),
            .number(days.upperBound)
        ) { $0.number(0) }.first ?? 0
    }

    func sessions(pages: Int) throws -> [SessionRecord] { try sessions("WHERE pages = ? ORDER BY id", pages) }
}
