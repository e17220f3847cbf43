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
        #expect(again["skipped"] as? Int == 2)
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
