import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// A cursor goes on in the list it came from, and in no other.
@Suite struct CursorTests {
    private func store() async throws -> (store: BookStore, authors: [ID<Author>]) {
        let store = try BookStore.inMemory(device: 1)
        let authors = try await store.write { library in
            let authors = try ["Austen", "Eliot"].map { try library.insert(Author($0)) }
            for number in 0..<12 {
                let work = try library.insert(
                    Work(
                        title: "Book \(number)", authors: [authors[number % 2]],
                        language: number % 3 == 0 ? "de" : "en",
                        series: [SeriesMembership(name: number % 2 == 0 ? "Even" : "Odd", number: "\(number)")]))
                try library.set(UserLibraryEntry(for: work, tags: [number % 2 == 0 ? "left" : "right"]))
            }
            return authors
        }
        return (store, authors)
    }

    @Test func `every pair of lists takes each other's cursors only when they are one`() async throws {
        let (store, authors) = try await store()
        let works = store.snapshot.works
        var lists: [(String, WorkItems)] = WorkOrder.allCases.flatMap { order in
            WorkDirection.allCases.map { ("\(order) \($0)", works.list(by: order, direction: $0)) }
        }
        lists += authors.map { ("author \($0)", works.list(.author($0))) }
        lists += ["Even", "Odd"].map { ("series \($0)", works.list(.series($0))) }
        lists += ["left", "right"].map { ("tag \($0)", works.list(.tag($0))) }
        lists += ["de", "en"].map { ("language \($0)", works.list(.language(LanguageCode($0)!))) }
        for (name, list) in lists {
            let cursor = try #require(try list.page(after: nil, limit: 2).next, "\(name)")
            let text = try #require(WorkCursor("\(cursor)"))
            #expect(text == cursor && text.order == list.order && text.direction == list.direction)
            for (other, otherList) in lists {
                if other == name {
                    #expect(try otherList.page(after: text, limit: 50).items.map(\.title) == list.dropFirst(2).titles)
                } else {
                    #expect(throws: LibraryError.self, "\(name) in \(other)") {
                        try otherList.page(after: text, limit: 2)
                    }
                }
            }
        }
    }

    @Test func `a page of no rows gives its cursor back`() async throws {
        let (store, _) = try await store()
        let list = store.snapshot.works.list()
        let cursor = try #require(try list.page(after: nil, limit: 5).next)
        #expect(try list.page(after: cursor, limit: 0).next == cursor)
        #expect(try list.page(after: nil, limit: 0).items.isEmpty)
        let found = store.snapshot.works.list { $0.title.contains("Book") }
        #expect(try found.page(after: cursor, limit: 0).next == cursor)
        #expect(throws: LibraryError.self) { try list.page(after: cursor, limit: -1) }
        #expect(throws: LibraryError.self) { try found.page(limit: -1) }
    }
}
