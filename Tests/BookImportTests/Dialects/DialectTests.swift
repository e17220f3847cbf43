import BookDB
import Testing

@testable import BookImport

@Suite struct DialectTests {
    @Test func `a dialect is known by its columns, in any order`() {
        func detected(_ headers: String) -> ImportFormat {
            Dialect.detect(headers.split(separator: ",").map { HeaderName($0) }).format
        }
        #expect(detected("Exclusive Shelf,Author l-f,Author,Title,Book Id") == .goodreads)
        #expect(detected("goodreads_book_id,work_id,authors,original_publication_year,title") == .goodbooks)
        #expect(detected("Title,Authors,Contributors,ISBN/UID,Format,Read Status,Star Rating") == .storyGraph)
        #expect(detected("id,title,title_sort,authors,author_sort,library_name,uuid") == .calibre)
        #expect(detected("Title,Author,ISBN") == .csv)
    }

    @Test func `a catalogue of calibre has names as shown, a blurb, and a day that means none`() async throws {
        let rows = try await Rows(
            """
            authors,author_sort,rating,library_name,timestamp,isbn,identifiers,comments,tags,series,series_index,languages,title,title_sort,publisher,pubdate,id,uuid
            "Plato, Benjamin Jowett","Plato & Jowett, Benjamin",4.5,Books,2019-05-04T10:00:00+02:00,,goodreads:7,"A dialogue.","ideas, state",Works,8.0,eng,The Republic,"Republic, The",Dover,0101-01-01T00:00:00+00:00,1,u
            Frank Herbert,"Herbert, Frank",,Books,2019-05-04T10:00:00+02:00,9780441013593,,,,,1.0,eng,Dune,Dune,Ace,1965-08-01T00:00:00+00:00,2,v
            """)
        #expect(rows.warnings == [] && rows.rejects == [] && rows.plan.dialect.format == .calibre)
        let isbn = try ISBN("9780441013593")
        let (republic, dune) = (try #require(rows.books.first), try #require(rows.books.last))
        #expect(
            republic.authors == [
                .init("Plato", sortName: "Plato"), .init("Benjamin Jowett", sortName: "Jowett, Benjamin"),
            ])
        #expect(republic.publicationYear == nil && republic.description == "A dialogue." && republic.notes == nil)
        #expect(republic.sortTitle == "Republic, The" && republic.tags == ["ideas", "state"])
        #expect(republic.series == [SeriesMembership(name: "Works", number: "8")])
        #expect(republic.identifiers == [SourceIdentifier(source: "goodreads", value: "7")])
        #expect(republic.rating == Rating(stars: 4.5) && republic.dateAdded == Day(year: 2019, month: 5, day: 4))
        #expect(dune.authors == [.init("Frank Herbert", sortName: "Herbert, Frank")])
        #expect(dune.publicationYear == 1965 && dune.isbns == [isbn] && dune.series.isEmpty)
    }

