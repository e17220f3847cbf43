#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

struct WorkItemsTests {
    @Test func `titles are in filing order, also within a status`() async throws {
        try await withLibrary { store in
            for title in ["The Zebra", "A Bee", "Émile", "an apple", "Éclair"] {
                try await store.add(title, status: title.count > 5 ? .read : .reading)
            }
            let snapshot = store.snapshot
            #expect(snapshot.works.list().titles == ["an apple", "A Bee", "Éclair", "Émile", "The Zebra"])
            #expect(snapshot.works.list(by: .title, .status(.reading)).titles == ["A Bee", "Émile"])
        }
    }

    @Test func `a text holds a blank one, and signs as they are`() async throws {
        try await withLibrary { store in
            for title in ["C++ Primer", "★", "Emma"] { try await store.add(title, by: "Somebody") }
            func titles(_ text: String) -> [String] {
                store.snapshot.works.list { $0.title.contains(text) }.map(\.title)
            }
            for blank in ["", " ", "\n", "\0", "\u{200B}"] { #expect(titles(blank).count == 3) }
            #expect(titles("++") == ["C++ Primer"] && titles("★") == ["★"] && titles("☆").isEmpty)
            #expect(titles("c+") == ["C++ Primer"] && titles("EMMÁ") == ["Emma"])
        }
    }

    @Test func `what shows nothing is no title, and no tag`() async throws {
        try await withLibrary { store in
            for text in ["\0", "\u{200B}", " \u{FEFF}\t"] {
                await #expect(throws: LibraryError.self) { try await store.add(text) }
                let work = try await store.add("Emma")
                await #expect(throws: LibraryError.self) {
                    try await store.write { library in
                        try library.set(UserLibraryEntry(for: work, tags: [text]))
                    }
                }
            }
            try await store.add("👩\u{200D}🚀")
        }
    }

