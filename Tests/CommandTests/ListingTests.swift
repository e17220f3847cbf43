import BookDB
import Foundation
import Testing

@Suite struct ListingTests {
    private let folder: TemporaryFolder
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        library = folder.path("L.bookdb")
        #expect(try CommandRun("seed", library, "--works", "300", "--seed", "5").status == 0)
    }

    @Test(arguments: ["9780261103344", "the", "the hobbit", "hobit qwertz"])
    func `a search may ask for as many as there are numbers`(words: String) throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let table = Data("title,author,isbn\nThe Hobbit,J. R. R. Tolkien,9780261103344\nHobbits,Somebody,\n".utf8)
        #expect(try CommandRun("import", library, "-", input: table).status == 0)
        let run = try CommandRun("search", library, words, "--limit", "9223372036854775807", "--json")
        #expect(run.status == 0 && !run.wasKilled, "\(run.talk)")
        #expect((try run.document()["items"] as? [Any])?.isEmpty == false, "\(run.output)")
    }

    @Test func `ls gives a page with the total and a cursor to the next`() throws {
        let run = try CommandRun("ls", library, "--limit", "10", "--json")
        #expect(run.output.hasPrefix("{\"schema\":\"bookdb.ls/1\""))
        let first = try run.document()
        #expect(first["total"] as? Int == 300)
        #expect(first["offset"] as? Int == 0)
        let items = try #require(first["items"] as? [[String: Any]])
        #expect(items.count == 10)
        #expect(items.allSatisfy { $0["id"] is String && $0["title"] is String && $0["status"] is String })
        let cursor = try #require(first["next"] as? String)
        let second = try CommandRun("ls", library, "--limit", "10", "--after", cursor, "--json").document()
        let byOffset = try CommandRun("ls", library, "--limit", "10", "--offset", "10", "--json").document()
        #expect(second["offset"] as? Int == 10)
        #expect(ids(second) == ids(byOffset) && ids(second) != ids(first))
    }

    @Test func `cursors walk the whole list and the last page has none`() throws {
        var all: [String] = []
        var cursor: String?
        repeat {
            let options = cursor.map { ["--after", $0] } ?? []
            let page = try CommandRun(
                arguments: ["ls", library, "--sort", "author", "--limit", "97", "--json"] + options
            ).document()
            all += ids(page)
            cursor = page["next"] as? String
        } while cursor != nil
        #expect(all.count == 300 && Set(all).count == 300)
    }

    @Test func `a status filters and an offset behind the end is an empty page`() throws {
        let read = try CommandRun("ls", library, "--status", "read", "--json", "--limit", "300").document()
        let items = try #require(read["items"] as? [[String: Any]])
        #expect(!items.isEmpty && items.count < 300 && items.allSatisfy { $0["status"] as? String == "read" })
        let beyond = try CommandRun("ls", library, "--offset", "5000", "--json").document()
        #expect(ids(beyond).isEmpty && beyond["next"] is NSNull)
    }

    @Test(arguments: ["title", "author", "added", "finished", "year", "rating", "series"])
    func `every order runs both ways, by page and by cursor`(_ order: String) throws {
        let all = ["ls", library, "--sort", order, "--limit", "300", "--json"]
        let forward = ids(try CommandRun(arguments: all).document())
        let reverse = ids(try CommandRun(arguments: all + ["--reverse"]).document())
        #expect(forward.count == 300 && Set(forward) == Set(reverse))
        let half = ["ls", library, "--sort", order, "--reverse", "--limit", "150", "--json"]
        let first = try CommandRun(arguments: half).document()
        let cursor = try #require(first["next"] as? String)
        let second = try CommandRun(arguments: half + ["--after", cursor]).document()
        #expect(ids(first) + ids(second) == reverse)
        #expect(
            try CommandRun(arguments: all + ["--after", cursor]).status == 64, "the cursor is of the other direction")
    }

    @Test func `conditions must all hold, and the total counts their matches`() throws {
        let conditions = ["--where", "year>=1900", "--where", "status != none", "--where", "language=en"]
        let found = try CommandRun(arguments: ["ls", library, "--json", "--limit", "300"] + conditions).document()
        let all = try #require(
            try CommandRun("ls", library, "--json", "--limit", "300").document()["items"] as? [[String: Any]])
        let expected = all.filter { ($0["year"] as? Int ?? 0) >= 1900 && $0["status"] as? String != "none" }
        #expect(!ids(found).isEmpty)
        #expect(Set(ids(found)).isSubset(of: expected.compactMap { $0["id"] as? String }))
        #expect(found["total"] as? Int == ids(found).count)
    }

    @Test func `sections cover the list, and each can be asked for`() throws {
        let document = try CommandRun("ls", library, "--sections", "--json").document()
        let sections = try #require(document["sections"] as? [[String: Any]])
        #expect(sections.compactMap { $0["count"] as? Int }.reduce(0, +) == 300)
        let some = try #require(sections.dropFirst().first)
        let label = try #require(some["label"] as? String)
        let part = try CommandRun("ls", library, "--section", label, "--json", "--limit", "300").document()
        #expect(part["total"] as? Int == some["count"] as? Int && ids(part).count == some["count"] as? Int)
        #expect(try CommandRun("ls", library, "--section", "none such").status == 66)
    }

    @Test func `the table is at most 90 columns wide and its words go to the right places`() throws {
        let run = try CommandRun("ls", library, "--limit", "30")
        #expect(run.output.hasPrefix("TITLE"))
        #expect(run.output.split(separator: "\n").count == 31)
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 90 })
        #expect(run.talk.contains("1–30 of 300 works by title"))
        #expect(!run.output.contains("\u{1B}"), "no colours where there is no terminal")
    }

    @Test func `search finds a title by its typed beginning`() throws {
        let all = try CommandRun("ls", library, "--limit", "300", "--json").document()
        let titles = try #require(all["items"] as? [[String: Any]]).compactMap { $0["title"] as? String }
        let title = try #require(titles.first { $0.hasPrefix("The ") && $0.count > 12 })
        let run = try CommandRun("search", library, String(title.lowercased().prefix(10)), "--json")
        let document = try run.document()
        #expect(document["schema"] as? String == "bookdb.search/1")
        let found = try #require(document["items"] as? [[String: Any]]).compactMap { $0["title"] as? String }
        #expect(found.contains(title))
        let first = try #require((document["items"] as? [[String: Any]])?.first)
        #expect(["exactTitle", "titleBeginning", "wordBeginnings"].contains(first["match"] as? String))
    }

    @Test func `search puts the best first, marks what matched in bold, and counts all`() throws {
        let ranked = ["search", library, "an", "--limit", "300"]
        let document = try CommandRun(arguments: ranked + ["--json"]).document()
        let total = try #require(document["total"] as? Int)
        #expect(total == ids(document).count && total > 1)
        let inOrder = try CommandRun(arguments: ranked + ["--in-order", "--json"]).document()
        #expect(Set(ids(inOrder)) == Set(ids(document)))
        let listed = ids(try CommandRun("ls", library, "--limit", "300", "--json").document())
        #expect(ids(inOrder) == listed.filter(Set(ids(document)).contains))
        let plain = try CommandRun("search", library, "an", "--limit", "1")
        #expect(plain.talk.contains("1 of \(total) works") && plain.talk.contains("--limit \(total)"))
        #expect(!plain.output.contains("\u{1B}"))
        let coloured = try CommandRun("search", library, "an", "--limit", "1", "--color", "always")
        let marked = try #require(coloured.output.split(separator: "\n").last?.split(separator: "\u{1B}[1m").last)
        let found = try #require(marked.split(separator: "\u{1B}[0m").first)
        #expect(found.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil) == "an")
        let nothing = try CommandRun("search", library, "qqqqqqqqqqqq")
        #expect(nothing.status == 0 && nothing.output.isEmpty && nothing.talk.contains("Nothing matches"))
    }

    @Test func `get shows a work by identifier and by ISBN`() throws {
        let page = try CommandRun("ls", library, "--limit", "40", "--json").document()
        var isbn: String?
        for id in ids(page) {
            let work = try CommandRun("get", library, id, "--json").document()
            #expect(work["schema"] as? String == "bookdb.get/1")
            #expect(work["id"] as? String == id)
            let editions = try #require(work["editions"] as? [[String: Any]])
            isbn = editions.lazy.compactMap { ($0["isbns"] as? [String])?.first }.first
            if let isbn {
                #expect(try CommandRun("get", library, isbn, "--json").document()["id"] as? String == id)
                break
            }
        }
        #expect(isbn != nil)
        #expect(try CommandRun("get", library, "000001-99999999").status == 66)
        #expect(try CommandRun("get", library, "nonsense").status == 64)
    }

    @Test func `two libraries of one seed export the same bytes and another seed others`() throws {
        let twin = folder.path("Twin.bookdb")
        #expect(try CommandRun("seed", twin, "--works", "300", "--seed", "5").status == 0)
        let other = folder.path("Other.bookdb")
        #expect(try CommandRun("seed", other, "--works", "300", "--seed", "6").status == 0)
        let one = try CommandRun("export", library, "--format", "jsonl").output
        #expect(one.split(separator: "\n").count > 900)
        #expect(try CommandRun("export", twin, "--format", "jsonl").output == one)
        #expect(try CommandRun("export", other, "--format", "jsonl").output != one)
    }

    @Test func `export writes a file and overwrites none`() throws {
        let file = folder.path("out.jsonl")
        #expect(try CommandRun("export", library, "--format", "jsonl", "-o", file).status == 0)
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try CommandRun("export", library, "--format", "jsonl").output == written)
        #expect(try CommandRun("export", library, "--format", "jsonl", "-o", file).status == 73)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == written)
    }

    /// The name that it had until it was whole was too long, and an empty one was refused when all was exported.
    @Test func `a file may have the longest name there is, and no longer one or none`() throws {
        let longest = folder.path(String(repeating: "x", count: 249) + ".jsonl")
        #expect(try CommandRun("export", library, "--format", "jsonl", "-o", longest).status == 0)
        #expect(FileManager.default.fileExists(atPath: longest))
        let longer = try CommandRun("export", library, "--format", "jsonl", "-o", longest + "x")
        #expect(longer.status == 74 && longer.talk.contains("name a shorter one"), "\(longer.talk)")
        let missing = folder.path("Nothing.bookdb")
        let unnamed = try CommandRun("export", missing, "--format", "jsonl", "-o", "")
        #expect(unnamed.status == 64 && unnamed.talk.contains("empty name"), "\(unnamed.talk)")
        let repaired = try CommandRun("repair", library, "-o", folder.path("S.bookdb"), "--lost", "")
        #expect(repaired.status == 64 && !FileManager.default.fileExists(atPath: folder.path("S.bookdb")))
        let table = try folder.file("t.csv", "title\nA\n")
        let rejects = try CommandRun("import", folder.path("T.bookdb"), table, "--rejects", "")
        #expect(rejects.status == 64 && !FileManager.default.fileExists(atPath: folder.path("T.bookdb")))
    }

    /// Half of one stood under the name of the whole, and came in as if it was one.
    @Test func `an export that was broken off has not the name of one, and is not in the way`() throws {
        let file = folder.path("again.jsonl")
        try Data("{\"type\":\"auth".utf8).write(to: URL(fileURLWithPath: file + ".unfinished"))
        #expect(try CommandRun("export", library, "--format", "jsonl", "-o", file).status == 0)
        #expect(
            try String(contentsOfFile: file, encoding: .utf8)
                == CommandRun("export", library, "--format", "jsonl").output)
        let leftovers = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter {
            $0.hasSuffix(".unfinished")
        }
        #expect(leftovers == ["again.jsonl.unfinished"], "but what was there before nothing is left")
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        let short = folder.path("short.jsonl")
        shell.arguments = [
            "-c", "ulimit -f 1; exec \"$0\" export \"$1\" --format jsonl -o \"$2\"", BuiltCommand.url.path, library,
            short,
        ]
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 74)
        #expect(!FileManager.default.fileExists(atPath: short))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("")).count { $0.hasSuffix(".unfinished") }
                == 1)
    }

    /// Swift puts another letter in the place of what is none: a library of another name was made.
    @Test func `a name that is no text is refused, and nothing is made`() throws {
        let place = folder.path("odd")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let shell = Process()
        let talk = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "exec \"$0\" seed \"$(printf '%s/\\351.bookdb' \"$1\")\" --works 3", BuiltCommand.url.path, place,
        ]
        shell.standardError = talk
        try shell.run()
        let said = String(decoding: talk.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 64 && said.contains("Argument 2 is not UTF-8"), "\(said)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
    }

    @Test(arguments: ["series", "tag", "title", "author"])
    func `a column without absent values is not asked for none`(column: String) throws {
        let run = try CommandRun("ls", library, "--where", "\(column)=none")
        #expect(run.status == 64 && run.talk.contains("with"), "\(run.talk)")
        #expect(try CommandRun("ls", library, "--where", "\(column)=\"none\"").status == 0)
    }

    @Test func `the heading of what has no value is asked for as it is shown`() throws {
        let sections = try CommandRun("ls", library, "--sort", "finished", "--sections")
        #expect(sections.output.contains("(none)"))
        let run = try CommandRun("ls", library, "--sort", "finished", "--section", "(none)", "--json")
        let total = try #require(run.document()["total"] as? Int)
        #expect(run.status == 0 && total > 0)
    }

    @Test func `an export comes in again, goes on where it was broken off, and says which lines it does not take`()
        throws
    {
        let exported = try CommandRun("export", library, "--format", "jsonl").output
        let file = try folder.file("back.jsonl", exported)
        let lines = exported.split(separator: "\n")
        let half = try folder.file("half.jsonl", lines.prefix(500).joined(separator: "\n"))
        let copy = folder.path("Back.bookdb")
        #expect(try CommandRun("import", copy, half).status == 0)
        let rest = try CommandRun("import", copy, file)
        #expect(rest.status == 0 && rest.output.contains("from line 501 on"), "\(rest.output)")
        #expect(rest.output.contains("skipped") && rest.talk.contains("bookdb inspect"))
        #expect(try CommandRun("export", copy, "--format", "jsonl").output == exported)
        let again = try CommandRun("import", copy, file, "--json").document()
        #expect(again["added"] as? Int == 0 && again["known"] as? Int == lines.count)
        let bad = try folder.file("bad.jsonl", "{}\n\(lines[0])\n{\"type\":\"author\"}\nno\n")
        let refused = try CommandRun("import", copy, bad)
        #expect(refused.output.contains("refused  3 lines") && refused.output.contains("line 4"), "\(refused.output)")
        #expect(try CommandRun("verify", copy).status == 0)
        let nothing = self.folder.path("Nothing.bookdb")
        #expect(
            try CommandRun("import", nothing, try self.folder.file("none.jsonl", "{}\nno\n"), "--lines").status == 65)
        #expect(!FileManager.default.fileExists(atPath: nothing))
        let wrong = try CommandRun("import", copy, file, "--map", "A=title")
        #expect(wrong.status == 64 && wrong.talk.contains("--map is for tables of books"), "\(wrong.talk)")
        let folder = try CommandRun("import", self.folder.path("None.bookdb"), "/tmp", "--lines")
        #expect(folder.status != 0 && !FileManager.default.fileExists(atPath: self.folder.path("None.bookdb")))
    }

    @Test func `a reader that goes away ends the command without a word`() throws {
        let script = "'\(BuiltCommand.url.path)' export '\(library)' --format jsonl | head -n 1"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        let pipe = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        let talk = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(talk.isEmpty)
    }

    private func ids(_ page: [String: Any]) -> [String] {
        (page["items"] as? [[String: Any]])?.compactMap { $0["id"] as? String } ?? []
    }
}

