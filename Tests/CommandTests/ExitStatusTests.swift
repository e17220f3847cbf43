import BookDB
import Foundation
import Testing

@Suite struct ExitStatusTests {
    @Test(arguments: [
        ["ls"], ["search", "x"], ["get", "000001-1"], ["inspect"], ["verify"], ["compact"],
        ["dump", "header"], ["dump", "record", "000001-1"],
        ["export", "--format", "jsonl"],
    ])
    func `no such library ends with 66 and makes none`(command: [String]) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("None.bookdb")
        let run = try CommandRun(arguments: [command[0], path] + command.dropFirst())
        #expect(run.status == 66)
        #expect(run.talk.contains("→"))
        #expect(run.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a folder that is no library ends with 65`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("notes.txt", "hello")
        #expect(try CommandRun("ls", folder.url.path).status == 65)
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        #expect(try CommandRun("import", folder.url.path, file).status == 65)
    }

    @Test func `a file that is no table ends with 65 and begins no library`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("picture.png")
        try Data((0..<4_000).map { UInt8(truncatingIfNeeded: $0 &* 37) }).write(to: url)
        #expect(try CommandRun("import", folder.path("L.bookdb"), url.path).status == 65)
        #expect(!FileManager.default.fileExists(atPath: folder.path("L.bookdb")))
    }

    @Test func `a file that is not there ends with 66`() throws {
        let folder = try TemporaryFolder()
        #expect(try CommandRun("import", folder.path("L.bookdb"), folder.path("none.csv")).status == 66)
    }

    @Test(arguments: [
        ["ls"], ["ls", "L", "--colour-of", "x"], ["ls", "L", "--limit", "0"], ["ls", "L", "--sort", "size"],
        ["ls", "L", "--where", "year"], ["ls", "L", "--where", "year>soon"], ["ls", "L", "--where", "yeer=1"],
        ["ls", "L", "--where", "tag<3"], ["ls", "L", "--where", "rating>3.9"],
        ["ls", "L", "--where", "year=1", "--offset", "2"],
        ["ls", "L", "--status", "reed"], ["ls", "L", "--offset", "1", "--after", "t00"], ["seed", "L"],
        ["export", "L"], ["export", "L", "--format", "xml"], ["import", "L", "f", "--map", "x"], ["frobnicate"],
        ["dump", "L"], ["dump", "L", "page"], ["dump", "L", "page", "-1"], ["dump", "L", "node", "title:x"],
        ["dump", "L", "record", "x"], ["dump", "L", "log", "x"], ["dump", "L", "header", "1"], ["dump", "L", "block"],
    ])
    func `wrong usage ends with 64`(arguments: [String]) throws {
        let run = try CommandRun(arguments: arguments)
        #expect(run.status == 64)
        #expect(!run.talk.isEmpty && run.output.isEmpty)
    }

    @Test func `a near miss of a command is named`() throws {
        let run = try CommandRun("inspct", "L")
        #expect(run.status == 64)
        #expect(run.talk.contains("Did you mean 'inspect'?"))
    }

    @Test func `help and version answer on standard output`() throws {
        #expect(try CommandRun("--help").output.contains("import"))
        #expect(try CommandRun("help", "exit-codes").output.contains("75"))
        #expect(try CommandRun("help", "ls").output.contains("--sort"))
        #expect(try CommandRun("ls", "--help").output.contains("--after"))
        #expect(try CommandRun("version").output.hasPrefix("bookdb "))
        #expect(try CommandRun("--version").output.hasPrefix("bookdb "))
    }

    @Test func `a second writer works beside the first one, and readers do not care`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        #expect(try CommandRun("import", library, file).status == 0)
        // A writer that waits for the rest of its input has the library open; its first line says so.
        let writer = Process()
        let input = Pipe()
        let output = Pipe()
        writer.executableURL = BuiltCommand.url
        writer.arguments = ["import", library, "-", "--jsonl"]
        writer.standardInput = input
        writer.standardOutput = output
        writer.standardError = FileHandle.nullDevice
        try writer.run()
        defer {
            try? input.fileHandleForWriting.close()
            writer.waitUntilExit()
        }
        try input.fileHandleForWriting.write(contentsOf: Data(SampleFiles.goodreads(rows: 4_000).utf8))
        var lines = LineReader(output.fileHandleForReading)
        #expect(lines.next()?.contains("committed") == true)
        #expect(try CommandRun("import", library, file).status == 0)
        #expect(try CommandRun("ls", library).status == 0)
        #expect(try CommandRun("verify", library).status == 0)
    }

    @Test func `a writer beside an app that keeps its library for itself ends with 75 and names it`() async throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        let app = try BookStore(at: library)
        for command in [["import", library, file], ["compact", library]] {
            let writer = try CommandRun(arguments: command)
            #expect(writer.status == 75, "\(command)")
            #expect(writer.talk.contains("in use by process \(getpid())"), "\(writer.talk)")
            #expect(writer.talk.contains("access: .shared") && !writer.talk.contains("read-only"))
        }
        #expect(try CommandRun("ls", library).status == 0)
        try await app.close()
        #expect(try CommandRun("import", library, file).status == 0)
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func `a folder that may not be written ends with 77`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("books.csv", SampleFiles.goodreads)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path) }
        #expect(try CommandRun("import", folder.path("L.bookdb"), file).status == 77)
    }

    @Test func `NO_COLOR beats FORCE_COLOR and --color beats both`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        #expect(try CommandRun("seed", library, "--works", "3").status == 0)
        func isColoured(_ options: [String], _ environment: [String: String]) throws -> Bool {
            try CommandRun(
                arguments: ["ls", library] + options,
                environment: ["TERM": "xterm", "NO_COLOR": "", "FORCE_COLOR": ""].merging(environment) { $1 }
            ).output.contains("\u{1B}[")
        }
        #expect(try !isColoured([], [:]))
        #expect(try isColoured([], ["FORCE_COLOR": "1"]))
        #expect(try !isColoured([], ["FORCE_COLOR": "1", "NO_COLOR": "1"]))
        #expect(try isColoured(["--color", "always"], ["NO_COLOR": "1"]))
        #expect(try !isColoured(["--color", "never"], ["FORCE_COLOR": "1"]))
    }
}
