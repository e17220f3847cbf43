import LibrarySupport
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// A library of books that opens while an app is running already.
@MainActor struct OpenedBooksTests {
    private func opening(_ disk: GatedDisk) -> BookStore {
        BookStore(BookStore.opening("A.bookdb", LibrarySettings(fileSystem: disk), waitingFor: .zero))
    }

    /// Four works in the snapshot; in the log, whose gate is shut, an author gets a name that files last, and perhaps the work an entry.
    private func renamed(
        withEntry: Bool, _ rename: @escaping @Sendable (inout Author) -> Void = { $0.name = "Zola" }
    ) async throws -> GatedDisk {
        let disk = GatedDisk()
        let made = try BookStore(at: "A.bookdb", fileSystem: disk, device: 7)
        let emma = try await made.add("Emma", by: "Austen")
        for name in ["Brown", "Cooper", "Dickens"] { try await made.add("By \(name)", by: name) }
        try await made.compact()
        let austen = try #require(try made.snapshot.works[emma]?.authors.first)
        try await made.write { library in
            var author = try #require(try library.author(austen))
            rename(&author)
            try library.update(author)
        }
        if withEntry { try await made.updateEntry(of: emma) { $0.rating = Rating(stars: 4) } }
        try await made.close()
        disk.close("log-")
        return disk
    }

    @Test(arguments: [false, true])
    func `an author renamed in the log moves the rows of works whose entries changed too`(withEntry: Bool) async throws
    {
        let disk = try await renamed(withEntry: withEntry)
        let store = opening(disk)
        await store.database.mapped()
        #expect(store.snapshot.isCatchingUp)
        let list = WorkList(store, by: .author)
        let old = list.items.map { $0 }
        disk.open("log-")
        try await store.ready()
        await list.shows(store.snapshot.commitNumber)
        let new = list.items.map { $0 }
        #expect(!list.change.isReload)
        list.change.expect(old, new, "entry: \(withEntry)")
        try await store.close()
    }

    @Test func `a list under a predicate follows it, too`() async throws {
        let disk = try await renamed(withEntry: true)
        let store = opening(disk)
        await store.database.mapped()
        let list = WorkList(store, by: .author)
        list.search = "by"
        let third = WorkList(store, by: .author)
        third.predicate = !(WorkColumns().year >= 1900)
        await list.shows(store.snapshot.commitNumber)
        await third.shows(store.snapshot.commitNumber)
        disk.open("log-")
        try await store.ready()
        await list.shows(store.snapshot.commitNumber)
        await third.shows(store.snapshot.commitNumber)
        #expect(third.items.map(\.title) == store.snapshot.works.list(by: .author).map(\.title))
        #expect(Set(list.items.map(\.title)) == ["By Brown", "By Cooper", "By Dickens"])
        try await store.close()
    }

    /// Rows show the name alone, so only the order by author has changed in the log.
    @Test func `an author who is filed otherwise in the log, and called the same, moves the rows of works`()
        async throws
    {
        let disk = try await renamed(withEntry: false) { $0.sortName = "Zola" }
        let store = opening(disk)
        await store.database.mapped()
        let (list, chosen) = (WorkList(store, by: .author), WorkList(store, by: .author))
        chosen.predicate = WorkColumns().title != "By Brown"
        await chosen.shows(0)
        let old = list.items.map { $0 }
        disk.open("log-")
        try await store.ready()
        for shown in [list, chosen] { await shown.shows(store.snapshot.commitNumber) }
        #expect(!list.change.isReload)
        list.change.expect(old, list.items.map { $0 }, "as filed")
        #expect(list.items.map(\.title) == ["By Brown", "By Cooper", "By Dickens", "Emma"])
        #expect(chosen.items.map(\.title) == ["By Cooper", "By Dickens", "Emma"])
        try await store.close()
    }

    /// They left it with the snapshot, which did not have them yet.
    @Test func `works that are selected while a library opens stay selected when the log alone has them`() async throws
    {
        let disk = GatedDisk()
        let made = try BookStore(at: "A.bookdb", fileSystem: disk, device: 7)
        try await made.add("Emma")
        try await made.compact()
        let id = try await made.add("Persuasion")
        try await made.close()
        for gate in ["snapshot-", "log-"] { disk.close(gate) }
        let store = opening(disk)
        let list = WorkList(store)
        let gone = ID<Work>(device: 7, counter: 99)
        list.selection = [id, gone]
        disk.open("snapshot-")
        await store.database.mapped()
        await list.shows(store.snapshot.commitNumber)
        #expect(list.snapshot.isCatchingUp && list.selection == [id, gone])
        disk.open("log-")
        try await store.ready()
        await list.shows(store.snapshot.commitNumber)
        #expect(list.items.map(\.title) == ["Emma", "Persuasion"] && list.selection == [id])
        try await store.close()
    }

    @Test func `a library whose lists are outdated is not shown by a fallback to reading`() async throws {
        let disk = GatedDisk()
        let made = try BookStore(at: "A.bookdb", fileSystem: disk, device: 7)
        try await made.add("Emma", by: "Jane Austen")
        try await made.add("Årstider", by: "Ole")
        try await made.compact()
        try await made.close()
        let plain = try RecordLibrary(at: "A.bookdb", fileSystem: disk, device: 7)
        try await plain.setFiling(.danish)
        #expect(throws: LibraryError.outdated(path: "A.bookdb")) {
            try BookStore(at: "A.bookdb", access: .readOnly, fileSystem: disk)
        }
        let store = opening(disk)
        await #expect(throws: LibraryError.self) { try await store.ready() }
        #expect(!store.snapshot.isLoaded || store.snapshot.isCatchingUp)
        guard case .unavailable = store.health else { Issue.record("\(store.health)"); return }
        try await plain.close()
        try await store.close()
    }

    @Test func `of books that are not there nothing is answered`() async throws {
        let works = BookStore.notGiven().snapshot.works
        #expect(throws: LibraryError.self) { try works.count }
        for text in ["a", "", " "] {
            #expect(throws: LibraryError.self) { try works.search(text).first(5) }
            await #expect(throws: LibraryError.self) { try await works.search(text).count() }
        }
        #expect(throws: LibraryError.self) { try works.list().sections }
        #expect(throws: LibraryError.self) { try works[ID(device: 1, counter: 1)] }
        for list in [works.list(), works.list(.tag("SF")), works.list(.author(ID(device: 1, counter: 1)))] {
            #expect(!list.isLoaded && list.failure != nil)
        }
    }

    @Test func `a new filing waits for the opening`() async throws {
        let disk = GatedDisk()
        let made = try BookStore(at: "A.bookdb", fileSystem: disk, device: 7)
        try await made.add("Emma", by: "Austen")
        try await made.close()
        disk.close("snapshot-")
        let store = opening(disk)
        let task = Task { try await store.setFiling(.danish) }
        await Task.yield()
        disk.open("snapshot-")
        try await task.value
        try await store.close()
    }

    @Test func `a reindex waits for the opening`() async throws {
        let disk = GatedDisk()
        let made = try BookStore(at: "A.bookdb", fileSystem: disk, device: 7)
        try await made.add("Emma", by: "Austen")
        try await made.close()
        disk.close("snapshot-")
        let store = opening(disk)
        let task = Task { _ = try await store.reindex() }
        await Task.yield()
        disk.open("snapshot-")
        try await task.value
        try await store.close()
    }
}
