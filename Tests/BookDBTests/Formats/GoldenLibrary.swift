#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import StorageEngine

@testable import BookDB
@testable import RecordStore

/// A library of invented books, made the same way every time. Device 0xB00C; the clock stands at 0.
enum GoldenLibrary {
    static let directory = "Formats/golden/library"
    private static let identifier = Array("golden store 004".utf8)

    static func make(_ fileSystem: MemoryFileSystem) async throws {
        // The engine is asked first, for a store identifier of our choice.
        let options = Options(storeIdentifier: identifier)
        try await Database.open(
            at: directory, trees: LibraryContents.books.allTrees, options: options, fileSystem: fileSystem
        ).close()
        let store = try BookStore(at: directory, undo: .on, fileSystem: fileSystem, device: 0xB00C)
        let kept = try await store.write { library in try addCatalogue(&library) }
        try await store.compact()
        try await store.write { library in try changeAfterwards(&library, kept) }
        try await store.write { library in try library.delete(kept.last!) }
        try await store.write { library in
            library.commitName = "Delete “9 Doors”"
            try library.delete(kept[6])
        }
        try await store.undo()
        try await store.close()
    }

    /// What the snapshot holds.
    private static func addCatalogue(_ library: inout LibraryTransaction) throws -> [ID<Work>] {
        let ida = try library.insert(Author("Ida Quillfeather"))
        let jiri = try library.insert(Author("Jiří Dvořáček-Smolík"))
        let phaidra = try library.insert(Author("Φαίδρα Νεροκράτη"))
        let umi = try library.insert(Author("架空 海子", sortName: "かくう うみこ"))
        let nadiya = try library.insert(Author("Надія Вигадана"))
        var works = [
            Work(
                title: "The Lamplighter's Almanac", authors: [ida], year: 1911, subtitle: "A Year in Ninety Lamps",
                language: "en", coverURL: "https://covers.example/lamplighter.jpg",
                description: String(
                    repeating: "Ninety lamps, one street, and the winter nobody wrote down. ", count: 9),
                subjects: ["lamps", "winter"], series: [SeriesMembership(name: "Street Cycle", number: "1")],
                reviewStatus: .reviewed),
            Work(
                title: "A Harbour Without Water", authors: [ida, jiri], year: 1913, language: "en",
                series: [
                    SeriesMembership(name: "Street Cycle", number: "2"), SeriesMembership(name: "Dry Harbours"),
                ]),
            Work(
                title: "Řeka, která neteče", authors: [jiri], year: -44, originalTitle: "Flumen sine aqua",
                language: "cs", description: "Krátký popis."),
            Work(title: "Το φως της νύχτας", authors: [phaidra], year: 1999, language: "el"),
            Work(title: "架空の灯台", authors: [umi], year: 2021, sortTitle: "かくうのとうだい", language: "ja"),
            Work(title: "Місто без мапи", authors: [nadiya], language: "uk", reviewStatus: .needsAttention),
            Work(title: "9 Doors", year: 2001),
            Work(title: "To be removed", authors: [ida]),
        ]
        for index in works.indices {
            works[index].dateAdded = Date(timeIntervalSince1970: 1_700_000_000 + Double(index) * 86_400.001)
        }
        let ids = try works.map { try library.insert($0) }
        try addEditions(&library, ids)
        try library.set(
            UserLibraryEntry(
                for: ids[0], status: .read, rating: Rating(stars: 4.25), dateStarted: Day("2023-11-20"),
                dateFinished: Day("2023-12-01"), readCount: 2, notes: "Lent to Jiří.",
                review: String(repeating: "Better by lamplight. ", count: 6), tags: ["winter", "re-read"], isOwned: true
            ))
        try library.set(UserLibraryEntry(for: ids[3], status: .wantToRead))
        try library.set(UserLibraryEntry(for: ids[4], status: .reading, dateStarted: Day("1969-12-31")))
        return ids
    }

    private static func addEditions(_ library: inout LibraryTransaction, _ works: [ID<Work>]) throws {
        try library.insert(
            Edition(
                of: works[0], isbns: [ISBN(digits: 9_780_000_000_019)!], publisher: "Tallow & Wick", pageCount: 412,
                format: "Hardcover", publicationYear: 1911, language: "en",
                identifiers: [SourceIdentifier(source: "goodreads", value: "1000001")]))
        try library.insert(
            Edition(of: works[0], unparsedISBN: "0-00-1", title: "The Almanac", format: "Paperback"))
        try library.insert(
            Edition(
                of: works[4], isbns: [ISBN(digits: 9_780_000_000_026)!], publisher: "海底書房", pageCount: 96,
                language: "ja"))
    }

    /// What the log holds.
    private static func changeAfterwards(_ library: inout LibraryTransaction, _ works: [ID<Work>]) throws {
        let omar = try library.insert(Author("عمر الخيالي"))
        var added = Work(title: "مكتبة الرمل الأزرق", authors: [omar], year: 1988, language: "ar")
        added.dateAdded = Date(timeIntervalSince1970: 1_710_000_000)
        added.description = String(repeating: "كتاب واحد في كل غرفة، وغرفة واحدة في كل كتاب. ", count: 3)
        let id = try library.insert(added)
        try library.insert(Edition(of: id, isbns: [ISBN(digits: 9_780_000_000_033)!]))
        try library.set(UserLibraryEntry(for: id, status: .abandoned, rating: Rating(stars: 1)))
        guard var harbour = try library.work(works[1]) else { return }
        harbour.title = "A Harbour Without Ships"
        try library.update(harbour)
    }
}
