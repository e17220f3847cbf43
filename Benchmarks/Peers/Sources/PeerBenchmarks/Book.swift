import BookDB
import Foundation

/// One row of the list as every store is given it.
struct Book: Sendable {
    /// The place in the list by title, with room between two for others.
    var place: Int64
    var id: Int64
    var title: String
    var authors: String
    var coverURL: String?
    var year: Int?
    var status: Int
    var rating: Int?
    /// What a search looks through: lower-case and without accents.
    var text: String

    /// Two neighbours are this far apart.
    static let step: Int64 = 1 << 20

    /// Every book of a library, in title order.
    static func all(of snapshot: Snapshot) throws -> [Book] {
        var books: [Book] = []
        let statuses = Dictionary(uniqueKeysWithValues: ReadingStatus.allCases.enumerated().map { ($1, $0) })
        for (rank, item) in snapshot.works.sorted().enumerated() {
            guard let work = try snapshot.works[item.id] else { continue }
            let names = [work.title, work.subtitle, work.originalTitle].compactMap { $0 } + work.series.map(\.name)
            books.append(
                Book(
                    place: Int64(rank + 1) * step, id: Int64(bitPattern: item.id.rawValue), title: item.title,
                    authors: item.authors, coverURL: item.coverURL, year: item.year,
                    status: statuses[item.status] ?? 0, rating: item.rating.map { Int($0.quarterStars) },
                    text: (names + [item.authors]).joined(separator: "\n")
                        .folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)))
        }
        return books
    }
}

/// What a list row shows, as a value with strings of its own: every store is asked for these.
struct ListRow: Sendable {
    let id: Int64
    let title: String
    let authors: String
    let year: Int?
    let status: Int
    let rating: Int?
}
