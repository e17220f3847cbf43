import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// A count comes from the lists of words in the search file where it can, and is that of the matches themselves.
struct SearchCountTests {
    private static let workCount = 3_000
    private static let needles = [
        "the", "e", "th", "of the sea", "s a", "1", "night", "kitchen xqzj", "qx the", "oft", "sea of", "x", "an e i",
    ]

    private func store() async throws -> BookStore {
        let store = try BookStore(at: "A", fileSystem: MemoryFileSystem(), leastSearchFileRowCount: 0)
        try await store.fill(withSample: Self.workCount)
        try await store.compact()
        return store
    }

    private func check(_ store: BookStore) async throws {
        let works = store.snapshot.works
        for needle in Self.needles {
            for (filter, matching, isForgiving) in [
                (WorkFilter.all, WordMatching.anywhere, true), (.all, .anywhere, false), (.all, .beginnings, false),
                (.owned, .anywhere, true), (.status(.read), .beginnings, true),
            ] {
                let search = works.search(needle, matching: matching, forgiving: isForgiving, filter: filter)
                let ids = try search.first(2 * Self.workCount).map(\.id)
                #expect(try await search.count() == ids.count, "\(needle), \(filter), \(matching), \(isForgiving)")
                #expect(Set(ids).count == ids.count)
            }
            let titles = works.search(needle, in: .titles, forgiving: false)
            #expect(try await titles.count() == titles.first(2 * Self.workCount).count, "\(needle) in titles")
        }
    }

    @Test func `a library that did not change since its compaction is counted by lists`() async throws {
        let store = try await store()
        try await check(store)
        try await store.close()
    }

    @Test func `works that came, changed and went since are counted with the others`() async throws {
        let store = try await store()
        let ids = store.snapshot.works.list().map(\.id)
        for round in 0..<3 {
            try await store.write { library in
                for id in ids.enumerated().filter({ $0.offset % 97 == round }).map(\.element) {
                    guard var work = try library.work(id) else { continue }
                    work.title += " of the sea"
                    try library.update(work)
                }
                for id in ids.enumerated().filter({ $0.offset % 61 == round }).map(\.element) {
                    try library.delete(id)
                }
                _ = try library.insert(Work("The Night Kitchen \(round)"))
            }
            try await check(store)
        }
        try await store.close()
    }

    @Test func `of works that have some of the words those with the most letters are kept, and of these the first`()
        async throws
    {
        let store = try await store()
        // No work has both, and of those with more letters one comes first by title and one last.
        try await store.write { library in
            _ = try library.insert(Work("Aaa Zzyzx"))
            for number in 0..<50 { _ = try library.insert(Work("Ooq \(number)")) }
            _ = try library.insert(Work("Zzyzx Road"))
        }
        try await store.compact()
        let version = store.snapshot.version
        var most = 0
        for needle in ["kitchen e xqzj", "e s xqzj", "sea e xqzj", "night garden o xqzj", "e xqzj", "zzyzx ooq"] {
            let run = try SearchExecution(
                version, .works, SearchQuery(needle), nil, nil, LibraryMeta.filing(version))
            let all = try run.partials(limit: 1 << 20)
            most = max(most, all.count)
            #expect(try run.partialCount() == all.count)
            for limit in [1, 3, 10, 1000] {
                let order = all.indices.sorted { (-all[$0].letterCount, $0) < (-all[$1].letterCount, $1) }
                let expected = order.prefix(limit).sorted().map { all[$0].match.position }
                #expect(try run.partials(limit: limit).map(\.match.position) == expected, "\(needle), \(limit)")
            }
        }
        #expect(most > 1000, "some needles leave many works to choose from")
        try await store.close()
    }
}
