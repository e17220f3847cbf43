import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// A library in memory that is changed at random, compacted and opened again, and searched beside an oracle.
final class SearchableLibrary {
    static let path = "Searched.bookdb"

    let fileSystem: MemoryFileSystem
    private(set) var store: BookStore
    var random: SeededGenerator
    private var authors: [ID<Author>] = []

    /// Words that differ in a letter, an accent or an apostrophe, and some that have little in common.
    static let words = [
        "the", "The", "Harry", "Larry", "harrow", "hobbit", "Hobbits", "Misère", "misere", "L'Étranger", "étranges",
        "1984",
        "1985", "ハリー", "ハリ", "straße", "strasse", "ﬁnal", "fine", "Tolkien", "token", "war", "Wär", "peace", "piece",
        "of",
        "a", "x", "xq", "night", "knight", "nightmare", "Война", "воина", "и", "мир", "abcdefghij", "abcdefghijkl",
        "O’Brien",
        "naïve", "Ægir", "aegis", "!!!", "—", "der", "La",
    ]

    /// In one language or another.
    static let articles = ["Der ", "der ", "La ", "L’", "l'", "a ", "The ", "an "]

    init(seed: UInt64, fileSystem: MemoryFileSystem = MemoryFileSystem()) throws {
        random = SeededGenerator(seed: seed)
        self.fileSystem = fileSystem
        store = try Self.open(fileSystem)
    }

    static func open(_ fileSystem: MemoryFileSystem) throws -> BookStore {
        try BookStore(at: path, access: .exclusive, fileSystem: fileSystem, device: 1, leastSearchFileRowCount: 0)
    }

    func reopen() async throws {
        try await store.close()
        store = try Self.open(fileSystem)
    }

    private var searchFilePath: String {
        get throws {
            let name = try fileSystem.names(inDirectory: Self.path).first { $0.hasPrefix("search-") }
            return try Self.path + "/" + #require(name)
        }
    }

