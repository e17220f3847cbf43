import Foundation
import TestSupport

/// Runs of `Formats/reader.py`, the reader that was written from the pages alone.
struct PythonReader {
    let status: Int32
    let output: String
    let talk: String

    /// Runs it in the repository's folder, so that paths are as in the pages.
    init(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B", "Formats/reader.py"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: RepositoryFiles.root)
        let output = Pipe()
        let talk = FileManager.default.temporaryDirectory.appendingPathComponent("reader-\(UUID().uuidString)")
        try Data().write(to: talk)
        defer { try? FileManager.default.removeItem(at: talk) }
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: talk.path)
        try process.run()
        self.output = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
        self.talk = try String(contentsOf: talk, encoding: .utf8)
    }

    static let isInstalled: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 8))"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
