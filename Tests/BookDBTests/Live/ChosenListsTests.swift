import Dispatch
import LibrarySupport
import Observation
import Synchronization
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// Lists that a search or a predicate chooses follow the library by what changed, and show what looking anew would find.
@MainActor struct ChosenListsTests {
    @Test func `random changes leave in every chosen list what looking anew finds`() async throws {
        let seed = SeededGenerator.seed(for: "random changes leave in every chosen list what looking anew finds")
        let store = try BookStore.inMemory(device: 1)
        var history = LibraryHistory(seed: seed)
        for _ in 0..<40 { history = try await history.committed(6, to: store) }
        let columns = WorkColumns()
        let queries = [
            WorkListQuery(), WorkListQuery(order: .rating, direction: .reverse),
            WorkListQuery(scope: .tag("sf"), order: .title), WorkListQuery(scope: .tag("sf"), order: .year),
            WorkListQuery(scope: .series("Dune"), order: .series, direction: .reverse, filter: .owned),
            WorkListQuery(order: .author, filter: .status(.read)),
        ]
        let conditions = [
            nil, columns.year < 1950, columns.status == .read || columns.tag("to lend"), !(columns.language == "de"),
        ]
        let texts = ["", "a", "dnue", "été", "1984"]
        var chosen: [Chosen] = []
        for query in queries {
            for condition in conditions {
                for text in texts where !text.isEmpty || condition != nil || !query.isKept {
                    chosen.append(Chosen(store, query, text, condition))
                }
            }
        }
        for one in chosen { await one.list.shows(0) }
        for round in 0..<12 {
            let before = chosen.map { (number: $0.list.changeNumber, rows: $0.list.items.map { $0 }) }
            history = try await history.committed(1 + round % 5, to: store)
            for (one, (number, old)) in zip(chosen, before) {
                await one.list.shows(store.snapshot.commitNumber)
                let comment: Comment = "seed \(seed), round \(round), \(one.finder.query) \(one.finder.text)"
                let new = one.list.items.map { $0 }
                let anew = try await one.finder(in: store.snapshot).all(5_000)
                #expect(new == anew.items.map { $0 }, comment)
                #expect(one.list.matchCount == anew.matchCount, comment)
                if one.finder.text.isEmpty {
                    if one.list.changeNumber == number {
                        #expect(old == new, comment)
                    } else {
                        #expect(!one.list.change.isReload, comment)
                        one.list.change.expect(old, new, comment)
                    }
                } else if one.list.changeNumber == number {
                    #expect(old == new, comment)
                }
            }
        }
    }

    private struct Chosen {
        let list: WorkList
        let finder: MatchFinder

        @MainActor init(_ store: BookStore, _ query: WorkListQuery, _ text: String, _ predicate: WorkPredicate?) {
            finder = MatchFinder(snapshot: store.snapshot, query: query, text: text, predicate: predicate)
            list = WorkList(store, query.scope, by: query.order, direction: query.direction, filter: query.filter)
            list.search = text
            list.predicate = predicate
        }

        func finder(in snapshot: Snapshot) -> MatchFinder {
            MatchFinder(snapshot: snapshot, query: finder.query, text: finder.text, predicate: finder.predicate)
        }
    }

    @Test(arguments: [" ", "\t\n ", "\u{3000}\u{A0}\u{200B}"])
    func `a search for nothing visible shows what the list shows without it`(text: String) async throws {
        let store = try BookStore.inMemory(device: 1)
        for (title, status) in [("Emma", ReadingStatus.reading), ("Dune", .read), ("Ulysses", .reading)] {
            let id = try await store.add(title)
            try await store.write { library in
                var entry = UserLibraryEntry(for: id)
                entry.status = status
                try library.set(entry)
            }
        }
        for predicate in [nil, WorkColumns().title != "Ulysses"] {
            let list = WorkList(store, by: .title, direction: .reverse, filter: .status(.reading))
            list.predicate = predicate
            await list.shows(0)
            let shown = list.items.map(\.title)
            #expect(shown == (predicate == nil ? ["Ulysses", "Emma"] : ["Emma"]))
            list.search = text
            await list.shows(store.snapshot.commitNumber)
            #expect(list.items.map(\.title) == shown && list.matchCount == nil)
        }
    }

