import LibrarySupport
import Testing

@testable import BookDB
@testable import RecordStore

struct ConcurrencyTests {
    @Test func `readers see whole commits while writers write`() async throws {
        try await withLibrary { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<25 {
                            // Both or none: the pair is one commit.
                            try await store.write(.memory) { library in
                                let author = try library.insert(Author("Author \(writer)-\(number)"))
                                let work = try library.insert(Work("Left \(writer)-\(number)", by: author))
                                try library.insert(Work("Right \(writer)-\(number)", by: author))
                                try library.set(UserLibraryEntry(for: work, status: .reading))
                            }
                        }
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<40 {
                            try await store.read { snapshot in
                                let count = try snapshot.works.count
                                #expect(count.isMultiple(of: 2))
                                #expect(try snapshot.works.count(.status(.reading)) * 2 == count)
                                #expect(try snapshot.authors.count * 2 == count)
                                let list = snapshot.works.list(by: .author)
                                #expect(list.count == count)
                                #expect(Set(list.map(\.id)).count == count)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try store.snapshot.works.count == 200)
        }
    }

    @Test func `an error of the reader's closure keeps its type`() async throws {
        struct Refusal: Error, Equatable {}
        try await withLibrary { store in
            await #expect(throws: Refusal()) {
                try await store.read { _ throws(Refusal) in throw Refusal() }
            }
        }
    }

    @Test func `a closed library refuses writes and keeps its snapshots`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.add("Emma")
        let snapshot = store.snapshot
        try await store.close()
        guard case .closed = await libraryError({ try await store.add("Persuasion") }) else {
            Issue.record("writing to a closed library is refused")
            return
        }
        #expect(snapshot.works.list().titles == ["Emma"])
    }
}
