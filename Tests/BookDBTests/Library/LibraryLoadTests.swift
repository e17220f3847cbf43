import Testing

@testable import BookDB
@testable import RecordStore

struct LibraryLoadTests {
    private func export(_ store: BookStore) throws -> [String] {
        var lines: [String] = []
        try store.snapshot.export { lines.append($0) }
        return lines
    }

    @Test func `a load makes the library that a transaction makes`() async throws {
        let written = try BookStore.inMemory(device: 0xB00C)
        let loaded = try BookStore.inMemory(device: 0xB00C)
        var random = SampleBooks(seed: 5)
        let books = random.take(1_200)
        try await written.write { library in
            var authors: [ID<Author>] = []
            for book in books { try library.insert(book, authors: &authors) }
        }
        try await loaded.load { library in
            var authors: [ID<Author>] = []
            for book in books { try library.insert(book, authors: &authors) }
        }
        #expect(try export(loaded) == export(written))
        for order in WorkOrder.allCases {
            let (some, others) = (loaded.snapshot.works.list(by: order), written.snapshot.works.list(by: order))
            #expect(some.map(\.id) == others.map(\.id))
        }
        #expect(try await loaded.verify().isSound)
        try await loaded.write { library in try library.insert(Work(title: "One more")) }
        #expect(try await loaded.verify().isSound)
        try await loaded.close()
        try await written.close()
    }

    @Test func `a load adds to what is there, by authors who are there, and tells subscribers`() async throws {
        try await withLibrary { store in
            try await store.add("Emma", by: "Jane Austen")
            let author = try #require(try store.snapshot.authors.named("Jane Austen"))
            var commits = store.commits.makeAsyncIterator()
            let (work, edition) = try await store.load { library in
                let work = try library.insert(Work("Persuasion", by: author))
                let edition = try library.insert(Edition.full(of: work))
                try library.set(.full(for: work))
                for number in 0..<600 { try library.insert(Work("Sequel \(number)", by: author)) }
                return (work, edition)
            }
            #expect(store.snapshot.works.list().titles.prefix(2) == ["Emma", "Persuasion"])
            #expect(store.snapshot.works.list(.author(author)).count == 602)
            #expect(try store.snapshot.works.search("persua").first(5).map(\.item.id) == [work])
            #expect(try store.snapshot.editions[edition]?.publisher == "Harper")
            #expect(try store.snapshot.entries[work] == .full(for: work))
            let commit = try #require(await commits.next())
            #expect(commit.works.inserted.count == 601)
            #expect(commit.editions.inserted == [edition])
            #expect(commit.entries.inserted == [work])
            try await store.load { library in try library.insert(Work("Sanditon", by: author)) }
            #expect(store.snapshot.works.list().count == 603)
        }
    }

    /// More than are kept as authors.
    @Test func `works of a load name any of its authors, however many came between`() async throws {
        let store = try BookStore.inMemory(device: 0xB00C)
        let former = try await store.write { try $0.insert(Author("Jane Austen")) }
        let count = 9_000
        try await store.load { library in
            _ = try library.insert(Work("Emma", by: former))
            let authors = try (0..<count).map { try library.insert(Author("Author No. \($0)")) }
            for number in [0, 4_000, count - 1, 1] {
                _ = try library.insert(Work("Work \(number)", by: authors[number]))
            }
            _ = try library.insert(Work("Persuasion", by: former))
            #expect(throws: LibraryError.self) {
                _ = try library.insert(Work("Nobody's", by: ID<Author>(device: 0xB00C, counter: 1 << 30)))
            }
        }
        let rows = Array(store.snapshot.works.list())
        #expect(
            rows.map { "\($0.title): \($0.authors)" } == [
                "Emma: Jane Austen", "Persuasion: Jane Austen", "Work 0: Author No. 0", "Work 1: Author No. 1",
                "Work 4000: Author No. 4000", "Work 8999: Author No. 8999",
            ])
        #expect(try await store.verify().isSound)
        try await store.close()
    }

    @Test func `a bad record is refused with a sentence, and the load goes on without it`() async throws {
        try await withLibrary { store in
            let stranger = BookDB.ID<Author>(device: 1, counter: 1)
            try await store.load { library in
                let first = try library.insert(Work(title: "First"))
                #expect(throws: LibraryError.self) { try library.insert(Work(title: "  ")) }
                #expect(throws: LibraryError.self) { try library.insert(Author("")) }
                #expect(throws: LibraryError.self) { try library.insert(Work("By nobody", by: stranger)) }
                try library.insert(Edition(of: first))
                let second = try library.insert(Work(title: "Second"))
                let error = #expect(throws: LibraryError.self) { try library.insert(Edition(of: first)) }
                #expect(error?.description.contains("follows its work") == true)
                #expect(throws: LibraryError.self) { try library.set(UserLibraryEntry(for: second, readCount: -1)) }
                #expect(throws: LibraryError.self) { try library.set(UserLibraryEntry(for: first)) }
            }
            #expect(store.snapshot.works.list().titles == ["First", "Second"])
            #expect(try store.snapshot.editions.count == 1)
            #expect(try store.snapshot.entries.count == 0)
        }
    }

    @Test func `a load that throws adds nothing, and what comes next is as if it had not been`() async throws {
        struct Whim: Error {}
        try await withLibrary { store in
            await #expect(throws: Whim.self) {
                try await store.load { library in
                    for number in 0..<1_000 { try library.insert(Work(title: "Work \(number)")) }
                    throw Whim()
                }
            }
            #expect(try store.snapshot.works.count == 0)
            try await store.load { library in
                let author = try library.insert(Author("A Nother"))
                try library.insert(Work("After", by: author))
            }
            #expect(store.snapshot.works.list().titles == ["After"])
        }
    }
}
