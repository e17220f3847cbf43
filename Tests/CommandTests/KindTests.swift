import Foundation
import Testing

/// The command shows the records of an app whose code it has not got.
@Suite struct KindTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let lines = #"""
        {"type":"kind","kind":"Account","fields":[{"number":1,"name":"name","type":"text"}]}
        {"type":"record","kind":"Account","id":"000009-1","fields":{"name":"Savings"}}
        {"type":"kind","kind":"Transfer","fields":[{"number":1,"name":"account","type":"identifier"},{"number":2,"name":"date","type":"day"},{"number":3,"name":"amount","type":"money"},{"number":4,"name":"note","type":"text"}],"links":[{"field":1,"name":"account","to":"Account","onDelete":"cascade"}]}
        {"type":"record","kind":"Transfer","id":"000009-2","fields":{"account":"000009-1","date":"2026-11-24","amount":"-12.50","note":"Rent"}}
        {"type":"record","kind":"Transfer","id":"000009-3","fields":{"account":"000009-1","date":"2026-11-25","amount":"3.00"}}

        """#

    private func library() throws -> String {
        let library = folder.path("K.bookdb")
        let file = try folder.file("k.jsonl", Self.lines)
        #expect(try CommandRun("import", library, file).status == 0)
        return library
    }

    @Test func `inspect lists kinds with their fields, and trees when they are asked for`() throws {
        let library = try library()
        let words = try CommandRun("inspect", library).output
        #expect(words.contains("Transfer        2") && words.contains("account, date, amount, note"), "\(words)")
        #expect(!words.contains("TREES") && !words.contains("0 works"))
        #expect(try CommandRun("inspect", library, "--trees").output.contains("app-fields"))
        let document = try CommandRun("inspect", library, "--json").document()
        let kinds = try #require(document["kinds"] as? [[String: Any]])
        #expect(kinds.map { $0["name"] as? String } == ["Account", "Transfer"])
        #expect((kinds[1]["links"] as? [[String: Any]])?.first?["to"] as? String == "Account")
        #expect((document["trees"] as? [Any])?.isEmpty == false)
    }

    @Test func `ls and get show records by the names of their fields`() throws {
        let library = try library()
        let first = try CommandRun("ls", library, "--kind", "Transfer", "--limit", "1")
        #expect(first.output.contains("AMOUNT") && first.output.contains("-12.50"), "\(first.output)")
        #expect(first.talk.contains("1–1 of 2 records") && first.talk.contains("--after 000009-2"))
        let second = try CommandRun("ls", library, "--kind", "Transfer", "--offset", "1", "--json").document()
        let items = try #require(second["items"] as? [[String: Any]])
        #expect(second["total"] as? Int == 2 && items.map { $0["id"] as? String } == ["000009-3"])
        let sheet = try CommandRun("get", library, "000009-2")
        #expect(sheet.output.contains("Transfer 000009-2") && sheet.output.contains("note     Rent"), "\(sheet.output)")
        let line = try CommandRun("get", library, "000009-2", "--json").output
        #expect(Self.lines.contains(line))
        #expect(try CommandRun("get", library, "000009-8").status == 66)
        let near = try CommandRun("ls", library, "--kind", "Transfr")
        #expect(near.status == 66 && near.talk.contains("Did you mean 'Transfer'?"), "\(near.talk)")
        #expect(try CommandRun("ls", library, "--kind", "Transfer", "--order", "newest").status == 66)
        #expect(try CommandRun("ls", library, "--order", "newest").status == 64)
        #expect(try CommandRun("ls", library, "--kind", "Transfer", "--sort", "year").status == 64)
    }

    @Test func `several conditions by the names of fields hold together, and a page goes on behind the last`() throws {
        let library = try library()
        func ids(_ arguments: String...) throws -> [String] {
            let run = try CommandRun(arguments: ["ls", library, "--kind", "Transfer", "--json"] + arguments)
            return try #require(try run.document()["items"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        }
        #expect(try ids("--where", "amount<-5") == ["000009-2"])
        #expect(try ids("--where", "date >= 2026-11-24", "--where", "note = none") == ["000009-3"])
        #expect(try ids("--where", "account=000009-1", "--reverse") == ["000009-3", "000009-2"])
        #expect(try ids("--where", "note=Rent", "--where", "amount>0").isEmpty)
        #expect(try ids("--after", "000009-2") == ["000009-3"] && ids("--after", "000009-3").isEmpty)
        let page = try CommandRun(
            "ls", library, "--kind", "Transfer", "--where", "account=000009-1", "--limit", "1", "--reverse")
        #expect(page.talk.contains("1–1 of 2 records as they came, reversed"), "\(page.talk)")
        #expect(page.talk.contains("--where account=000009-1 --reverse --limit 1 --after 000009-3"))
    }

    @Test func `a condition that cannot be is wrong usage with a way out`() throws {
        let library = try library()
        let cases = [
            ("amout>3", "Transfer has no field “amout”. Did you mean 'amount'?"),
            (
                "amount>much",
                "“amount” of Transfer is money, and 'much' cannot be read as one. Write an amount such as -12.50"
            ),
            (
                "date<yesterday",
                "“date” of Transfer is a day, and 'yesterday' cannot be read as one. Write a day such as"
            ),
            (
                "account=7",
                "“account” of Transfer is an identifier, and '7' cannot be read as one. Write an identifier such as"
            ),
            ("date<none", "what is absent is neither less nor greater. Use = or !=."),
            ("note", "'note' compares nothing. Write a name, = != < <= > or >=, and a value: amount<-500."),
            ("note=>x", "'=>' is no comparison: use = != < <= > or >=."),
        ]
        for (condition, words) in cases {
            let run = try CommandRun("ls", library, "--kind", "Transfer", "--where", condition)
            #expect(run.status == 64 && run.talk.contains(words), "\(condition): \(run.status) \(run.talk)")
        }
        #expect(try CommandRun("ls", library, "--kind", "Transfer", "--after", "x").status == 64)
        let absent = try CommandRun("ls", library, "--kind", "Transfer", "--where", "amount<0", "--after", "000009-9")
        #expect(absent.status == 0 && absent.talk.contains("No more records"), "by identifier a place is enough")
        for option in [["--status", "read"], ["--prefix", "a"], ["--section", "A"], ["--sections"]] {
            let run = try CommandRun(arguments: ["ls", library, "--kind", "Transfer"] + option)
            #expect(run.status == 64 && run.talk.contains("\(option[0]) is for works"), "\(run.talk)")
        }
    }

    @Test func `explain says what is gone through and what is tested, for records and for works`() throws {
        let library = try library()
        let run = try CommandRun("ls", library, "--kind", "Transfer", "--where", "account=000009-1", "--explain")
        #expect(run.status == 0 && run.output.contains("Transfer where account = 000009-1\n"))
        #expect(run.output.contains("goes through  all records: 2 records"), "\(run.output)")
        #expect(run.output.contains("tests         on each of them account = 000009-1"))
        let plan = try CommandRun("ls", library, "--kind", "Transfer", "--explain", "--json").document()
        #expect(plan["schema"] as? String == "bookdb.explain/1" && (plan["tested"] as? [String]) == [])
        #expect((plan["walked"] as? [String: Any])?["count"] as? Int == 2)

        let books = folder.path("Books.bookdb")
        #expect(try CommandRun("seed", books, "--works", "200", "--seed", "4").status == 0)
        func explain(_ arguments: String...) throws -> String {
            try CommandRun(arguments: ["ls", books, "--explain"] + arguments).output
        }
        #expect(
            try explain()
                == "works\n  goes through  the list by title: 200 works\n  tests         nothing on each of them\n")
        let status = try explain("--status", "read", "--sort", "author")
        #expect(status.contains("the list by author where status = read: ") && status.contains("nothing on each"))
        let conditions = try explain("--where", "year>=1990", "--where", "status=read", "--sort", "added")
        #expect(conditions.contains("the list by added where status = read: "), "\(conditions)")
        #expect(conditions.contains("tests         on each of them year >= 1990"))
        let prefix = try explain("--prefix", "the")
        #expect(prefix.contains("the list by title where title begins with “the”: "), "\(prefix)")
        let elsewhere = try explain("--prefix", "the", "--sort", "year", "--where", "owned=yes")
        #expect(elsewhere.contains("the list by year where owned = yes: "), "\(elsewhere)")
        #expect(elsewhere.contains("on each of them title begins with “the”"))
    }

    @Test func `texts of a kind are searched, typos forgiven`() throws {
        let library = try library()
        let run = try CommandRun("search", library, "rnet", "--kind", "Transfer")
        #expect(
            run.status == 0 && run.output.contains("000009-2") && run.talk.contains("1 of 1 record, typos forgiven"))
        let document = try CommandRun("search", library, "rent", "--kind", "Transfer", "--field", "note", "--json")
            .document()
        #expect(document["schema"] as? String == "bookdb.search-records/1" && document["total"] as? Int == 1)
        let item = (document["items"] as? [[String: Any]])?.first
        #expect(item?["match"] as? String == "exactTitle")
        #expect((item?["record"] as? [String: Any])?["id"] as? String == "000009-2")
        #expect(try CommandRun("search", library, "zzz", "--kind", "Account").talk.contains("Nothing matches “zzz”."))
        let field = try CommandRun("search", library, "x", "--kind", "Transfer", "--field", "nte")
        #expect(field.status == 64 && field.talk.contains("no text “nte” to search. Did you mean 'note'?"))
        #expect(try CommandRun("search", library, "x", "--field", "note").status == 64)
        #expect(try CommandRun("search", library, "x", "--kind", "Transfer", "--titles").status == 64)
        #expect(try CommandRun("search", library, "x", "--kind", "Trnsfer").talk.contains("Did you mean 'Transfer'?"))
    }

    @Test func `some kinds alone are exported, and an import says which links lead nowhere`() throws {
        let library = try library()
        let run = try CommandRun("export", library, "--format", "jsonl", "--kind", "Transfer")
        let lines = run.output.split(separator: "\n")
        #expect(run.status == 0 && lines.count == 3 && lines[0].contains(#""type":"kind","kind":"Transfer""#))
        let both = try CommandRun("export", library, "--format", "jsonl", "--kind", "Transfer", "--kind", "Account")
        #expect(both.output == Self.lines.split(separator: "\n").joined(separator: "\n") + "\n")
        let copy = folder.path("Copy.bookdb")
        let taken = try CommandRun("import", copy, try folder.file("t.jsonl", run.output))
        #expect(
            taken.output.contains("refused  2 lines")
                && taken.output.contains("Its account is Account 000009-1, which is not there."))
        let near = try CommandRun("export", library, "--format", "jsonl", "--kind", "Transfr")
        #expect(near.status == 66 && near.talk.contains("Did you mean 'Transfer'?"))
    }

    /// The work was shown, whatever was asked for, and nothing said that there was more.
    @Test func `get names all that have an identifier, and shows the one that is asked for`() throws {
        let library = folder.path("Same.bookdb")
        let file = try folder.file(
            "same.jsonl",
            #"""
            {"type":"author","id":"00000a-9","name":"Mary Shelley"}
            {"type":"work","id":"00000a-9","title":"Frankenstein","authors":["00000a-9"],"dateAddedMilliseconds":5}
            {"type":"work","id":"00000a-8","title":"The Last Man","dateAddedMilliseconds":5}
            {"type":"edition","id":"00000a-9","work":"00000a-8","isbns":["9780261102217"]}
            {"type":"kind","kind":"Loan","fields":[{"number":1,"name":"to","type":"text"}]}
            {"type":"record","kind":"Loan","id":"00000a-9","fields":{"to":"Ann"}}

            """#)
        #expect(try CommandRun("import", library, file).status == 0)
        let first = try CommandRun("get", library, "00000a-9")
        #expect(first.status == 0 && first.output.hasPrefix("Frankenstein"), "\(first.output)")
        for (kind, words) in [("edition", "an edition"), ("Loan", "a record of Loan"), ("author", "an author")] {
            #expect(first.talk.contains("00000a-9 is also \(words).\n"), "\(first.talk)")
            #expect(first.talk.contains("→ bookdb get \(library) 00000a-9 --kind \(kind)\n"), "\(first.talk)")
        }
        for (kind, shown) in [
            ("work", "Frankenstein"), ("edition", "The Last Man"), ("author", "Mary Shelley"),
            ("Loan", "Loan 00000a-9"),
        ] {
            let run = try CommandRun("get", library, "00000a-9", "--kind", kind)
            #expect(run.status == 0 && run.output.hasPrefix(shown) && !run.talk.contains("also"), "\(run.output)")
        }
        let document = try CommandRun("get", library, "00000a-9", "--json", "--kind", "author").document()
        #expect(document["schema"] as? String == "bookdb.get-author/1")
        #expect(try CommandRun("get", library, "9780261102217", "--kind", "edition").output.hasPrefix("The Last Man"))
        let none = try CommandRun("get", library, "00000a-8", "--kind", "author")
        #expect(none.status == 66 && none.talk.contains("has no author with the identifier 00000a-8"), "\(none.talk)")
        let near = try CommandRun("get", library, "00000a-9", "--kind", "Laon")
        #expect(near.status == 66 && near.talk.contains("Did you mean 'Loan'?"), "\(near.talk)")
    }

    @Test func `get and dump find any identifier, and help with the beginning of one`() throws {
        let library = try library()
        // In the log alone, as the kind is.
        let dump = try CommandRun("dump", library, "record", "000009-2")
        #expect(dump.status == 0 && dump.output.contains("record of Transfer 000009-2"), "\(dump.talk)")
        #expect(dump.output.contains("amount \"-12.50\"") && dump.output.contains("wire type 1: account \"000009-1\""))
        for command in [["get", library], ["dump", library, "record"]] {
            let several = try CommandRun(arguments: command + ["000009"])
            #expect(several.status == 66, "\(several.talk)")
            #expect(
                several.talk.contains(
                    "3 identifiers in \(library) begin with 000009: Account 000009-1, Transfer 000009-2,"))
        }
        #expect(try CommandRun("get", library, "7").status == 64)
        let books = folder.path("Books.bookdb")
        #expect(try CommandRun("seed", books, "--works", "5").status == 0)
        let export = try CommandRun("export", books, "--format", "jsonl").documents()
        let edition = try #require(export.first { $0["type"] as? String == "edition" })
        let found = try CommandRun("get", books, try #require(edition["id"] as? String))
        #expect(found.status == 0 && found.talk.contains("is an edition of this work."))
        #expect(found.output.contains(try #require(edition["work"] as? String)))
        let author = try #require(export.first { $0["type"] as? String == "author" })
        let sheet = try CommandRun("get", books, try #require(author["id"] as? String))
        #expect(sheet.output.hasPrefix(try #require(author["name"] as? String)) && sheet.output.contains("TITLE"))
        let document = try CommandRun("get", books, try #require(author["id"] as? String), "--json").document()
        #expect(
            document["schema"] as? String == "bookdb.get-author/1" && (document["works"] as? [Any])?.isEmpty == false)
    }
}
