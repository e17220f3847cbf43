#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@testable import BookDB
@testable import RecordStore

/// Records with a value in every field.
extension Work {
    static func full(by author: BookDB.ID<Author>) -> Work {
        Work(
            title: "The Dispossessed", authors: [author], year: -800, subtitle: "An Ambiguous Utopia",
            originalTitle: "Les dépossédés", sortTitle: "Dispossessed", language: "en",
            coverURL: "https://example.org/cover.jpg", description: "Two worlds and a wall.\nOne man.",
            excerpt: "There was a wall.",
            subjects: ["anarchism", "", "moons"],
            series: [SeriesMembership(name: "Hainish Cycle", number: "5"), SeriesMembership(name: "SF Masterworks")],
            reviewStatus: .needsAttention, dateAdded: Date(timeIntervalSince1970: 1_600_000_000.123))
    }
}

extension Edition {
    static func full(of work: BookDB.ID<Work>) -> Edition {
        Edition(
            of: work, isbns: [ISBN(digits: 9_780_061_054_884)!, ISBN(digits: 9_780_547_928_227)!],
            unparsedISBN: "0-06-1054", title: "", publisher: "Harper", pageCount: 387, format: "Paperback",
            publicationYear: 1974, language: "eng",
            identifiers: [
                SourceIdentifier(source: "goodreads", value: "13651"),
                SourceIdentifier(source: "librarything", value: "8"),
            ])
    }
}

extension UserLibraryEntry {
    static func full(for work: BookDB.ID<Work>) -> UserLibraryEntry {
        UserLibraryEntry(
            for: work, status: .abandoned, rating: Rating(stars: 4.25), dateStarted: Day("2020-10-25"),
            dateFinished: Day("1969-12-31"), readCount: 3, notes: "Borrowed.", review: "", tags: ["sf", "sf", "***"],
            isOwned: true)
    }
}