/// What `ls` takes.
@Suite struct ListingOptionTests {
    @Test func `titles that begin so are a list of their own, page by page`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("l.csv", "title,author\nThe Hobbit,A\nHobbit Tales,B\nEmma,C\nHobbits,D\n")
        let library = folder.path("L.bookdb")
        #expect(try CommandRun("import", library, file).status == 0)
        let all = try CommandRun("ls", library, "--prefix", "hobbit", "--json").document()
        #expect(all["total"] as? Int == 3)
        let first = try CommandRun("ls", library, "--prefix", "hobbit", "--limit", "1")
        #expect(first.output.contains("The Hobbit") && first.talk.contains("--prefix hobbit "))
        let second = try CommandRun("ls", library, "--prefix", "hobbit", "--limit", "1", "--offset", "1", "--json")
            .document()
        #expect(second["offset"] as? Int == 1)
        #expect(((second["items"] as? [[String: Any]])?.first?["title"] as? String) == "Hobbit Tales")
        let titles = { (words: [String]) in
            let items = try CommandRun(arguments: ["ls", library, "--prefix", "hobbit", "--json"] + words).document()
            return (items["items"] as? [[String: Any]])?.compactMap { $0["title"] as? String }
        }
        #expect(try titles(["--reverse"]) == ["Hobbits", "Hobbit Tales", "The Hobbit"])
        #expect(try titles(["--sort", "author", "--reverse"]) == ["Hobbits", "Hobbit Tales", "The Hobbit"])
        #expect(try titles(["--where", "author=b"]) == ["Hobbit Tales"])
        #expect(try titles(["--section", "H", "--limit", "2"]) == ["The Hobbit", "Hobbit Tales"])
        let wrong = try CommandRun("ls", library, "--prefix", "a", "--sort", "year", "--offset", "2")
        #expect(wrong.status == 64 && wrong.talk.contains("go on with --after"), "\(wrong.talk)")
    }

    @Test func `an offset may be any number, also under a heading`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let table = Data("title,author\nEmma,A\nThe Hobbit,B\n".utf8)
        #expect(try CommandRun("import", library, "-", input: table).status == 0)
        for words in [["--section", "H"], ["--prefix", "hob"], []] {
            let run = try CommandRun(arguments: ["ls", library, "--offset", "9223372036854775807"] + words)
            #expect(run.status == 0 && run.talk.contains("No more works"), "\(words) \(run.talk)")
        }
    }

    @Test func `the next step is what a shell takes for the same words`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let table = Data("title,author\nL'Hiver,A\nL'Histoire,B\nEmma,C\n".utf8)
        #expect(try CommandRun("import", library, "-", input: table).status == 0)
        let one = ["ls", library, "--limit", "1"]
        let typed = try CommandRun(arguments: one + ["--prefix", "l'"])
        #expect(typed.talk.contains(#"--prefix 'l'\'''"#), "\(typed.talk)")
        let asked = try CommandRun(arguments: one + ["--where", "title != o'clock"])
        #expect(asked.talk.contains(#"--where 'title != o'\''clock'"#), "\(asked.talk)")
        let headed = try CommandRun(arguments: one + ["--section", "L"])
        #expect(headed.talk.contains("--section L "), "\(headed.talk)")
    }

    @Test(arguments: [["ls", "--limit", "-3"], ["ls", "--offset", "-1"]])
    func `a negative number is told what is wrong with it`(words: [String]) throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        #expect(try CommandRun("seed", library, "--works", "3").status == 0)
        let run = try CommandRun(arguments: [words[0], library] + words[1...])
        #expect(run.status == 64 && run.talk.contains("not \(words[2])"), "\(run.talk)")
    }

    // The thread sanitizer's own memory counts as a file.
    #if !TSAN
        @Test func `a seed that fails leaves nothing`() throws {
            let folder = try TemporaryFolder()
            let library = folder.path("L.bookdb")
            // No file may become larger than 100 blocks of 512 bytes.
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = [
                "-c", "ulimit -f 100; exec \"$0\" seed \"$1\" --works 5000", BuiltCommand.url.path, library,
            ]
            shell.standardError = FileHandle.nullDevice
            shell.standardOutput = FileHandle.nullDevice
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 74)
            #expect(!FileManager.default.fileExists(atPath: library))
        }
    #endif

    @Test func `a seed does not touch what is there`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        #expect(try CommandRun("seed", library, "--works", "3").status == 0)
        #expect(try CommandRun("seed", library, "--works", "5").status == 73)
        #expect(try CommandRun("ls", library, "--json").document()["total"] as? Int == 3)
    }

    @Test func `a seed goes on where one was killed before it had written a book`() async throws {
        let folder = try TemporaryFolder()
        let (library, begun, left) = (folder.path("L.bookdb"), folder.path("B.bookdb"), folder.path("T.bookdb"))
        #expect(try CommandRun("seed", library, "--works", "7").status == 0)
        try await BookStore(at: begun).close()
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        _ = try folder.file("T.bookdb/load-0.tmp", "what a load sorts")
        let export = try CommandRun("export", library, "--format", "jsonl").output
        for path in [begun, left] {
            let run = try CommandRun("seed", path, "--works", "7")
            #expect(run.status == 0, "\(run.talk)")
            #expect(try CommandRun("export", path, "--format", "jsonl").output == export)
            #expect(try CommandRun("seed", path, "--works", "7").status == 73)
        }
    }

    /// It said to use `-750s`, which no command line takes.
    @Test func `a heading that begins with a hyphen is named as it can be typed`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let table =
            "title,author,first published\nThe Iliad,Homer,-746\nThe Odyssey,Homer,-744\nEmma,Jane Austen,1815\n"
        #expect(try CommandRun("import", library, "-", input: Data(table.utf8)).status == 0)
        let run = try CommandRun("ls", library, "--sort", "year", "--section", "x")
        let option = try #require(run.talk.firstMatch(of: /--section=-\d+s/)?.0, "\(run.talk)")
        let part = try CommandRun("ls", library, "--sort", "year", String(option), "--limit", "1")
        #expect(part.status == 0 && part.talk.contains(" \(option) "), "\(part.talk)")
        let page = try CommandRun("ls", library, "--prefix=-x", "--json").document()
        #expect(page["total"] as? Int == 0)
    }

    @Test func `the version is that of the changelog`() throws {
        let changes = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("CHANGELOG.md"),
            encoding: .utf8)
        let version = try CommandRun("--version").output.dropFirst("bookdb ".count).prefix { !$0.isNewline }
        #expect(changes.contains("## \(version) "))
    }
}
