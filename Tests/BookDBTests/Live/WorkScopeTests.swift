import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// Lists of a part of the library say what they show, and show what they say.
@MainActor @Suite struct WorkScopeTests {
    private func store() async throws -> BookStore {
        let store = try BookStore.inMemory(device: 1)
        try await store.write { library in
            for (number, title) in ["Emma", "Persuasion", "Sanditon", "Mansfield Park"].enumerated() {
                let work = try library.insert(
                    Work(
                        title: title, year: 1820 - number,
                        series: [SeriesMembership(name: "Austen", number: "\(9 - number)")]))
                try library.set(
                    UserLibraryEntry(
                        for: work, rating: Rating(quarterStars: UInt8(4 + number)), tags: number < 3 ? ["x"] : []))
            }
        }
        return store
    }

    private func titles(_ list: WorkList) async -> [String] {
        await list.shows(list.snapshot.commitNumber)
        return list.items.map(\.title)
    }

    /// With all that was committed.
    private func titles(_ list: WorkList, of store: BookStore) async -> [String] {
        await list.shows(store.snapshot.commitNumber)
        return list.items.map(\.title)
    }

    @Test func `a shelf is shown in the order and direction that the list says`() async throws {
        let store = try await store()
        let shelf = WorkList(store, .tag("x"), by: .rating)
        #expect(shelf.order == .rating)
        #expect(await titles(shelf) == ["Sanditon", "Persuasion", "Emma"])
        shelf.direction = .reverse
        #expect(await titles(shelf) == ["Emma", "Persuasion", "Sanditon"])
        shelf.order = .year
        #expect(await titles(shelf) == ["Emma", "Persuasion", "Sanditon"])
        shelf.direction = .forward
        #expect(await titles(shelf) == ["Sanditon", "Persuasion", "Emma"])
        shelf.order = .title
        #expect(await titles(shelf) == ["Emma", "Persuasion", "Sanditon"])
        let id = try await store.write { library in
            let work = try library.insert(Work("Lady Susan"))
            try library.set(UserLibraryEntry(for: work, rating: Rating(stars: 5), tags: ["X"]))
            return work
        }
        shelf.order = .rating
        await shelf.shows(store.snapshot.commitNumber)
        #expect(await titles(shelf) == ["Lady Susan", "Sanditon", "Persuasion", "Emma"])
        #expect(shelf.index(of: id) == 0)
    }

    @Test func `a series is in its own order unless another is asked for`() async throws {
        let store = try await store()
        let series = WorkList(store, .series("austen"))
        #expect(series.order == .series)
        #expect(await titles(series) == ["Mansfield Park", "Sanditon", "Persuasion", "Emma"])
        let byTitle = WorkList(store, .series("Austen"), by: .title)
        #expect(await titles(byTitle) == ["Emma", "Mansfield Park", "Persuasion", "Sanditon"])
        series.scope = .tag("x")
        #expect(series.order == .title)
        #expect(await titles(series) == ["Emma", "Persuasion", "Sanditon"])
    }

    @Test
    func `a list of a scope backwards is no search, follows its commits, and ends with the volumes without a number`()
        async throws
    {
        let store = try await store()
        let series = WorkList(store, .series("austen"), direction: .reverse)
        #expect(series.items.map(\.title) == ["Emma", "Persuasion", "Sanditon", "Mansfield Park"])
        #expect(series.items.chosen == nil)
        let id = try await store.insert(
            Work(title: "The Watsons", series: [SeriesMembership(name: "AUSTEN", number: nil)]))
        #expect(await titles(series, of: store).last == "The Watsons")
        #expect(series.change == ListChange(insertions: [4]) && series.index(of: id) == 4)
        // Also over those without a number, which come last both ways.
        let sections = series.sections
        #expect(sections.map(\.range) == [0..<5])
        let items = store.snapshot.works.list(.series("austen"), direction: .reverse)
        #expect(try items.sections == sections)
        #expect(try items.dropFirst(3).sections.map(\.range) == [3..<5])
        #expect(try items.prefix(2).sections.map(\.range) == [0..<2])
        try await store.update(id) { $0.series[0].number = "8.5" }
        #expect(await titles(series, of: store) == ["Emma", "The Watsons", "Persuasion", "Sanditon", "Mansfield Park"])
        let forward = store.snapshot.works.list(.series("austen"))
        #expect(Array(forward.map(\.title).reversed()) == series.items.map(\.title))
        #expect(try store.snapshot.works.list(.series("austen"), direction: .reverse).sections.map(\.range) == [0..<5])
    }

    @Test func `series have headings by their first letters in any script`() async throws {
        let store = try BookStore.inMemory(device: 1)
        let names = ["42", "Austen", "Émile", "Война", "Мы", "あい", "うみ", "かぜ", "漢字", "本", "가나", "각", "나라"]
        try await store.write { library in
            for name in names {
                try library.insert(Work(title: name, series: [SeriesMembership(name: name, number: nil)]))
            }
            try library.insert(Work(title: "none"))
        }
        let sections = try store.snapshot.works.list(by: .series).sections
        #expect(sections.map(\.label) == ["#", "A", "E", "В", "М", "あ", "か", "漢", "ㄱ", "ㄴ", ""])
        #expect(sections.map(\.count) == [1, 1, 1, 1, 1, 2, 1, 2, 2, 1, 1])
    }

