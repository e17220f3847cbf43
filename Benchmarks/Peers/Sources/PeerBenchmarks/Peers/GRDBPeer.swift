import Foundation
import GRDB

/// GRDB as its documentation shows it: records, a pool, indexes, and FTS5 with trigrams.
final class GRDBPeer: BlockingPeer {
    static let name = "GRDB"

    let pool: DatabasePool

    init(path: String, access: Access) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        pool = try DatabasePool(path: path, configuration: configuration)
        // A pool makes its connections NORMAL when it opens them: a commit would not be flushed.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        guard access == .write else { return }
        try pool.write { database in
            if try !database.tableExists("book") { try GRDBSchema.create(database) }
        }
    }

    // MARK: Reading

    /// Of GRDB's two ways the one that holds up its thread, as everywhere here; so also below.
    private func read<Result>(_ body: (Database) throws -> Result) throws -> Result { try pool.read(body) }

    private func rows(_ request: QueryInterfaceRequest<BookRow>) throws -> [ListRow] {
        try pool.read { try request.fetchAll($0) }.map(\.row)
    }

    func page(offset: Int) throws -> [ListRow] {
        try rows(BookRow.order(Column("place")).limit(50, offset: offset))
    }

    func page(after anchor: Anchor) throws -> [ListRow] {
        try rows(BookRow.filter(Column("place") > anchor.place).order(Column("place")).limit(50))
    }

    func page(status: Int, offset: Int) throws -> [ListRow] {
        try rows(BookRow.filter(Column("status") == status).order(Column("place")).limit(50, offset: offset))
    }

    func page(prefix: String, key: [UInt8]) throws -> [ListRow] {
        let end = Data(key + [0xFF])
        return try rows(
            BookRow.filter(Column("key") >= Data(key) && Column("key") < end).order(Column("key")).limit(50))
    }

    func statusCounts() throws -> [Int] {
        try pool.read { database in
            try Row.fetchAll(database, sql: "SELECT status, count(*) FROM book GROUP BY status ORDER BY status")
                .map { $0[1] as Int }
        }
    }

    func search(_ needle: String) throws -> [ListRow] {
        let match = TrigramMatch(needle)
        let sql = """
            SELECT * FROM book
            WHERE place IN (SELECT rowid FROM search WHERE \(match.condition) ORDER BY rowid LIMIT 50) ORDER BY place
            """
        return try pool.read { try BookRow.fetchAll($0, sql: sql, arguments: [match.value]) }.map(\.row)
    }

    func rankedSearch(_ needle: String) throws -> [ListRow]? {
        let match = TrigramMatch(needle)
        let sql = """
            SELECT book.* FROM book
            JOIN (SELECT rowid AS found, rank AS score FROM search WHERE \(match.condition) ORDER BY rank LIMIT 50)
            ON place = found ORDER BY score
            """
        return try pool.read { try BookRow.fetchAll($0, sql: sql, arguments: [match.value]) }.map(\.row)
    }

    func searchCount(_ needle: String) async throws -> Int {
        let match = TrigramMatch(needle)
        let sql = "SELECT count(*) FROM search WHERE \(match.condition)"
        return try read { try Int.fetchOne($0, sql: sql, arguments: [match.value]) } ?? 0
    }

    func fullWork(_ id: Int64) throws -> FullWork? {
        try pool.read { database in
            guard let work = try WorkRecord.fetchOne(database, key: id) else { return nil }
            let authors = try AuthorRecord.fetchAll(database, keys: work.authors)
            return FullWork(
                work: work, authors: work.authors.compactMap { id in authors.first { $0.id == id } },
                editions: try EditionRecord.filter(Column("work") == id).order(Column("id")).fetchAll(database),
                entry: try EntryRecord.fetchOne(database, key: id))
        }
    }

    // MARK: Writing

    private static func add(_ book: Book, _ database: Database) throws {
        try BookRow(book).insert(database)
        try database.cachedStatement(sql: "INSERT INTO search (rowid, text) VALUES (?, ?)")
            .execute(arguments: [book.place, book.text])
        for author in book.newAuthors { try author.insert(database) }
        try book.full.work.insert(database)
        for edition in book.full.editions { try edition.insert(database) }
        try book.full.entry?.insert(database)
    }

    func put(_ book: Book) throws { try pool.write { try Self.add(book, $0) } }

    func rename(_ changes: [Renaming], durably: Bool) async throws {
        try synchronous(durably ? "FULL" : "NORMAL")
        try write { database in
            for change in changes {
                guard var row = try BookRow.fetchOne(database, key: change.id),
                    var work = try WorkRecord.fetchOne(database, key: change.id)
                else { throw Failure("no work \(change.id)") }
                try database.execute(
                    sql: "UPDATE search SET rowid = ?, text = ? WHERE rowid = ?",
                    arguments: [change.place, change.text, row.place])
                row.title = change.title
                row.place = change.place
                row.key = Data(change.key)
                try row.update(database)
                work.title = change.title
                try work.update(database)
            }
        }
    }

    func importBooks(_ file: BookFile) async throws {
        try synchronous("OFF")
        try file.forEachBatch { books, _ in
            try write { database in for book in books { try Self.add(book, database) } }
        }
        try synchronous("FULL")
        try checkpoint()
    }

    private func synchronous(_ mode: String) throws {
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(mode)") }
    }

    func compact() async throws {
        try vacuum()
        try checkpoint()
    }

    func write(_ body: (Database) throws -> Void) throws { try pool.write(body) }

    private func vacuum() throws { try pool.vacuum() }

    private func checkpoint() throws {
        try pool.writeWithoutTransaction { database in _ = try database.checkpoint(.truncate) }
    }
}
