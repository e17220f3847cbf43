import Testing

@testable import BookDB
@testable import RecordStore

/// Works that go together.
struct WorkDeletionTests {
    /// Of the app: who has which copy of a work.
    private struct Loan: Record, Equatable {
        var id: ID<Loan> = .unassigned
        var work: ID<Work> = .unassigned
        var edition: ID<Edition>?
        enum CodingKeys: Int, CodingKey { case id, work, edition }
        static let schema = Schema {
            Link(\.work, onDelete: .deny)
            Link(\.edition, onDelete: .nullify)
        }
    }

    @Test func `works go with all that is theirs, each once, and authors stay`() async throws {
        try await withLibrary { store in
            let emma = try await store.add("Emma", by: "Jane Austen", status: .read)
            let dune = try await store.add("Dune", by: "Frank Herbert", status: .reading)
            let persuasion = try await store.add("Persuasion", by: "Jane Austen")
            let edition = try await store.write { library in try library.insert(Edition(of: emma)) }
            #expect(try await store.delete([dune, emma, dune, ID(device: 9, counter: 9)]) == 2)
            let snapshot = store.snapshot
            #expect(snapshot.works.list(.all).map(\.id) == [persuasion])
            #expect(try snapshot.editions[edition] == nil && snapshot.entries[emma] == nil)
            #expect(try snapshot.works.statusCounts[.read] == 0)
            #expect(try snapshot.authors.count == 2)
            #expect(try await store.delete([] as [ID<Work>]) == 0)
        }
    }

    @Test func `one that may not go keeps all of them`() async throws {
        try await withLibrary { store in
            let emma = try await store.add("Emma", by: "Jane Austen")
            let dune = try await store.add("Dune", by: "Frank Herbert")
            let loan = try await store.write { library in
                let edition = try library.insert(Edition(of: emma))
                return try library.insert(Loan(work: dune, edition: edition))
            }
            let error = await #expect(throws: LibraryError.self) { try await store.delete([emma, dune]) }
            guard case .referenced(let sentence)? = error else { Issue.record("\(String(describing: error))"); return }
            #expect(sentence.contains("it is the work of Loan"))
            #expect(store.snapshot.works.list(.all).count == 2)
            #expect(try store.snapshot.records(Loan.self)[loan]?.edition != nil)
            #expect(try await store.delete([emma]) == 1)
            #expect(try store.snapshot.records(Loan.self)[loan]?.edition == nil)
        }
    }
}
