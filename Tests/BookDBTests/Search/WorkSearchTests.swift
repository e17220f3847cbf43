import Testing

@testable import BookDB
@testable import RecordStore

/// What people type, and what they mean.
@Suite struct WorkSearchTests {
    private func store() async throws -> BookStore {
        let store = try BookStore.inMemory(device: 1)
        try await store.add("La Misère du monde", by: "Pierre Bourdieu")
        try await store.add("L’Étranger", by: "Albert Camus", status: .read)
        try await store.add("Les étrangers dans la ville", by: "Ida Simon-Barouh")
        try await store.add("The Hobbit", by: "J. R. R. Tolkien")
        try await store.add("Hobby Farms", by: "Ann Tolk")
        try await store.add("1984", by: "George Orwell")
        try await store.add("Nineteen Eighty-Four and 1984", by: "A. Critic")
        try await store.add("ハリー・ポッターと賢者の石", by: "J. K. Rowling")
        try await store.add("Straße ohne Ende", by: "Zoë O’Brien")
        try await store.add("!!!", by: "Nobody")
        return store
    }

    private func titles(_ store: BookStore, _ text: String, ranked: Bool = true) async throws -> [String] {
        let search = store.snapshot.works.search(text, ranked: ranked)
        let matches = try search.first()
        let count = try await search.count()
        #expect(count == matches.count)
        return matches.map(\.item.title)
    }

    @Test(arguments: [
        ("misère", ["La Misère du monde"]), ("misere", ["La Misère du monde"]), ("Misère", ["La Misère du monde"]),
        ("l'étranger", ["L’Étranger"]), ("letranger", ["L’Étranger"]),
        ("étranger camus", ["L’Étranger"]), ("camus étr", ["L’Étranger"]),
        ("tolkein hobit", ["The Hobbit"]), ("hobbit", ["The Hobbit"]),
        ("1984", ["1984", "Nineteen Eighty-Four and 1984"]), ("ハリー", ["ハリー・ポッターと賢者の石"]),
        ("賢者", ["ハリー・ポッターと賢者の石"]), ("strasse", ["Straße ohne Ende"]), ("obrien", ["Straße ohne Ende"]),
        ("!!!", ["!!!"]), ("zoe ohne", ["Straße ohne Ende"]), ("qqqq", []), ("1985", []),
    ])
    func `what is typed finds what is meant`(text: String, expected: [String]) async throws {
        let store = try await store()
        // A typo may find more; what matches as typed comes first.
        let found = try await titles(store, text)
        #expect(Array(found.prefix(max(expected.count, 1))) == expected, "\(found)")
    }

    @Test func `étrangers is a beginning of words as well as the word itself, and comes in title order`() async throws {
        let store = try await store()
        let found = try store.snapshot.works.search("étranger").first()
        #expect(found.prefix(2).map(\.item.title) == ["Les étrangers dans la ville", "L’Étranger"])
        #expect(found.prefix(2).map(\.band) == [.wordBeginnings, .nearTitle])
    }

    @Test(arguments: [
        ("der prozess", [("Der Prozess", SearchBand.exactTitle), ("Der Prozeß und andere", .titleBeginning)]),
        ("der proz", [("Der Prozess", .titleBeginning), ("Der Prozeß und andere", .titleBeginning)]),
        (
            "Prozess",
            [
                ("Der Prozess", .exactTitle), ("Prozess der Moderne", .titleBeginning),
                ("Der Prozeß und andere", .titleBeginning),
            ]
        ),
        ("l'été", [("L’Été", .exactTitle), ("L'Été en Sicile", .titleBeginning)]),
        ("a la rech", [("A la recherche", .titleBeginning)]),
        ("a csillag", [("A csillag", .exactTitle)]),
        ("an der front", [("An der Front", .exactTitle)]),
        ("20.000 meilen", [("20.000 Meilen", .exactTitle)]),
        ("die 20.000 fra", [("Die 20.000 Fragen", .titleBeginning)]),
    ])
    func `a title is what was typed, with an article that its language drops`(
        text: String, expected: [(String, SearchBand)]
    ) async throws {
        let store = try BookStore.inMemory(device: 1)
        let titles = [
            ("de", "Der Prozess"), ("de", "Der Prozeß und andere"), ("en", "Prozess der Moderne"),
            ("fr", "L’Été"), ("fr", "L'Été en Sicile"), ("fr", "Été"), ("fr", "A la recherche"),
            ("hu", "A csillag"), ("de", "An der Front"), ("de", "20.000 Meilen"),
            ("de", "Die 20.000 Fragen"), ("de", "Front in Sicht, an der Grenze"),
        ]
        try await store.write { library in
            for (language, title) in titles {
                var work = Work(title: title)
                work.language = language
                try library.insert(work)
            }
        }
        for isRanked in [true, false] {
            let found = try store.snapshot.works.search(text, ranked: isRanked).first().map { ($0.item.title, $0.band) }
            let best = found.filter { $0.1 <= .titleBeginning }
            #expect(best.map(\.0) == expected.map(\.0) && best.map(\.1) == expected.map(\.1), "\(found)")
        }
    }

