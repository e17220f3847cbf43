import LibrarySupport
import Testing

@testable import BookDB
@testable import RecordStore

/// A library in memory that is verified when the test is done with it.
func withLibrary(
    isolation: isolated (any Actor)? = #isolation, _ body: (BookStore) async throws -> Void
) async throws {
    let store = try BookStore.inMemory(device: 0xB00C)
    try await body(store)
    expectSound(store.snapshot)
    try await store.close()
}

extension BookStore {
    /// Adds a work and its authors by name; an author of that name is used again.
    @discardableResult
    func add(_ title: String, by names: String..., status: ReadingStatus? = nil) async throws -> ID<Work> {
        try await write(.memory) { library in
            var authors: [ID<Author>] = []
            for name in names {
                try authors.append(library.author(named: name) ?? library.insert(Author(name)))
            }
            let id = try library.insert(Work(title: title, authors: authors))
            if let status { try library.set(UserLibraryEntry(for: id, status: status)) }
            return id
        }
    }
}

extension WorkItems {
    var titles: [String] { map(\.title) }
}
