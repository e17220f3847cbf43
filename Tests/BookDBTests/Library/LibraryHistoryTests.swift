import TestSupport
import Testing

@testable import BookDB

/// Random histories against the model. A failure is replayed with `BOOKDB_SEED=<the seed printed>`.
struct LibraryHistoryTests {
    private struct Refusal: Error {}

    @Test func `a random history leaves the library equal to the model, now and in old snapshots`() async throws {
        let seed = SeededGenerator.seed(for: "a random history leaves the library equal to the model")
        try await withLibrary { store in
            var history = LibraryHistory(seed: seed)
            var kept: [(snapshot: Snapshot, model: LibraryModel)] = []
            for round in 0..<150 {
                history = try await commit(history, to: store, rollsBack: round % 10 == 9)
                if round % 15 == 4 {
                    expect(store.snapshot, equals: history.model, "seed \(seed), round \(round)")
                    expectSound(store.snapshot)
                }
                if round % 50 == 20 { kept.append((store.snapshot, history.model)) }
                if round == 75 { try await store.compact() }
            }
            for (snapshot, model) in kept { expect(snapshot, equals: model, "seed \(seed), kept snapshot") }
        }
    }

    @Test func `the changes of the commits are the differences of the model`() async throws {
        let seed = SeededGenerator.seed(for: "the changes of the commits are the differences of the model")
        try await withLibrary { store in
            var history = LibraryHistory(seed: seed)
            var commits = store.commits.makeAsyncIterator()
            for _ in 0..<120 {
                let before = history.model
                let numberBefore = store.snapshot.commitNumber
                history = try await commit(history, to: store, rollsBack: false)
                guard store.snapshot.commitNumber > numberBefore else { continue }
                let commit = try #require(await commits.next())
                expect(commit.works, from: before.works, to: history.model.works)
                expect(commit.authors, from: before.authors, to: history.model.authors)
                expect(commit.editions, from: before.editions, to: history.model.editions)
                expect(commit.entries, from: before.entries, to: history.model.entries)
            }
        }
    }

    // MARK: Pieces

    private func commit(
        _ history: LibraryHistory, to store: BookStore, rollsBack: Bool
    ) async throws -> LibraryHistory {
        do {
            return try await store.write(.memory) { library in
                var history = history
                for _ in 0..<Int.random(in: 1...8, using: &history.random) { try history.step(&library) }
                if rollsBack { throw Refusal() }
                return history
            }
        } catch is Refusal {
            return history
        }
    }

    private func expect(_ snapshot: Snapshot, equals model: LibraryModel, _ comment: Comment) {
        do {
            try expectLists(snapshot, model, comment)
            try expectRecords(snapshot, model, comment)
        } catch {
            Issue.record(error, comment)
        }
    }

    private func expectLists(_ snapshot: Snapshot, _ model: LibraryModel, _ comment: Comment) throws {
        for filter in WorkFilter.everyFilter {
            for order in WorkOrder.allCases {
                let expected = model.list(order, filter)
                let list = snapshot.works.sorted(by: order, filter)
                #expect(list.map(\.id) == expected, comment)
                #expect(list.indices.map { list[$0].id } == expected, comment)
                #expect(try snapshot.works.count(filter) == expected.count, comment)
                for (index, id) in expected.enumerated() where index % 3 == 0 {
                    #expect(try snapshot.works.position(of: id, sortedBy: order, filter) == index, comment)
                }
                for item in list { #expect(shows(item, model), comment) }
            }
            let byTitle = model.list(.title, filter)
            for prefix in LibraryHistory.words + ["l", "the le", ""] {
                let list = snapshot.works.titled(prefix, filter)
                #expect(list.map(\.id) == model.titled(prefix, of: byTitle), comment)
            }
        }
        for id in model.works.keys where !(model.entries[id]?.isOwned ?? false) {
            #expect(try snapshot.works.position(of: id, sortedBy: .title, .owned) == nil, comment)
        }
    }

    private func expectRecords(_ snapshot: Snapshot, _ model: LibraryModel, _ comment: Comment) throws {
        #expect(try snapshot.works.count == model.works.count, comment)
        #expect(try snapshot.authors.count == model.authors.count, comment)
        #expect(try snapshot.editions.count == model.editions.count, comment)
        #expect(try snapshot.entries.count == model.entries.count, comment)
        for id in model.works.keys { #expect(try snapshot.works.details(id) == model.details(id), comment) }
        for (id, edition) in model.editions { #expect(try snapshot.editions[id] == edition, comment) }
        for (id, author) in model.authors {
            #expect(try snapshot.authors[id] == author, comment)
            #expect(try snapshot.works.written(by: id) == model.works(by: id), comment)
        }
        for isbn in LibraryHistory.isbns {
            #expect(try Set(snapshot.works.details(isbn: isbn).map(\.id)) == model.works(with: isbn), comment)
        }
        for source in LibraryHistory.sources {
            #expect(try Set(snapshot.works.withSource(source)) == model.works(with: source), comment)
        }
        for work in model.works.values {
            let match = MatchKey(title: work.title, author: work.authors.last.map { model.authors[$0]!.name } ?? "")
            #expect(try snapshot.works.matching(match) == model.works(matching: match), comment)
        }
        for name in LibraryHistory.names {
            let found = try snapshot.authors.named(name).flatMap { model.authors[$0]?.name }
            let exact = model.authors.values.contains { $0.name == name }
            #expect(exact ? found == name : found != name, comment)
        }
    }

    private func shows(_ item: WorkListItem, _ model: LibraryModel) -> Bool {
        guard let work = model.works[item.id] else { return false }
        let entry = model.entries[item.id]
        return item.isReadable && item.title == work.title && item.year == work.firstPublicationYear
            && item.coverURL == work.coverURL && item.reviewStatus == work.reviewStatus
            && item.authors == work.authors.map { model.authors[$0]!.name }.joined(separator: ", ")
            && item.status == entry?.status ?? .none && item.rating == entry?.rating
            && item.isOwned == entry?.isOwned ?? false
    }

    private func expect<Key, Record: Equatable>(
        _ changes: Changes<Key>, from old: [ID<Key>: Record], to new: [ID<Key>: Record]
    ) {
        let differing = old.filter { new[$0.key] != nil && new[$0.key] != $0.value }
        #expect(changes.inserted == Set(new.keys).subtracting(old.keys))
        #expect(changes.deleted == Set(old.keys).subtracting(new.keys))
        #expect(changes.updated.isSuperset(of: differing.keys))
        #expect(changes.updated.isSubset(of: new.keys))
    }
}
