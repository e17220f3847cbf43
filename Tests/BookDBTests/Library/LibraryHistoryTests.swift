import LibrarySupport
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore
@testable import Filing

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
                    try await expectPredicates(store.snapshot, history.model, "seed \(seed), round \(round)")
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
            try expectNamedLists(snapshot, model, comment)
            try expectRecords(snapshot, model, comment)
        } catch {
            Issue.record(error, comment)
        }
    }

    private func expectLists(_ snapshot: Snapshot, _ model: LibraryModel, _ comment: Comment) throws {
        for filter in WorkFilter.everyFilter {
            for order in WorkOrder.allCases {
                let expected = model.list(order, filter)
                let list = snapshot.works.list(by: order, filter)
                #expect(list.map(\.id) == expected, comment)
                #expect(list.indices.map { list[$0].id } == expected, comment)
                #expect(try snapshot.works.count(filter) == expected.count, comment)
                for (index, id) in expected.enumerated() where index % 3 == 0 {
                    #expect(try snapshot.works.list(by: order, filter).index(of: id) == index, comment)
                }
                for item in list { #expect(shows(item, model), comment) }
                try expectReverse(snapshot, order, filter, model.list(order, filter, .reverse), comment)
                for list in [list, snapshot.works.list(by: order, filter, direction: .reverse)] {
                    try expectSections(list, comment)
                }
            }
            let byTitle = model.list(.title, filter)
            for prefix in LibraryHistory.words + ["l", "the le", ""] {
                let list = snapshot.works.list(.titled(prefix), filter)
                #expect(list.map(\.id) == model.titled(prefix, of: byTitle), comment)
            }
        }
        for id in model.works.keys where !(model.entries[id]?.isOwned ?? false) {
            #expect(try snapshot.works.list(by: .title, .owned).index(of: id) == nil, comment)
        }
    }

    private func expectReverse(
        _ snapshot: Snapshot, _ order: WorkOrder, _ filter: WorkFilter, _ expected: [ID<Work>], _ comment: Comment
    ) throws {
        let list = snapshot.works.list(by: order, filter, direction: .reverse)
        #expect(list.map(\.id) == expected, comment)
        #expect(list.indices.map { list[$0].id } == expected, comment)
        for (index, id) in expected.enumerated() where index % 5 == 0 {
            #expect(
                try snapshot.works.list(by: order, filter, direction: .reverse).index(of: id) == index, comment)
        }
        var met: [ID<Work>] = []
        var cursor: WorkCursor?
        repeat {
            let page = try list.page(after: cursor, limit: 7)
            #expect(page.offset == met.count, comment)
            met += page.items.map(\.id)
            cursor = page.next.flatMap { WorkCursor($0.description) }
        } while cursor != nil
        #expect(met == expected, comment)
    }

    /// They cover the list without a gap, and a work's own fields say where it belongs.
    private func expectSections(_ list: WorkItems, _ comment: Comment) throws {
        let sections = try list.sections
        #expect(
            sections.map(\.range.lowerBound) == sections.reduce(into: [0]) { $0.append($1.range.upperBound) }.dropLast()
        )
        #expect(sections.reduce(0) { $0 + $1.count } == list.count, comment)
        #expect(Set(sections.map(\.label)).count == sections.count, comment)
        for slice in [0..<list.count / 2, list.count / 3..<list.count, list.count / 2..<list.count / 2] {
            let cut = sections.map { WorkSection(label: $0.label, range: $0.range.clamped(to: slice)) }
            #expect(try list[slice].sections == cut.filter { !$0.range.isEmpty }, comment)
        }
        for section in sections {
            for item in list[section.range] {
                let label: String? =
                    switch list.order {
                    case .rating: item.rating?.description ?? ""
                    case .year: item.year.map { "\(Int((Double($0) / 10).rounded(.down)) * 10)s" } ?? ""
                    case .finished: item.dateFinished.map { "\($0.year)" } ?? ""
                    default: nil
                    }
                if let label { #expect(section.label == label, comment) }
            }
        }
    }

    private func expectNamedLists(_ snapshot: Snapshot, _ model: LibraryModel, _ comment: Comment) throws {
        let works = snapshot.works
        for author in model.authors.keys {
            let expected = model.list { work, _ in work.authors.contains(author) }
            #expect(works.list(.author(author)).map(\.id) == expected, comment)
            try expectScope(.author(author), Set(expected), snapshot, model, comment)
            #expect(Array(works.list { $0.author(author) }).map(\.id) == expected, comment)
        }
        for tag in LibraryHistory.tags {
            let prefix = LibraryKey.namePrefix(tag)
            let expected = model.list { $1?.tags.contains { LibraryKey.namePrefix($0) == prefix } ?? false }
            #expect(works.list(.tag(tag)).map(\.id) == expected, comment)
            try expectScope(.tag(tag), Set(expected), snapshot, model, comment)
            let read = expected.filter { model.entries[$0]?.status == .read }
            #expect(works.list(.tag(tag), .status(.read)).map(\.id) == read, comment)
            #expect(works.list { $0.tag(tag) && $0.status == .read }.map(\.id) == read, comment)
        }
        for (language, count) in try works.languages {
            let expected = model.list { work, _ in work.language.flatMap { LanguageCode($0) } == language }
            #expect(expected.count == count, comment)
            #expect(works.list(.language(language)).map(\.id) == expected, comment)
            try expectScope(.language(language), Set(expected), snapshot, model, comment)
            #expect(Array(works.list { $0.language == language }).map(\.id) == expected, comment)
        }
        let spoken = model.list { work, _ in work.language.flatMap { LanguageCode($0) } != nil }
        #expect(try works.languages.reduce(0) { $0 + $1.count } == spoken.count, comment)
        for series in LibraryHistory.series {
            let prefix = LibraryKey.namePrefix(series)
            let expected = model.list { work, _ in work.series.contains { LibraryKey.namePrefix($0.name) == prefix } }
            #expect(Set(works.list(.series(series)).map(\.id)) == Set(expected), comment)
            try expectScope(.series(series), Set(expected), snapshot, model, comment)
            #expect(works.list { $0.series(series) }.map(\.id) == expected, comment)
        }
        #expect(
            try works.tags.reduce(0) { $0 + $1.count } == (try works.version.count(in: LibraryTree.tagWorks)), comment)
        for list in try works.tags { #expect(works.list(.tag(list.name)).count == list.count, comment) }
        for list in try works.series { #expect(works.list(.series(list.name)).count == list.count, comment) }
    }

    /// A part of the library is the same works in every order, backwards, from page to page, and each where it says it is.
    private func expectScope(
        _ scope: WorkScope, _ works: Set<ID<Work>>, _ snapshot: Snapshot, _ model: LibraryModel, _ comment: Comment
    ) throws {
        for filter in [WorkFilter.all, .status(.read)] {
            for order in [WorkOrder.title, .rating] {
                let expected = model.list(order, filter, .reverse).filter(works.contains)
                let list = snapshot.works.list(scope, by: order, filter, direction: .reverse)
                #expect(list.map(\.id) == expected, comment)
            }
            let forward = snapshot.works.list(scope, filter)
            let list = snapshot.works.list(scope, filter, direction: .reverse)
            let split = list.range.reversedCount
            #expect(scope.order == .series || split == list.count, comment)
            #expect(list.map(\.id) == forward.prefix(split).map(\.id).reversed() + forward.dropFirst(split).map(\.id))
            var met: [ID<Work>] = []
            var cursor: WorkCursor?
            repeat {
                let page = try list.page(after: cursor, limit: 2)
                met += page.items.map(\.id)
                cursor = page.next.flatMap { WorkCursor($0.description) }
            } while cursor != nil
            #expect(met == list.map(\.id), comment)
            for (index, item) in list.enumerated() {
                #expect(try list.index(of: item.id) == index, comment)
                #expect(try forward.index(of: item.id) == forward.firstIndex { $0.id == item.id }, comment)
            }
        }
    }

    private func expectPredicates(_ snapshot: Snapshot, _ model: LibraryModel, _ comment: Comment) async throws {
        typealias Case = (predicate: WorkPredicate, holds: (Work, UserLibraryEntry?) -> Bool)
        let columns = WorkColumns()
        var cases: [Case] = []
        cases.append((columns.year >= 1500, { work, _ in (work.firstPublicationYear ?? -9999) >= 1500 }))
        cases.append((columns.year == nil, { work, _ in work.firstPublicationYear == nil }))
        cases.append(
            (
                columns.year.isIn(0...1900) && columns.isOwned,
                { work, entry in (0...1900).contains(work.firstPublicationYear ?? -1) && entry?.isOwned == true }
            ))
        cases.append(
            (
                columns.status == .read && columns.language == "fr",
                { work, entry in work.language == "fr" && entry?.status == .read }
            ))
        cases.append(
            (
                columns.status.isOne(of: .read, .reading),
                { _, entry in [.read, .reading].contains(entry?.status ?? .none) }
            ))
        cases.append(
            (
                columns.rating > Rating(quarterStars: 10)! || !columns.isOwned,
                { _, entry in (entry?.rating?.quarterStars ?? 0) > 10 || entry?.isOwned != true }
            ))
        cases.append(
            (
                !(columns.reviewStatus == .reviewed) && columns.rating != nil,
                { work, entry in work.reviewStatus != .reviewed && entry?.rating != nil }
            ))
        cases.append(
            (
                columns.title.contains("left"),
                { work, _ in FoldedText(work.title).bytes.firstRange(of: Array("left".utf8)) != nil }
            ))
        for (predicate, holds) in cases {
            let expected = Set(model.list(where: holds))
            for order in [WorkOrder.title, .rating] {
                let found = snapshot.works.list(by: order, direction: .reverse) { _ in predicate }
                let ordered = model.list(order, .all, .reverse).filter(expected.contains)
                #expect(found.map(\.id) == ordered, comment)
                #expect(try await found.count() == ordered.count, comment)
                var met: [ID<Work>] = []
                var cursor: WorkCursor?
                repeat {
                    let page = try found.page(after: cursor, limit: 3)
                    met += page.items.map(\.id)
                    cursor = page.next
                } while cursor != nil
                #expect(met == ordered, comment)
            }
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
            #expect(try snapshot.version.works(by: id) == model.works(by: id), comment)
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
