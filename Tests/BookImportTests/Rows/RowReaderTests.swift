import BookDB
import Testing

@testable import BookImport

@Suite struct RowReaderTests {
    private static let header = """
        Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Publisher,Binding,Number of Pages,\
        Year Published,Original Publication Year,Date Read,Date Added,Bookshelves,Exclusive Shelf,My Review,\
        Private Notes,Read Count,Owned Copies

        """

    private func goodreads(_ row: String) async throws -> Rows {
        let rows = try await Rows(Self.header + row)
        #expect(rows.plan.dialect.format == .goodreads)
        return rows
    }

    private func book(_ row: String) async throws -> ImportedBook {
        let rows = try await goodreads(row)
        #expect(rows.warnings == [])
        return try #require(rows.books.first)
    }

    @Test func `every column of Goodreads arrives`() async throws {
        let book = try await book(
            #"""
            42,"The Light  Fantastic (Discworld, #2; Rincewind, #2)",Terry  Pratchett,"Pratchett, Terry",\#
            "Josh Kirby, Stephen Briggs","=""0061020702""","=""9780061020704""",5,Harper & Row,Paperback,277,2000,1986,\#
            2016/07/04,2015/01/02,"fun, english, read",read,"Fun.<br/><br />Really ""fun"".",private<BR>note,2,1
            """#)
        var expected = ImportedBook(title: "The Light Fantastic")
        expected.series = [
            SeriesMembership(name: "Discworld", number: "2"), SeriesMembership(name: "Rincewind", number: "2"),
        ]
        expected.authors = [
            .init("Terry Pratchett", sortName: "Pratchett, Terry"), .init("Josh Kirby"), .init("Stephen Briggs"),
        ]
        expected.isbns = [try ISBN("9780061020704")]
        expected.publisher = "Harper & Row"
        expected.format = "Paperback"
        expected.pageCount = 277
        expected.publicationYear = 2000
        expected.firstPublicationYear = 1986
        expected.identifiers = [SourceIdentifier(source: "goodreads", value: "42")]
        expected.status = .read
        expected.rating = Rating(stars: 5)
        expected.dateFinished = Day("2016-07-04")
        expected.dateAdded = Day("2015-01-02")
        expected.tags = ["fun", "english"]
        expected.review = "Fun.\n\nReally \"fun\"."
        expected.notes = "private\nnote"
        expected.readCount = 2
        expected.isOwned = true
        #expect(book == expected)
    }

    @Test(arguments: [
        "1,T,A,,,\"=\"\"0553283685\"\"\",\"=\"\"9780553283686\"\"\",,,,,,,,,,,,,,",
        "1,T,A,,,=\"0553283685\",=\"9780553283686\",,,,,,,,,,,,,,",
        "1,T,A,,,\"0553283685\",\"9780553283686\",,,,,,,,,,,,,,",
        "1,T,A,,,0553283685,,,,,,,,,,,,,,,",
    ])
    func `all the ways in which Goodreads wrote an ISBN are read`(row: String) async throws {
        #expect(try await book(row).isbns == [ISBN("9780553283686")])
    }

    @Test(arguments: ["\"=\"\"\"\"\"", "=\"\"", "\"\"", ""])
    func `an absent ISBN is not an error`(field: String) async throws {
        let book = try await book("1,T,A,,,\(field),\(field),0,,,,,,,,,,,,,")
        #expect(book.isbns == [])
        #expect(book.unparsedISBN == nil)
        #expect(book.rating == nil)
    }

    @Test func `a wrong check digit is kept as text and told`() async throws {
        let rows = try await goodreads("1,T,A,,,,\"=\"\"9780306406151\"\"\",,,,,,,,,,,,,,")
        #expect(rows.books.first?.unparsedISBN == "9780306406151")
        #expect(rows.warnings == ["2: ISBN 9780306406151: the check digit should be 7; kept as text"])
    }

    @Test func `a row without a title is rejected and the next one read`() async throws {
        let rows = try await goodreads("1,  ,A,,,,,,,,,,,,,,,,,,\n2,T,A,,,,,,,,,,,,,,,,,,")
        #expect(rows.rejects.map(\.reason) == ["no title"])
        #expect(rows.rejects.map(\.line) == [2])
        #expect(rows.books.map(\.title) == ["T"])
    }

    @Test func `a row that lost a field is rejected, and one with commas to spare is not`() async throws {
        let rows = try await goodreads(
            "1,T,A,,,\",\",0,,,,,,,,,,read,,,\n2,U,A,,,,,,,,,,,,,,read,,,,,,\n3,V,A,,,,,,,,,,,,,,,,,,,x")
        #expect(rows.books.map(\.title) == ["U"])
        #expect(rows.rejects.map(\.line) == [2, 4])
        #expect(rows.rejects[0].reason.contains("20 fields where the header has 21"))
        #expect(rows.rejects[0].raw.hasPrefix("1,T,A"))
        #expect(rows.rejects[1].reason.contains("22 fields"))
    }

    @Test(arguments: [
        ("read", ReadingStatus.read, [String]()), ("to-read", .wantToRead, []), ("currently-reading", .reading, []),
        ("did-not-finish", .abandoned, []), ("unfinished", .abandoned, ["unfinished"]),
        ("on-hold", .paused, []), ("Set Aside", .paused, ["Set Aside"]),
        ("grandmother's", .none, ["grandmother's"]),
    ])
    func `an exclusive shelf is a status, or a tag when only its owner knows it`(
        shelf: String, status: ReadingStatus, tags: [String]
    ) async throws {
        let book = try await book("1,T,A,,,,,,,,,,,,,\"\(shelf)\",\(shelf),,,,")
        #expect(book.status == status)
        #expect(book.tags == tags)
    }

    @Test func `no shelf at all is no status`() async throws {
        let book = try await book("1,T,A,,,,,,,,,,,,,fun,,,,,")
        #expect(book.status == nil)
        #expect(book.tags == ["fun"])
    }

    @Test(arguments: [
        ("2020/10/25", "2020-10-25"), ("2020-10-25", "2020-10-25"), ("25.10.2020", "2020-10-25"),
        ("2020-10-25T23:59:00+02:00", "2020-10-25"), ("2020/1/5", "2020-01-05"), ("10/25/2020", "2020-10-25"),
        ("25/10/2020", "2020-10-25"), ("05/05/2020", "2020-05-05"), (" 2020/10/25 ", "2020-10-25"),
    ])
    func `a day is read in the ways exports write it`(text: String, day: String) throws {
        #expect(try DayText.day(text) == Day(day))
    }

    @Test(arguments: [
        "0001-01-01", "0001-01-01T00:00:00", "01/01/0001", "1/1/0001 12:00:00 AM", "0101-01-01T00:00:00+00:00",
        "0000-00-00",
    ])
    func `a day by which programs say that they know none is none`(text: String) async throws {
        let rows = try await goodreads("1,T,A,,,,,,,,,,,\(text),,,,,,,")
        #expect(rows.books.first?.dateFinished == nil && rows.warnings == [])
    }

    @Test func `a year of four digits is that year`() throws {
        #expect(try DayText.day("0099-05-05") == Day(year: 99, month: 5, day: 5))
        #expect(try DayText.day("05/25/99", .monthDayYear) == Day(year: 1999, month: 5, day: 25))
    }

    @Test func `pages that may be a thousand or one are neither`() async throws {
        for (text, pages) in [("1.000", nil), ("320.0", 320), ("320.00", 320), ("2000.000", 2000)] as [(String, Int?)] {
            let rows = try await Rows("title,pages\nT,\(text)\n")
            #expect(rows.books.first?.pageCount == pages, "\(text)")
            #expect(rows.warnings.isEmpty == (pages != nil), "\(text)")
        }
        let none = try await Rows("title,pages,owned\nT,0.000,0.000\n")
        #expect(none.warnings == [] && none.books.first?.pageCount == nil && none.books.first?.isOwned == false)
    }

    @Test(arguments: [
        ("2020/13/01", "has no such month"), ("2020/02/30", "has no such day"), ("2020", "does not say the day"),
        ("2020/05", "does not say the day"), ("04/05/2020", "may be two different days"), ("soon", "is not a date"),
        ("1/2/3", "is not a date"), ("2020/10/25/1", "is not a date"), ("99999999999999999999/1/1", "is not a date"),
    ])
    func `a day that is none is left out and told`(text: String, reason: String) async throws {
        let rows = try await goodreads("1,T,A,,,,,,,,,,,\(text),,,,,,,")
        #expect(rows.books.first?.dateFinished == nil)
        #expect(rows.warnings.first?.contains("“\(text)” \(reason)") == true)
    }

    @Test(arguments: [
        ("Gideon the Ninth (The Locked Tomb #1)", "Gideon the Ninth", ["The Locked Tomb|1"]),
        ("Saga, Volume 3 (Saga #13-18)", "Saga, Volume 3", ["Saga|13-18"]),
        ("Mort (Discworld, #4; Death, #1)", "Mort", ["Discworld|4", "Death|1"]),
        ("Interlude (A (B) C, #2.5)", "Interlude", ["A (B) C|2.5"]),
        ("Sleeping Beauty (Disney Princess, 5)", "Sleeping Beauty", ["Disney Princess|5"]),
        ("Mort(e) (War with No Name, #1)", "Mort(e)", ["War with No Name|1"]),
        ("The Golden Apple (Illuminatus 2)", "The Golden Apple (Illuminatus 2)", []),
        ("Little Blue Encyclopedia (for Vivian)", "Little Blue Encyclopedia (for Vivian)", []),
        ("(Saga, #1)", "(Saga, #1)", []), ("A) (#1)", "A) (#1)", []), (")", ")", []), ("C# (C#)", "C#", ["C"]),
    ])
    func `a series is taken out of the title's bracket`(text: String, title: String, series: [String]) {
        let bracket = SeriesBracket(text)
        #expect(bracket.title == title)
        #expect(bracket.series.map { ([$0.name] + ($0.number.map { [$0] } ?? [])).joined(separator: "|") } == series)
    }

    @Test func `names in a list are one person each`() {
        #expect(
            PersonList.listed("Sam Kieth,  Mike   Dringenberg,,Sam Kieth").map(\.name) == [
                "Sam Kieth", "Mike Dringenberg",
            ])
        #expect(
            PersonList.listed("Martin Luther King, Jr., Cornel West").map(\.name) == [
                "Martin Luther King, Jr.", "Cornel West",
            ])
    }

    @Test(arguments: [
        ("Tolkien, J. R. R.", ["J. R. R. Tolkien"]),
        ("Neil Gaiman & Terry Pratchett", ["Neil Gaiman", "Terry Pratchett"]),
        ("Neil Gaiman, Terry Pratchett", ["Neil Gaiman", "Terry Pratchett"]),
        ("Gaiman, Neil; Pratchett, Terry", ["Neil Gaiman", "Terry Pratchett"]),
        ("Homer", ["Homer"]), ("Martin Luther King, Jr.", ["Martin Luther King, Jr."]),
        ("Gaiman, Neil, Pratchett, Terry", ["Gaiman, Neil, Pratchett, Terry"]), (" ; ", []),
    ])
    func `names in no promised form are read when there is one way to read them`(text: String, names: [String]) {
        #expect(PersonList.guessed(text).map(\.name) == names)
    }

    @Test func `an inverted name is its own sort name`() {
        #expect(
            PersonList.guessed("Le Guin, Ursula K.") == [.init("Ursula K. Le Guin", sortName: "Le Guin, Ursula K.")])
    }

    @Test(arguments: [
        ("eng", "en"), ("en-US", "en-US"), ("en_gb", "en-GB"), ("fre", "fr"), ("nl", "nl"), ("Deutsch", "de"),
        ("mul", "mul"), ("fil", "fil"), ("Klingon", "Klingon"),
    ])
    func `language codes come to one spelling`(text: String, code: String) {
        #expect(LanguageCode.normalised(text) == code)
    }

    @Test func `text is cleaned of what nobody sees`() {
        #expect(CleanText.line(" a\t b\u{A0}c\r\n d ") == "a b c d")
        #expect(CleanText.line("Garcí\u{AD}a") == "García")
        #expect(CleanText.line(" \n ") == nil)
        #expect(CleanText.prose("<br/>one<BR />two\r\nthree \n\n") == "one\ntwo\nthree")
        #expect(CleanText.prose("a <b>bold</b> <br claim") == "a <b>bold</b> <br claim")
        #expect(CleanText.prose("<br>") == nil)
    }
}
