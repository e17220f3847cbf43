import BookDB
import Testing

@testable import BookImport

@Suite struct BookImporterTests {
    private let store: BookStore

    init() throws {
        store = try BookStore.inMemory()
    }

    private func run(
        _ text: String, mapping: [String] = [], batchSize: Int = 3, dryRun: Bool = false
    ) async throws -> ImportResult {
        let result = try await BookImporter(store: store, batchSize: batchSize, durability: .memory).run(
            .bytes(Array(text.utf8), name: "table.csv"),
            options: ImportOptions(mapping: mapping.map { try FieldMapping(parsing: $0) }, source: "table"),
            dryRun: dryRun)
        #expect(
            result.rows
                == result.added + result.merged + result.identical + result.differing + result.rejected)
        #expect(!result.wasCancelled)
        return result
    }

    /// The works that have an edition with the ISBN.
    private func works(_ isbn: String) throws -> [WorkDetails] {
        try store.snapshot.works.details(isbn: ISBN(isbn))
    }

    @Test func `a row becomes a work, an edition, its authors and an entry`() async throws {
        let result = try await run(
            """
            Title,Author,ISBN,Publisher,Pages,Language,Series,Series number,Status,Rating,Date read,Date added,Tags,Notes
            Momo,"Ende, Michael & Roman Hocke",3522177509,Thienemann,304,ger,Classics,7,read,4.5,2020/10/25,2020/01/02,\
            a;b,lovely
            """)
        #expect(result.added == 1)
        #expect(result.editionsAdded == 1)
        #expect(result.authorsAdded == 2)
        let momo = try #require(try works("3522177509").first)
        #expect(momo.work.title == "Momo")
        #expect(momo.work.language == "de")
        #expect(momo.work.series == [SeriesMembership(name: "Classics", number: "7")])
        #expect(momo.work.dateAdded.timeIntervalSince1970 == 1_577_966_400)
        #expect(momo.authors.map(\.name) == ["Michael Ende", "Roman Hocke"])
        #expect(momo.authors.first?.sortName == "Ende, Michael")
        #expect(momo.editions.map(\.publisher) == ["Thienemann"])
        let entry = try #require(momo.entry)
        #expect(entry.status == .read)
        #expect(entry.rating == Rating(stars: 4.5))
        #expect(entry.dateFinished == Day("2020-10-25"))
        #expect(entry.tags == ["a", "b"])
        #expect(entry.notes == "lovely")
    }

    @Test func `importing a file again adds nothing, merges nothing and writes nothing`() async throws {
        let table = """
            title,author,isbn,tags,source
            Momo,Michael Ende,3522177509,a,
            Poems,,,b,
            Dune,Frank Herbert,,c,
            Dune,Frank Herbert,0441013597,d,
            Dune,Frank Herbert,0450011844,,
            Bad,,9780306406151,,
            """
        let first = try await run(table, batchSize: 2)
        #expect(first.added == 4)
        #expect(first.merged == 2)
        let commit = store.snapshot.commitNumber
        #expect(first.lastCommit == commit)
        let second = try await run(table)
        #expect(second.added == 0)
        #expect(second.merged == 0)
        // The rows of Dune came together, so one with tags says less than the library has.
        #expect(second.identical == 4 && second.differing == 2)
        #expect(second.lastCommit == nil)
        #expect(store.snapshot.commitNumber == commit)
    }

    @Test func `another ISBN of the same title is another edition of the work`() async throws {
        _ = try await run("title,author,isbn\nDune,Frank Herbert,0441013597\nDune,\"Herbert, Frank\",0450011844")
        let dune = try #require(try works("0441013597").first)
        #expect(dune.editions.count == 2)
        #expect(dune.authors.count == 1)
        #expect(try works("0450011844").first == dune)
    }

    @Test func `a merge fills what is empty and leaves what is not`() async throws {
        _ = try await run("title,author,isbn,publisher,tags,notes,rating\nDune,Frank Herbert,0441013597,Ace,a,mine,4")
        let result = try await run(
            """
            title,author,isbn,publisher,year,tags,notes,rating,review
            "Dune (Dune, #1)",F. Herbert,9780441013593,Other,1999,b,theirs,2,fine
            """)
        #expect(result.merged == 1)
        #expect(result.evidence.isbn == 1)
        let dune = try #require(try works("0441013597").first)
        #expect(dune.work.title == "Dune")
        #expect(dune.work.series == [SeriesMembership(name: "Dune", number: "1")])
        #expect(dune.authors.map(\.name) == ["Frank Herbert"])
        #expect(dune.editions.map(\.publisher) == ["Ace"])
        #expect(dune.editions.map(\.publicationYear) == [1999])
        #expect(dune.entry?.tags == ["a", "b"])
        #expect(dune.entry?.notes == "mine")
        #expect(dune.entry?.review == "fine")
        #expect(dune.entry?.rating == Rating(stars: 4))
    }

    @Test(arguments: [
        ("to-read", "currently-reading", ReadingStatus.reading), ("currently-reading", "to-read", .reading),
        ("read", "currently-reading", .read), ("dnf", "read", .read), ("read", "dnf", .read),
        ("paused", "dnf", .paused), ("", "to-read", .wantToRead), ("read", "", .read),
    ])
    func `a status moves forward only`(old: String, new: String, merged: ReadingStatus) async throws {
        _ = try await run("title,isbn,status,owned\nDune,0441013597,\(old),1")
        _ = try await run("title,isbn,status,owned\nDune,0441013597,\(new),1")
        #expect(try works("0441013597").first?.entry?.status == merged)
    }

    @Test func `a row finished on a later day is newer and wins`() async throws {
        let header = "title,isbn,status,rating,date started,date read,read count\n"
        _ = try await run(header + "Dune,0441013597,read,3,2015/01/01,2015/02/01,1")
        _ = try await run(header + "Dune,0441013597,read,5,2020/01/01,2020/02/01,2")
        let read = try #require(try works("0441013597").first?.entry)
        #expect(read.rating == Rating(stars: 5))
        #expect(read.dateStarted == Day("2020-01-01"))
        #expect(read.dateFinished == Day("2020-02-01"))
        #expect(read.readCount == 2)
        let old = try await run(header + "Dune,0441013597,to-read,1,2014/01/01,2014/02/01,1")
        #expect(old.differing == 1)
        #expect(try works("0441013597").first?.entry == read)
    }

    @Test func `two identifiers of one source are two works, whatever else agrees`() async throws {
        let table = "Nr,title,author,isbn\n1,Dune,Frank Herbert,0441013597\n2,Dune,Frank Herbert,0441013597\n"
        let first = try await run(table, mapping: ["Nr=source-id"])
        #expect(first.added == 2)
        let second = try await run(table, mapping: ["Nr=source-id"])
        #expect(second.identical == 2)
        #expect(second.evidence.sourceIdentifier == 2)
        #expect(try works("0441013597").count == 2)
    }

    @Test func `identifiers of two sources come together in one work`() async throws {
        _ = try await run("Nr,title,author\na:1,Dune,Frank Herbert", mapping: ["Nr=source-id"])
        let result = try await run("Nr,title,author\nb:7,Dune,Frank Herbert", mapping: ["Nr=source-id"])
        #expect(result.merged == 1)
        #expect(result.evidence.titleAndAuthor == 1)
        let works = store.snapshot.works
        let first = try works.withSource(SourceIdentifier(source: "a", value: "1"))
        #expect(first.count == 1)
        #expect(try works.withSource(SourceIdentifier(source: "b", value: "7")) == first)
    }

    @Test func `one ISBN with two titles that have nothing in common stays two works`() async throws {
        let result = try await run(
            """
            title,author,isbn
            The Fellowship of the Ring,J. R. R. Tolkien,0261102354
            The Two Towers,J. R. R. Tolkien,0261102354
            """)
        #expect(result.added == 2)
        #expect(result.warnings.map(\.line) == [3])
        #expect(result.warnings.first?.message.contains("The Fellowship of the Ring") == true)
        #expect(try works("0261102354").count == 2)
    }

    @Test func `the same title in another language or of another volume is another work`() async throws {
        let result = try await run(
            """
            title,author,language,series,volume
            Saga,Brian K. Vaughan,en,Saga,1
            Saga,Brian K. Vaughan,en,Saga,2
            Saga,Brian K. Vaughan,de,Saga,1
            Saga,Brian K. Vaughan,en-US,Saga,1
            """)
        #expect(result.added == 3)
        #expect(result.identical == 1)
    }

    @Test func `a language is the same however it is written`() async throws {
        let result = try await run(
            """
            title,author,language
            Emma,Jane Austen,en
            Emma,Jane Austen,English (UK)
            Emma,Jane Austen,"English, German"
            Emma,Jane Austen,Middle English
            """)
        // Middle English is another, though its code begins alike.
        #expect(result.added == 2 && result.identical == 2)
    }

    @Test func `rows that cannot be used are told with their line and stop nothing`() async throws {
        let result = try await run("title,author\nA,B\n,C\nD,E,F\n\nG,H\n\"I,J\nK,L\n")
        #expect(result.added == 3)
        #expect(result.rejects.map(\.line) == [3, 4, 7])
        #expect(result.rejects.map(\.raw) == [",C", "D,E,F", "\"I,J"])
        #expect(result.rejectsFile == "title,author\n,C\nD,E,F\n\"I,J\n")
        #expect(try await run("title\nA").rejectsFile == nil)
    }

    @Test(arguments: BookField.allCases)
    func `no text in any field stops an import`(field: BookField) async throws {
        let texts = [
            String(repeating: "x", count: 3_000), String(repeating: "long words ", count: 9_000),
            String(repeating: "ä, ", count: 2_000), String(repeating: "😀", count: 700), "\u{301}\u{1F}\u{1}\u{7F}",
            "=\"\"", ",;|", ":::", "(", ")", "(#)", "#", "-1", "1e309", "nan", "99999999999999999999", "9999-99-99",
            String(repeating: "(", count: 500) + String(repeating: ")", count: 500), "<br", "\u{FFFF}", "\u{202E}abc",
        ]
        let rows = texts.enumerated().map { index, text in
            let quoted = "\"" + text.replacing("\"", with: "\"\"") + "\""
            return field == .title ? "\(quoted),\(index)" : "Book \(index),\(quoted)"
        }
        let second = field == .title ? BookField.authors : field
        let table = "a,b\n" + rows.joined(separator: "\n") + "\nLast,1\n"
        let result = try await run(table, mapping: ["a=title", "b=\(second.rawValue)"], batchSize: 5)
        #expect(result.rows == texts.count + 1)
        #expect(result.added + result.merged + result.identical >= 1)
        #expect(result.rejects.allSatisfy { !$0.reason.isEmpty })
        #expect(try store.snapshot.works.count == result.added)
        let again = try await run(table, mapping: ["a=title", "b=\(second.rawValue)"], batchSize: 5)
        #expect(again.added == 0)
        #expect(again.merged == 0)
        #expect(again.rejects == result.rejects)
    }

    @Test func `a book the library refuses is a reject and leaves no trace`() async throws {
        let long = String(repeating: "x", count: 5_000)
        let result = try await run(
            "title,author,Nr\nDune,Frank Herbert,\(long)\nMomo,Michael Ende,1", mapping: ["Nr=source-id"])
        #expect(result.added == 1)
        #expect(result.rejects.map(\.line) == [2])
        #expect(result.authorsAdded == 1)
        #expect(try store.snapshot.works.count == 1)
        #expect(try store.snapshot.authors.count == 1)
    }

    @Test func `a dry run tells the same numbers and writes nothing`() async throws {
        let table = """
            title,author,isbn,tags
            Momo,Michael Ende,3522177509,a
            Momo,Michael Ende,9783522177504,b
            ,nobody,,
            Momo,Michael Ende,3522177509,a
            Dune,Frank Herbert,0441013597,
            """
        let rehearsal = try await run(table, dryRun: true)
        #expect(try store.snapshot.works.count == 0)
        #expect(rehearsal.isDryRun)
        #expect(rehearsal.lastCommit == nil)
        let real = try await run(table, batchSize: 1)
        #expect(real.added == 2)
        #expect(real.merged == 1)
        #expect(real.differing == 1)
        #expect(real.rejected == 1)
        for (one, other) in [
            (rehearsal.rows, real.rows), (rehearsal.added, real.added), (rehearsal.merged, real.merged),
            (rehearsal.identical, real.identical), (rehearsal.differing, real.differing),
            (rehearsal.editionsAdded, real.editionsAdded),
            (rehearsal.authorsAdded, real.authorsAdded),
        ] {
            #expect(one == other)
        }
        #expect(rehearsal.evidence == real.evidence)
        #expect(rehearsal.rejects == real.rejects)
        let again = try await run(table, dryRun: true)
        #expect(again.identical == 1 && again.differing == 3)
    }

    @Test func `every batch is one commit, told when it is there`() async throws {
        let rows = (1...10).map { "Book \($0),Author \($0)" }.joined(separator: "\n")
        let told = Told()
        let result = try await BookImporter(store: store, batchSize: 4).run(
            .bytes(Array("title,author\n\(rows)".utf8), name: "ten.csv")
        ) { [store] batch in
            let count = try store.snapshot.works.count
            #expect(count >= batch.progress.added)
            await told.add(batch)
        }
        let batches = await told.batches
        #expect(batches.map(\.rows.count) == [4, 4, 2])
        #expect(batches.flatMap(\.rows).map(\.line) == Array(2...11))
        #expect(batches.map(\.progress.added) == [4, 8, 10])
        #expect(batches.compactMap(\.commit).count == 3)
        #expect(batches.last?.commit == result.lastCommit)
        #expect(batches.last?.progress.fraction == 1)
        #expect(Set(batches.flatMap(\.rows).map(\.work)).count == 10)
    }

    @Test func `a cancelled import keeps whole batches, and importing again goes on`() async throws {
        let rows = (1...2_000).map { "Book \($0),Author \($0 % 50)" }.joined(separator: "\n")
        let source = ImportSource.bytes(Array("title,author\n\(rows)".utf8), name: "many.csv")
        let reached = Reached()
        let job = store.import(source, batchSize: 10, durability: .memory) { batch in
            if batch.progress.added >= 50 { await reached.arrive() }
        }
        await reached.wait()
        job.cancel()
        await reached.release()
        let cancelled = try await job.result
        #expect(cancelled.wasCancelled)
        #expect(cancelled.added == 50)
        #expect(try store.snapshot.works.count == 50)
        let rest = try await BookImporter(store: store, durability: .memory).run(source)
        #expect(rest.identical == 50)
        #expect(rest.added == 1_950)
    }

    @Test func `progress ends with the import`() async throws {
        let rows = (1...100).map { "Book \($0),Author" }.joined(separator: "\n")
        let job = store.import(.bytes(Array("title,author\n\(rows)".utf8), name: "hundred.csv"), batchSize: 10)
        var last: ImportProgress?
        for await progress in job.progress { last = progress }
        #expect(last?.rowsRead == 100)
        #expect(last?.added == 100)
        #expect(try await job.result.added == 100)
    }

    @Test func `an error of the caller stops the import after its batch`() async throws {
        struct Enough: Error {}
        await #expect(throws: Enough.self) {
            try await BookImporter(store: store, batchSize: 1, durability: .memory).run(
                .bytes(Array("title\nA\nB\nC".utf8), name: "three.csv")
            ) { _ in throw Enough() }
        }
        #expect(try store.snapshot.works.count == 1)
    }

    @Test(arguments: ["title,author", "title,author\n", "\u{FEFF}title;author\r\n\r\n"])
    func `a header alone is an empty import`(text: String) async throws {
        #expect(try await run(text).rows == 0)
        #expect(try await run(text, dryRun: true).rows == 0)
    }

    @Test func `what is no table is refused before anything is written`() async throws {
        let error = await #expect(throws: ImportError.self) { try await run("PK\u{3}\u{4}....") }
        #expect(error?.description.contains("table.csv is not a CSV: it is a ZIP archive") == true)
        await #expect(throws: ImportError.self) { try await run("") }
        await #expect(throws: ImportError.self) { try await run("\n\n") }
        await #expect(throws: ImportError.self) { try await run("a,b\n1,2") }
        #expect(store.snapshot.commitNumber == 0)
    }

    private actor Told {
        var batches: [ImportBatch] = []

        func add(_ batch: ImportBatch) { batches.append(batch) }
    }

    /// Holds an import at a point until the test has cancelled it.
    private actor Reached {
        private var hasArrived = false
        private var isReleased = false
        private var waiting: [CheckedContinuation<Void, Never>] = []
        private var held: [CheckedContinuation<Void, Never>] = []

        func arrive() async {
            hasArrived = true
            for continuation in waiting { continuation.resume() }
            waiting = []
            if !isReleased { await withCheckedContinuation { held.append($0) } }
        }

        func wait() async {
            if !hasArrived { await withCheckedContinuation { waiting.append($0) } }
        }

        func release() {
            isReleased = true
            for continuation in held { continuation.resume() }
            held = []
        }
    }
}
