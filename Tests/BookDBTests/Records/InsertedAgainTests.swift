import BookDB
import LibrarySupport
import TestSupport
import Testing

/// What was deleted and is inserted once more, and other calls with arguments that cannot be.
struct InsertedAgainTests {
    @Test func `a record that was deleted goes in again without its identifier, and is told so`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.write { library in
            let author = try library.insert(Author("J. R. R. Tolkien"))
            let id = try library.insert(Work("The Hobbit", by: author))
            let edition = try library.insert(Edition(of: id))
            let work = try #require(try library.work(id))
            let printed = try #require(try library.edition(edition))
            let writer = try #require(try library.author(author))
            try library.delete(id)
            func expectRefusal(_ insert: () throws -> Void) {
                let error = #expect(throws: LibraryError.self) { try insert() }
                #expect(error?.sentence.contains("has the identifier") ?? false, "\(String(describing: error))")
                #expect(error?.sentence.contains("insert its withoutID as a new one") ?? false)
            }
            expectRefusal { _ = try library.insert(work) }
            expectRefusal { _ = try library.insert(printed) }
            expectRefusal { _ = try library.insert(writer) }
            let again = try library.insert(work.withoutID)
            #expect(again != id)
            #expect(try library.work(again)?.title == "The Hobbit")
        }
        #expect(try store.snapshot.works.count == 1)
        try await store.close()
    }

    @Test func `counts that cannot be are refused`() async throws {
        let store = try BookStore.inMemory(device: 1)
        for error in [
            await libraryError { try await store.fill(withSample: -1) },
            await libraryError { try await BookStore.sample(works: .min) },
            await libraryError { try await store.updateEach([ID<Work>](), batchSize: 0) { _ in } },
        ] {
            guard case .invalidArgument = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        try await store.fill(withSample: 0)
        #expect(try store.snapshot.works.count == 0)
        try await store.close()
    }

    @MainActor @Test func `a live list whose search fails says why, and not that nothing matches`() async throws {
        let library = try await DamageableLibrary.make(works: 60)
        let pageCount = try library.bytes(of: library.snapshotPath).count / 4096
        var failures = 0
        for page in 1..<pageCount {
            let copy = try library.copy()
            try copy.flip(page: page)
            guard let store = try? copy.open() else { continue }
            let list = WorkList(store)
            list.search = "book"
            #expect(list.matchCount == nil, "nobody knows yet")
            await list.shows(0)
            if let error = list.error {
                guard case .damaged = error else {
                    Issue.record("page \(page): \(error)")
                    continue
                }
                failures += 1
                #expect(list.items.isEmpty && list.matchCount == nil, "page \(page)")
            } else {
                #expect(list.matchCount != nil, "page \(page)")
            }
            try? await store.close()
        }
        #expect(failures > 0)
    }
}
