import Foundation
import TestSupport
import Testing

/// What docs/ADOPTION.md shows of a shell, run as it stands there.
@Suite(
    .enabled(if: PageShell.hasSQLite, "sqlite3 3.38 or newer was not found; the page's commands begin with its files"))
struct AdoptionTests {
    /// A line that begins with `$ `, and what the page shows of its output.
    private struct Step {
        let line: Int
        let command: String
        var output: [Substring] = []
    }

    private static let samples = RepositoryFiles.root + "/Formats/samples/adoption"

    private static func steps(in page: String) -> [Step] {
        var steps: [Step] = []
        var isOpen = false
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            switch line {
            case "```console": isOpen = true
            case "```": isOpen = false
            case _ where !isOpen: break
            case _ where line.hasPrefix("$ "): steps.append(Step(line: index + 1, command: String(line.dropFirst(2))))
            default: steps[steps.count - 1].output.append(line)
            }
        }
        return steps
    }

    /// - Parameter line: of the page; “…” stands for what is another each time.
    private static func shows(_ output: Substring, _ line: Substring) -> Bool {
        line.hasSuffix("…") ? output.hasPrefix(line.dropLast()) : output == line
    }

    @Test func `every command of the page runs, in order, and says what the page says`() throws {
        let folder = try TemporaryFolder()
        for name in ["old-app.sql", "to-lines.sql", "from-lines.sql"] {
            try FileManager.default.copyItem(atPath: "\(Self.samples)/\(name)", toPath: folder.path(name))
        }
        let page = try String(contentsOfFile: RepositoryFiles.root + "/docs/ADOPTION.md", encoding: .utf8)
        let steps = Self.steps(in: page)
        #expect(steps.count >= 15)
        for step in steps {
            let run = try PageShell.run(step.command, in: folder.url.path)
            #expect(run.status == 0, "docs/ADOPTION.md:\(step.line): \(step.command)\n\(run.output)")
            var rest = run.output.split(separator: "\n")[...]
            for line in step.output {
                guard let index = rest.firstIndex(where: { Self.shows($0, line) }) else {
                    Issue.record("docs/ADOPTION.md:\(step.line): \(line)\nis not, or not here, in\n\(run.output)")
                    break
                }
                rest = rest[(index + 1)...]
            }
        }
    }

    @Test func `an export with a record that the old store has no key for does not go back`() throws {
        let folder = try TemporaryFolder()
        let lines = #"{"type":"author","id":"a3f09c-12","name":"Mary Shelley","sortName":"Shelley, Mary"}"#
        _ = try folder.file("library.jsonl", lines + "\n")
        let run = try PageShell.run("sqlite3 -bail Back.sqlite < '\(Self.samples)/from-lines.sql'", in: folder.url.path)
        #expect(run.status != 0 && run.output.contains("NOT NULL constraint failed"), "\(run.output)")
    }
}

/// Runs commands as a reader would, with the built `bookdb` in the path.
private enum PageShell {
    static let hasSQLite = (try? run("sqlite3 :memory: \"SELECT '{\\\"a\\\":1}' ->> 'a'\"", in: "/tmp").output) == "1\n"

    static func run(_ command: String, in folder: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(filePath: folder)
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = BuiltCommand.url.deletingLastPathComponent().path + ":" + (environment["PATH"] ?? "")
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
