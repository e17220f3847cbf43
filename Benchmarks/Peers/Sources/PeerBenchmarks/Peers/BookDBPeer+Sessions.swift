import BookDB

/// A session as an app declares it.
struct Session: Record {
    var id: ID<Session> = .unassigned
    var work: Reference<Work> = .unassigned
    var day = 0
    var pages = 0
    var note = ""
    enum CodingKeys: Int, CodingKey { case id, work, day, pages, note }
    static let schema = Schema { Order("by day", \.day).sum(\.pages) }
}

extension Session {
    init(_ record: SessionRecord) {
        work = BookDB.ID(record.work)
        day = record.day
        pages = record.pages
        note = record.note
    }

    var record: SessionRecord { SessionRecord(work: work.number, day: day, pages: pages, note: note) }
}

extension BookDBPeer {
    private var byDay: RecordOrderList<Session> {
        get throws { try store.snapshot.list(Session.self, "by day") }
    }

    func insert(_ records: [SessionRecord]) async throws {
        try await store.write { library in
            for record in records { _ = try library.insert(Session(record)) }
        }
    }

    func sessions(offset: Int) throws -> [SessionRecord] {
        try byDay.page(offset: offset, limit: 50).map(\.record)
    }

    func pageSum(days: Range<Int>) throws -> Int {
        try byDay[from: days.lowerBound, to: days.upperBound - 1].sum(\.pages)
    }

    func sessions(pages: Int) throws -> [SessionRecord] {
        try store.snapshot.records(Session.self).where(\.pages == pages).map(\.record)
    }
}
