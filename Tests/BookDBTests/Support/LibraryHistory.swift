#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

import TestSupport

@testable import BookDB
@testable import RecordStore
@testable import Filing

/// Random changes, made to a library and to its model alike.
///
/// Few words and few numbers, so that titles, names, dates and ISBNs are often equal: that is where orders go wrong.
struct LibraryHistory: Sendable {
    var random: SeededGenerator
    var model = LibraryModel()

    static let isbns = (1...12).map { number in
        (0...9).compactMap { ISBN(digits: 978_000_000_000_0 + UInt64(number) * 10 + UInt64($0)) }[0]
    }
    static let sources = (1...8).map {
        SourceIdentifier(source: $0.isMultiple(of: 2) ? "goodreads" : "ol", value: "\($0)")
    }
    static let words = [
        "The", "A", "Left", "Léft", "Le\u{301}ft", "Hand", "of", "Hands", "Night", "9", "10", "and", "Ω", "L'Été", "…",
        "한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", "\u{10400}\u{1D400}",
    ]
    static let names = [
        "Ann Bee", "Ánn Bée", "A\u{301}nn Be\u{301}e", "Jo Zola", "Émile Zola", "Ursula K. Le Guin", "Bee", "Plato",
    ]

    static let series = ["The Locked Tomb", "the locked tomb", "Dune", "…"]
    static let numbers = [nil, "1", "2", "2.5", "10", "3-5", "last"]
    static let tags = ["to lend", "To lend!", "sf", "***", "été", "e\u{301}te\u{301}"]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private var latestWork: ID<Work>?

