import LibrarySupport
import Testing

@testable import BookDB
@testable import RecordStore

struct LibraryTransactionTests {
    @Test func `one work or one record is inserted, changed and deleted by a call of the store`() async throws {
        try await withLibrary { store in
            let work = try await store.insert(Work("Emma"))
            try await store.update(work) { $0.subtitle = "A Novel" }
            #expect(try store.snapshot.works[work]?.subtitle == "A Novel")
            let note = try await store.insert(Note(text: "first"))
            try await store.update(note) { $0.text = "second" }
            #expect(try store.snapshot.records(Note.self)[note]?.text == "second")
            let wasThere = [try await store.delete(work), try await store.delete(note)]
            let isThere = [try await store.delete(work), try await store.delete(note)]
            #expect(wasThere == [true, true] && isThere == [false, false])
            #expect(try store.snapshot.works.count == 0 && store.snapshot.records(Note.self).count == 0)
        }
    }

    private struct Note: Record {
        var id: ID<Note> = .unassigned
        var text = ""
        enum CodingKeys: Int, CodingKey { case id, text }
    }

    @Test func `many works are changed so many a commit, and others write in between`() async throws {
        let store = try BookStore.inMemory()
        let ids = try await store.write { library in
            try (0..<450).map { number in
                var work = Work("Volume \(number)")
                work.series = [SeriesMembership(name: "Discworld", number: "\(number)")]
                return try library.insert(work)
            }
        }
        try await store.write { library in _ = try library.delete(ids[7]) }
        let commit = store.snapshot.commitNumber
        try await store.updateEach(ids) { $0.series[0].name = "The Discworld" }
        #expect(store.snapshot.commitNumber == commit + 3)
        #expect(store.snapshot.works.list(.series("The Discworld")).count == 449)
        #expect(store.snapshot.works.list(.series("Discworld")).isEmpty)
        // The same again changes nothing.
        try await store.updateEach(ids) { $0.series[0].name = "The Discworld" }
        #expect(store.snapshot.commitNumber == commit + 3)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.updateEach(ids) { $0.title = "X" }
        }
        await #expect(throws: LibraryError.cancelled) { try await cancelled.value }
        #expect(store.snapshot.commitNumber == commit + 3)
        expectSound(store.snapshot)
    }

    @Test func `an inserted work is found by identifier, in every order, and with its details`() async throws {
        try await withLibrary { store in
            let (work, author) = try await store.write { library in
                let author = try library.insert(Author("J. R. R. Tolkien"))
                return (try library.insert(Work("The Hobbit", by: author, year: 1937)), author)
            }
            let snapshot = store.snapshot
            #expect(try snapshot.works[work]?.title == "The Hobbit")
            #expect(try snapshot.authors[author]?.sortName == "Tolkien, J. R. R.")
            for order in WorkOrder.allCases {
                let item = try #require(snapshot.works.list(by: order).first)
                #expect(item.id == work)
                #expect(item.title == "The Hobbit")
                #expect(item.authors == "J. R. R. Tolkien")
                #expect(item.year == 1937)
                #expect(item.status == .none)
                #expect(item.isReadable)
                #expect(try snapshot.works.list(by: order).index(of: work) == 0)
            }
            let details = try #require(try snapshot.works.details(work))
            #expect(details.authors.map(\.name) == ["J. R. R. Tolkien"])
            #expect(details.editions.isEmpty)
            #expect(details.entry == nil)
        }
    }

    @Test func `every field of a work, an edition and an entry comes back as it was stored`() async throws {
        try await withLibrary { store in
            let (work, edition, entry) = try await store.write { library in
                let author = try library.insert(Author("Ursula K. Le Guin"))
                let work = try library.insert(.full(by: author))
                let edition = try library.insert(Edition.full(of: work))
                let entry = UserLibraryEntry.full(for: work)
                try library.set(entry)
                return (work, edition, entry)
            }
            let details = try #require(try store.snapshot.works.details(work))
            var expectedWork = Work.full(by: details.authors[0].id)
            expectedWork.id = work
            #expect(details.work == expectedWork)
            var expectedEdition = Edition.full(of: work)
            expectedEdition.id = edition
            #expect(details.editions == [expectedEdition])
            #expect(details.entry == entry)
            #expect(try store.snapshot.entries[work] == entry)
            #expect(try store.snapshot.editions[edition] == expectedEdition)
        }
    }

    @Test func `an edition is found by each ISBN and each source identifier, until it is changed or deleted`()
        async throws
    {
        try await withLibrary { store in
            let isbn = try ISBN("9780547928227")
            let other = try ISBN("9780261103344")
            let goodreads = SourceIdentifier(source: "goodreads", value: "5907")
            let work = try await store.add("The Hobbit", by: "J. R. R. Tolkien")
            let edition = try await store.write { library in
                try library.insert(Edition(of: work, isbns: [isbn], identifiers: [goodreads]))
            }
            #expect(try store.snapshot.works.details(isbn: isbn).map(\.id) == [work])
            #expect(try store.snapshot.works.withSource(goodreads) == [work])
            let found = try await store.write { library in try library.works(withSource: goodreads).first?.edition }
            #expect(found == edition)

            try await store.write { library in
                var changed = try #require(try library.edition(edition))
                changed.isbns = [other]
                changed.identifiers = []
                try library.update(changed)
            }
            #expect(try store.snapshot.works.details(isbn: isbn).isEmpty)
            #expect(try store.snapshot.works.details(isbn: other).map(\.id) == [work])
            #expect(try store.snapshot.works.withSource(goodreads).isEmpty)

            try await store.write { library in try library.delete(edition) }
            #expect(try store.snapshot.works.details(isbn: other).isEmpty)
            #expect(try store.snapshot.editions[edition] == nil)
        }
    }

    @Test func `an edition that moves to another work takes its indexes along`() async throws {
        try await withLibrary { store in
            let isbn = try ISBN("9780547928227")
            let first = try await store.add("The Hobbit")
            let second = try await store.add("The Hobbit, or There and Back Again")
            let edition = try await store.write { library in try library.insert(Edition(of: first, isbns: [isbn])) }
            try await store.write { library in
                var moved = try #require(try library.edition(edition))
                moved.work = second
                try library.update(moved)
            }
            #expect(try store.snapshot.editions.of(first).isEmpty)
            #expect(try store.snapshot.editions.of(second).map(\.id) == [edition])
            #expect(try store.snapshot.works.details(isbn: isbn).map(\.id) == [second])
        }
    }

    @Test func `two editions may share an ISBN and a source identifier`() async throws {
        try await withLibrary { store in
            let isbn = try ISBN("9780547928227")
            let source = SourceIdentifier(source: "openlibrary", value: "OL1M")
            let first = try await store.add("Poems")
            let second = try await store.add("Plays")
            try await store.write { library in
                try library.insert(Edition(of: first, isbns: [isbn], identifiers: [source]))
                let spare = try library.insert(Edition(of: second, isbns: [isbn], identifiers: [source]))
                try library.insert(Edition(of: second, isbns: [isbn], identifiers: [source]))
                try library.delete(spare)
            }
            #expect(try store.snapshot.works.details(isbn: isbn).map(\.id) == [first, second])
            #expect(try store.snapshot.works.withSource(source) == [first, second])
        }
    }

    @Test func `deleting a work deletes its editions, its entry and its texts, and leaves its authors`() async throws {
        try await withLibrary { store in
            let (work, edition, author) = try await store.write { library in
                let author = try library.insert(Author("Ursula K. Le Guin"))
                let work = try library.insert(.full(by: author))
                let edition = try library.insert(Edition.full(of: work))
                try library.set(.full(for: work))
                return (work, edition, author)
            }
            try await store.write { library in try library.delete(work) }
            let snapshot = store.snapshot
            #expect(try snapshot.works[work] == nil)
            #expect(try snapshot.editions[edition] == nil)
            #expect(try snapshot.entries[work] == nil)
            #expect(try snapshot.authors[author] != nil)
            for tree in LibraryContents.books.allTrees.map(\.number)
            where ![LibraryTree.authors, LibraryTree.authorNames, LibraryTree.meta].contains(tree) {
                #expect(try snapshot.version.count(in: tree) == 0, "tree \(tree) is empty")
            }
        }
    }

    @Test func `a new name of an author shows in every row and moves the works in the order by author`() async throws {
        try await withLibrary { store in
            let first = try await store.add("The Left Hand of Darkness", by: "Ursula Kroeber")
            let second = try await store.add("Gift", by: "Jane Yolen", "Ursula Kroeber")
            let third = try await store.add("Emma", by: "Jane Austen")
            #expect(store.snapshot.works.list(by: .author).map(\.id) == [third, first, second])
            let match = MatchKey(title: "The Left Hand of Darkness", author: "Ursula K. Le Guin")
            #expect(try store.snapshot.works.matching(match).isEmpty)

            try await store.write { library in
                let id = try #require(try library.author(named: "Ursula Kroeber"))
                var author = try #require(try library.author(id))
                author.name = "Ursula K. Le Guin"
                author.sortName = "Aardvark"
                try library.update(author)
            }
            let list = store.snapshot.works.list(by: .author)
            #expect(list.map(\.id) == [first, third, second])
            #expect(list[0].authors == "Ursula K. Le Guin")
            #expect(list[2].authors == "Jane Yolen, Ursula K. Le Guin")
            #expect(try store.snapshot.works.matching(match) == [first])
            #expect(try store.snapshot.authors.named("ursula k le guin") != nil)
            #expect(try store.snapshot.authors.named("Ursula Kroeber") == nil)
        }
    }

    @Test func `an author cannot be deleted while a work names them`() async throws {
        try await withLibrary { store in
            let work = try await store.add("Emma", by: "Jane Austen")
            let author = try #require(try store.snapshot.works[work]?.authors.first)
            let error = await libraryError { try await store.write { library in try library.delete(author) } }
            #expect(error == .referenced("Jane Austen cannot be deleted while “Emma” names them."))
            try await store.write { library in
                try library.delete(work)
                try library.delete(author)
            }
            #expect(try store.snapshot.authors.count == 0)
        }
    }

    @Test func `a change of status is counted at once and does not touch the record of the work`() async throws {
        try await withLibrary { store in
            let work = try await store.add("Emma", by: "Jane Austen")
            let before = store.snapshot
            try await store.updateEntry(of: work) {
                $0.status = .reading
                $0.isOwned = true
            }
            let after = store.snapshot
            #expect(try before.works.count(.status(.reading)) == 0)
            #expect(try after.works.count(.status(.reading)) == 1)
            #expect(try after.works.statusCounts[.none] == 0)
            #expect(try after.works.count(.owned) == 1)
            #expect(after.works.list(by: .added, .status(.reading)).map(\.id) == [work])
            #expect(after.works.list(by: .added, .status(.none)).isEmpty)
            try await store.write { library in try library.deleteEntry(of: work) }
            #expect(try store.snapshot.works.count(.status(.none)) == 1)
        }
    }

    @Test func `data that cannot be stored is refused in a sentence, and the transaction goes on`() async throws {
        try await withLibrary { store in
            let nobody = ID<Author>(device: 1, counter: 1)
            let nothing = ID<Work>(device: 1, counter: 1)
            let problems = try await store.write { library in
                var problems: [LibraryError] = []
                func attempt(_ body: (inout LibraryTransaction) throws(LibraryError) -> Void) {
                    do throws(LibraryError) {
                        try body(&library)
                    } catch {
                        problems.append(error)
                    }
                }
                attempt { (library) throws(LibraryError) in try library.insert(Work(title: " \n")) }
                attempt { (library) throws(LibraryError) in try library.insert(Work("Emma", by: nobody)) }
                attempt { (library) throws(LibraryError) in try library.insert(Author("")) }
                attempt { (library) throws(LibraryError) in try library.insert(Edition(of: nothing)) }
                attempt { (library) throws(LibraryError) in try library.set(UserLibraryEntry(for: nothing)) }
                attempt { (library) throws(LibraryError) in try library.update(Work("Emma")) }
                attempt { (library) throws(LibraryError) in
                    let work = try library.insert(Work("Emma"))
                    try library.insert(
                        Edition(of: work, identifiers: [SourceIdentifier(source: "a\0b", value: "1")]))
                }
                return problems
            }
            #expect(problems.count == 7)
            #expect(problems.allSatisfy { $0.isOfData })
            #expect(try store.snapshot.works.count == 1)
        }
    }

    @Test func `a throw undoes everything the transaction did`() async throws {
        struct Refusal: Error {}
        try await withLibrary { store in
            try await store.add("Emma", by: "Jane Austen")
            let before = store.snapshot
            await #expect(throws: Refusal.self) {
                try await store.write { library in
                    for id in try library.works(by: try #require(try library.author(named: "Jane Austen"))) {
                        try library.delete(id)
                    }
                    try library.insert(Work("Persuasion"))
                    throw Refusal()
                }
            }
            #expect(store.snapshot.commitNumber == before.commitNumber)
            #expect(store.snapshot.works.list().titles == ["Emma"])
        }
    }

    @Test func `identifiers are given once and never again, whatever is deleted`() async throws {
        try await withLibrary { store in
            let first = try await store.add("Emma")
            try await store.write { library in try library.delete(first) }
            let second = try await store.add("Emma")
            #expect(second.counter > first.counter)
            #expect(second.device == 0xB00C)
        }
    }

    @Test func `reads within a transaction see what it wrote`() async throws {
        try await withLibrary { store in
            let isbn = try ISBN("9780547928227")
            try await store.write { library in
                let author = try library.insert(Author("J. R. R. Tolkien"))
                let work = try library.insert(Work("The Hobbit", by: author))
                let edition = try library.insert(Edition(of: work, isbns: [isbn]))
                try library.set(UserLibraryEntry(for: work, status: .read))
                #expect(try library.work(work)?.title == "The Hobbit")
                #expect(try library.author(named: "j r r tolkien") == author)
                #expect(try library.works(withISBN: isbn).map(\.edition) == [edition])
                #expect(try library.editions(of: work).map(\.id) == [edition])
                #expect(try library.entry(of: work)?.status == .read)
                #expect(
                    try library.works(matching: MatchKey(title: "Hobbit", author: "Tolkien, J. R. R.")) == [work])
            }
        }
    }

    @Test func `names that differ only in accents are told apart when both are there`() async throws {
        try await withLibrary { store in
            let (plain, accented) = try await store.write { library in
                (try library.insert(Author("Emile Zola")), try library.insert(Author("Émile Zola")))
            }
            #expect(try store.snapshot.authors.named("Émile Zola") == accented)
            #expect(try store.snapshot.authors.named("EMILE ZOLA") == plain)
        }
    }

    @Test func `an author named twice counts once`() async throws {
        try await withLibrary { store in
            let work = try await store.write { library in
                let author = try library.insert(Author("Jane Austen"))
                return try library.insert(Work(title: "Emma", authors: [author, author]))
            }
            #expect(try store.snapshot.works[work]?.authors.count == 1)
            #expect(store.snapshot.works.list()[0].authors == "Jane Austen")
        }
    }
}
