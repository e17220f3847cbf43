import Foundation
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// What an app on BookDB writes for the tasks that every library app has, each between a line `begin` and a line `end`. The
/// seventh, an import, is with the tests of imports.
///
/// Beside it stand the most lines that each may take. Linux has no SwiftUI, so the third names the list itself, where a view would
/// have `@Works(sort: .title) var works` and `List(works.items)`: the rows are the same collection.
private enum Task1 {
    // begin 1: define a record (8)
    struct Loan: Record {
        var id: ID<Loan> = .unassigned
        var work: Reference<Work> = .unassigned
        var borrower = ""
        var due: Date?
        enum CodingKeys: Int, CodingKey { case id, work, borrower, due }
        static let indexes = [Index(\.work), Index(\.due)]
    }
    // end
}

private enum Task8 {
    /// The record of task 1 with a field more, and another filled from what it had.
    struct Loan: Record {
        var id: ID<Loan> = .unassigned
        var work: Reference<Work> = .unassigned
        var borrower = ""
        var due: Date?
        // begin 8: migrate: add a field and back-fill another (3)
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, work, borrower, due, note }
        static let upgrades = [Upgrade<Loan>(2) { $0.borrower = $0.borrower.capitalized }]
        // end
    }
}

@MainActor struct AppTasksTests {
    private let directory = FileManager.default.temporaryDirectory.path + "/bookdb-test-\(UUID())"

    @Test func `a record is defined, stored and found`() async throws {
        let store = BookStore(.memory)
        let work = try await store.add("Emma")
        let id = try await store.insert(Task1.Loan(id: .unassigned, work: work, borrower: "Ann"))
        #expect(try store.snapshot.records(Task1.Loan.self).where(\.work, equals: work).map(\.id) == [id])
    }

    @Test func `a store is opened`() async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/Library.bookdb"
        // begin 2: open the store (4)
        let store = BookStore(.file(path))
        if case .unavailable(let error) = store.health { print(error) }
        // end
        try await store.ready()
        #expect(store.opening.createdStore)
        try await store.close()
    }

    @Test func `a list is shown, paged through, watched and changed`() async throws {
        let store = try await BookStore.sample(works: 300)
        // begin 3: a searchable list (7)
        let list = WorkList(store, by: .title)
        list.search = "the"
        let rows = list.items.map { "\($0.title), \($0.authors)" }
        // end
        #expect(!rows.isEmpty)
        // begin 4: page through it (0)
        // end
        let last = try #require(list.items.indices.last)
        #expect(!list.items[last].title.isEmpty, "the last row is as near as the first")

        let seen = Task {
            var titles: [String] = []
            // begin 5: observe changes elsewhere (3)
            for await commit in store.commits {
                titles += commit.works.updated.compactMap { try? commit.snapshot.works[$0]?.title }
            }
            // end
            return titles
        }
        while store.broadcast.subscriberCount < 2 { await pause() }
        // begin 6: insert, then update (2)
        let hobbit = try await store.write { library in try library.insert(Work("The Hobit", year: 1937)) }
        try await store.update(hobbit) { $0.title = "The Hobbit" }
        // end
        try await store.close()
        #expect(await seen.value == ["The Hobbit"])
    }

    @Test func `a field is added and another filled in`() async throws {
        // The app as it was, and as it is: one after the other.
        let fileSystem = MemoryFileSystem()
        let before = try BookStore(at: "L.bookdb", fileSystem: fileSystem)
        let id = try await before.insert(Task1.Loan(id: .unassigned, work: .unassigned, borrower: "ann"))
        try await before.close()
        let after = try BookStore(at: "L.bookdb", fileSystem: fileSystem)
        let loan = try #require(try after.snapshot.records(Task8.Loan.self)[ID(rawValue: id.rawValue)])
        #expect(loan.borrower == "Ann" && loan.note == "")
        try await after.close()
    }

    /// What is promised for each task, in lines that are not blank.
    @Test func `each task takes no more lines than promised`() throws {
        let promised = [1: 8, 2: 4, 3: 7, 4: 0, 5: 3, 6: 2, 7: 4, 8: 3]
        var counts: [Int: Int] = [:]
        for file in ["Tests/BookDBTests/AppTasksTests.swift", "Tests/BookImportTests/Import/ImportTaskTests.swift"] {
            var task: Int?
            let text = String(decoding: try #require(RepositoryFiles.bytes(file)), as: UTF8.self)
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard !words.isEmpty else { continue }
                if words.starts(with: ["//", "begin"]), words.count > 2 {
                    task = Int(words[2].dropLast())
                    counts[try #require(task)] = 0
                } else if words == ["//", "end"] {
                    task = nil
                } else if let task {
                    counts[task, default: 0] += 1
                }
            }
        }
        print("Lines of each task: \(counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })")
        #expect(Set(counts.keys) == Set(promised.keys))
        for (task, count) in counts { #expect(count <= promised[task] ?? 0, "task \(task)") }
    }
}
