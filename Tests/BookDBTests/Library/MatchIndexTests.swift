import Filing
import LibrarySupport
import Testing

@testable import BookDB
@testable import RecordStore
@testable import StorageEngine

/// The index of match keys holds a part of their hashes: it finds candidates, and the records say which of them match.
struct MatchIndexTests {
    /// Their match keys have one hash in the first 40 bits.
    private static let (one, other) = ("Volume 193558", "Volume 406898")

    private static func match(_ title: String) -> MatchKey { MatchKey(title: title, author: "") }

    @Test func `works whose match keys have one hash are told apart`() async throws {
        #expect(LibraryKey.matchPrefix(Self.match(Self.one)) == LibraryKey.matchPrefix(Self.match(Self.other)))
        try await withLibrary { store in
            let ids = try await store.write { library in
                let ids = [try library.insert(Work(Self.one)), try library.insert(Work(Self.other))]
                #expect(try library.works(matching: Self.match(Self.one)) == [ids[0]])
                #expect(try library.works(matching: Self.match(Self.other)) == [ids[1]])
                return ids
            }
            for _ in 0..<2 {
                let works = store.snapshot.works
                #expect(try works.matching(Self.match(Self.one)) == [ids[0]])
                #expect(try works.matching(Self.match(Self.other)) == [ids[1]])
                #expect(try works.matching(Self.match("Volume 3")) == [])
                _ = try await store.compact()
            }
            expectSound(store.snapshot)
            try await store.write { library in
                var work = try #require(try library.work(ids[0]))
                work.title = Self.other
                try library.update(work)
                #expect(try library.works(matching: Self.match(Self.one)) == [])
                #expect(try library.works(matching: Self.match(Self.other)) == ids)
                try library.delete(ids[1])
            }
            #expect(try store.snapshot.works.matching(Self.match(Self.other)) == [ids[0]])
            #expect(try store.snapshot.works.matching(Self.match(Self.one)) == [])
            expectSound(store.snapshot)
        }
    }

    /// "Volume" by either has one hash in the first 40 bits.
    @Test func `a work whose authors give one hash has one entry, and is found by both`() async throws {
        let names = ["dzbwz", "fhzrp"]
        let matches = names.map { MatchKey(title: "Volume", author: $0) }
        #expect(LibraryKey.matchPrefix(matches[0]) == LibraryKey.matchPrefix(matches[1]) && matches[0] != matches[1])
        try await withLibrary { store in
            let (id, author) = try await store.write { library in
                let authors = [try library.insert(Author(names[0])), try library.insert(Author(names[1]))]
                return (try library.insert(Work("Volume", by: authors[0], authors[1])), authors[1])
            }
            for match in matches { #expect(try store.snapshot.works.matching(match) == [id]) }
            #expect(try store.snapshot.version.count(in: LibraryTree.matchKeys) == 1)
            expectSound(store.snapshot)
            try await store.write { library in
                var author = try #require(try library.author(author))
                author.name = "Somebody Else"
                try library.update(author)
            }
            #expect(try store.snapshot.works.matching(matches[0]) == [id])
            #expect(try store.snapshot.works.matching(matches[1]) == [])
            #expect(try store.snapshot.version.count(in: LibraryTree.matchKeys) == 2)
            expectSound(store.snapshot)
        }
    }

    @Test func `a work of which an author is lost is found by the hash`() async throws {
        try await withLibrary { store in
            let id = try await store.add("Emma", by: "Jane Austen")
            let (author, record) = try await store.write { library in
                let author = try #require(try library.work(id)).authors[0].rawValue
                let record = try #require(try library.trees.recordBytes(author, in: LibraryTree.authors))
                try library.remove(author, in: LibraryTree.authors)
                return (author, record)
            }
            #expect(try store.snapshot.works.matching(MatchKey(title: "Emma", author: "Austen, Jane")) == [id])
            try await store.write { library in try library.put(record, forKey: author, in: LibraryTree.authors) }
        }
    }

    @Test func `a work matches by each of its authors as they are called now`() async throws {
        try await withLibrary { store in
            let (id, author) = try await store.write { library in
                let authors = [
                    try library.insert(Author("Terry Pratchett")), try library.insert(Author("Neil Gaiman")),
                ]
                return (try library.insert(Work("Good Omens", by: authors[0], authors[1])), authors[1])
            }
            func matches(_ name: String) throws -> Bool {
                try store.snapshot.works.matching(MatchKey(title: "Good Omens", author: name)) == [id]
            }
            #expect(try matches("Pratchett, Terry") && matches("Gaiman, Neil"))
            #expect(try !matches("") && !matches("Neil"))
            try await store.write { library in
                var author = try #require(try library.author(author))
                author.name = "N. Gaiman"
                try library.update(author)
            }
            #expect(try matches("N. Gaiman") && matches("Terry Pratchett") && !matches("Neil Gaiman"))
        }
    }

    @Test func `an entry of the index takes 13 bytes, however long the title is`() async throws {
        try await withLibrary { store in
            try await store.add(String(repeating: "A long title ", count: 12), by: "Somebody Whose Name Is Long")
            let version = store.snapshot.version
            try version.scan(LibraryTree.matchKeys) { key, value in
                #expect(key.byteCount == 13 && value.byteCount == 0)
                return true
            }
            #expect(try version.count(in: LibraryTree.matchKeys) == 1)
        }
    }
}