    @Test func `a commit that a search passes by is no reload, and its rows are those of the new snapshot`()
        async throws
    {
        let store = try BookStore.inMemory(device: 1)
        for title in ["Emma", "Of Persuasion", "Sanditon"] { try await store.add(title) }
        let list = WorkList(store)
        list.search = "persuasion"
        await list.shows(0)
        let number = list.changeNumber
        let other = try await store.add("A first of all")
        await list.shows(store.snapshot.commitNumber)
        #expect(list.changeNumber == number && list.items.map(\.title) == ["Of Persuasion"])
        // With a typo it would be found, were there nothing better.
        try await store.update(other) { $0.title = "Persuasoin" }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.changeNumber > number)
        #expect(list.items.map(\.title) == ["Of Persuasion", "Persuasoin"] && list.matchCount == 2)
    }

    @Test func `the window and the row numbers of a list under a predicate go with their works`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.write(.memory) { library in
            for number in 100..<300 { _ = try library.insert(Work(title: "Book \(number)", year: 1700 + number)) }
        }
        let list = WorkList(store)
        list.predicate = WorkColumns().year >= 1900
        await list.shows(0)
        list.window = 40..<50
        let first = list.items[40].id
        try await store.write { library in
            _ = try library.insert(Work(title: "Book 001", year: 2000))
            _ = try library.insert(Work(title: "Book 002", year: 1500))
        }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.change == ListChange(insertions: [0]))
        #expect(list.window == 41..<51 && list.items[41].id == first && list.index(of: first) == 41)
        try await store.update(first) { $0.firstPublicationYear = 1500 }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.change == ListChange(removals: [41]) && list.index(of: first) == nil)
    }

    @Test func `after a commit a search shows all that it finds, once, and the window goes with its first row`()
        async throws
    {
        let store = try BookStore.inMemory(device: 1)
        try await store.write(.memory) { library in
            for number in 1...260 { _ = try library.insert(Work(title: "Book \(number)")) }
        }
        let list = WorkList(store)
        list.search = "book"
        await list.shows(0)
        list.window = 100..<110
        let (first, number) = (list.items[100].id, list.changeNumber)
        try await store.add("Book 000")
        await list.shows(store.snapshot.commitNumber)
        #expect(list.items.count == 261 && list.matchCount == 261)
        #expect(list.changeNumber == number + 1, "not the first fifty before the rest")
        #expect(list.window == 101..<111 && list.items[101].id == first && list.index(of: first) == 101)
        // Another text is another list.
        list.search = "boo"
        await list.shows(store.snapshot.commitNumber)
        #expect(list.window == 101..<111 && list.items.count == 261)
    }

    @Test func `a list that is searched for blanks follows commits by rows`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.add("Emma")
        let list = WorkList(store)
        list.search = " "
        await list.shows(0)
        let number = list.changeNumber
        try await store.add("Dune")
        await list.shows(store.snapshot.commitNumber)
        #expect(list.change == ListChange(insertions: [0]) && list.changeNumber == number + 1)
    }

    @Test func `a commit of too many works for rows leaves the window of a list under a predicate with its first row`()
        async throws
    {
        let store = try BookStore.inMemory(device: 1)
        try await store.write(.memory) { library in
            for number in 100..<200 { _ = try library.insert(Work(title: "Book \(number)", year: 1900)) }
        }
        let list = WorkList(store)
        list.predicate = WorkColumns().year >= 1900
        await list.shows(0)
        list.window = 40..<50
        let first = list.items[40].id
        try await store.write(.memory) { library in
            for number in 0..<600 { _ = try library.insert(Work(title: "A \(number)", year: 2000)) }
        }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.change.isReload && list.items.count == 700)
        #expect(list.window == 640..<650 && list.items[640].id == first)
    }

    @Test func `a list that is searched while commits keep coming shows something, and the newest in the end`()
        async throws
    {
        let store = try BookStore.inMemory(device: 1)
        for number in 0..<200 { try await store.add("Book \(number)") }
        let list = WorkList(store)
        list.search = "book"
        for number in 200..<260 { try await store.add("Book \(number)") }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.matchCount == 260 && list.items.count == 260 && !list.isSearching)
    }

    /// Any commit began the search anew.
    @Test func `a commit that a search cannot see leaves it alone while it is under way`() async throws {
        let store = try BookStore.inMemory(device: 1)
        for number in 0..<60 { try await store.add("Book \(number)") }
        let list = WorkList(store)
        await list.shows(store.snapshot.commitNumber)
        let (before, number) = (store.snapshot, list.changeNumber)
        list.search = "book"
        Self.blockMainActor { try await store.write { library in _ = try library.insert(Author("Jane Austen")) } }
        var changes = LibraryChanges()
        changes.insert(ID(rawValue: 1), of: .authors)
        list.follow(SnapshotDiff(from: before, to: store.snapshot, changes))
        await list.shows(store.snapshot.commitNumber)
        #expect(list.changeNumber == number + 2, "the first fifty, and all")
        #expect(list.items.count == 60 && list.matchCount == 60)
    }

    /// The matches were shown over them.
    @Test(arguments: [true, false]) func `who clears a search when told of its end sees all works`(
        byCount: Bool
    ) async throws {
        let store = try BookStore.inMemory(device: 1)
        for title in ["Emma", "Dune"] { try await store.add(title) }
        let list = WorkList(store)
        list.search = "emma"
        withObservationTracking {
            _ = byCount ? list.matchCount != nil : list.isSearching
        } onChange: {
            MainActor.assumeIsolated { list.search = "" }
        }
        await list.shows(0)
        #expect(list.items.map(\.title) == ["Dune", "Emma"] && list.search.isEmpty && list.matchCount == nil)
    }

    /// It looked all matches of the library up first.
    @Test func `a search under a predicate ends soon after it is cancelled`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.write(.memory) { library in
            for number in 1...1_000 { _ = try library.insert(Work(title: "Book \(number)")) }
        }
        let asked = Mutex(0)
        let predicate = WorkPredicate(
            .row { _ in
                asked.withLock { $0 += 1 }
                withUnsafeCurrentTask { $0?.cancel() }
                return true
            })
        let finder = MatchFinder(
            snapshot: store.snapshot, query: WorkListQuery(), text: "book", predicate: predicate)
        let search = Task { try await finder.all(5_000) }
        await #expect(throws: LibraryError.cancelled) { try await search.value }
        #expect(asked.withLock { $0 } == 256)
    }

    /// Runs the body elsewhere while the main actor does nothing else.
    private static func blockMainActor(_ body: @escaping @Sendable () async throws -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            defer { done.signal() }
            await #expect(throws: Never.self) { try await body() }
        }
        done.wait()
    }
}