    @Test func `the order by author goes by sort name, then title, and puts works without an author last`() async throws
    {
        try await withLibrary { store in
            try await store.add("Anonymous")
            try await store.add("Persuasion", by: "Jane Austen")
            try await store.add("Zen", by: "Aa")
            try await store.add("Emma", by: "Jane Austen", "Aa")
            #expect(
                store.snapshot.works.list(by: .author).titles == ["Zen", "Emma", "Persuasion", "Anonymous"])
        }
    }

    @Test func `the newest works come first, also from before 1970`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                for (title, seconds) in [("old", -9e9), ("older", -1e12), ("new", 1.7e9), ("newer", 1.7e9 + 0.001)] {
                    try library.insert(Work(title: title, dateAdded: Date(timeIntervalSince1970: seconds)))
                }
            }
            #expect(store.snapshot.works.list(by: .added).titles == ["newer", "new", "old", "older"])
        }
    }

    @Test func `a slice keeps the indices of its list`() async throws {
        try await withLibrary { store in
            for number in 0..<100 { try await store.add("Book \(String(1000 + number))") }
            let list = store.snapshot.works.list()
            let slice = list[40..<60]
            #expect(slice.count == 20)
            #expect(slice.startIndex == 40)
            #expect(slice[45].id == list[45].id)
            #expect(slice[50...].first?.title == "Book 1050")
            #expect(slice.titles == (40..<60).map { "Book \(1000 + $0)" })
            #expect(list.dropFirst(70).prefix(2).titles == ["Book 1070", "Book 1071"])
            #expect(list.reversed().first?.title == "Book 1099")
            #expect(try slice.page(offset: 5, limit: 2).map(\.title) == ["Book 1045", "Book 1046"])
        }
    }

    @Test func `a page ends with the list and is empty behind it`() async throws {
        try await withLibrary { store in
            for number in 0..<7 { try await store.add("Book \(number)") }
            let list = store.snapshot.works.list()
            #expect(try list.page(offset: 5, limit: 50).map(\.title) == ["Book 5", "Book 6"])
            #expect(try list.page(offset: 7, limit: 50).isEmpty)
            #expect(try list.page(offset: .max, limit: .max).isEmpty)
            #expect(try list.page(offset: 0, limit: 0).isEmpty)
            #expect(throws: LibraryError.self) { try list.page(offset: -1, limit: 1) }
            #expect(throws: LibraryError.self) { try list.page(after: nil, limit: -1) }
        }
    }

    @Test(arguments: WorkOrder.allCases)
    func `cursors meet every remaining work once while works come and go`(_ order: WorkOrder) async throws {
        try await withLibrary { store in
            var ids: [ID<Work>] = []
            for number in 0..<60 {
                ids.append(try await store.add("Book \(100 + number * 2)", by: "Author \(number % 7)"))
            }
            var met: [ID<Work>] = []
            var cursor: WorkCursor?
            var round = 0
            repeat {
                let page = try store.snapshot.works.list(by: order).page(after: cursor, limit: 7)
                #expect(
                    page.offset
                        == page.items.first.flatMap { item in
                            store.snapshot.works.list(by: order).firstIndex { $0.id == item.id }
                        })
                met += page.items.map(\.id)
                // The text form is what a server hands out.
                cursor = try page.next.map { try #require(WorkCursor($0.description)) }
                #expect(cursor == page.next)
                // The row the cursor names goes, one is added before it and one behind.
                if let last = page.items.last?.id { try await store.write { library in try library.delete(last) } }
                try await store.add("Aaa \(round)", by: "Aaa")
                try await store.add("Zzz \(round)", by: "Zzz")
                round += 1
            } while cursor != nil && round < 100
            let original = met.filter { ids.contains($0) }
            #expect(original.count == 60)
            #expect(Set(original).count == 60)
        }
    }

    @Test func `a cursor of another order is refused and a text that is none is nil`() async throws {
        try await withLibrary { store in
            for number in 0..<3 { try await store.add("Book \(number)") }
            let cursor = try #require(try store.snapshot.works.list().page(after: nil, limit: 1).next)
            #expect(throws: LibraryError.self) {
                try store.snapshot.works.list(by: .added).page(after: cursor, limit: 1)
            }
            for text in ["", "t", "x00", "t0", "tzz", "tAA", String(repeating: "t", count: 3000)] {
                #expect(WorkCursor(text) == nil)
            }
        }
    }

    @Test func `a prefix finds titles as they are filed, with an exact count and within a status`() async throws {
        try await withLibrary { store in
            for title in ["The Hobbit", "Hob", "Hobby Horses", "Höbbit", "Hog", "Theatre", "ho"] {
                try await store.add(title, status: title.hasPrefix("H") ? .read : nil)
            }
            let works = store.snapshot.works
            #expect(works.list(.titled("hob")).titles == ["Hob", "The Hobbit", "Höbbit", "Hobby Horses"])
            #expect(works.list(.titled("The Hobb")).titles == ["The Hobbit", "Höbbit", "Hobby Horses"])
            #expect(works.list(.titled("the")).titles == ["Theatre"])
            #expect(works.list(.titled("hob"), .status(.read)).titles == ["Hob", "Höbbit", "Hobby Horses"])
            #expect(works.list(.titled("hob"), .status(.read))[1].title == "Höbbit")
            #expect(works.list(.titled("x")).isEmpty)
            #expect(works.list(.titled("")).count == 7)
            let page = try works.list(.titled("hob")).page(after: nil, limit: 2)
            #expect(
                try works.list(.titled("hob")).page(after: page.next, limit: 2).items.map(\.title) == [
                    "Höbbit", "Hobby Horses",
                ])
        }
    }

    @Test func `titles that begin alike are told apart by their length`() async throws {
        try await withLibrary { store in
            for title in ["Dune Messiah", "Dune", "Dunes", "Dune 2"] { try await store.add(title) }
            #expect(store.snapshot.works.list().titles == ["Dune", "Dune 2", "Dune Messiah", "Dunes"])
        }
    }

    @Test func `a row whose bytes are damaged is an unreadable item and the list goes on`() async throws {
        let store = try BookStore.inMemory(device: 1)
        for title in ["Emma", "Persuasion", "Sanditon"] { try await store.add(title, by: "Jane Austen") }
        let list = store.snapshot.works.list()
        let damaged = list[1]
        let key = try #require(try store.snapshot.version.entry(at: 1, in: LibraryTree.title)).withKey {
            $0.copyBytes(0..<$0.byteCount)
        }
        try await store.write { library in
            // The length of the title reaches behind the end.
            try library.put(
                [0, 0, 0, 0, 0, 255, 255, 0, 0, 65], forKey: key, facets: [FacetSet(Facet(0)), FacetSet(Facet(6))],
                in: LibraryTree.title)
        }
        for order in [WorkOrder.title, .author] {
            let items = Array(store.snapshot.works.list(by: order))
            #expect(items.map(\.isReadable) == [true, false, true])
            #expect(items[1].id == damaged.id)
            #expect(items[1].title.isEmpty)
            #expect(items[2].title == "Sanditon")
        }
        let rows = LibraryVerifier.verify(store.snapshot).checks.first { $0.name == "list rows" }
        #expect(rows?.items == ["The list shows “Persuasion” otherwise than its record says."])
    }

    @Test func `a row that is missing is an unreadable item in the other orders`() async throws {
        let store = try BookStore.inMemory(device: 1)
        for title in ["Emma", "Persuasion"] { try await store.add(title, by: "Jane Austen") }
        let key = try #require(try store.snapshot.version.entry(at: 0, in: LibraryTree.title)).withKey {
            $0.copyBytes(0..<$0.byteCount)
        }
        try await store.write { library in try library.remove(key, in: LibraryTree.title) }
        let list = store.snapshot.works.list(by: .author)
        #expect(list.map(\.isReadable) == [false, true])
        #expect(!list[0].isReadable)
        #expect(list[1].title == "Persuasion")
    }

    @Test func `texts too long for a row are cut at a character and stay whole in the record`() async throws {
        try await withLibrary { store in
            let title = String(repeating: "Ω", count: 3_000),
                url = "https://example.org/" + String(repeating: "x", count: 600)
            let id = try await store.write { library in
                let authors = try (0..<40).map { try library.insert(Author("Author Number \($0)")) }
                return try library.insert(Work(title: title, authors: authors, year: 32_766, coverURL: url))
            }
            let item = store.snapshot.works.list()[0]
            #expect(item.title.hasPrefix("ΩΩΩ") && item.title.hasSuffix("…") && item.title.utf8.count <= 400)
            #expect(item.authors.hasSuffix("…") && item.authors.utf8.count <= 200)
            #expect(item.coverURL == nil)
            #expect(item.year == 32_766)
            let work = try #require(try store.snapshot.works[id])
            #expect(work.title == title && work.coverURL == url && work.firstPublicationYear == 32_766)
        }
    }

    @Test func `items are equal when they show the same`() async throws {
        try await withLibrary { store in
            let id = try await store.add("Emma", by: "Jane Austen")
            let before = store.snapshot.works.list()[0]
            try await store.update(id) { $0.subjects = ["matchmaking"] }
            #expect(before == store.snapshot.works.list(by: .author)[0])
            try await store.updateEntry(of: id) { $0.rating = Rating(stars: 5) }
            #expect(before != store.snapshot.works.list()[0])
        }
    }

    @Test func `an empty library has empty lists`() async throws {
        try await withLibrary { store async throws in
            let works = store.snapshot.works
            #expect(works.list().isEmpty)
            #expect(works.list(.titled("a")).isEmpty)
            #expect(try works.count(.all) == 0)
            #expect(try works.page(works.list()).isEmpty)
            #expect(try works.list().index(of: ID(device: 1, counter: 1)) == nil)
            #expect(try works.details(ID(device: 1, counter: 1)) == nil)
        }
    }
}

extension Snapshot.Works {
    fileprivate func page(_ list: WorkItems) throws(LibraryError) -> [WorkListItem] {
        try list.page(after: nil, limit: 50).items
    }
}
