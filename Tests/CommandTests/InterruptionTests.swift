import Foundation
import Testing

/// What commands that write say, and leave, when a signal comes in the midst of their work.
@Suite struct InterruptionTests {
    private let folder: TemporaryFolder
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        library = folder.path("L.bookdb")
    }

    /// Runs a command and sends it a signal when it has begun to write. Where it was done before the signal came, once more.
    private func run(
        _ arguments: [String], _ signal: Int32, input: Pipe? = nil, after pause: useconds_t = 0,
        whenThereIs begun: () -> Bool,
        clearing clear: () -> Void = {}
    ) throws -> (status: Int32, wasKilled: Bool, talk: String) {
        var outcome: (status: Int32, wasKilled: Bool, talk: String) = (0, false, "")
        for _ in 0..<5 where outcome.status == 0 {
            clear()
            let process = Process()
            let talk = Pipe()
            process.executableURL = BuiltCommand.url
            process.arguments = arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = talk
            if let input { process.standardInput = input }
            try process.run()
            while process.isRunning, !begun() {}
            usleep(pause)
            kill(process.processIdentifier, signal)
            let words = try talk.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            outcome = (
                process.terminationStatus, process.terminationReason == .uncaughtSignal,
                String(decoding: words, as: UTF8.self)
            )
        }
        return outcome
    }

    private func names(in path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    private func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    @Test func `a seed that is interrupted leaves nothing, and can be started again`() throws {
        let run = try run(
            ["seed", library, "--works", "10500"], SIGINT,
            whenThereIs: { names(in: library).contains { $0.hasPrefix("log-") } },
            clearing: { remove(library) })
        #expect(run.status == 130 && !run.wasKilled && run.talk == "Interrupted. Nothing was made.\n", "\(run)")
        #expect(!FileManager.default.fileExists(atPath: library))
    }

    @Test func `an import of lines that is interrupted before the first leaves no library behind`() throws {
        // Right behind the making of the library it does not hear of signals yet.
        var run: (status: Int32, wasKilled: Bool, talk: String) = (0, true, "")
        for attempt in 1...5 where run.wasKilled {
            remove(library)
            run = try self.run(
                ["import", library, "-", "--lines"], SIGINT, input: Pipe(), after: 100_000 << useconds_t(attempt),
                whenThereIs: { names(in: library).contains { $0.hasPrefix("log-") } })
        }
        #expect(run.status == 130 && !run.wasKilled, "\(run)")
        #expect(run.talk == "Interrupted. Nothing of standard input is in \(library).\n")
        #expect(!FileManager.default.fileExists(atPath: library))
    }

    @Test func `a command that is interrupted says what it leaves, and that is so`() throws {
        #expect(try CommandRun("seed", library, "--works", "10500").status == 0)
        let file = try folder.file("books.csv", SampleFiles.goodreads(rows: 20))
        #expect(try CommandRun("import", library, file).status == 0)
        let before = try CommandRun("export", library, "--format", "jsonl").output

        let saved = folder.path("S.bookdb")
        let repair = try run(
            ["repair", library, "-o", saved], SIGINT,
            whenThereIs: { names(in: saved + ".unfinished").contains("lock") },
            clearing: { remove(saved) })
        #expect(repair.status == 130 && !repair.wasKilled, "\(repair)")
        #expect(repair.talk == "Interrupted. \(library) is as it was, and nothing was saved of it.\n")
        #expect(names(in: folder.url.path).sorted() == ["L.bookdb", "books.csv"])

        let text = folder.path("L.jsonl")
        let export = try run(
            ["export", library, "--format", "jsonl", "-o", text], SIGHUP,
            whenThereIs: { names(in: folder.url.path).contains { $0.hasSuffix(".unfinished") } },
            clearing: { remove(text) })
        #expect(export.status == 129 && !export.wasKilled, "\(export)")
        #expect(export.talk == "Interrupted. \(text) was not written.\n")
        #expect(names(in: folder.url.path).sorted() == ["L.bookdb", "books.csv"])

        let backup = folder.path("Backup")
        let interrupted = try run(
            ["backup", library, backup], SIGTERM, whenThereIs: { !names(in: backup).isEmpty },
            clearing: { remove(backup) })
        #expect(interrupted.status == 143 && !interrupted.wasKilled, "\(interrupted)")
        #expect(
            interrupted.talk == "Interrupted. \(library) was not backed up; what \(backup) had before is whole.\n")
        #expect(try CommandRun("backup", library, backup).status == 0)

        let copy = folder.path("R.bookdb")
        let restore = try run(
            ["restore", backup, copy], SIGINT, whenThereIs: { names(in: copy).contains { $0.hasSuffix(".tmp") } },
            clearing: { remove(copy) })
        #expect(restore.status == 130 && !restore.wasKilled, "\(restore)")
        #expect(restore.talk == "Interrupted. There is no library at \(copy), as before.\n")
        #expect(try CommandRun("restore", backup, copy).status == 0)
        #expect(try CommandRun("export", copy, "--format", "jsonl").output == before)

        let compact = try run(
            ["compact", library], SIGTERM, whenThereIs: { names(in: library).contains { $0.hasSuffix(".tmp") } })
        #expect(compact.status == 143 && !compact.wasKilled, "\(compact)")
        #expect(compact.talk == "Interrupted. \(library) is as it was.\n")
        #expect(!names(in: library).contains { $0.hasSuffix(".tmp") })

        let sizes = { names(in: library).filter { $0.hasPrefix("log-") }.map { "\($0) \(byteCount($0))" }.sorted() }
        let atRest = sizes()
        let reindex = try run(["reindex", library], SIGINT, whenThereIs: { sizes() != atRest })
        #expect(reindex.status == 130 && !reindex.wasKilled, "\(reindex)")
        #expect(reindex.talk.hasPrefix("Interrupted. No record was touched; each list and index is "))
        #expect(reindex.talk.contains("An order of the app's own records may be half made"))
        #expect(try CommandRun("verify", library).status == 0)
        #expect(try CommandRun("export", library, "--format", "jsonl").output == before)
    }

    private func byteCount(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(library)/\(name)")
        return attributes?[.size] as? Int ?? 0
    }
}
