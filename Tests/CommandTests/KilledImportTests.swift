import Foundation
import Testing

@Suite struct KilledImportTests {
    @Test(arguments: [1, 4, 12])
    func `an import killed at any moment loses no batch it has told of`(batches: Int) throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let file = try folder.file("books.csv", SampleFiles.goodreads(rows: 60_000))
        let acknowledged = try rowsToldOf(library, file, killAfter: batches)
        #expect(acknowledged > 0)

        let verification = try CommandRun("verify", library)
        #expect(verification.status == 0, "\(verification.output)\(verification.talk)")
        let total = try #require(try CommandRun("ls", library, "--limit", "1", "--json").document()["total"] as? Int)
        #expect(total >= acknowledged)
        // The import can simply be started again.
        let small = try folder.file("small.csv", SampleFiles.goodreads(rows: 10))
        #expect(try CommandRun("import", library, small).status == 0)
    }

    @Test func `an interrupted import says where it stands and ends with 130`() throws {
        let folder = try TemporaryFolder()
        let library = folder.path("L.bookdb")
        let file = try folder.file("books.csv", SampleFiles.goodreads(rows: 60_000))
        let process = Process()
        let output = Pipe()
        let talk = Pipe()
        process.executableURL = BuiltCommand.url
        process.arguments = ["import", library, file, "--jsonl"]
        process.standardOutput = output
        process.standardError = talk
        try process.run()
        var lines = LineReader(output.fileHandleForReading)
        _ = lines.next()
        process.interrupt()
        while lines.next() != nil {}
        let words = String(decoding: try talk.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 130 && process.terminationReason == .exit)
        #expect(words.contains("Interrupted"))
        #expect(try CommandRun("verify", library).status == 0)
    }

    /// Kills the import once it has told of so many batches, and gives the sum of their rows.
    private func rowsToldOf(_ library: String, _ file: String, killAfter batches: Int) throws -> Int {
        let process = Process()
        let output = Pipe()
        process.executableURL = BuiltCommand.url
        process.arguments = ["import", library, file, "--jsonl"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var lines = LineReader(output.fileHandleForReading)
        var rows = 0
        var told = 0
        while let line = lines.next() {
            let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            guard event["event"] as? String == "committed" else { continue }
            rows += try #require(event["rows"] as? Int)
            told += 1
            if told == batches { kill(process.processIdentifier, SIGKILL) }
        }
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        return rows
    }
}
