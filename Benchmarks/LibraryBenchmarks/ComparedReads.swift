import BookDB
import TestSupport

/// Reads of both libraries.
struct ComparedReads {
    let libraries: ComparedLibraries
    private static let turns = 40
    private static let repetitions = 50
    private static let pageCount = 50

    private var works: Snapshot.Works { libraries.books.snapshot.works }

    private func list(_ order: String) throws -> RecordOrderList<DeclaredWork> {
        try libraries.declared.snapshot.list(DeclaredWork.self, order)
    }

    func run() async throws {
        let byTitle = works.list(by: .title)
        let byAuthor = works.list(by: .author)
        let declaredByTitle = try list("by title")
        let declaredByAuthor = try list("by author")
        try check(byTitle, declaredByTitle)
        for (place, offset) in [("first", 0), ("middle", byTitle.count / 2)] {
            try pages("\(place) 50 by title", byTitle, declaredByTitle, offset)
        }
        for (place, offset) in [("first", 0), ("middle", byAuthor.count / 2)] {
            try pages("\(place) 50 by author", byAuthor, declaredByAuthor, offset)
        }
        try statuses()
        try await positions()
    }

    /// Both are to show the same.
    private func check(_ books: WorkItems, _ declared: RecordOrderList<DeclaredWork>) throws {
        let titles = try books.rows(offset: books.count / 2, limit: 50) { $0.title }
        let declaredTitles = try declared.page(offset: books.count / 2, limit: 50) { try $0.title }
        guard books.count == declared.count, titles == declaredTitles else { fatalError("the lists differ") }
    }

    private func pages(
        _ what: String, _ books: WorkItems, _ declared: RecordOrderList<DeclaredWork>, _ offset: Int
    ) throws {
        try compare("\(what): identifier and title") {
            blackHole(try books.rows(offset: offset, limit: Self.pageCount) { ($0.id, $0.title) })
        } _: {
            blackHole(try declared.page(offset: offset, limit: Self.pageCount) { ($0.id, try $0.title) })
        }
        let withAuthors = {
            blackHole(try books.rows(offset: offset, limit: Self.pageCount) { ($0.id, $0.title, $0.authors) })
        }
        try compare("\(what): and authors, or the first by `with:`", withAuthors) {
            blackHole(
                try declared.page(offset: offset, limit: Self.pageCount, with: \.authors.first) { work, author in
                    (work.id, try work.title, try author?.name)
                })
        }
        let authors = libraries.declared.snapshot.records(DeclaredAuthor.self)
        try compare("\(what): and authors, or each looked up", withAuthors) {
            blackHole(
                try declared.page(offset: offset, limit: Self.pageCount) { work in
                    (work.id, try work.title, try work.authors.map { try authors[$0]?.name })
                })
        }
    }

    private func statuses() throws {
        let whole = try list("by title")
        let count = { blackHole(try works.count(.status(.read))) }
        try compare("count of a status", count) {
            blackHole(try list("by title").filtered(by: \.status, .read).count)
        }
        try compare("count of a status, of a list that was made before", count) {
            blackHole(try whole.filtered(by: \.status, .read).count)
        }
        let books = works.list(by: .title, .status(.read))
        let declared = try whole.filtered(by: \.status, .read)
        guard books.count == declared.count else { fatalError("the statuses differ") }
        try compare("middle 50 of a status: identifier and title") {
            blackHole(try books.rows(offset: books.count / 2, limit: Self.pageCount) { ($0.id, $0.title) })
        } _: {
            blackHole(try declared.page(offset: books.count / 2, limit: Self.pageCount) { ($0.id, try $0.title) })
        }
    }

    /// A snapshot has no rank of a declared record; a list of an interface has.
    @MainActor private func positions() throws {
        let list = try LiveRecords(libraries.declared, DeclaredWork.self, "by title")
        let byTitle = works.list(by: .title)
        var random = SeededGenerator(seed: 1)
        let places = (0..<500).map { _ in Int(random.next() % UInt64(libraries.works.count)) }
        for place in places {
            let position = try byTitle.index(of: libraries.works[place])
            guard let position, position == list.index(of: libraries.declaredWorks[place]) else {
                fatalError("the positions differ")
            }
        }
        var (next, nextDeclared) = (0, 0)
        try compare("position of a work by title") {
            next = (next + 1) % places.count
            blackHole(try byTitle.index(of: libraries.works[places[next]]))
        } _: {
            nextDeclared = (nextDeclared + 1) % places.count
            blackHole(list.index(of: libraries.declaredWorks[places[nextDeclared]]))
        }
    }

    private func compare(_ what: String, _ books: () throws -> Void, _ declared: () throws -> Void) rethrows {
        DeclaredBenchmark.printLine(
            what,
            try Stopwatch.compare(turns: Self.turns, repetitions: Self.repetitions, books, declared))
    }
}