    /// Behind the n of *Montana* all is far, and ñ is no n.
    @Test func `a title is near whatever stands before it, where letters are joined, too`() async throws {
        let store = try BookStore.inMemory(device: 1, filing: .spanish)
        try await store.write { library in
            for title in [
                "Montana", "Montana y mar", "Montanas", "Montanero", "Montano", "Montaña mágica", "Nada", "Ñandú",
            ] {
                try library.insert(Work(title: title))
            }
        }
        let works = store.snapshot.works
        let found = try works.search("mantaña").first()
        #expect(found.first?.item.title == "Montaña mágica" && found.first?.band == .nearTitle, "\(found)")
        #expect(works.list(.titled("n")).map(\.title) == ["Nada"])
        #expect(works.list(.titled("ñ")).map(\.title) == ["Ñandú"])
    }

    @Test(arguments: [("1914-1918", true), ("1914 1918", true), ("19141918", false)])
    func `two years are a title before they are an ISBN`(text: String, isTitle: Bool) async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.write { library in
            try library.insert(Work(title: "1914-1918: a history"))
            let work = try library.insert(Work(title: "About Bees"))
            try library.insert(Edition(of: work, isbns: [try ISBN("1914191803")]))
        }
        let found = try store.snapshot.works.search(text).first().map(\.item.title)
        #expect(found.first == (isTitle ? "1914-1918: a history" : "About Bees"), "\(found)")
    }

    @Test func `nothing typed is the list, under the filter, too`() async throws {
        let store = try await store()
        let works = store.snapshot.works
        for text in ["", "  ", "\n", "\u{3000}", "\u{A0} \u{200B}"] {
            #expect(try works.search(text).first(5).map(\.id) == works.list().prefix(5).map(\.id))
            #expect(try await works.search(text).count() == 10)
            #expect(try await works.search(text, filter: .status(.read)).count() == 1)
        }
    }

    @Test func `a search belongs to its snapshot`() async throws {
        let store = try await store()
        let before = store.snapshot.works.search("zanzibar")
        let id = try await store.add("Zanzibar", by: "Giles Foden")
        #expect(try before.first().isEmpty)
        let after = store.snapshot.works.search("zanzibar")
        try await store.write { _ = try $0.delete(id) }
        #expect(try after.first().map(\.id) == [id])
        #expect(try store.snapshot.works.search("zanzibar").first().isEmpty)
    }

    @Test func `an ISBN is found by either form, and by its beginning`() async throws {
        let store = try await store()
        let hobbit = try #require(try store.snapshot.works.search("hobbit").first().first?.id)
        try await store.write { library in
            try library.insert(Edition(of: hobbit, isbns: [ISBN("978-0-261-10221-7")]))
        }
        for text in ["978-0-261-10221-7", "9780261102217", "0261102214", "0-261-10221-4", "978-0-261-1", "0261102"] {
            let found = try store.snapshot.works.search(text).first()
            #expect(found.map(\.id) == [hobbit] && found.map(\.band) == [.number], "\(text)")
        }
        let short = try store.snapshot.works.search("0261").first()
        #expect(short.map(\.id) == [hobbit] && short.map(\.band) == [.numberBeginning])
        #expect(try store.snapshot.works.search("0261102215").first().isEmpty, "the check digit is wrong")
        #expect(try store.snapshot.works.search("0261102214", filter: .owned).first().isEmpty)
    }

    @Test func `of very many works with an ISBN that begins so, those that a filter lets through are found`()
        async throws
    {
        let store = try BookStore.inMemory(device: 1)
        let last = try await store.write(.memory) { library in
            var last = ID<Work>.unassigned
            for number in 0..<1_200 {
                last = try library.insert(Work(title: "Work \(number)"))
                let isbn = try #require(ISBN(digits: SearchableLibrary.isbn(UInt64(number))))
                try library.insert(Edition(of: last, isbns: [isbn]))
            }
            try library.set(UserLibraryEntry(for: last, status: .read))
            return last
        }
        let found = store.snapshot.works.search("97819", filter: .status(.read))
        #expect(try found.first().map(\.id) == [last])
        #expect(try await found.count() == 1)
    }

    @Test func `the reader's own signals come first within a band`() async throws {
        let store = try BookStore.inMemory(device: 1)
        let plain = try await store.add("Night and Day")
        let read = try await store.add("Night Watch", status: .read)
        let inside = try await store.add("The Knight", status: .read)
        let loved = try await store.add("Night Without End", status: .read)
        try await store.updateEntry(of: loved) { $0.rating = Rating(stars: 5) }
        let works = store.snapshot.works
        #expect(try works.search("night").first().map(\.id) == [loved, read, plain, inside])
        #expect(try works.search("night", ranked: false).first().map(\.id) == works.list().map(\.id))
    }

    @Test func `the same letters in a longer query or limit change nothing that came before`() async throws {
        let store = try await BookStore.sample(works: 2000)
        let search = store.snapshot.works.search("an")
        let all = try search.first(2000).map(\.id)
        #expect(try await search.count() == all.count && Set(all).count == all.count && all.count > 100)
        for limit in [0, 1, 49, 50, 51] { #expect(try search.first(limit).map(\.id) == Array(all.prefix(limit))) }
        #expect(throws: LibraryError.self) { try search.first(-1) }
    }

    /// Of a thousand rows and more that are found by a guess.
    @Test func `the first guesses are the same, however many are asked for`() async throws {
        let store = try BookStore.inMemory(device: 1)
        let last = try await store.write(.memory) { library in
            for number in 1...12 { _ = try library.insert(Work("Aaa \(number)")) }
            for number in 1...1100 { _ = try library.insert(Work("Book \(number) about Tolkien")) }
            let last = try library.insert(Work("Zzz Tolkien"))
            try library.set(UserLibraryEntry(for: last, rating: Rating(stars: 5)))
            return last
        }
        // A typo; and no work has all words, of which those with more letters come behind in title order.
        for (text, count) in [("tolkein", 1101), ("aaa tolkien qqqqqq", 1113)] {
            for isRanked in [true, false] {
                let search = store.snapshot.works.search(text, ranked: isRanked)
                let all = try search.first(50_000).map(\.id)
                #expect(try await search.count() == count && all.count == count && Set(all).count == count)
                for limit in [1, 10, 50, 999, 1000, 1001, 1105] {
                    #expect(try search.first(limit).map(\.id) == Array(all.prefix(limit)), "“\(text)” \(isRanked)")
                }
                // In both orders a thousand come before it, so it is not considered.
                #expect(all.firstIndex(of: last) == (isRanked ? 1100 : count - 1), "“\(text)” \(isRanked)")
            }
        }
    }

    @Test func `counting ends early when it is cancelled`() async throws {
        let store = try await BookStore.sample(works: 3000)
        let search = store.snapshot.works.search("a")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await search.count()
        }
        await #expect(throws: LibraryError.cancelled) { try await task.value }
    }

    @Test func `a search for what is no longer typed ends early`() async throws {
        let store = try await BookStore.sample(works: 700)
        for isCompacted in [false, true] {
            if isCompacted { try await store.compact() }
            for text in ["a", "of the", "nihgt", "qwqwqw"] {
                let search = store.snapshot.works.search(text)
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try search.positions(50)
                }
                await #expect(throws: LibraryError.cancelled) { try await task.value }
                let positions = try search.positions(50)
                let list = store.snapshot.works.list()
                #expect(try search.first(50).map(\.id) == positions.map { list[Int($0)].id })
                var asked = 0
                let run = try SearchExecution(store.snapshot.version, .works, SearchQuery(text), nil, nil, .standard) {
                    asked += 1
                    return true
                }
                _ = try SearchRanking(run: run, isRanked: true).first(50)
                #expect((1...8).contains(asked), "\(text): \(asked)")
            }
        }
    }

    /// Each number of words that a work may have was a pass of its own.
    @Test func `works that have some of many words take as many passes as those that have some of few`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.write(.memory) { library in
            for number in 0..<400 { _ = try library.insert(Work(title: "Book \(number)")) }
        }
        func blockCount(of text: String) throws -> Int {
            var asked = 0
            let run = try SearchExecution(
                store.snapshot.version, .works, SearchQuery(text, in: .titles), nil, nil, .standard
            ) {
                asked += 1
                return false
            }
            #expect(try run.partials(limit: 1_000).count == 400)
            let count = asked
            #expect(try run.partialCount() == 400)
            return count
        }
        let few = try blockCount(of: "book qxqxqx qzqzqz")
        let many = try blockCount(of: "book qxqxqx qzqzqz zxzxzx zqzqzq xqxqxq xzxzxz")
        #expect(few == many && few > 1)
    }

    @Test(
        arguments: [
            ("theegg", "The Egg"), ("lordoftherings", "The Lord of the Rings"),
            ("teh lord fo the rings", "The Lord of the Rings"),
            ("lord fo teh rings", "The Lord of the Rings"),
            ("dieverwandlung", "Die Verwandlung"),
            ("fo mice and men", "Of Mice and Men"), ("pf mice and men", "Of Mice and Men"), ("star dust", "Stardust"),
            ("nineteeneightyfour", "Nineteen Eighty-Four"), ("1985", "Nineteen Eighty-Four"),
        ])
    func `a title is found with typos in words of any length, and with blanks left out or put in`(
        text: String, expected: String
    ) async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.write(.memory) { library in
            for title in [
                "The Egg", "The Lord of the Rings", "Of Mice and Men", "Stardust", "Nineteen Eighty-Four", "Zorba",
            ] {
                _ = try library.insert(Work(title: title))
            }
            var german = Work(title: "Die Verwandlung")
            german.language = "de"
            _ = try library.insert(german)
        }
        let found = try store.snapshot.works.search(text).first(1).map(\.item.title)
        // A number is not another one.
        #expect(found == (text == "1985" ? [] : [expected]))
    }

    @Test func `words run together are found anywhere in a row, but not across two of its texts`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.add("The Two Towers: The Lord of the Rings", by: "Ring Bearer")
        let works = store.snapshot.works
        #expect(try works.search("lordofthe rings").first().map(\.band) == [.joinedWords])
        #expect(try works.search("twotowers bearer").first().map(\.band) == [.joinedWords])
        #expect(try works.search("ringbearer").first().map(\.band) == [.joinedWords])
        #expect(try works.search("ringsring").first().isEmpty)
    }

    @Test func `when no work has all words, those with the most come, and say what they lack`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.add("The Great Gatsby", by: "F. Scott Fitzgerald")
        try await store.add("Great Expectations", by: "Charles Dickens")
        try await store.add("Emma", by: "Jane Austen")
        let found = try store.snapshot.works.search("great gatsby qqqqqq").first()
        #expect(found.map(\.item.title) == ["The Great Gatsby"] && found.map(\.missingWords) == [["qqqqqq"]])
        #expect(found.allSatisfy { $0.band == .someWords && $0.band.isGuess })
        // Of as many words the one with more letters says more.
        let one = try store.snapshot.works.search("emma expectations qqqqqq").first()
        #expect(one.map(\.item.title) == ["Great Expectations", "Emma"])
        #expect(try store.snapshot.works.search("qqqqqq").first().isEmpty)
        #expect(try await store.snapshot.works.search("great gatsby qqqqqq").count() == 1)
        #expect(try await store.snapshot.works.search("great gatsby qqqqqq", forgiving: false).count() == 0)
    }

    @Test func `titles alone are looked through, and words by how they begin, when asked`() async throws {
        let store = try BookStore.inMemory(device: 1)
        try await store.add("Emma", by: "Jane Austen")
        try await store.add("Jane Eyre", by: "Charlotte Brontë")
        let works = store.snapshot.works
        #expect(try works.search("jane", in: .titles).first().map(\.item.title) == ["Jane Eyre"])
        #expect(try works.search("onte", matching: .beginnings).first().isEmpty)
        #expect(try works.search("eyr", matching: .beginnings).first().map(\.item.title) == ["Jane Eyre"])
        let rows = try works.search("jane").rows { row, isGuess in "\(row.title) \(isGuess)" }
        #expect(rows == ["Jane Eyre false", "Emma false"])
        #expect(try works.search("jnae").rows { _, isGuess in isGuess } == [true, true])
    }

    @Test func `a query of any length or kind is answered`() async throws {
        let store = try await store()
        let works = store.snapshot.works
        let texts = [
            String(repeating: "a", count: 5000), String(repeating: "a ", count: 5000), "\u{0}", "\u{1E}", "a\u{1E}b",
            String(repeating: "é", count: 700), "e\u{301}", "\u{301}", "👨‍👩‍👧", "-",
            "1234567890123456789012345678901234567890", "٢٠٠١",
        ]
        for text in texts {
            let found = try works.search(text).first()
            let count = try await works.search(text).count()
            #expect(found.count == count)
            _ = works.search(text).highlights(in: "La Misère du monde 👨‍👩‍👧")
        }
    }
}
