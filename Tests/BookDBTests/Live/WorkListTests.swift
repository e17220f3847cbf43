import LibrarySupport
import Observation
import Synchronization
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

@MainActor struct WorkListTests {
    @Test func `a list shows what is written, with the rows that changed`() async throws {
        let store = try BookStore.inMemory(device: 1)
        for title in ["Emma", "Persuasion", "Sanditon"] { try await store.add(title) }
        let list = WorkList(store)
        #expect(list.items.map(\.title) == ["Emma", "Persuasion", "Sanditon"])
        let id = try await store.add("Mansfield Park")
        await list.shows(store.snapshot.commitNumber)
        #expect(list.items.map(\.title) == ["Emma", "Mansfield Park", "Persuasion", "Sanditon"])
        #expect(list.change == ListChange(insertions: [1]))
        try await store.updateEntry(of: id) { $0.rating = Rating(stars: 4) }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.change == ListChange(updates: [1]) && list.items[1].rating == Rating(stars: 4))
        try await store.update(id) { $0.title = "Zadig" }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.change == ListChange(moves: [.init(from: 1, to: 3)]))
        try await store.write { library in _ = try library.delete(id) }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.change == ListChange(removals: [3]))
        #expect(list.index(of: id) == nil)
    }

    @Test func `rows that follow one another are read with one descent, in slices, loops and pages`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.write { library in
            for number in 100..<400 { _ = try library.insert(Work("Volume \(number)", year: number)) }
        }
        for direction in WorkDirection.allCases {
            let list = WorkList(store, direction: direction)
            let one = list.items.indices.map { list.items[$0].title }
            #expect(Array(list.items.map(\.title)) == one && one.count == 300)
            #expect(list.items.prefix(50).map(\.title) == Array(one.prefix(50)))
            #expect(list.items.dropFirst(20).prefix(7).map(\.title) == Array(one[20..<27]))
            let slice = list.items[40..<90]
            #expect(slice.startIndex == 40 && slice[41].title == one[41] && slice.index(of: slice[45].id) == 45)
            #expect(try slice.page(offset: 5, limit: 10).map(\.title) == Array(one[45..<55]))
            #expect(try list.items.page(offset: 298, limit: 10).map(\.title) == Array(one[298...]))
            #expect(try list.items.page(offset: 900, limit: 10).isEmpty)
            #expect(throws: LibraryError.self) { try list.items.page(offset: -1, limit: 1) }
        }
        // Among chosen rows there are neighbours and others.
        let list = WorkList(store)
        list.predicate = WorkColumns().year < 150 || WorkColumns().year >= 390
        await list.shows(store.snapshot.commitNumber)
        let one = list.items.indices.map { list.items[$0].title }
        #expect(one.count == 60 && Array(list.items.map(\.title)) == one)
        for offset in [0, 45, 49, 50, 59, 60] {
            #expect(
                try list.items.page(offset: offset, limit: 5).map(\.title) == Array(one.dropFirst(offset).prefix(5)))
            #expect(list.items.dropFirst(offset).prefix(5).map(\.title) == Array(one.dropFirst(offset).prefix(5)))
        }
        let slice = list.items[48..<53]
        #expect(try slice.page(offset: 1, limit: 9).map(\.title) == Array(one[49..<53]))
        #expect(throws: LibraryError.self) { try list.items.page(offset: 0, limit: -1) }
        try await store.close()
    }

    @Test func `random changes, made to the old rows, give the new rows in every order, filter and scope`() async throws
    {
        let seed = SeededGenerator.seed(for: "random changes, made to the old rows, give the new rows")
        let store = try BookStore.inMemory(device: 1)
        var history = LibraryHistory(seed: seed)
        for _ in 0..<40 { history = try await history.committed(6, to: store) }
        let author = try #require(history.model.authors.keys.min())
        var lists = WorkOrder.allCases.flatMap { order in
            WorkDirection.allCases.map { WorkList(store, by: order, direction: $0) }
        }
        lists += [
            WorkList(store, filter: .owned), WorkList(store, by: .rating, filter: .status(.read)),
            WorkList(store, .author(author)), WorkList(store, .tag("SF")), WorkList(store, .language("de")),
            WorkList(store, .series("Dune"), filter: .owned),
        ]
        for round in 0..<60 {
            let before = lists.map { (number: $0.changeNumber, rows: $0.items.map { $0 }) }
            history = try await history.committed(1 + round % 5, to: store)
            for (list, (number, old)) in zip(lists, before) {
                await list.shows(store.snapshot.commitNumber)
                let new = list.items.map { $0 }
                let comment: Comment = "seed \(seed), round \(round), \(list.order) \(list.direction) \(list.scope)"
                guard list.changeNumber > number else {
                    #expect(old == new, comment)
                    continue
                }
                #expect(!list.change.isReload, comment)
                list.change.expect(old, new, comment)
            }
        }
    }

    @Test func `the window moves with its first row, and stays at the top`() async throws {
        let store = try BookStore.inMemory(device: 1)
        for number in 100..<200 { try await store.add("Book \(number)") }
        let list = WorkList(store)
        list.window = 40..<50
        let first = list.items[40].id
        try await store.add("Book 000")
        try await store.add("Book 001")
        await list.shows(store.snapshot.commitNumber)
        #expect(list.window == 42..<52 && list.items[42].id == first)
        let firstFive = list.items.prefix(5).map(\.id)
        try await store.write { library in
            for id in firstFive { try library.delete(id) }
        }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.window == 37..<47 && list.items[37].id == first)
        list.window = 0..<10
        try await store.add("A first")
        await list.shows(store.snapshot.commitNumber)
        #expect(list.window == 0..<10)
    }

    @Test func `the window stays with its first row when others move past it`()
        async throws
    {
        let store = try BookStore.inMemory(device: 1)
        for number in 100..<200 { try await store.add("Book \(number)") }
        let list = WorkList(store)
        list.window = 40..<50
        let first = list.items[40].id
        let (above, below) = (list.items[5].id, list.items[90].id)
        try await store.update(above) { $0.title = "Zadig" }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.change.moves == [.init(from: 5, to: 99)])
        #expect(list.window == 39..<49 && list.items[39].id == first)
        try await store.write { library in
            for (id, title) in [(above, "Aaa"), (below, "Aab")] {
                var work = try #require(try library.work(id))
                work.title = title
                try library.update(work)
            }
        }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.window == 41..<51 && list.items[41].id == first)
    }

    @Test func `deleted works leave the selection, others stay in it`() async throws {
        let store = try BookStore.inMemory(device: 1)
        let (kept, gone) = (try await store.add("Emma"), try await store.add("Persuasion"))
        let list = WorkList(store)
        list.selection = [kept, gone]
        try await store.write { library in _ = try library.delete(gone) }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.selection == [kept])
    }

    @Test func `another order, filter or scope is a reload`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.add("Emma", by: "Jane Austen", status: .read)
        try await store.add("Zadig", by: "Aa")
        let list = WorkList(store)
        list.order = .author
        #expect(list.items.map(\.title) == ["Zadig", "Emma"] && list.change.isReload)
        list.filter = .status(.read)
        #expect(list.items.map(\.title) == ["Emma"])
        let number = list.changeNumber
        list.filter = .status(.read)
        #expect(list.changeNumber == number, "nothing was changed")
        list.order = .title
        #expect(list.sections.map(\.label) == ["E"])
    }

    @Test func `a predicate chooses rows off the main actor, and follows commits`() async throws {
        let store = try BookStore.inMemory(device: 1)
        for number in 0..<300 {
            try await store.write(.memory) { library in
                _ = try library.insert(Work(title: "Book \(1000 + number)", year: 1800 + number))
            }
        }
        let list = WorkList(store)
        list.predicate = WorkColumns().year < 1810
        await list.shows(0)
        #expect(list.items.count == 10 && list.items[9].title == "Book 1009" && list.sections.isEmpty)
        #expect(list.index(of: list.items[4].id) == 4)
        try await store.write { library in
            _ = try library.insert(Work(title: "A Thing", year: 1700))
        }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.items.count == 11 && list.items[10].title == "A Thing")
        list.predicate = nil
        #expect(list.items.count == 301)
    }

    @Test func `what is typed chooses the best works first, with their number, and follows commits`() async throws {
        let store = try BookStore.inMemory(device: 1)
        for title in ["The Hobbit", "A Hobbit Walk", "Emma"] { try await store.add(title, by: "J. R. R. Tolkien") }
        let list = WorkList(store, by: .author)
        list.search = "hobbit"
        await list.shows(0)
        #expect(list.items.map(\.title) == ["The Hobbit", "A Hobbit Walk"] && list.matchCount == 2)
        list.search = "tolkein hobit"
        await list.shows(0)
        #expect(Set(list.items.map(\.title)) == ["The Hobbit", "A Hobbit Walk"])
        list.search = "hobbit"
        try await store.add("Hobbit Tales", status: .read)
        await list.shows(store.snapshot.commitNumber)
        #expect(list.matchCount == 3)
        list.filter = .status(.read)
        await list.shows(0)
        #expect(list.items.map(\.title) == ["Hobbit Tales"])
        list.filter = .all
        list.predicate = WorkColumns().status == .read
        await list.shows(0)
        #expect(list.items.map(\.title) == ["Hobbit Tales"])
        list.predicate = nil
        list.search = ""
        #expect(list.items.count == 4 && list.matchCount == nil && !list.isSearching)
    }

    @Test func `an import of thousands is one reload, not thousands of rows`() async throws {
        let store = try BookStore.inMemory(device: 1)
        let list = WorkList(store)
        try await store.fill(withSample: 1200)
        await list.shows(store.snapshot.commitNumber)
        #expect(list.items.count == 1200 && list.change.isReload)
    }

    @Test func `who observes the items is told of a commit`() async throws {
        let store = try BookStore.inMemory(device: 1)
        let list = WorkList(store)
        let told = Mutex(false)
        withObservationTracking {
            _ = list.items.count
        } onChange: {
            told.withLock { $0 = true }
        }
        try await store.add("Emma")
        await list.shows(store.snapshot.commitNumber)
        #expect(told.withLock { $0 })
    }

    @Test func `a list and its store go when nobody holds them`() async throws {
        weak var list: WorkList?
        weak var hub: LiveListHub?
        weak var store: BookStore?
        do {
            let made = try BookStore.inMemory(device: 1)
            let shown = WorkList(made)
            (store, list, hub) = (made, shown, made.listHub)
            #expect(shown.items.isEmpty)
        }
        for _ in 0..<100 where store != nil || hub != nil { await Task.yield() }
        #expect(list == nil && hub == nil && store == nil)
    }
}
