import Foundation
import Testing

/// A small round of `Tests/Processes` with the command that was just built; `./dev processes` is the whole one.
@Suite struct ProcessTests {
    @Test(.enabled(if: Python.isThere, "python3 is not installed"))
    func `killed imports lose no batch that was told of`() throws {
        try expectNoFindings(["--only", "kills", "--kills", "12"])
    }

    @Test(.enabled(if: Python.isThere, "python3 is not installed"))
    func `processes that read beside one that loads, commits and compacts find the library sound`() throws {
        try expectNoFindings(["--only", "readers", "--looks", "60"])
    }

    /// `./dev soak --commits 1000000` is the whole one.
    @Test func `three processes that share a store lose no commit and show none out of order, though some are killed`()
        throws
    {
        let seed = ProcessInfo.processInfo.environment["BOOKDB_SEED"] ?? "\(UInt32.random(in: 0...UInt32.max))"
        let (process, output) = (Process(), Pipe())
        process.executableURL = BuiltCommand.url.deletingLastPathComponent().appendingPathComponent("SharingSoak")
        process.arguments = ["--commits", "1500", "--kills", "4", "--seed", seed]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        print(words)
        #expect(process.terminationStatus == 0, "\(words)")
    }

    @Test(.enabled(if: Python.isThere, "python3 is not installed"))
    func `no random crash state of a recorded run is unsound or lacks what was told of`() throws {
        try expectNoFindings(["--only", "replay", "--states", "120"])
    }

    @Test(.enabled(if: Python.isThere, "python3 is not installed"))
    func `file systems that do not help are told of and harm nothing`() throws {
        try expectNoFindings(["--only", "unfriendly", "--short"])
    }

    /// The harness says itself what it could not try, and why.
    private func expectNoFindings(_ arguments: [String]) throws {
        let seed = ProcessInfo.processInfo.environment["BOOKDB_SEED"] ?? "\(UInt32.random(in: 0...UInt32.max))"
        let folder = try TemporaryFolder()
        let log = folder.path("log")
        #expect(FileManager.default.createFile(atPath: log, contents: nil))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["python3", "-B", Python.harness, "--bookdb", BuiltCommand.url.path, "--seed", seed] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        process.waitUntilExit()
        let words = try String(contentsOfFile: log, encoding: .utf8)
        print(
            words.split(separator: "\n").filter { $0.contains("BOOKDB_SEED") || $0.contains("skipped") }.joined(
                separator: "\n"))
        #expect(process.terminationStatus == 0, "\(words)")
    }
}

private enum Python {
    static let harness = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Processes").path

    /// Version 3.10, because of its pattern matching.
    static let isThere: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 10))"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
