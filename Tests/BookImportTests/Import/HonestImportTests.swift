import BookDB
import Foundation
import TestSupport
import Testing

@testable import BookImport

/// An import loses nothing and swallows nothing: what it cannot take in, it says.
@Suite struct HonestImportTests {
    private let store: BookStore

    init() throws { store = try BookStore.inMemory() }

    @discardableResult private func run(
        _ text: String, _ mapping: [String] = [], source: String? = nil, dates: DateOrder? = nil, dryRun: Bool = false
    ) async throws -> ImportResult {
        try await run(Array(text.utf8), mapping, source: source, dates: dates, dryRun: dryRun)
    }

    private func run(
        _ bytes: [UInt8], _ mapping: [String] = [], source: String? = nil, encoding: TextEncoding? = nil,
        dates: DateOrder? = nil, dryRun: Bool = false
    ) async throws -> ImportResult {
        let options = ImportOptions(
            mapping: try mapping.map { try FieldMapping(parsing: $0) }, source: source, encoding: encoding, dates: dates
        )
        return try await BookImporter(store: store, batchSize: 2, durability: .memory).run(
            .bytes(bytes, name: "list.csv"), options: options, dryRun: dryRun)
    }

    private var titles: [String] { store.snapshot.works.list().map(\.title) }

    // MARK: All or nothing

    @Test(arguments: ["identifier", "tags", "authors"])
    func `a row that cannot be merged changes nothing of the work`(what: String) async throws {
        try await run("title,author\nDune,Frank Herbert\nPoems,")
        let before = store.snapshot.commitNumber
        let many = (0...10_000).map { "x\($0)" }.joined(separator: ";")
        let (table, mapping) =
            switch what {
            case "identifier":
                (
                    "title,author,first published,nr\nDune,Frank Herbert,1965,\(String(repeating: "x", count: 401))",
                    ["nr=source-id"]
                )
            case "tags": ("title,author,first published,tags\nDune,Frank Herbert,1965,\(many)", [])
            default: ("title,author,first published\nPoems,\(many),1965", ["first published=first-year"])
            }
        let result = try await run(table, mapping, source: mapping.isEmpty ? nil : "mine")
        #expect(result.rejected == 1 && result.merged == 0 && result.lastCommit == nil)
        #expect(store.snapshot.commitNumber == before)
        #expect(try store.snapshot.authors.count == 1)
        for id in store.snapshot.works.list().map(\.id) {
            #expect(try store.snapshot.works[id]?.firstPublicationYear == nil)
        }
    }

    @Test func `titles that are alike for as long as an index looks are two works`() async throws {
        let start = String(repeating: "本の題名", count: 14)
        let table = "title,author\n\(start) 1,Somebody\n\(start) 2,Somebody\n"
        #expect(try await run(table).added == 2)
        #expect(titles == ["\(start) 1", "\(start) 2"])
        #expect(try await run(table).identical == 2)
    }

    @Test func `a number that stands in the title alone tells two volumes apart`() async throws {
        // Of a program that has columns for series, and whose titles are taken as they stand.
        let columns = "title,title_sort,authors,author_sort,library_name,uuid,series,series_index"
        let rows = [1, 2].map { "\"Saga (Saga, #\($0))\",Saga,Brian K. Vaughan,\"Vaughan, Brian K.\",Mine,\($0),," }
        let table = ([columns] + rows).joined(separator: "\n")
        #expect(try await run(table).added == 2)
        #expect(titles == ["Saga (Saga, #1)", "Saga (Saga, #2)"])
        #expect(try await run(table).identical == 2)
        #expect(try await run("title,author,series,series index\nSaga,Brian K. Vaughan,Saga,2\n").added == 0)
        // One that says it in both places, and not alike, is the same book each time.
        let both = "title,author,series,volume\n\"Mort (Discworld, #04)\",Terry Pratchett,Discworld,4\n"
        #expect(try await run(both).added == 1)
        #expect(try await run(both).identical == 1)
    }

