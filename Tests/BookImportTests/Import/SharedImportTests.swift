import BookDB
import BookImport
import Testing

@Suite(.needsSharedData) struct SharedImportTests {
    private let store: BookStore

    init() throws {
        store = try BookStore.inMemory()
    }

    private func run(_ path: String) async throws -> ImportResult {
        let importer = BookImporter(store: store, batchSize: 500, durability: .memory)
        let result = try await importer.run(try SharedData.source(path))
        #expect(result.rows == result.added + result.merged + result.identical + result.differing + result.rejected)
        return result
    }

    @Test(arguments: [
        ("exports/goodreads/mouse-reeve_2015-02-24.csv", 96, 0),
        ("exports/goodreads/mouse-reeve_2015-09-03.csv", 125, 2),
        ("exports/goodreads/mouse-reeve_2018-06-01.csv", 202, 0),
        ("exports/goodreads/mouse-reeve_2020-10-28.csv", 358, 0),
        ("exports/goodreads/andgineer_create.csv", 7, 0), ("exports/goodreads/andgineer_update.csv", 6, 0),
        ("catalogue/goodbooks-10k/books.csv", 10_000, 0),
    ])
    func `every row becomes a work, and the second time none does`(path: String, works: Int, rejected: Int) async throws
    {
        let first = try await run(path)
        #expect(first.added == works)
        #expect(first.merged == 0)
        #expect(first.rejected == rejected)
        #expect(try store.snapshot.works.count == works)
        let commit = store.snapshot.commitNumber
        let second = try await run(path)
        #expect(second.added == 0)
        #expect(second.merged == 0)
        #expect(second.identical == works, "\(second.differences)")
        #expect(store.snapshot.commitNumber == commit)
    }

    @Test func `five years of one reader's exports meet in one library`() async throws {
        let years = ["2015-02-24", "2015-09-03", "2018-06-01", "2020-10-28"]
        var works = 0
        for year in years {
            let result = try await run("exports/goodreads/mouse-reeve_\(year).csv")
            works += result.added
            #expect(
                result.evidence.sourceIdentifier + result.evidence.isbn + result.evidence.titleAndAuthor
                    == result.merged + result.identical + result.differing)
            #expect(try store.snapshot.works.count == works)
        }
        for year in years {
            let again = try await run("exports/goodreads/mouse-reeve_\(year).csv")
            #expect(again.added == 0)
            #expect(again.merged == 0)
        }
    }

    @Test func `a reader's books are found in the catalogue of ten thousand`() async throws {
        _ = try await run("catalogue/goodbooks-10k/books.csv")
        let reader = try await run("exports/goodreads/mouse-reeve_2020-10-28.csv")
        #expect(reader.merged > 0)
        #expect(reader.added + reader.merged + reader.identical + reader.differing == 358)
        #expect(try store.snapshot.works.count == 10_000 + reader.added)
    }
}