    @Test func `second authors are read as the first ones are`() async throws {
        let inverted = try await Rows(
            "Title\tPrimary Author\tSecondary Author\nGood Omens\tGaiman, Neil\tPratchett, Terry\n"
                + "Dune\tHerbert, Frank\tLe Guin, Ursula K.|Doe, Jane Mary")
        #expect(
            inverted.books.map { $0.authors.map(\.name) } == [
                ["Neil Gaiman", "Terry Pratchett"], ["Frank Herbert", "Ursula K. Le Guin", "Jane Mary Doe"],
            ])
        let shown = try await Rows(
            "title,author,additional authors\nAsterios Polyp,David Mazzucchelli,\"Richmond Lewis, Jane Doe\"")
        #expect(shown.books.map { $0.authors.map(\.name) } == [["David Mazzucchelli", "Richmond Lewis", "Jane Doe"]])
    }

    @Test(arguments: [
        ("0.0", false), ("0", false), ("No", false), ("1.0", true), ("2", true), ("yes", true), ("-", nil),
        ("n/a", nil),
    ])
    func `copies owned are a number or a word, or not said`(text: String, isOwned: Bool?) async throws {
        let rows = try await Rows("title,author,Owned Copies\nA,B,\(text)")
        #expect(rows.books.map(\.isOwned) == [isOwned])
    }

    @Test(arguments: ["\n", "\r\n\r\n", "\u{FEFF}\n"])
    func `a table may begin with empty lines`(start: String) async throws {
        let rows = try await Rows(start + "Titel;Autor\nMomo;Michael Ende\n")
        #expect(rows.books.map(\.title) == ["Momo"] && rows.books.map { $0.authors.map(\.name) } == [["Michael Ende"]])
        let said = try await Rows(start + "sep=;\ntitle;author,first\nMomo, oder;x\n")
        #expect(said.books.map(\.title) == ["Momo, oder"])
    }

    @Test(arguments: [
        "Titel;Autor;ISBN;Verlag;Erscheinungsjahr;Seiten;Sprache;Bewertung;Lesestatus;Schlagwörter;Notizen",
        "Titre;Auteur;ISBN;Éditeur;Année;Pages;Langue;Évaluation;Statut;Étiquettes;Notes",
        "Título;Autor;ISBN;Editorial;Año;Páginas;Idioma;Puntuación;Estado;Etiquetas;Notas",
        "title;author;isbn;publisher;year;pages;language;rating;status;tags;notes",
    ])
    func `columns are known by what people call them`(header: String) async throws {
        let rows = try await Rows(
            header + "\nMomo;Ende, Michael;3522177509;Thienemann;1973;304;de;4,5;gelesen;a, b;schön")
        let book = try #require(rows.books.first)
        #expect(rows.warnings == [])
        #expect(rows.plan.ignoredColumns == [])
        #expect(book.title == "Momo")
        #expect(book.authors == [.init("Michael Ende", sortName: "Ende, Michael")])
        #expect(book.isbns == [try ISBN("3522177509")])
        #expect(book.publisher == "Thienemann")
        #expect(book.publicationYear == 1973)
        #expect(book.pageCount == 304)
        #expect(book.language == "de")
        #expect(book.rating == Rating(stars: 4.5))
        #expect(book.status == .read)
        #expect(book.tags == ["a", "b"])
        #expect(book.notes == "schön")
    }

    @Test func `a mapping names columns nobody could know, and leaves out others`() async throws {
        let mapping = try ["Werk = title", "wer=authors", "Nr=source-id", "Notes="].map {
            try FieldMapping(parsing: $0)
        }
        let rows = try await Rows(
            "Werk,Wer,Nr,Notes\nMomo,Michael Ende,7,x\nDie Füchse,,goodreads:12,y", mapping: mapping)
        #expect(rows.books.map(\.title) == ["Momo", "Die Füchse"])
        #expect(rows.books[0].identifiers == [SourceIdentifier(source: "table", value: "7")])
        #expect(rows.books[1].identifiers == [SourceIdentifier(source: "goodreads", value: "12")])
        #expect(rows.books[0].notes == nil)
        #expect(rows.plan.ignoredColumns.map { rows.plan.headers[$0] } == ["Notes"])
    }

    @Test func `a mapping corrects a known format`() async throws {
        let header = "Book Id,Title,Author,Author l-f,Exclusive Shelf,My Code\n"
        let rows = try await Rows(
            header + "1,T,A,,read,loan", mapping: [FieldMapping(header: "my code", field: .tags)])
        #expect(rows.plan.dialect.format == .goodreads)
        #expect(rows.books.first?.tags == ["loan"])
    }

    @Test func `a table without a title column lists its columns, the formats and the way out`() async throws {
        let error = await #expect(throws: ImportError.self) { try await Rows("Werk,Wer\nMomo,Ende") }
        #expect(error == .unknownFormat(name: "table.csv", headers: ["Werk", "Wer"]))
        let text = try #require(error?.description)
        #expect(text.contains("“Werk”"))
        #expect(text.contains("--map \"Werk=title\""))
        for format in ImportFormat.allCases { #expect(text.contains(format.rawValue)) }
    }

    @Test func `a mapping that cannot be right is refused with the choices`() async throws {
        let missing = await #expect(throws: ImportError.self) {
            try await Rows("Title\nMomo", mapping: [FieldMapping(header: "Titel", field: .title)])
        }
        #expect(missing == .noSuchColumn("Titel", headers: ["Title"]))
        let unknown = #expect(throws: ImportError.self) { try FieldMapping(parsing: "Titel=titel") }
        #expect(unknown?.description.contains("original-title") == true)
        #expect(throws: ImportError.invalidMapping("Titel")) { try FieldMapping(parsing: "Titel") }
        #expect(throws: ImportError.invalidMapping("=title")) { try FieldMapping(parsing: "=title") }
        #expect(try FieldMapping(parsing: "a=b=title") == FieldMapping(header: "a=b", field: .title))
    }

    @Test func `in a table by hand the last fields of a row may be missing`() async throws {
        let rows = try await Rows("title,author,notes,\nMomo,Michael Ende\nDune,Frank Herbert,good,\n")
        #expect(rows.books.map(\.title) == ["Momo", "Dune"])
        #expect(rows.warnings == ["2: 2 fields where the header has 4: the last ones are taken as empty"])
    }

    @Test func `what a truncated review spilt is not taken for books`() async throws {
        let rows = try await Rows("title,author,review\nMomo,Ende,\"Long\nI liked it, really\nVery much")
        #expect(rows.books == [])
        #expect(rows.rejects.map(\.line) == [2, 3, 4])
        #expect(rows.rejects[0].reason == "the quote opened on line 2 is never closed")
    }

    @Test func `StoryGraph has quarter stars and its own statuses`() async throws {
        let rows = try await Rows(
            """
            Title,Authors,Contributors,ISBN/UID,Format,Read Status,Date Added,Last Date Read,Dates Read,Read Count,\
            Star Rating,Review,Tags,Owned?
            Dune,"Frank Herbert, Brian Herbert",,0441013597,paperback,did-not-finish,2021/01/02,,,0,4.25,,"sf, big",Yes
            Momo,Michael Ende,"",9783522177504,digital,currently-reading,2021/01/02,"",,0,"","","",No
            """)
        #expect(rows.plan.dialect.format == .storyGraph)
        #expect(rows.warnings == [])
        #expect(rows.books[0].status == .abandoned)
        #expect(rows.books[0].rating == Rating(stars: 4.25))
        #expect(rows.books[0].authors.map(\.name) == ["Frank Herbert", "Brian Herbert"])
        #expect(rows.books[0].tags == ["sf", "big"])
        #expect(rows.books[0].isOwned == true)
        #expect(rows.books[1].isbns == [try ISBN("9783522177504")])
        #expect(rows.books[1].isOwned == false)
    }

    @Test func `a catalogue's floating-point years and lost zeros are put right`() async throws {
        let rows = try await Rows(
            """
            book_id,goodreads_book_id,work_id,isbn,isbn13,authors,original_publication_year,original_title,title,\
            language_code,image_url
            1,3,4640799,439554934,9.78043955493e+12,"J.K. Rowling, Mary GrandPré",1997.0,HP 1,"HP (Harry Potter, #1)",\
            eng,https://x.org/a.jpg
            2,1381,33,143039954,,Homer,-720.0,Ὀδύσσεια,The Odyssey,en-US,https://x.org/nophoto/book/111x148.png
            3,9,34,61120081,,Harper Lee,,,To Kill a Mockingbird,,
            """)
        #expect(rows.plan.dialect.format == .goodbooks)
        #expect(rows.warnings == [])
        #expect(rows.books[0].isbns == [try ISBN("0439554934")])
        #expect(rows.books[0].series == [SeriesMembership(name: "Harry Potter", number: "1")])
        #expect(rows.books[0].coverURL == "https://x.org/a.jpg")
        #expect(!rows.books[0].hasReaderState)
        #expect(rows.books[1].firstPublicationYear == -720)
        #expect(rows.books[1].coverURL == nil)
        #expect(rows.books[2].isbns == [try ISBN("0061120081")])
    }
}