    /// All volumes were one work, and those behind the first were said to be there already.
    @Test func `a number without a series is that of a volume of the title`() async throws {
        let table = "Titel,Autor,Band\n" + (1...3).map { "Naruto,Masashi Kishimoto,\($0).0\n" }.joined()
        #expect(try await run(table).added == 3)
        let works = try store.snapshot.works.list().map { try #require(try store.snapshot.works[$0.id]) }
        #expect(works.map { $0.series.map(\.name) } == [["Naruto"], ["Naruto"], ["Naruto"]])
        #expect(Set(works.flatMap { $0.series.compactMap(\.number) }) == ["1", "2", "3"])
        #expect(try await run(table).identical == 3)
        // Which of two series it is in nobody knows.
        let both = try await run("title,author,series,volume\nSourcery,Terry Pratchett,Discworld; Rincewind,3\n")
        #expect(both.added == 1 && both.warnings.map(\.message).contains { $0.hasPrefix("number “3” does not say") })
        let told = try await run("title,author,series,volume\nMort,Terry Pratchett,Discworld #4; Death #1,4\n")
        #expect(told.added == 1 && told.warnings.isEmpty)
        // What stands where nothing is known is no number.
        for (title, placeholder) in [("Walden", "-"), ("Ulysses", "n/a"), ("Dracula", "0")] {
            try await run("title,author,volume\n\(title),Somebody,\(placeholder)\n")
            let id = try #require(store.snapshot.works.list(.titled(title)).first?.id)
            #expect(try store.snapshot.works[id]?.series == [])
        }
        // A program that numbers every book means nothing by it.
        let columns = "title,title_sort,authors,author_sort,library_name,uuid,series,series_index"
        let row = "Emma,Emma,Jane Austen,\"Austen, Jane\",Mine,7,,1.0"
        #expect(try await run("\(columns)\n\(row)\n").added == 1)
        let id = try #require(store.snapshot.works.list(.titled("emma")).first?.id)
        #expect(try store.snapshot.works[id]?.series == [])
    }

    @Test func `books that have their titles alone in common are two`() async throws {
        let header = "Titel,Untertitel,Autor,Bewertung\n"
        let table = header + "Der Herr der Ringe,Die Gefährten,Tolkien,3\nDer Herr der Ringe,Die zwei Türme,Tolkien,5\n"
        #expect(try await run(table).added == 2)
        #expect(try await run(table).identical == 2)
        // What says less, or what kind of book it is, is no other book.
        let cut = try await run(
            "title,subtitle,author\nSapiens,Brief History of Humankind,Harari\nSapiens,brief history,Harari\n")
        #expect(cut.added == 1)
        let kind = try await run(
            "title,subtitle,author\nEmma,A Novel,Jane Austen\nEmma,An Annotated Edition,Jane Austen\n")
        #expect(kind.added == 1)
    }

    @Test(arguments: [
        ("1750 BC", -1750), ("ca. 750 v. Chr.", -750), ("\u{2212}1750", -1750), ("-1750", -1750), ("44 a. C.", -44),
        ("-1750?", nil), ("ca. \u{2212}1750", nil), ("2008-05-01", 2008), ("May 2008", 2008), ("1998-2004", nil),
        ("05-2008", 2008), ("2008 Barcelona", 2008), ("Sep-2008", 2008),
    ])
    func `a year before our era is none of it`(text: String, year: Int?) async throws {
        let result = try await run("title,author,first published\nGilgamesh,Somebody,\(text)\n")
        let id = try #require(store.snapshot.works.list().first?.id)
        #expect(try store.snapshot.works[id]?.firstPublicationYear == year)
        #expect(result.warnings.count == (year == nil ? 1 : 0))
    }

    @Test func `an older export does not end what is being read again`() async throws {
        let header = "Book Id,Title,Author,Exclusive Shelf,Date Read\n"
        try await run(header + "7,Dune,Frank Herbert,currently-reading,2019/02/01\n")
        let older = try await run(header + "7,Dune,Frank Herbert,read,2019/02/01\n")
        #expect(older.merged == 0 && older.differences.map(\.field) == [.status])
        #expect(store.snapshot.works.list(by: .title, .status(.reading)).count == 1)
        try await run(header + "7,Dune,Frank Herbert,read,2024/03/04\n")
        #expect(store.snapshot.works.list(by: .title, .status(.read)).count == 1)
    }

    @Test func `a heading that means one thing here and another there is asked for`() async throws {
        let result = try await run("Titre;Auteur;Note;Editor\nL'Étranger;Albert Camus;4;Somebody\n")
        #expect(result.columns.map(\.field) == [.title, .authors, nil, nil])
        let mapped = try await run("Titre;Auteur;Note\nL'Étranger;Albert Camus;4\n", ["Note=rating"])
        #expect(mapped.merged == 1)
    }

    @Test func `rejected rows of a file of another encoding come in as they read`() async throws {
        let bytes = "title,author\nGerminal,Zola\n\u{C9}mile,Rousseau,one too many\n".unicodeScalars.map {
            UInt8($0.value)
        }
        let result = try await run(bytes, encoding: .windows1252)
        #expect(result.rejected == 1 && titles == ["Germinal"])
        let file = try #require(result.rejectsFile)
        let corrected = file.replacingOccurrences(of: ",one too many", with: "")
        let again = try await run(Array(corrected.utf8), encoding: .windows1252)
        #expect(again.added == 1 && again.encoding == .utf8 && titles.contains("Émile"))
    }

    /// A row that is further on took the place of one that was finished later, the second time.
    @Test(arguments: [["read,2019/01/01", "dnf,2021/01/01"], ["dnf,2021/01/01", "read,2019/01/01"]])
    func `of two readings the later one counts, however often the file comes`(readings: [String]) async throws {
        let table = "title,author,status,date read\n" + readings.map { "Dune,Frank Herbert,\($0)\n" }.joined()
        for _ in 0..<3 {
            try await run(table)
            let id = try #require(store.snapshot.works.list().first?.id)
            let entry = try #require(try store.snapshot.works.details(id)?.entry)
            #expect(entry.status == .abandoned && entry.dateFinished == Day("2021-01-01"))
        }
    }

    @Test func `a shelf of the reader's own takes no status away`() async throws {
        try await run("title,author,status,date read\nDune,Frank Herbert,read,2015/01/01\n")
        try await run("title,author,status,date read\nDune,Frank Herbert,my-shelf,2021/01/01\n")
        let id = try #require(store.snapshot.works.list().first?.id)
        let entry = try #require(try store.snapshot.works.details(id)?.entry)
        #expect(entry.status == .read && entry.dateFinished == Day("2021-01-01"))
    }

    /// Each name was looked for among all before it.
    @Test func `a field with very many names is refused, and takes no longer than they do`() async throws {
        let names = (0..<60_000).map { "a\($0)" }
        for separator in [";", " & ", "|"] {
            let result = try await run("title,author\nDune,\(names.joined(separator: separator))\n")
            #expect(result.rejected == 1)
        }
        #expect(PersonList.listed(names.joined(separator: ",")).count == names.count)
    }

    @Test func `works of one title without an author are told apart by the rest, each time`() async throws {
        let rows = (0..<200).map { "Untitled,,\($0 + 1)" }
        let table = "title,author,pages\n" + rows.joined(separator: "\n")
        #expect(try await run(table).added == 200)
        #expect(try await run(table).identical == 200)
    }

    @Test func `of one title without an author, what one row says is not put to the work of another`() async throws {
        let table = "title,isbn,rating,tags\nPoems,9780441013593,5,a\nPoems,,3,b\n"
        #expect(try await run(table).added == 2)
        let again = try await run(table)
        #expect(again.identical == 2 && again.merged == 0 && again.differing == 0)
        #expect(store.snapshot.works.list(.tag("b")).count == 1)
    }

    @Test func `works of one number that was filled down are told apart by their titles`() async throws {
        let rows = (0..<300).map { "Volume\($0),Somebody,9780441013593" }
        let table = "title,author,isbn\n" + rows.joined(separator: "\n")
        let first = try await run(table)
        let again = try await run(table)
        #expect(first.added == 300 && again.identical == 300 && again.conflicting == 0)
    }

    @Test func `a row without a day gives a status to a work that has a day and none`() async throws {
        try await run("title,author,date read\nDune,Frank Herbert,2020-01-02\n")
        let table = "Title,Author,Exclusive Shelf,Date Read\nDune,Frank Herbert,read,\n"
        #expect(try await run(table).merged == 1)
        #expect(store.snapshot.works.list(by: .title, .status(.read)).count == 1)
        #expect(try await run(table).identical == 1)
    }

    @Test func `a row without a day turns back no status that one with a day has set`() async throws {
        let rows = [("currently-reading", "2020/01/02"), ("abandoned", ""), ("currently-reading", "2024/03/04")]
        let table =
            "Book Id,Title,Author,Exclusive Shelf,Date Read\n"
            + rows.map { "7,Dune,Frank Herbert,\($0.0),\($0.1)\n" }.joined()
        try await run(table)
        #expect(try await run(table).merged == 0)
        #expect(store.snapshot.works.list(by: .title, .status(.reading)).count == 1)
    }

    @Test(arguments: 1...8) func `rows about one book change nothing the second time, in whatever order they come`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(for: "rows of one book", fallback: seed))
        for book in 0..<20 {
            let rows = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                let shelf = random.pick(["currently-reading", "abandoned", "read", "to-read", ""])!
                let day = random.pick(["", "2020/01/02", "2024/03/04", "2024/03/05"])!
                return "\(book + 1),Dune,Frank Herbert,\(shelf),\(day),\(Int.random(in: 0...5, using: &random))"
            }
            let table =
                "Book Id,Title,Author,Exclusive Shelf,Date Read,My Rating\n" + rows.joined(separator: "\n") + "\n"
            try await run(table)
            let again = try await run(table)
            #expect(again.added == 0 && again.merged == 0, "\(rows)")
        }
    }

    @Test func `the issues of a periodical are told apart by their numbers, however many there are`() async throws {
        let rows = (0..<300).map { "\($0 + 1),The Strand,George Newnes" }
        let table = "nr,title,author\n" + rows.joined(separator: "\n")
        #expect(try await run(table, ["nr=source-id"], source: "s").added == 300)
        #expect(try await run(table, ["nr=source-id"], source: "s").identical == 300)
        // Without a number it is the first.
        let other = try await run("title,author,pages\nThe Strand,George Newnes,90\n")
        #expect(other.added == 0 && other.merged == 1)
    }

    @Test func `an author without a letter is nobody`() async throws {
        let table = "title,author,rating\nPoems,-,5\nPoems,?,1\nPoems,…,2\nPoems,3,4\n"
        #expect(try await run(table).added == 4)
        #expect(try store.snapshot.authors.count == 1 && store.snapshot.authors.named("3") != nil)
        #expect(try await run(table).added == 0)
    }

    @Test func `names that are alike for as long as an index looks are two names`() async throws {
        let start = String(repeating: "mmmmmmmmm ", count: 21)
        let table = "title,author\nOne,\(start)aa\nTwo,\(start)ab\nThree,\(start.uppercased())AB\n"
        #expect(try await run(table).added == 3)
        #expect(try store.snapshot.authors.count == 2)
        #expect(try await run(table).identical == 3)
    }

    @Test(arguments: ["é", "書", "\u{1F4D6}"])
    func `a letter that a sample ends in says nothing, and one that a file ends in does`(letter: String) {
        for cut in 1..<letter.utf8.count {
            let bytes = Array("title,author\nx".utf8) + Array(letter.utf8).prefix(cut)
            var sample = EncodingGuess()
            sample.take(bytes)
            sample.finish(isWhole: false)
            #expect(sample.encoding == .utf8)
            var file = EncodingGuess()
            file.take(bytes)
            file.finish()
            #expect(file.encoding != .utf8)
        }
    }

    @Test func `lines of more than a megabyte are looked at wherever a letter falls at the end of a piece`() {
        let pieceByteCount = ImportInput.chunkByteCount
        for shift in 0..<3 {
            let text = Array((String(repeating: "x", count: shift) + String(repeating: "書", count: 450_000)).utf8)
            var guess = EncodingGuess()
            for start in stride(from: 0, to: text.count, by: pieceByteCount) {
                guess.take(Array(text[start..<min(start + pieceByteCount, text.count)]))
            }
            guess.finish()
            #expect(guess.encoding == .utf8 && guess.validCount == 450_000)
        }
    }

    // MARK: Which book is which

    @Test func `two lists that number their books from one stay two lists`() async throws {
        let (first, second) = (
            "nr,title,author\n1,Dune,Frank Herbert\n2,Emma,Jane Austen", "nr,title,author\n1,Ulysses,James Joyce"
        )
        await #expect(throws: ImportError.unnamedSource(column: "nr")) { try await run(first, ["nr=source-id"]) }
        #expect(store.snapshot.commitNumber == 0)
        try await run(first, ["nr=source-id"], source: "Mine")
        let other = try await run(second, ["nr=source-id"], source: "Yours")
        #expect(other.added == 1 && titles == ["Dune", "Emma", "Ulysses"])
        // Even under one name an identifier needs a title that can be the same book.
        let mistaken = try await run("nr,title,author\n2,Walden,H. D. Thoreau", ["nr=source-id"], source: "mine")
        #expect(mistaken.added == 1 && mistaken.conflicting == 1)
        #expect(mistaken.warnings.first?.message.contains("is “Emma” in the library") == true)
        for (table, name) in [(first, "mine"), (second, "yours"), ("nr,title,author\n2,Walden,H. D. Thoreau", "mine")] {
            let again = try await run(table, ["nr=source-id"], source: name)
            #expect(again.added == 0 && again.merged == 0 && again.differing == 0)
        }
    }

    @Test(arguments: ["0", "-", "", "n/a", "???", "none", "00000"])
    func `what stands where nothing is known is no identifier`(placeholder: String) async throws {
        let result = try await run(
            "nr,title,author\n\(placeholder),Dune,Frank Herbert\n\(placeholder),Dune Messiah,Frank Herbert",
            ["nr=source-id"],
            source: "s")
        #expect(result.added == 2 && result.conflicting == 0)
        for id in store.snapshot.works.list().map(\.id) {
            #expect(try store.snapshot.works.details(id)?.editions.allSatisfy { $0.identifiers.isEmpty } == true)
        }
    }

    @Test func `a title alone tells nothing apart, and the same file again adds nothing`() async throws {
        let table = "title,poet,year\nSelected Poems,W. H. Auden,1979\nSelected Poems,W. B. Yeats,1979\nPoems,,\n"
        let first = try await run(table)
        #expect(first.added == 3 && !first.hasAuthors)
        #expect(first.columns.map(\.leftOutCount) == [0, 2, 0])
        let again = try await run(table)
        #expect(again.added == 0 && again.merged == 0 && again.identical == 3)
        let other = try await run("title,author\nSelected Poems,Robert Frost")
        #expect(other.added == 1)
    }

    @Test(arguments: ["From the", "S.W.A.T.", "A", "The", "It", "1984", "…"])
    func `the same file again changes nothing, whatever the title`(title: String) async throws {
        let table = "title,author,isbn\n\(title),Somebody,9780441013593\n"
        #expect(try await run(table).added == 1)
        let again = try await run(table)
        #expect(again.identical == 1 && again.editionsAdded == 0)
        #expect(try store.snapshot.works.details(isbn: ISBN("9780441013593")).first?.editions.count == 1)
    }

    @Test func `a row for each author is one book by all of them`() async throws {
        let table = "id,title,author\n7,The Talisman,Stephen King\n8,Emma,Jane Austen\n7,The Talisman,Peter Straub\n"
        let first = try await run(table, ["id=source-id"], source: "g")
        #expect(first.added == 2 && first.merged == 1)
        let id = try #require(store.snapshot.works.list(.titled("talisman")).first?.id)
        #expect(try store.snapshot.works.details(id)?.authors.map(\.name) == ["Stephen King", "Peter Straub"])
        let again = try await run(table, ["id=source-id"], source: "g")
        #expect(again.added == 0 && again.merged == 0)
    }

    // MARK: What is said of what differs

    @Test func `what the source changed is told, and the library keeps what it has`() async throws {
        let header = "title,author,isbn,rating,review,tags\n"
        try await run(header + "Dune,Frank Herbert,9780441013593,3,good,\"sf,desert\"\nEmma,Jane Austen,,4,,")
        let result = try await run(header + "Dune,Frank Herbert,9780441013593,5,great,sf\nEmma,Jane Austen,,4,,")
        #expect(result.differing == 1 && result.identical == 1 && result.merged == 0)
        #expect(
            result.differences.map { "\($0.line) \($0.title) \($0.field) \($0.kept)|\($0.given)" } == [
                "2 Dune rating 3|5", "2 Dune review good|great", "2 Dune tags desert|",
            ])
        #expect(try store.snapshot.works.details(isbn: ISBN("9780441013593")).first?.entry?.rating == Rating(stars: 3))
    }

    @Test func `columns that are left out are named with their values`() async throws {
        let result = try await run("Titre,Auteur,Cote,Vide\nDune,Frank Herbert,H1,\nEmma,Jane Austen,A2,")
        #expect(result.columns.map(\.header) == ["Titre", "Auteur", "Cote", "Vide"])
        #expect(result.columns.map(\.field) == [.title, .authors, nil, nil])
        #expect(result.columns.map(\.leftOutCount) == [0, 0, 2, 0])
    }

    /// The second was said to be taken, and was dropped.
    @Test(arguments: [
        ("Title,Notes,Authors,Notes\nA,one,Ann Lee,two\nB,same,Ann Lee,same", [], BookField.notes, 3),
        ("Title,Authors,Pages,Pages\nA,Ann Lee,100,200\nB,Ann Lee,0,", [], .pages, 3),
        ("Title,Title,Authors\nA,B,Ann Lee", [], .title, 1),
        ("Title,Authors,Mine,Yours\nA,Ann Lee,one,two", ["Mine=review", "Yours=review"], .review, 3),
    ])
    func `of two columns about one field, what one says instead of the other is told`(
        table: String, mapping: [String], field: BookField, index: Int
    ) async throws {
        let result = try await run(table, mapping)
        #expect(result.rejected == 0)
        let counts = result.columns.map(\.leftOutCount)
        #expect(counts[index] == 1 && counts.reduce(0, +) == 1, "\(counts)")
        let isShared = table.contains("same")
        #expect(result.columns[index].field == (isShared ? field : nil))
        #expect(result.columns.count { $0.field == field } == (isShared ? 2 : 1))
    }

    @Test func `of two columns about one field a row has the first that says something, and lists have both`()
        async throws
    {
        let result = try await run(
            "title,author,notes,notes,tags,tag\nA,Ann Lee,,two,x,y\nB,Ann Lee,one,two,x,y\nC,Ann Lee,,two,x,y")
        #expect(result.columns.map(\.leftOutCount) == [0, 0, 0, 1, 0, 0])
        #expect(result.columns.map(\.field) == [.title, .authors, .notes, .notes, .tags, .tags])
        let entries = try store.snapshot.works.list().map { try store.snapshot.works.details($0.id)?.entry }
        #expect(entries.map { $0?.tags } == [["x", "y"], ["x", "y"], ["x", "y"]])
    }

    // MARK: Dates and names by column

    @Test func `the column decides the order of day and month`() async throws {
        let rows = try await Rows("title,date read\nA,04/05/2020\nB,25/12/2020\nC,31/01/2021\n")
        #expect(rows.books.map(\.dateFinished) == [Day("2020-05-04"), Day("2020-12-25"), Day("2021-01-31")])
        let american = try await Rows("title,date read,date added\nA,04/05/2020,01/02/2020\nB,12/25/2020,01/03/2020\n")
        #expect(american.books.first?.dateFinished == Day("2020-04-05"))
        #expect(american.books.map(\.dateAdded) == [Day("2020-01-02"), Day("2020-01-03")], "as the other column")
        let both = try await Rows("title,date read\nA,04/05/2020\nB,12/25/2020\nC,25/12/2020\n")
        #expect(both.books.map(\.dateFinished) == [nil, Day("2020-12-25"), Day("2020-12-25")])
        #expect(both.warnings.count == 1)
        let pointed = try await Rows("title,date read\nA,04.05.2020\nB,05.25.2020\n")
        #expect(pointed.books.map(\.dateFinished) == [Day("2020-04-05"), Day("2020-05-25")], "as the column shows")
        let asTold = try await Rows("title,date read\nA,04.05.2020\n", dates: .monthDayYear)
        #expect(asTold.books.map(\.dateFinished) == [Day("2020-04-05")])
        let german = try await Rows("title,date read\nA,04.05.2020\n", dates: .yearMonthDay)
        #expect(german.books.map(\.dateFinished) == [Day("2020-05-04")])
        let told = try await Rows("title,date read\nA,04/05/2020\nB,04/05/20\n", dates: .dayMonthYear)
        #expect(told.books.map(\.dateFinished) == [Day("2020-05-04"), Day("2020-05-04")])
        let year = try await Rows("title,date read\nA,20/05/04\nB,25/10/2020\n", dates: .yearMonthDay)
        #expect(year.books.map(\.dateFinished) == [Day("2020-05-04"), Day("2020-10-25")])
    }

    /// The third of April was read as the fourth of March, since another column had slashes.
    @Test func `days with points follow their own column only`() async throws {
        let other = try await Rows("title,date added,date read\nA,12/25/2020,03.04.2020\n")
        #expect(other.books.map(\.dateFinished) == [Day("2020-04-03")] && other.warnings == [])
        let mixed = try await Rows("title,date read\nA,25.12.2020\nB,12/25/2020\nC,03/04/2020\nD,03.04.2020\n")
        #expect(
            mixed.books.map(\.dateFinished) == [
                Day("2020-12-25"), Day("2020-12-25"), Day("2020-03-04"), Day("2020-04-03"),
            ])
        let short = try await Rows("title,date added,date read\nA,25.12.2020,03.04.20\n")
        #expect(short.books.map(\.dateFinished) == [Day("2020-04-03")])
        let told = try await Rows("title,date added,date read\nA,25/12/2020,03.04.2020\n", dates: .monthDayYear)
        #expect(told.books.map(\.dateFinished) == [Day("2020-03-04")])
    }

    @Test func `a rating between two quarters is rounded, and that is told`() async throws {
        let rows = try await Rows("title,rating\nA,4.3\nB,4.25\nC,\"3,5\"\n")
        #expect(rows.books.map(\.rating) == [4.25, 4.25, 3.5].map { Rating(stars: $0) })
        #expect(rows.warnings.count == 1 && rows.warnings.first?.contains("taken as 4.25") == true, "\(rows.warnings)")
    }

    @Test func `the column decides whether names are inverted`() async throws {
        let rows = try await Rows(
            "title;author\nUncle Silas;Le Fanu, Joseph Sheridan\nDune;Herbert, Frank\nEmma;Austen, Jane\nIliad;Homer\n"
                + "Strength to Love;King, Martin Luther, Jr.\nA Manual;Macmillan & Co., Ltd.\n"
                + "Good Omens;Pratchett, Terry & Gaiman, Neil\n")
        #expect(
            rows.books.map { $0.authors.map(\.name) } == [
                ["Joseph Sheridan Le Fanu"], ["Frank Herbert"], ["Jane Austen"], ["Homer"], ["Martin Luther King, Jr."],
                ["Macmillan & Co., Ltd."], ["Terry Pratchett", "Neil Gaiman"],
            ])
        let shown = try await Rows(
            "title;author\nA;David Mazzucchelli, Richmond Lewis\nB;Frank Herbert\nC;Jane Austen\nD;Macmillan & Co.\n")
        #expect(
            shown.books.map { $0.authors.map(\.name) } == [
                ["David Mazzucchelli", "Richmond Lewis"], ["Frank Herbert"], ["Jane Austen"], ["Macmillan & Co."],
            ])
    }

    // MARK: Letters

    private static let table = "titre,auteur\nL’Été à Nîmes,Zoé Ångström\nPřítel,Karel Čapek\n"

    @Test(arguments: TextEncoding.allCases, [true, false])
    func `a table is read in the encoding it has`(encoding: TextEncoding, isMarked: Bool) async throws {
        let text = encoding == .windows1252 ? "titre,auteur\nL’Été à Nîmes — “fin”,Zoé Ångström\n" : Self.table
        let rows = try await Rows(.bytes(Self.bytes(text, encoding, isMarked), name: "t.csv"))
        #expect(rows.plan.encoding == encoding)
        #expect(rows.books.map(\.title).first?.hasPrefix("L’Été à Nîmes") == true)
        #expect(rows.books.first?.authors.map(\.name) == ["Zoé Ångström"] && rows.rejects.isEmpty)
    }

    @Test func `pieces of any size give the same letters`() {
        for encoding in TextEncoding.allCases where encoding != .utf8 {
            let text = encoding == .windows1252 ? "Été — “fin”\n" : "Été 😀 語\n"
            let bytes = Self.bytes(text, encoding, true)
            for size in 1...5 {
                var transcoder = Transcoder(encoding)
                var utf8: [UInt8] = []
                for start in stride(from: 0, to: bytes.count, by: size) {
                    utf8 += transcoder.utf8(Array(bytes[start..<min(start + size, bytes.count)]))
                }
                utf8 += transcoder.finish()
                #expect(String(decoding: utf8, as: UTF8.self) == text)
                var guess = EncodingGuess()
                for start in stride(from: 0, to: bytes.count, by: size) {
                    guess.take(Array(bytes[start..<min(start + size, bytes.count)]))
                }
                guess.finish()
                #expect(guess.encoding == encoding)
            }
        }
    }

    @Test(
        arguments: [
            // Cyrillic of Windows, an old Macintosh, UTF-8 and Latin-1 in one file.
            [0xC2, 0xEE, 0xE9, 0xED, 0xE0, 0x20, 0xE8, 0x20, 0xEC, 0xE8, 0xF0],
            [0x4D, 0x69, 0x8E, 0x76, 0x69, 0x6C, 0x6C, 0x65],
            [0x4D, 0x69, 0xC3, 0xA9, 0x76, 0x20, 0x4D, 0x69, 0xE9, 0x76],
        ] as [[UInt8]])
    func `in doubt nothing is written, and the lines are shown both ways`(title: [UInt8]) async throws {
        let bytes = Array("title,author\n".utf8) + title + Array(",Somebody\n".utf8)
        let error = await #expect(throws: ImportError.self) { try await run(bytes) }
        guard case .unclearEncoding(_, let lines)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(lines.map(\.number) == [2] && lines[0].asUTF8.contains("\u{FFFD}"))
        #expect(error?.description.contains("--encoding") == true)
        #expect(store.snapshot.commitNumber == 0)
        let told = try await run(bytes, encoding: .windows1252)
        #expect(told.added == 1 && titles.allSatisfy { !$0.contains("\u{FFFD}") })
    }

    @Test func `letters that are lost are never imported`() async throws {
        let result = try await run(
            Array("title,author,note\nCaf\u{FFFD},A,\nEmma,Jane Austen,x\u{FFFD}\nDune,B,\n".utf8), ["note="])
        #expect(result.rejects.map(\.line) == [2] && titles == ["Dune", "Emma"])
        #expect(result.rejects.first?.reason.contains("“title” has letters that cannot be read") == true)
        let broken = try await run(Array("title\nA ".utf8) + [0xE9] + Array("\nB\n".utf8), encoding: .utf8)
        #expect(broken.rejected == 1 && broken.added == 1)
    }

    // MARK: Size

    @Test func `a field of ten megabytes that is closed is read whole`() async throws {
        let long = String(repeating: "long ", count: 2_000_000)
        let result = try await run("title,author,notes\nA,B,\"\(long)\"\nC,D,x\n")
        #expect(result.added == 2 && titles == ["A", "C"])
        #expect(
            try store.snapshot.works.details(store.snapshot.works.list()[0].id)?.entry?.notes?.utf8.count == 9_999_999
        )
    }

    @Test func `progress counts the rows that are there`() async throws {
        let rows = (1...40).map { "Book \($0),Author \($0)" }.joined(separator: "\n")
        let told = Fractions()
        _ = try await BookImporter(store: store, batchSize: 10).run(
            .bytes(Array("title,author\n\(rows)".utf8), name: "forty.csv")
        ) { batch in await told.add(batch.progress.fraction) }
        #expect(await told.values == [0.25, 0.5, 0.75, 1])
    }

    private actor Fractions {
        var values: [Double?] = []

        func add(_ value: Double?) { values.append(value) }
    }

    private static func bytes(_ text: String, _ encoding: TextEncoding, _ isMarked: Bool) -> [UInt8] {
        switch encoding {
        case .utf8: return (isMarked ? [0xEF, 0xBB, 0xBF] : []) + Array(text.utf8)
        case .utf16LittleEndian:
            return ((isMarked ? "\u{FEFF}" : "") + text).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16BigEndian:
            return ((isMarked ? "\u{FEFF}" : "") + text).utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .windows1252:
            return text.unicodeScalars.map { scalar in
                if let place = TextEncoding.windowsLetters.firstIndex(of: UInt16(scalar.value)) {
                    return UInt8(0x80 + place)
                }
                return UInt8(scalar.value)
            }
        }
    }
}
