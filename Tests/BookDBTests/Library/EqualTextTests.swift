import LibrarySupport
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// Texts that Swift calls equal and that are not the same bytes: what is stored is what was given, and lists show what records
/// hold.
@Suite struct EqualTextTests {
    static let composed = "Caf\u{E9}"
    static let decomposed = "Cafe\u{301}"

    private func isDecomposed(_ text: String?) -> Bool {
        text.map { Array($0.utf8) == Array(Self.decomposed.utf8) } ?? false
    }

    @Test func `a title that changes its form alone is stored, and its rows with it`() async throws {
        try await withLibrary { store in
            let id = try await store.add(Self.composed)
            try await store.update(id) { $0.title = Self.decomposed }
            #expect(isDecomposed(try store.snapshot.works[id]?.title))
            #expect(isDecomposed(store.snapshot.works.list().first?.title))
            try await store.update(id) {
                $0.title = Self.composed
                $0.subjects = ["x"]
            }
            #expect(!isDecomposed(store.snapshot.works.list().first?.title))
        }
    }

    @Test func `identifiers of sources are told by their bytes, as they are found`() async throws {
        try await withLibrary { store in
            let id = try await store.add("A book")
            let forms = [Self.composed, Self.decomposed].map { SourceIdentifier(source: "s", value: $0) }
            try await store.write { library in
                _ = try library.insert(Edition(of: id, identifiers: forms + forms))
            }
            for form in forms { #expect(try store.snapshot.works.withSource(form) == [id]) }
            #expect(try store.snapshot.works.details(id)?.editions.first?.identifiers.count == 2)
        }
    }

    @Test func `so are all texts of a work, an entry, an author and an edition`() async throws {
        try await withLibrary { store in
            let text = Self.composed
            let (id, author, edition) = try await store.write { library in
                let author = try library.insert(Author(text))
                let work = Work(
                    title: text, authors: [author], subtitle: text, originalTitle: text, sortTitle: text,
                    coverURL: text,
                    description: text, subjects: [text], series: [SeriesMembership(name: text, number: "1")])
                let id = try library.insert(work)
                try library.set(UserLibraryEntry(for: id, notes: text, review: text, tags: [text]))
                return (id, author, try library.insert(Edition(of: id, title: text, publisher: text)))
            }
            let changes: [@Sendable (inout Work) -> Void] = [
                { $0.subtitle = Self.decomposed }, { $0.originalTitle = Self.decomposed },
                { $0.sortTitle = Self.decomposed }, { $0.coverURL = Self.decomposed },
                { $0.description = Self.decomposed }, { $0.subjects = [Self.decomposed] },
                { $0.series = [SeriesMembership(name: Self.decomposed, number: "1")] },
            ]
            for change in changes {
                let before = store.snapshot.commitNumber
                try await store.update(id) { change(&$0) }
                #expect(store.snapshot.commitNumber == before + 1)
                expectSound(store.snapshot)
            }
            let work = try #require(try store.snapshot.works[id])
            for text in [work.subtitle, work.originalTitle, work.sortTitle, work.coverURL, work.description] {
                #expect(isDecomposed(text))
            }
            #expect(isDecomposed(work.subjects.first) && isDecomposed(work.series.first?.name))
            #expect(isDecomposed(try store.snapshot.works.series.first?.name))

            try await store.updateEntry(of: id) { $0.notes = Self.decomposed }
            try await store.updateEntry(of: id) { $0.review = Self.decomposed }
            try await store.updateEntry(of: id) { $0.tags = [Self.decomposed] }
            let entry = try #require(try store.snapshot.entries[id])
            #expect(isDecomposed(entry.notes) && isDecomposed(entry.review) && isDecomposed(entry.tags.first))
            #expect(isDecomposed(try store.snapshot.works.tags.first?.name))

            try await store.write { library in
                if var person = try library.author(author) {
                    person.name = Self.decomposed
                    try library.update(person)
                }
                if var book = try library.edition(edition) {
                    book.publisher = Self.decomposed
                    try library.update(book)
                }
            }
            #expect(isDecomposed(try store.snapshot.authors[author]?.name))
            #expect(isDecomposed(store.snapshot.works.list().first?.authors))
            #expect(isDecomposed(try store.snapshot.editions[edition]?.publisher))
        }
    }

    @Test func `what is given twice, byte for byte, makes no commit`() async throws {
        try await withLibrary { store in
            let id = try await store.add(Self.decomposed)
            let before = store.snapshot.commitNumber
            try await store.update(id) { $0.title = Self.decomposed }
            #expect(store.snapshot.commitNumber == before)
        }
    }
}
