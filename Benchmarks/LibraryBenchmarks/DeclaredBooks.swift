import BookDB
import Foundation

/// An author as an app would declare one.
struct DeclaredAuthor: Record {
    var id: ID<DeclaredAuthor> = .unassigned
    var name = ""
    var sortName = ""
    enum CodingKeys: Int, CodingKey { case id, name, sortName }
    static let schema = Schema { Order("by name", .folded(\.name)) }
}

/// A work and what its reader did with it, as an app would declare them: in the orders and lists that `WorkIndexDefinition` has.
struct DeclaredWork: Record {
    enum Status: UInt8, CaseIterable, Codable {
        case none, wantToRead, reading, read, paused, abandoned
    }

    var id: ID<DeclaredWork> = .unassigned
    var title = ""
    var sortTitle: String?
    var language: String?
    var authors: [Reference<DeclaredAuthor>] = []
    var year: Int?
    var added = Date(timeIntervalSince1970: 0)
    var seriesName: String?
    var seriesNumber: String?
    var status = Status.none
    /// In quarter stars.
    var rating: UInt8?
    var finished: Day?
    var tags: [String] = []

    enum CodingKeys: Int, CodingKey {
        case id, title, sortTitle, language, authors, year, added, seriesName, seriesNumber, status, rating, finished
        case tags
    }

    static let schema = Schema {
        Home(Order("by title", .filed(\.title, language: \.language, sortedAs: \.sortTitle)))
        Link(\.authors, onDelete: .deny)
        Order("by author", .linked(first: \.authors, .filed(\.sortName)))
        Order("by added", .descending(\.added))
        Order("by finished", .descending(\.finished))
        Order("by year", \.year)
        Order("by rating", .descending(\.rating))
        Order("by series", .folded(\.seriesName), .filed(\.seriesNumber))
        Order("of author", .each(\.authors))
        Order("of series", .present(\.seriesName), .filed(\.seriesNumber))
        Order("of tag", .eachFolded(\.tags))
        Order("of language", .present(\.language))
        Facet(\.status)
    }
}

extension DeclaredWork {
    init(_ book: InventedBook, authors: [Reference<DeclaredAuthor>]) {
        let (work, entry) = (book.work, book.entry)
        title = work.title
        sortTitle = work.sortTitle
        language = work.language
        self.authors = authors
        year = work.firstPublicationYear
        added = work.dateAdded
        seriesName = work.series.first?.name
        seriesNumber = work.series.first?.number
        status = entry.flatMap { Status(rawValue: $0.status.rawValue) } ?? .none
        rating = entry?.rating?.quarterStars
        finished = entry?.dateFinished
        tags = entry?.tags ?? []
    }
}
