import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// What an app keeps beside books.
private struct Loan: Record, Equatable {
    var id: ID<Loan> = .unassigned
    var work: Reference<Work> = .unassigned
    var borrower = ""
    enum CodingKeys: Int, CodingKey { case id, work, borrower }
    static let indexes = [Index(\.work)]
    static let schema = Schema { Link(\.work, onDelete: .cascade) }
}

/// Books that are brought back, whole.
struct BookUndoTests {
    struct Books: Sendable {
        let author: ID<Author>
        let other: ID<Author>
        let work: ID<Work>
        let second: ID<Work>
        let edition: ID<Edition>
    }

    private func withBooks(_ body: (BookStore, Books) async throws -> Void) async throws {
        let store = try BookStore.inMemory(device: 0xB00C, undo: .on)
        let books = try await store.write { library in
            let author = try library.insert(Author("Ursula K. Le Guin"))
            let other = try library.insert(Author("Plato"))
            let work = try library.insert(Work.full(by: author))
            let second = try library.insert(Work("The Republic", by: other, year: -375))
            let edition = try library.insert(Edition.full(of: work))
            try library.set(UserLibraryEntry.full(for: work))
            try library.insert(Loan(work: work, borrower: "Ann"))
            return Books(author: author, other: other, work: work, second: second, edition: edition)
        }
        store.forgetUndoable()
        try await body(store, books)
        expectSound(store.snapshot)
        try await store.close()
    }

