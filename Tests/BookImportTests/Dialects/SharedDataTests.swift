import BookDB
import Testing

@testable import BookImport

@Suite(.needsSharedData) struct SharedDataTests {
    @Test(arguments: [
        ("exports/goodreads/mouse-reeve_2015-02-24.csv", ImportFormat.goodreads, 96),
        ("exports/goodreads/mouse-reeve_2015-09-03.csv", .goodreads, 125),
        ("exports/goodreads/mouse-reeve_2018-06-01.csv", .goodreads, 202),
        ("exports/goodreads/mouse-reeve_2020-10-28.csv", .goodreads, 358),
        ("exports/goodreads/andgineer_create.csv", .goodreads, 7),
        ("exports/goodreads/andgineer_update.csv", .goodreads, 6),
        ("catalogue/goodbooks-10k/books.csv", .goodbooks, 10_000),
    ])
    func `every row of a real export is a book`(path: String, format: ImportFormat, count: Int) async throws {
        let rows = try await Rows(try SharedData.source(path))
        #expect(rows.plan.dialect.format == format)
        #expect(rows.books.count == count)
        #expect(rows.rejects.count == (path.contains("2015-09-03") ? 2 : 0))
    }

    @Test func `the two rows of 2015 that lost a field are named by line`() async throws {
        let rows = try await Rows(try SharedData.source("exports/goodreads/mouse-reeve_2015-09-03.csv"))
        #expect(rows.rejects.map(\.line) == [20, 98])
        #expect(rows.rejects.allSatisfy { $0.reason.hasPrefix("30 fields where the header has 31") })
        #expect(rows.rejects[0].raw.contains("Preludes and Nocturnes"))
    }

    @Test func `an export of 2015 with bare quotes loses no ISBN`() async throws {
        let rows = try await Rows(try SharedData.source("exports/goodreads/mouse-reeve_2015-02-24.csv"))
        #expect(rows.warnings == [])
        #expect(rows.books.filter { $0.isbns.isEmpty }.map(\.title) == ["East of West #1"])
        #expect(rows.books.allSatisfy { $0.status == .read && $0.dateAdded != nil })
    }

    @Test func `Homer is filed under Homer`() async throws {
        let rows = try await Rows(try SharedData.source("exports/goodreads/mouse-reeve_2018-06-01.csv"))
        let odyssey = try #require(rows.books.first { $0.title == "The Odyssey" })
        #expect(odyssey.authors.map(\.name) == ["Homer", "Emily Wilson"])
        #expect(odyssey.authors[0].sortName == nil)
        #expect(odyssey.firstPublicationYear == -720)
    }

    @Test func `the catalogue of ten thousand keeps what identifies and drops what does not`() async throws {
        let books = try await Rows(try SharedData.source("catalogue/goodbooks-10k/books.csv")).books
        #expect(Set(books.flatMap(\.identifiers)).count == 10_000)
        #expect(books.filter { !$0.isbns.isEmpty }.count == 9_277)
        #expect(books.filter { $0.unparsedISBN != nil }.count == 23)
        #expect(books.filter { ($0.firstPublicationYear ?? 0) < 0 }.count == 31)
        #expect(books.filter { $0.firstPublicationYear == nil }.count == 21)
        #expect(books.filter { $0.coverURL == nil }.count == 3_332)
        #expect(books.filter { $0.language == nil }.count == 1_084)
        #expect(books.allSatisfy { !$0.authors.isEmpty && !$0.hasReaderState })
    }

    @Test(arguments: [1, 7, 4096, 65_537])
    func `a real file reads the same in pieces of any size`(chunkSize: Int) async throws {
        guard case .file(let path) = try SharedData.source("exports/goodreads/mouse-reeve_2018-06-01.csv") else {
            return
        }
        let input = ImportInput(file: try FileBytes(path: path))
        var bytes: [UInt8] = []
        while let chunk = try await input.next() { bytes += chunk }
        #expect(bytes.count == input.totalByteCount)
        #expect(try records(of: bytes, chunkSize: chunkSize) == records(of: bytes))
    }

    @Test(arguments: [
        ("titles/global-asp_titles.csv", 1_305), ("catalogue/goodbooks-10k/tags.csv", 34_253),
        ("exports/book-catalogue-android/mouse-reeve_2014-10-20.csv", 489),
        ("exports/librarything/mouse-reeve_2014-11-06.csv", 494),
        ("ledger/berka/trans_test.csv", 30_201),
    ])
    func `other real tables have as many records as they should`(path: String, count: Int) async throws {
        let input = ImportInput(file: try FileBytes(path: SharedData.path(path)))
        var reader = CSVReader()
        var record = CSVRecord()
        var records = 0
        var fieldCounts: Set<Int> = []
        while true {
            while try reader.next(into: &record) {
                records += 1
                fieldCounts.insert(record.count)
                #expect(record.problem == nil)
            }
            guard let bytes = try await input.next() else { break }
            reader.append(bytes)
        }
        reader.finish()
        while try reader.next(into: &record) { records += 1 }
        #expect(records == count)
        #expect(fieldCounts.count == 1)
    }
}
