import Foundation
import Testing

@Suite struct ImportTests {
    @Test func `import makes a library and says in JSON what became of each row`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        let run = try CommandRun("import", folder.path("L.bookdb"), file, "--json")
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("{\"schema\":\"bookdb.import/1\""))
        let document = try run.document()
        #expect(document["rows"] as? Int == 3)
        #expect(document["added"] as? Int == 2)
        #expect(document["rejected"] as? Int == 1)
        let rejects = try #require(document["rejects"] as? [[String: Any]])
        #expect(rejects.first?["line"] as? Int == 4)
        #expect((rejects.first?["reason"] as? String)?.isEmpty == false)
    }

    @Test func `the same file again adds nothing`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        let library = folder.path("L.bookdb")
        #expect(try CommandRun("import", library, file).status == 0)
        let before = try CommandRun("export", library, "--format", "jsonl").output
        let again = try CommandRun("import", library, file, "--json").document()
        #expect(again["added"] as? Int == 0)
        #expect(again["identical"] as? Int == 2)
        #expect(try CommandRun("export", library, "--format", "jsonl").output == before)
    }

    @Test func `a dry run says what would happen and makes no library`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        let run = try CommandRun("import", folder.path("L.bookdb"), file, "--dry-run")
        #expect(run.status == 0)
        #expect(run.output.contains("would add"))
        #expect(run.output.contains("Nothing was changed."))
        #expect(!FileManager.default.fileExists(atPath: folder.path("L.bookdb")))
    }

    @Test func `a hyphen imports standard input`() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(
            "import", folder.path("L.bookdb"), "-", "--json", input: Data(SampleFiles.goodreads.utf8))
        #expect(run.status == 0)
        #expect(try run.document()["added"] as? Int == 2)
    }

    @Test func `a pipe that has a path gives all of its bytes`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "cat \"$1\" | \"$0\" import \"$2\" /dev/stdin", BuiltCommand.url.path,
            try folder.file("books.csv", SampleFiles.goodreads), library,
        ]
        shell.standardOutput = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(try CommandRun("ls", library, "--json").document()["total"] as? Int == 2)
    }

    @Test func `the next step behind rejected rows reads them as they were read`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let file = try folder.file("books.csv", "Titel,Schreiber\nDune,Frank Herbert\n,Nobody\n")
        let run = try CommandRun("import", library, file, "--map", "Schreiber=authors", "--dates", "dmy", "-n")
        #expect(
            run.talk.contains(
                "→ bookdb import \(library) \(file) --map Schreiber=authors --dates dmy --dry-run --rejects FILE"),
            "\(run.talk)")
        let lines = try folder.file("library.jsonl", "{\"type\":\"author\"}\n")
        let dry = try CommandRun("import", library, lines, "--dry-run")
        #expect(dry.status == 64 && dry.talk.contains("lines have no dry run"), "\(dry.talk)")
    }

    @Test func `a file for rejected rows that exists is told of before any row is imported`() throws {
        let folder = try TemporaryFolder()
        let rejects = try folder.file("rejects.csv", "mine")
        let run = try CommandRun(
            "import", folder.path("L.bookdb"), try folder.file("books.csv", SampleFiles.goodreads), "--rejects", rejects
        )
        #expect(run.status == 73 && run.talk.contains("exists; it was not overwritten"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("L.bookdb")))
        #expect(try String(contentsOfFile: rejects, encoding: .utf8) == "mine")
    }

    @Test func `every line of jsonl tells of a commit`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("books.csv", SampleFiles.goodreads(rows: 450))
        let run = try CommandRun("import", folder.path("L.bookdb"), file, "--jsonl")
        #expect(run.status == 0)
        let commits = try run.documents().filter { $0["event"] as? String == "committed" }
        #expect(commits.count > 1)
        #expect(commits.compactMap { $0["rows"] as? Int }.reduce(0, +) == 450)
        let numbers = commits.compactMap { $0["commit"] as? Int }
        #expect(numbers.count == commits.count && numbers == numbers.sorted())
    }

    @Test func `columns can be named by hand`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("books.csv", "Titel,Autor\nDer Schimmelreiter,Theodor Storm\n")
        let library = folder.path("L.bookdb")
        let run = try CommandRun("import", library, file, "--map", "Titel=title", "--map", "Autor=authors", "--json")
        #expect(run.status == 0)
        #expect(try run.document()["added"] as? Int == 1)
        #expect(try CommandRun("search", library, "der sch").output.contains("Theodor Storm"))
    }

    @Test func `the sample that ships with the project imports but for its two broken rows`() throws {
        let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Formats/samples/sample-library.csv")
        let folder = try TemporaryFolder()
        let document = try CommandRun("import", folder.path("L.bookdb"), sample.path, "--json").document()
        #expect(document["rows"] as? Int == 64)
        #expect(document["rejected"] as? Int == 2)
        #expect(document["added"] as? Int == 61)
        #expect(document["merged"] as? Int == 1)
    }
}

