import GRDB

/// An app's own records as GRDB's records, with an index of their days.
extension GRDBPeer {
    func insert(_ records: [SessionRecord]) async throws {
        try write { database in for record in records { try record.insert(database) } }
    }

    func sessions(offset: Int) throws -> [SessionRecord] {
        try pool.read { database in
            try SessionRecord.order(Column("day"), Column("id")).limit(50, offset: offset).fetchAll(database)
        }
    }

    func pageSum(days: Range<Int>) throws -> Int {
        try pool.read { database in
            try SessionRecord.filter(days.contains(Column("day"))).select(sum(Column("pages")), as: Int.self)
                .fetchOne(database) ?? 0
        }
    }

    func sessions(pages: Int) throws -> [SessionRecord] {
        try pool.read { database in
            try SessionRecord.filter(Column("pages") == pages).order(Column("id")).fetchAll(database)
        }
    }
}

extension SessionRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "session"
}