    private func expectSame(
        _ snapshot: Snapshot, _ other: Snapshot, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try snapshot.exportedLines() == other.exportedLines(), sourceLocation: sourceLocation)
        #expect(try snapshot.differences(from: other).kinds.allSatisfy(\.isSame), sourceLocation: sourceLocation)
        #expect(
            snapshot.works.list(by: .title).map(\.title) == other.works.list(by: .title).map(\.title),
            sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "insert", "title", "author", "texts", "status", "notes", "edition", "move", "entry", "delete", "tag", "import",
        "everything",
    ])
    func `every kind of change of books is undone and done again`(change: String) async throws {
        try await withBooks { store, books in
            let before = store.snapshot
            try await store.write { library in try Self.apply(change, to: &library, books) }
            let after = store.snapshot
            #expect(try before.exportedLines() != after.exportedLines())
            for _ in 0..<2 {
                let step = try await store.undo()
                #expect(step?.counts.isEmpty == false)
                try expectSame(store.snapshot, before)
                expectSound(store.snapshot)
                #expect(try await store.redo() != nil)
                try expectSame(store.snapshot, after)
                expectSound(store.snapshot)
            }
        }
    }

    private static func apply(_ change: String, to library: inout LibraryTransaction, _ books: Books) throws {
        var work = try #require(try library.work(books.work))
        var entry = try #require(try library.entry(of: books.work))
        var edition = try #require(try library.edition(books.edition))
        switch change {
        case "insert": try library.insert(Work("The Lathe of Heaven", by: books.author))
        case "title":
            work.title = "Another"
            try library.update(work)
        case "author":
            var author = try #require(try library.author(books.author))
            author.name = "U. K. Le Guin"
            try library.update(author)
        case "texts":
            work.description = nil
            try library.update(work)
        case "status":
            entry.status = .read
            try library.set(entry)
        case "notes":
            (entry.notes, entry.review) = ("Lent.", nil)
            try library.set(entry)
        case "edition":
            edition.isbns = []
            try library.update(edition)
        case "move":
            edition.work = books.second
            try library.update(edition)
        case "entry": try library.deleteEntry(of: books.work)
        case "delete": try library.delete(books.work)
        case "tag": try library.renameTag("sf", to: "science fiction")
        case "import":
            for number in 0..<100 {
                let author = try library.insert(Author("Author \(number)"))
                let work = try library.insert(
                    Work(title: "Book \(number)", authors: [author], description: number.isMultiple(of: 2) ? "D" : nil))
                try library.insert(Edition(of: work, pageCount: number))
                try library.set(UserLibraryEntry(for: work, status: .read, notes: "n"))
                try library.insert(Loan(work: work, borrower: "Bob"))
            }
        default:
            edition.work = books.second
            try library.update(edition)
            try library.delete(books.work)
            let author = try library.insert(Author("Sappho"))
            let new = try library.insert(Work("Fragments", by: author, books.author))
            edition.work = new
            try library.update(edition)
            try library.delete(books.second)
            try library.delete(books.other)
        }
    }

    @Test func `a step says in words for people what was changed`() async throws {
        try await withBooks { store, books in
            try await store.write { library in try library.delete(books.work) }
            let counts = try #require(store.undoable.first).counts.map { "\($0.count) \($0.plural) \($0.what)" }
            #expect(
                Set(counts) == ["1 works deleted", "1 editions deleted", "1 entries deleted", "1 Loan deleted"],
                "\(counts)")
            try await store.undo()
            try await store.update(books.work) { $0.description = "Another." }
            #expect(store.undoable.first?.counts.map { "\($0.count) \($0.plural) \($0.what)" } == ["1 works updated"])
        }
    }

    // MARK: What was changed since

    @Test func `fields of a book that were changed since stay, and the same field is refused by name`() async throws {
        try await withBooks { store, books in
            try await store.update(books.work) { ($0.title, $0.description) = ("Mine", "Mine.") }
            try await store.write { library in
                library.leaveOutOfUndo()
                var work = try #require(try library.work(books.work))
                work.language = "fr"
                try library.update(work)
            }
            try await store.undo()
            #expect(try store.snapshot.works[books.work]?.title == "The Dispossessed")
            #expect(try store.snapshot.works[books.work]?.language == "fr")
            try await store.redo()
            for (fields, change) in Self.contested {
                let before = store.snapshot
                try await store.write { library in
                    library.leaveOutOfUndo()
                    var work = try #require(try library.work(books.work))
                    change(&work)
                    try library.update(work)
                }
                let changed = store.snapshot
                let error = await libraryError { try await store.undo() }
                guard case .undoRefused(let conflicts)? = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(conflicts.map(\.fields) == [fields] && conflicts[0].kind == "work")
                #expect(error?.sentence.contains("work \(books.work)") == true)
                try expectSame(store.snapshot, changed)
                try await store.write { library in
                    library.leaveOutOfUndo()
                    try library.update(try #require(try before.works[books.work]))
                }
            }
            try await store.undo()
            #expect(try store.snapshot.works[books.work]?.description == "Two worlds and a wall.\nOne man.")
        }
    }

    private static let contested: [([String], @Sendable (inout Work) -> Void)] = [
        (["title"], { $0.title = "Theirs" }), (["description"], { $0.description = "Theirs." }),
    ]

    @Test func `notes and a review are two fields`() async throws {
        try await withBooks { store, books in
            try await store.updateEntry(of: books.work) { $0.notes = nil }
            try await store.write { library in
                library.leaveOutOfUndo()
                var entry = try #require(try library.entry(of: books.work))
                entry.review = "Good."
                try library.set(entry)
            }
            try await store.undo()
            let entry = try #require(try store.snapshot.works.details(books.work)?.entry)
            #expect(entry.notes == "Borrowed." && entry.review == "Good.")
        }
    }

    @Test func `a deleted book that is there again with another text is not taken for the one that went`() async throws
    {
        try await withBooks { store, books in
            let deleted = try #require(try store.snapshot.works.details(books.work)?.work)
            #expect(deleted.description != nil)
            try await store.delete(books.work)
            try await store.write { library in
                library.leaveOutOfUndo()
                var again = deleted
                again.description = "Theirs."
                // As a line of an export comes in.
                try library.requireBooks()
                _ = try library.insert(again, as: books.work)
            }
            let conflicts = try await refusal(store)
            #expect(conflicts.contains { $0.identifier == books.work.rawValue && $0.reason.contains("is there again") })
            #expect(try store.snapshot.works.details(books.work)?.work.description == "Theirs.")
        }
    }

    @Test func `what would leave a book without its author or its work is refused`() async throws {
        try await withBooks { store, books in
            let author = try await store.write { try $0.insert(Author("New")) }
            let work = try await store.write { library in
                library.leaveOutOfUndo()
                return try library.insert(Work("By the new one", by: author))
            }
            #expect(
                try await refusal(store).map(\.description) == [
                    "work \(work) names the author \(author), who would go"
                ])
            store.forgetUndoable()
            let other = try await store.insert(Work("Alone", by: books.other))
            let edition = try await store.write { library in
                library.leaveOutOfUndo()
                try library.set(UserLibraryEntry(for: other, status: .read))
                try library.insert(Loan(work: other, borrower: "Eve"))
                return try library.insert(Edition(of: other))
            }
            let needed = try await refusal(store)
            #expect(Set(needed.map(\.kind)) == ["edition", "entry", "Loan"])
            #expect(needed.contains { $0.identifier == edition.rawValue })
            store.forgetUndoable()
            // The author of one that is to come back is gone.
            try await store.delete(work)
            try await store.write { library in
                library.leaveOutOfUndo()
                try library.delete(author)
            }
            #expect(try await refusal(store).map(\.reason) == ["names the author \(author), who is not there any more"])
            store.forgetUndoable()
            // The work of an edition.
            try await store.write { library in try library.delete(books.edition) }
            try await store.write { library in
                library.leaveOutOfUndo()
                try library.delete(books.work)
            }
            #expect(try await refusal(store).map(\.kind) == ["edition"])
            store.forgetUndoable()
        }
    }

    private func refusal(_ store: BookStore) async throws -> [UndoConflict] {
        let before = store.snapshot
        let error = await libraryError { try await store.undo() }
        guard case .undoRefused(let conflicts)? = error else {
            Issue.record("\(String(describing: error))")
            return []
        }
        try expectSame(store.snapshot, before)
        return conflicts
    }

    // MARK: Histories

    @Test(arguments: [UndoKeeping.on, UndoKeeping(commitCount: 1000, byteCount: 0)], [61 as UInt64, 62])
    func `random commits of books are undone to each snapshot held from before`(
        keeping: UndoKeeping, fallback: UInt64
    ) async throws {
        let store = try BookStore.inMemory(device: 0xB00C, undo: keeping)
        var history = LibraryHistory(seed: SeededGenerator.seed(for: "BookUndoTests", fallback: fallback))
        history = try await history.committed(40, to: store)
        store.forgetUndoable()
        var past = [store.snapshot]
        for _ in 0..<30 {
            history = try await history.committed(Int.random(in: 1...5, using: &history.random), to: store)
            if store.undoable.count == past.count { past.append(store.snapshot) }
        }
        let newest = store.snapshot
        while past.count > 1 {
            past.removeLast()
            #expect(try await store.undo() != nil)
            try expectSame(store.snapshot, try #require(past.last))
            if past.count.isMultiple(of: 7) { expectSound(store.snapshot) }
        }
        #expect(try await store.undo() == nil)
        expectSound(store.snapshot)
        while try await store.redo() != nil {}
        try expectSame(store.snapshot, newest)
        expectSound(store.snapshot)
        try await store.close()
    }
}