    func searchFileBytes() throws -> [UInt8] {
        let file = try fileSystem.openFile(searchFilePath, .reading)
        var bytes = [UInt8](repeating: 0, count: try file.byteCount())
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    func replaceSearchFile(with bytes: [UInt8]) throws {
        let file = try fileSystem.openFile(searchFilePath, .creating)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }

    // MARK: Changes

    func text(_ count: ClosedRange<Int>) -> String {
        (0..<Int.random(in: count, using: &random)).map { _ in random.pick(Self.words)! }.joined(separator: " ")
    }

    func insert(_ count: Int) async throws {
        for _ in 0..<count {
            var work = Work(title: title())
            fill(&work)
            let name = text(1...2)
            let isbn = random.oneIn(3) ? ISBN(digits: Self.isbn(random.next() % 900)) : nil
            let entry = random.oneIn(3) ? anyEntry() : nil
            let known = random.oneIn(2) ? random.pick(authors) : nil
            let author = try await store.write(.memory) { [work] library in
                var work = work
                let author = try known ?? library.insert(Author(name))
                work.authors = [author]
                let id = try library.insert(work)
                if let isbn { try library.insert(Edition(of: id, isbns: [isbn])) }
                if var entry {
                    entry.work = id
                    try library.set(entry)
                }
                return author
            }
            authors.append(author)
        }
    }

    func change(_ count: Int) async throws {
        let list = store.snapshot.works.list()
        for _ in 0..<count {
            guard let item = random.pick(Array(list)) else { return }
            let id = item.id
            guard var work = try store.snapshot.works[id] else { continue }
            let deletes = random.oneIn(4)
            let entry = anyEntry()
            fill(&work)
            if random.oneIn(2) { work.title = title() }
            try await store.write(.memory) { [work, entry] library in
                guard !deletes else {
                    _ = try library.delete(id)
                    return
                }
                try library.update(work)
                var entry = entry
                entry.work = id
                try library.set(entry)
            }
        }
    }

    private func title() -> String { (random.oneIn(4) ? random.pick(Self.articles)! : "") + text(1...4) + long() }

    /// Now and then more than a list shows, or a page holds beside its key.
    private func long() -> String { random.oneIn(40) ? " " + text(60...160) : "" }

    private func fill(_ work: inout Work) {
        work.language = random.pick([nil, "en", "de", "fr", "hu"])!
        work.subtitle = random.oneIn(3) ? text(1...3) + long() : nil
        work.originalTitle = random.oneIn(5) ? text(1...3) : nil
        work.series = random.oneIn(4) ? [SeriesMembership(name: text(1...2), number: "1")] : []
        work.sortTitle = random.oneIn(12) ? text(1...2) : nil
        work.reviewStatus = random.pick(ReviewStatus.allCases)!
    }

    private func anyEntry() -> UserLibraryEntry {
        var entry = UserLibraryEntry(for: ID(rawValue: 1))
        entry.status = random.pick(ReadingStatus.allCases)!
        entry.rating = random.oneIn(2) ? Rating(quarterStars: 9) : nil
        entry.isOwned = random.oneIn(2)
        return entry
    }

    /// Twelve digits and the check digit that goes with them.
    static func isbn(_ number: UInt64) -> UInt64 {
        (0...9).compactMap { ISBN(digits: 978_198_400_000_0 + number * 1000 + $0)?.digits }[0]
    }

    // MARK: Searches

    /// What may be typed: pieces of words, words with a letter wrong, numbers.
    func query() -> String {
        switch Int.random(in: 0..<18, using: &random) {
        case 0: return String(random.pick(Self.words)!.prefix(1))
        case 1: return String(random.pick(Self.words)!.dropFirst().prefix(2))
        case 2:
            return ["1984", "19840", "9781984", "978-1-9840", "1-984", "19840000", "198412", "x", ""].randomElement(
                using: &random)!
        case 3: return text(1...2)
        case 12: return random.pick(Self.articles)! + text(1...1)
        case 13: return text(2...4).filter { $0 != " " }
        case 14: return mistyped((random.oneIn(2) ? random.pick(Self.articles)! : "") + text(2...4))
        case 15: return mistyped(mistyped(text(3...4)))
        case 16: return text(1...3) + " zzyzx"
        case 17: return random.pick(Self.articles)!.filter { $0 != " " } + mistyped(text(1...2).filter { $0 != " " })
        case 4: return text(2...3)
        case 5...6: return mistyped(random.pick(Self.words)!)
        case 7: return mistyped(random.pick(Self.words)!) + " " + mistyped(random.pick(Self.words)!)
        case 8: return text(1...1) + " " + mistyped(random.pick(Self.words)!)
        case 9: return String(Self.isbn(random.next() % 900)).prefix(Int.random(in: 4...13, using: &random)).description
        case 10: return ISBN(digits: Self.isbn(random.next() % 900))!.isbn10!
        default: return String(random.pick(Self.words)!.prefix(Int.random(in: 2...6, using: &random)))
        }
    }

    private func mistyped(_ word: String) -> String {
        var letters = Array(word)
        let place = Int.random(in: 0..<letters.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: letters.remove(at: place)
        case 1: letters.insert("q", at: place)
        case 2: letters[place] = "e"
        default: if place > 0 { letters.swapAt(place, place - 1) }
        }
        return String(letters)
    }

    /// So little that lists are asked after a few lines, or lines although there are lists.
    private func anyEffort() -> SearchEffort {
        let counts = [0, 1, 3, 20, 100]
        return SearchEffort(
            lineCount: random.pick(counts)!, listByteCount: random.pick(counts)!, lineCost: random.pick([0, 1, 100])!)
    }

    func expectSearches(_ count: Int, _ comment: Comment) async throws {
        let snapshot = store.snapshot
        let (scope, matching) = (
            random.oneIn(3) ? SearchScope.titles : .everything, random.oneIn(3) ? WordMatching.beginnings : .anywhere
        )
        let oracle = try SearchOracle(snapshot, scope, matching)
        for _ in 0..<count {
            let text = query()
            let filter = random.oneIn(3) ? random.pick(WorkFilter.everyFilter)! : .all
            for isRanked in [true, false] {
                var search = snapshot.works.search(
                    text, in: scope, matching: matching, filter: filter, ranked: isRanked)
                if random.oneIn(2) { search.effort = anyEffort() }
                let expected = oracle.matches(text, filter, ranked: isRanked)
                let limit = [1, 10, 50, 2000][Int.random(in: 0..<4, using: &random)]
                let found = try search.first(limit).map {
                    SearchOracle.Found(id: $0.id, band: $0.band, missing: $0.missingWords)
                }
                try #require(
                    found == Array(expected.prefix(limit)),
                    "“\(text)” \(filter) \(scope) \(matching) \(isRanked) \(limit): \(comment)")
                let total = try await search.count()
                try #require(total == expected.count, "“\(text)” \(filter) \(isRanked): \(comment)")
                let unforgiving = snapshot.works.search(
                    text, in: scope, matching: matching, forgiving: false, filter: filter, ranked: isRanked)
                let asTyped = try await unforgiving.count()
                try #require(asTyped == oracle.typedCount(text, filter), "“\(text)” \(filter): \(comment)")
                let typed = try unforgiving.first(2000)
                try #require(typed.count == min(asTyped, 2000) && !typed.contains { $0.isGuess })
            }
        }
    }
}