/// What an import says of itself.
@Suite struct ImportSpeechTests {
    @Test func `what was lost comes before what came in, and lines that say the same are one`() throws {
        let folder = try TemporaryFolder()
        let rows = (1...30).map { "Book \($0),Author,978030640615\($0 % 2 == 0 ? 1 : 2),s\u{1B}[31m" }.joined(
            separator: "\n")
        let file = try folder.file("l.csv", "title,author,isbn,S\u{1B}[1mtand\n\(rows)\nToo,few,or,many,fields\n")
        let run = try CommandRun("import", folder.path("L.bookdb"), file)
        #expect(run.status == 0 && !run.output.contains("\u{1B}"))
        #expect(run.output.contains("title ← title, authors ← author, isbn ← isbn"))
        #expect(run.output.contains("tand (30 values)"))
        let lines = run.output.split(separator: "\n")
        let lost = try #require(lines.firstIndex { $0.contains("rejected") })
        let gained = try #require(lines.firstIndex { $0.contains("added") })
        #expect(lost < gained)
        #expect(lines.count { $0.contains("check digit") } == 2)
        #expect(run.output.contains("line 2 and 14 more"))
    }

    @Test func `a file without an author column is warned about`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("l.csv", "title,poet\nPoems,Auden\n")
        let run = try CommandRun("import", folder.path("L.bookdb"), file, "--dry-run")
        #expect(run.status == 0 && run.output.contains("No column says who wrote the books"))
        #expect(run.output.contains("left out: poet (1 value)"))
    }

    @Test func `a column whose field another one has filled is named among those left out alone`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("l.csv", "Title,Notes,Authors,Notes\nA,one,Ann Lee,two\n")
        let run = try CommandRun("import", folder.path("L.bookdb"), file)
        #expect(run.output.contains("title ← Title, notes ← Notes, authors ← Authors\n"), "\(run.output)")
        #expect(run.output.contains("left out: Notes (1 value)"), "\(run.output)")
    }

    @Test func `the help says which options are of tables`() throws {
        let help = try CommandRun("help", "import").output
        #expect(help.matches(of: /Of a table:/).count == 2 && help.contains("are for tables."), "\(help)")
    }

    @Test func `a header without rows is no import, and leaves no library`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("l.csv", "title,author\n")
        let run = try CommandRun("import", folder.path("L.bookdb"), file)
        #expect(run.status == 65 && run.talk.contains("has no row below them"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("L.bookdb")))
    }

    @Test func `letters that can be read in two ways stop the import, and the encoding can be said`() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("l.csv")
        try (Data("title,author\nMi".utf8) + Data([0x8E]) + Data("ville,B\n".utf8)).write(
            to: URL(fileURLWithPath: file))
        let run = try CommandRun("import", folder.path("L.bookdb"), file)
        #expect(run.status == 65 && run.talk.contains("line 2") && run.talk.contains("--encoding windows-1252"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("L.bookdb")))
        #expect(try CommandRun("import", folder.path("L.bookdb"), file, "--encoding", "cp1252").status == 0)
    }

    @Test func `a table of which no row is a book is no import, and leaves no library`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let file = try folder.file("books.csv", "title,author\n,X\n,Y\n")
        let run = try CommandRun("import", library, file)
        #expect(run.status == 65 && run.output.contains("rejected"), "\(run.talk)")
        #expect(!FileManager.default.fileExists(atPath: library))
        #expect(try CommandRun("seed", library, "--works", "3").status == 0)
        #expect(try CommandRun("import", library, file).status == 65)
        #expect(try CommandRun("ls", library, "--json").document()["total"] as? Int == 3)
    }

    @Test func `an export on standard input is told how it comes in`() throws {
        let folder = try TemporaryFolder()
        let (library, copy) = (folder.path("L.bookdb"), folder.path("C.bookdb"))
        #expect(try CommandRun("seed", library, "--works", "3").status == 0)
        let lines = Data(try CommandRun("export", library, "--format", "jsonl").output.utf8)
        let run = try CommandRun("import", copy, "-", input: lines)
        #expect(run.status == 65 && run.talk.contains("--lines"), "\(run.talk)")
        #expect(try CommandRun("import", copy, "-", "--lines", input: lines).status == 0)
    }

    /// It was told to go on by whoever began it.
    @Test func `a signal that was ignored from the beginning ends no import`() throws {
        let folder = try TemporaryFolder()
        let writer = Process()
        let (input, output) = (Pipe(), Pipe())
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = [
            "-c", "trap '' HUP; exec \"$0\" import \"$1\" - --jsonl", BuiltCommand.url.path, folder.path("L.bookdb"),
        ]
        (writer.standardInput, writer.standardOutput) = (input, output)
        writer.standardError = FileHandle.nullDevice
        try writer.run()
        try input.fileHandleForWriting.write(contentsOf: Data(SampleFiles.goodreads(rows: 4_000).utf8))
        var lines = LineReader(output.fileHandleForReading)
        #expect(lines.next()?.contains("committed") == true)
        kill(writer.processIdentifier, SIGHUP)
        try input.fileHandleForWriting.close()
        while lines.next() != nil {}
        writer.waitUntilExit()
        #expect(writer.terminationStatus == 0)
    }

    @Test(arguments: zip([SIGTERM, SIGHUP, SIGINT], [143, 129, 130] as [Int32]))
    func `an import that is asked to end says what is safe`(signal: Int32, status: Int32) throws {
        let folder = try TemporaryFolder()
        let writer = Process()
        let (input, output, talk) = (Pipe(), Pipe(), Pipe())
        writer.executableURL = BuiltCommand.url
        // Those of the rows that come later are told when the import goes on.
        let rejects = folder.path("rejects.csv")
        writer.arguments = ["import", folder.path("L.bookdb"), "-", "--jsonl", "--rejects", rejects]
        (writer.standardInput, writer.standardOutput, writer.standardError) = (input, output, talk)
        try writer.run()
        var table = SampleFiles.goodreads(rows: 4_000).split(separator: "\n", omittingEmptySubsequences: false)
        table.insert("a row that is none", at: 1)
        try input.fileHandleForWriting.write(contentsOf: Data(table.joined(separator: "\n").utf8))
        var lines = LineReader(output.fileHandleForReading)
        #expect(lines.next()?.contains("committed") == true)
        kill(writer.processIdentifier, signal)
        while lines.next() != nil {}
        let said = String(decoding: talk.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        writer.waitUntilExit()
        #expect(writer.terminationStatus == status && said.contains("whole and safe"), "\(said)")
        #expect(!FileManager.default.fileExists(atPath: rejects))
        try? input.fileHandleForWriting.close()
    }

    @Test func `a file for rejected rows that cannot be made keeps the import from beginning`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("books.csv", "title,author\nEmma,Jane Austen\n,X\n")
        let run = try CommandRun(
            "import", folder.path("L.bookdb"), file, "--rejects", folder.path("nowhere/rejects.csv"))
        #expect(run.status == 66 && run.talk.contains("There is no folder"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("L.bookdb")))
        // Nothing is left where no row is rejected.
        let good = try folder.file("good.csv", "title,author\nEmma,Jane Austen\n")
        let rejects = folder.path("rejects.csv")
        #expect(try CommandRun("import", folder.path("L.bookdb"), good, "--rejects", rejects).status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                == ["L.bookdb", "books.csv", "good.csv"])
    }

    @Test func `an empty file is said to be empty, and is an export where that is said`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("e.jsonl", "")
        let run = try CommandRun("import", folder.path("L.bookdb"), file)
        #expect(run.status == 65 && run.talk.contains("e.jsonl is empty.") && run.talk.contains("--lines"))
        #expect(try CommandRun("import", folder.path("L.bookdb"), file, "--lines").status == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `an import of lines that waits for them ends when it is asked to`(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let importing = Process()
        let talk = Pipe()
        importing.executableURL = BuiltCommand.url
        importing.arguments = ["import", folder.path("L.bookdb"), pipe, "--lines"]
        (importing.standardOutput, importing.standardError) = (FileHandle.nullDevice, talk)
        try importing.run()
        while !FileManager.default.fileExists(atPath: folder.path("L.bookdb")), importing.isRunning { usleep(1000) }
        usleep(300_000)
        kill(importing.processIdentifier, signal)
        let said = String(decoding: talk.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        importing.waitUntilExit()
        #expect(importing.terminationStatus == 128 + signal && said.contains("Interrupted."), "\(said)")
    }

    @Test func `a dry run into a library leaves nothing beside it and nothing in it`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        #expect(try CommandRun("import", library, file).status == 0)
        let before = try CommandRun("export", library, "--format", "jsonl").output
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        let other = try folder.file("more.csv", SampleFiles.goodreads(rows: 400))
        let run = try CommandRun("import", library, other, "--dry-run", "--json")
        #expect(try run.document()["added"] as? Int == 400)
        #expect(try CommandRun("export", library, "--format", "jsonl").output == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                == (names + ["more.csv"]).sorted())
    }
}