    /// One change. The model takes part only when the library took it.
    mutating func step(_ library: inout LibraryTransaction) throws(LibraryError) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: try insertWork(&library)
        case 5..<8: try updateWork(&library)
        case 8: try deleteWork(&library)
        case 9..<11: try insertAuthor(&library)
        case 11: try updateAuthor(&library)
        case 12: try deleteAuthor(&library)
        case 13..<15: try insertEdition(&library)
        case 15: try updateEdition(&library)
        case 16: try deleteEdition(&library)
        case 17..<19: try setEntry(&library)
        default: try deleteEntry(&library)
        }
    }

    // MARK: Works

    private mutating func insertWork(_ library: inout LibraryTransaction) throws(LibraryError) {
        var work = Work(title: "")
        fill(&work)
        work.id = try library.insert(work)
        model.works[work.id] = work
        latestWork = work.id
    }

    private mutating func updateWork(_ library: inout LibraryTransaction) throws(LibraryError) {
        guard let id = anyWork(), var work = try library.work(id) else { return }
        if random.oneIn(3) { fill(&work) } else { work.reviewStatus = random.pick(ReviewStatus.allCases)! }
        try library.update(work)
        model.works[id] = work
    }

    private mutating func deleteWork(_ library: inout LibraryTransaction) throws(LibraryError) {
        guard let id = anyWork() else { return }
        let others = model.works.keys.sorted().shuffled(using: &random).prefix(.random(in: 0...1, using: &random))
        if others.isEmpty { try library.delete(id) } else { try library.delete(others + [id]) }
        for id in others + [id] { model.delete(id) }
    }

    private mutating func fill(_ work: inout Work) {
        work.title = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.pick(Self.words)! }
            .joined(separator: " ")
        work.sortTitle = random.oneIn(10) ? random.pick(Self.words) : nil
        work.language = random.oneIn(4) ? ["fr", "German", "??"][work.title.utf8.count % 3] : nil
        work.firstPublicationYear = random.oneIn(3) ? nil : Int.random(in: -500...2030, using: &random)
        work.coverURL = random.oneIn(2) ? "https://example.org/\(Int.random(in: 0..<9, using: &random)).jpg" : nil
        work.description =
            random.oneIn(3) ? String(repeating: "Words. ", count: .random(in: 0...60, using: &random)) : nil
        work.authors = (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in anyAuthor() }.withoutRepetitions()
        work.excerpt = random.oneIn(5) ? random.pick(Self.words) : nil
        work.subtitle = random.oneIn(6) ? random.pick(Self.words) : nil
        work.series = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            SeriesMembership(name: random.pick(Self.series)!, number: random.pick(Self.numbers)!)
        }
        work.reviewStatus = random.pick(ReviewStatus.allCases)!
        work.dateAdded = Date(timeIntervalSince1970: Double(Int.random(in: -2...5, using: &random)) * 86_400.001)
    }

    // MARK: Authors

    private mutating func insertAuthor(_ library: inout LibraryTransaction) throws(LibraryError) {
        var author = Author(random.pick(Self.names)!)
        author.id = try library.insert(author)
        model.authors[author.id] = author
    }

    private mutating func updateAuthor(_ library: inout LibraryTransaction) throws(LibraryError) {
        guard let id = anyAuthor(), var author = try library.author(id) else { return }
        let old = author
        author.name = random.pick(Self.names)!
        author.sortName = random.oneIn(2) ? AuthorSortName.derive(from: author.name) : random.pick(Self.names)!
        try library.update(author)
        // One that was derived, and is given again with another name, follows that.
        let isDerived = Array(old.sortName.utf8) == Array(AuthorSortName.derive(from: old.name).utf8)
        let isGivenAgain = Array(author.sortName.utf8) == Array(old.sortName.utf8)
        if isDerived, isGivenAgain { author.sortName = AuthorSortName.derive(from: author.name) }
        model.authors[id] = author
    }

    private mutating func deleteAuthor(_ library: inout LibraryTransaction) throws(LibraryError) {
        guard let id = anyAuthor() else { return }
        do {
            try library.delete(id)
            model.authors[id] = nil
        } catch .referenced {
            precondition(!model.works(by: id).isEmpty, "only an author with works is kept")
        }
    }

    // MARK: Editions

    private mutating func insertEdition(_ library: inout LibraryTransaction) throws(LibraryError) {
        guard let work = anyWork() else { return }
        var edition = Edition(of: work)
        fill(&edition)
        edition.id = try library.insert(edition)
        model.editions[edition.id] = edition
    }

    private mutating func updateEdition(_ library: inout LibraryTransaction) throws(LibraryError) {
        guard let id = anyEdition(), var edition = try library.edition(id), let work = anyWork() else { return }
        fill(&edition)
        if random.oneIn(3) { edition.work = work }
        try library.update(edition)
        model.editions[id] = edition
    }

    private mutating func deleteEdition(_ library: inout LibraryTransaction) throws(LibraryError) {
        guard let id = anyEdition() else { return }
        try library.delete(id)
        model.editions[id] = nil
    }

    private mutating func fill(_ edition: inout Edition) {
        edition.isbns = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in random.pick(Self.isbns) }
            .withoutRepetitions()
        edition.identifiers = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in random.pick(Self.sources) }
            .withoutRepetitions()
        edition.pageCount = random.oneIn(2) ? Int.random(in: 0...900, using: &random) : nil
    }

    // MARK: Entries

    private mutating func setEntry(_ library: inout LibraryTransaction) throws(LibraryError) {
        guard let work = anyWork() else { return }
        var entry = try library.entry(of: work) ?? UserLibraryEntry(for: work)
        entry.status = random.pick(ReadingStatus.allCases)!
        entry.rating = Rating(quarterStars: .random(in: 0...20, using: &random))
        entry.isOwned = random.oneIn(2)
        entry.dateFinished =
            random.oneIn(2) ? Day(daysSince1970: .random(in: -400...400, using: &random)) : entry.dateFinished
        entry.tags = (0..<Int.random(in: 0...2, using: &random)).map { _ in random.pick(Self.tags)! }
        if random.oneIn(3) { entry.notes = random.oneIn(2) ? random.pick(Self.words) : nil }
        if random.oneIn(3) { entry.review = random.oneIn(2) ? String(repeating: "Good. ", count: 30) : nil }
        try library.set(entry)
        model.entries[work] = entry
    }

    private mutating func deleteEntry(_ library: inout LibraryTransaction) throws(LibraryError) {
        guard let work = anyWork() else { return }
        try library.deleteEntry(of: work)
        model.entries[work] = nil
    }

    // MARK: Choices, from sorted lists: the order of a dictionary differs from run to run

    /// Often the one before: a transaction has it at hand.
    private mutating func anyWork() -> ID<Work>? {
        if let latestWork, model.works[latestWork] != nil, random.oneIn(2) { return latestWork }
        latestWork = random.pick(model.works.keys.sorted())
        return latestWork
    }

    private mutating func anyAuthor() -> ID<Author>? { random.pick(model.authors.keys.sorted()) }

    private mutating func anyEdition() -> ID<Edition>? { random.pick(model.editions.keys.sorted()) }
}

extension LibraryHistory {
    /// The history after some more steps, which are one commit.
    func committed(_ steps: Int, to store: BookStore) async throws -> LibraryHistory {
        try await store.write(.memory) { library in
            var history = self
            for _ in 0..<steps { try history.step(&library) }
            return history
        }
    }
}