    @Test func `titles that begin so are a scope as any other`() async throws {
        let store = try await store()
        let found = WorkList(store, .titled("the s"))
        #expect(await titles(found, of: store) == ["Sanditon"])
        try await store.insert(Work("The Sylph"))
        #expect(await titles(found, of: store) == ["Sanditon", "The Sylph"])
        let backwards = WorkList(store, .titled("s"), direction: .reverse)
        #expect(backwards.items.map(\.title) == ["The Sylph", "Sanditon"])
        let byYear = WorkList(store, .titled("s"), by: .year)
        #expect(await titles(byYear, of: store) == ["Sanditon", "The Sylph"])
        let works = store.snapshot.works
        #expect(works.list(.titled("s")) { $0.year == nil }.map(\.title) == ["The Sylph"])
        for text in ["", "\u{3000}\u{A0}"] {
            #expect(works.list(.titled(text), by: .added).map(\.id) == works.list(by: .added).map(\.id))
            #expect(works.list(.titled(text)).map(\.id) == works.list().map(\.id))
        }
    }

    @Test func `titles that begin with n do not begin with ñ, in any order`() async throws {
        let store = try BookStore.inMemory(device: 1, filing: .spanish)
        try await store.write { library in
            for title in ["Nada", "Ñandú", "Montana", "Montaña mágica"] { try library.insert(Work(title: title)) }
        }
        let works = store.snapshot.works
        for (typed, found) in [("n", "Nada"), ("ñ", "Ñandú"), ("montan", "Montana"), ("montañ", "Montaña mágica")] {
            #expect(works.list(.titled(typed)).map(\.title) == [found])
            for order in WorkOrder.allCases {
                #expect(works.list(.titled(typed), by: order).map(\.title) == [found], "\(typed) by \(order)")
            }
        }
        let (byYear, searched) = (WorkList(store, .titled("n"), by: .year), WorkList(store, .titled("n")))
        searched.search = "a"
        #expect(await titles(byYear) == ["Nada"])
        #expect(await titles(searched) == ["Nada"])
        // Live lists look at what changed alone.
        try await store.add("Ñaque")
        #expect(await titles(byYear, of: store) == ["Nada"])
        #expect(await titles(searched, of: store) == ["Nada"])
        try await store.add("Naná")
        #expect(await titles(byYear, of: store) == ["Nada", "Naná"])
        #expect(await titles(searched, of: store) == ["Nada", "Naná"])
    }

    /// A semicolon and a Greek question mark: equal to Swift, and no letter or digit by which they would fold alike.
    @Test func `names of signs that are equal and not the same bytes are two lists`() async throws {
        let (semicolon, question) = (";", "\u{37E}")
        #expect(semicolon == question && WorkScope.tag(semicolon) != .tag(question))
        #expect(Set([WorkScope.titled("\u{2260}"), .titled("=\u{338}"), .series("\u{2260}")]).count == 3)
        let store = try BookStore.inMemory(device: 1)
        func add(_ title: String, under tag: String) async throws {
            try await store.write { library in
                let work = try library.insert(Work(title))
                try library.set(UserLibraryEntry(for: work, tags: [tag]))
            }
        }
        try await add("Emma", under: semicolon)
        try await add("Persuasion", under: question)
        let (one, other) = (WorkList(store, .tag(semicolon)), WorkList(store, .tag(question)))
        try await add("Sanditon", under: semicolon)
        #expect(await titles(one, of: store) == ["Emma", "Sanditon"])
        #expect(await titles(other, of: store) == ["Persuasion"])
        other.scope = .tag(semicolon)
        #expect(await titles(other, of: store) == ["Emma", "Sanditon"])
    }

    @Test func `a search on a shelf finds what stands on it, and counts it`() async throws {
        let store = try await store()
        let shelf = WorkList(store, .tag("x"))
        shelf.search = "a"
        #expect(Set(await titles(shelf)) == ["Emma", "Persuasion", "Sanditon"])
        #expect(shelf.matchCount == 3)
        shelf.search = "mansfield"
        #expect(await titles(shelf) == [])
        #expect(shelf.matchCount == 0)
        shelf.scope = .all
        #expect(await titles(shelf) == ["Mansfield Park"])
    }

    @Test func `waiting for a commit that cannot come any more ends`() async throws {
        let store = try await store()
        let list = WorkList(store)
        let waiting = Task { await list.shows(store.snapshot.commitNumber + 10) }
        await Task.yield()
        try await store.close()
        await waiting.value
        await list.shows(.max)
        let other = try await self.store()
        let endless = Task { await WorkList(other).shows(.max) }
        await Task.yield()
        endless.cancel()
        await endless.value
        try await other.close()
    }

    @Test func `queries that no list shows are forgotten`() async throws {
        let store = try await store()
        let kept = WorkList(store, by: .year)
        for number in 0..<1000 { _ = WorkList(store, .tag("tag \(number)")) }
        #expect(store.listHub.queryCount < 100)
        try await store.add("Lady Susan")
        await kept.shows(store.snapshot.commitNumber)
        #expect(kept.items.count == 5)
    }
}
