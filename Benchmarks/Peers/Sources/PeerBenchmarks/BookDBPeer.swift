import BookDB

/// BookDB through its public interface, as an app uses it. Writing is asynchronous there, so `PeerBenchmarks` does that itself.
struct BookDBPeer {
    static let name = "BookDB"

    let store: BookStore

    init(path: String, access: BookStore.Access = .readOnly) throws { store = try BookStore(at: path, access: access) }

    private var works: Snapshot.Works { store.snapshot.works }

    private static func rows(_ works: [WorkSummary]) -> [ListRow] {
        works.map { work in
            ListRow(
                id: Int64(bitPattern: work.id.rawValue), title: work.title, authors: work.authors, year: work.year,
                status: Int(work.status.rawValue), rating: work.rating.map { Int($0.quarterStars) })
        }
    }

    func page(offset: Int) throws -> [ListRow] { Self.rows(try works.sorted().summaries(offset: offset, limit: 50)) }

    func page(after cursor: WorkCursor) throws -> [ListRow] {
        try works.sorted().page(after: cursor, limit: 50).items.map { item in
            ListRow(
                id: Int64(bitPattern: item.id.rawValue), title: item.title, authors: item.authors, year: item.year,
                status: Int(item.status.rawValue), rating: item.rating.map { Int($0.quarterStars) })
        }
    }

    func cursor(at offset: Int) throws -> WorkCursor? { try works.sorted()[offset...].page(after: nil, limit: 1).next }

    func page(status: ReadingStatus, offset: Int) throws -> [ListRow] {
        Self.rows(try works.sorted(by: .title, .status(status)).summaries(offset: offset, limit: 50))
    }

    /// In title order, as the peers answer.
    func search(_ needle: String) throws -> [ListRow] {
        try works.search(needle, ranked: false).first(50).map { match in
            ListRow(
                id: Int64(bitPattern: match.item.id.rawValue), title: match.item.title, authors: match.item.authors,
                year: match.item.year, status: Int(match.item.status.rawValue),
                rating: match.item.rating.map { Int($0.quarterStars) })
        }
    }

    func searchCount(_ needle: String) async throws -> Int { try await works.search(needle).count() }

    func statusCounts() throws -> [Int] {
        let counts = try works.statusCounts
        return ReadingStatus.allCases.compactMap { counts[$0] }.filter { $0 > 0 }
    }
}
