import LibrarySupport
import Testing

@testable import BookDB
@testable import RecordStore
@testable import StorageEngine

/// The work that a transaction has at hand moves in the lists once, and whoever asks for a list never sees it late.
struct BooksAtHandTests {
    /// How many times the commit logs a work's key: once for each list that the work joins or leaves.
    private func listingCount(_ library: borrowing LibraryTransaction, _ listed: ListedWork) throws -> Int {
        try library.trees.reader.finish()
        let (payload, key) = (library.trees.operations.bytes, listed.keys.title)
        return payload.indices.count { payload[$0...].starts(with: key) }
    }

    @Test func `a work is listed once for all that is done to it before another one is changed`() async throws {
        try await withLibrary { store in
            let author = try await store.write { library in try library.insert(Author("Ursula K. Le Guin")) }
            try await store.write { library in
                var work = Work("The Lathe of Heaven", by: author, year: 1971)
                work.id = try library.insert(work)
                try library.insert(Edition(of: work.id))
                var entry = UserLibraryEntry(for: work.id, status: .reading)
                try library.set(entry)
                entry.status = .read
                entry.tags = ["to lend"]
                try library.set(entry)
                let listed = ListedWork(
                    work, authors: [try #require(try library.author(author))], entry: entry, filing: library.filing)
                #expect(try listingCount(library, listed) == listed.keys.all.count)
            }
            let works = store.snapshot.works
            #expect(works.list(.tag("to lend")).titles == ["The Lathe of Heaven"])
            #expect(try works.count(.status(.read)) == 1 && works.count(.status(.reading)) == 0)
        }
    }

    @Test func `what is taken back before the work is listed is in no list and not in the log`() async throws {
        try await withLibrary { store in
            let id = try await store.add("Emma", by: "Jane Austen", status: .reading)
            try await store.write { library in
                var work = try #require(try library.work(id))
                let entry = try #require(try library.entry(of: id))
                let listed = ListedWork(
                    work, authors: [try #require(try library.author(work.authors[0]))], entry: entry,
                    filing: library.filing)
                work.title = "Emma, a Novel"
                try library.update(work)
                try library.deleteEntry(of: id)
                work.title = "Emma"
                try library.update(work)
                try library.set(entry)
                #expect(try listingCount(library, listed) == 0)
                let other = try library.insert(Work("Persuasion"))
                try library.set(UserLibraryEntry(for: other, status: .read))
                try library.delete(other)
            }
            #expect(store.snapshot.works.list().titles == ["Emma"])
            #expect(try store.snapshot.works.count(.status(.reading)) == 1)
        }
    }

    @Test func `lists asked for in between have what was just changed`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                let author = try library.insert(Author("Tove Jansson"))
                let work = try library.insert(Work("Comet in Moominland", by: author))
                #expect(try library.works(by: author) == [work])
                var entry = UserLibraryEntry(for: work)
                entry.tags = ["children"]
                try library.set(entry)
                #expect(try library.renameTag("children", to: "moomins") == 1)
                var renamed = try #require(try library.author(author))
                renamed.name = "Tove Marika Jansson"
                try library.update(renamed)
                #expect(throws: LibraryError.self) { try library.delete(author) }
                try library.delete(work)
                #expect(try library.works(by: author).isEmpty)
                try library.delete(author)
                _ = try library.insert(Work("The Summer Book"))
                // An edition of a work that was just deleted has no home.
                #expect(throws: LibraryError.self) { try library.insert(Edition(of: work)) }
            }
            #expect(store.snapshot.works.list().titles == ["The Summer Book"])
        }
    }

    @Test func `an author is renamed while a work of theirs is at hand`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                var author = Author("Stanislav Lem")
                author.id = try library.insert(author)
                let work = try library.insert(Work("Solaris", by: author.id))
                author.name = "Stanisław Lem"
                try library.update(author)
                try library.set(UserLibraryEntry(for: work, status: .read))
            }
            let item = try #require(store.snapshot.works.list(by: .author).first)
            #expect(item.authors == "Stanisław Lem" && item.status == .read)
        }
    }

    @Test func `a transaction that fails leaves nothing of the work at hand, and none goes over into the next`()
        async throws
    {
        struct Stop: Error {}
        try await withLibrary { store in
            let id = try await store.add("Emma", by: "Jane Austen")
            await #expect(throws: Stop.self) {
                try await store.write { library in
                    var work = try #require(try library.work(id))
                    work.title = "Sanditon"
                    try library.update(work)
                    throw Stop()
                }
            }
            try await store.write { library in try library.set(UserLibraryEntry(for: id, status: .read)) }
            #expect(store.snapshot.works.list().titles == ["Emma"])
            #expect(try store.snapshot.works.count(.status(.read)) == 1)
        }
    }

    private struct Loan: Record {
        var id: ID<Loan> = .unassigned
        var to = ""
        enum CodingKeys: Int, CodingKey { case id, to }
        static let schema = Schema { Order("by name", \.to) }
    }

    @Test func `a list of records stays good while lists of books are only read`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                let author = try library.insert(Author("Tove Jansson"))
                for name in ["Too-Ticky", "Snufkin"] { try library.insert(Loan(to: name)) }
                _ = try library.insert(Work("Tales from Moominvalley", by: author))
                let list = try library.list(Loan.self, "by name")
                #expect(try library.works(by: author).count == 1)
                #expect(throws: LibraryError.self) { try library.delete(author) }
                #expect(try list.page(limit: 10).map(\.to) == ["Snufkin", "Too-Ticky"])
            }
        }
    }

    @Test func `an entry that outlived its work is listed with the work that comes back, and is replaced as one`()
        async throws
    {
        let store = try BookStore.inMemory(device: 0xB00C)
        let id = try await store.add("Emma", by: "Jane Austen", status: .reading)
        try await store.write { library in
            var entry = try #require(try library.entry(of: id))
            entry.notes = "on the train"
            try library.set(entry)
        }
        // The record is lost, as by damage, and its places with it.
        try await store.write { library in
            let work = try #require(try library.work(id))
            let listed = ListedWork(
                work, authors: [try #require(try library.author(work.authors[0]))], entry: try library.entry(of: id),
                filing: library.filing)
            try library.remove(.work(id))
            for key in listed.keys.all { try library.remove(listed.keys.bytes(of: key), in: key.index.tree) }
            for key in work.matchKeys(authors: [try #require(try library.author(work.authors[0]))]) {
                try library.remove(LibraryKey.match(key, id), in: LibraryTree.matchKeys)
            }
        }
        try await store.write { library in
            try library.requireBooks()
            _ = try library.insert(Work("Emma"), as: id)
            #expect(try library.entry(of: id)?.notes == "on the train")
        }
        #expect(try store.snapshot.works.count(.status(.reading)) == 1)
        try await store.write { library in try library.set(UserLibraryEntry(for: id, status: .read)) }
        #expect(try store.snapshot.works[id] != nil && store.snapshot.works.count(.status(.read)) == 1)
        expectSound(store.snapshot)
        try await store.close()
    }
}
